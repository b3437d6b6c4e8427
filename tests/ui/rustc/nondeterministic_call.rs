//! A restart would draw another number. It is a warning; where warnings are errors, this is one.

#![deny(warnings)]

use durable_runtime::prelude::*;
use uuid::Uuid;

mod uuid {
    pub struct Uuid(pub u8);

    impl Uuid {
        pub fn new_v4() -> Self {
            Self(4)
        }
    }
}

#[durable_workflow]
async fn bill(session: &Session) -> anyhow::Result<u8> {
    let number = Uuid::new_v4();
    Ok(number.0)
}

fn main() {
    let _ = bill;
}
