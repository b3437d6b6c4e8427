use durable_runtime::prelude::*;

struct Refused;

impl From<Refused> for Failure {
    fn from(_: Refused) -> Self {
        Self
    }
}

#[derive(Debug)]
struct Failure;

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("failed")
    }
}

impl From<durable_runtime::Error> for Failure {
    fn from(_: durable_runtime::Error) -> Self {
        Self
    }
}

#[durable_workflow]
async fn pay(session: &Session, id: u32) -> Result<u32, Failure> {
    #[side_effect(key = "pay/{id}", in_doubt = "treasury")]
    let entry = call(id).await?;
    #[side_effect(key = "mail/{id}", in_doubt = "treasury")]
    call(id).await?;
    Ok(entry)
}

async fn call(_: u32) -> Result<u32, Refused> {
    Ok(0)
}

fn main() {}
