use durable_runtime::Error;
use durable_runtime::prelude::*;

use std::collections::HashMap;

#[durable_workflow]
async fn pay(session: &Session, limits: HashMap<&str, u32>, pairs: &[(&str, u8)], third: Vec<Option<&str>>) -> Result<(), Error> {
    Ok(())
}

fn main() {}
