use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session, id: u32) -> Result<u32, durable_runtime::Error> {
    #[side_effect(key = "three", in_doubt = "bank")]
    let three = {
        let next = id + 1;
        (call(id), call(next), next)
    };
    #[side_effect(key = "mixed", in_doubt = "bank")]
    let mixed = { (call(id), id) };
    #[side_effect(key = "array", in_doubt = "bank")]
    let array = { [call(id), call(id)] };
    drop((mixed, array));
    Ok(three.2)
}

fn call(id: u32) -> Result<u32, String> {
    Ok(id)
}

fn main() {}
