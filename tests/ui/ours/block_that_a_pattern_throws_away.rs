use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session) -> Result<(), Error> {
    match async {
        #[side_effect(key = "first", in_doubt = "treasury")]
        call(1).await
    } {
        _ => {}
    }
    let _later;
    _later = async {
        #[side_effect(key = "second", in_doubt = "treasury")]
        call(2).await
    };
    Ok(())
}

async fn call(_: u32) -> Result<u32, Error> {
    Ok(0)
}

fn main() {}
