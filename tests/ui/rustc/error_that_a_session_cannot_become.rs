use durable_runtime::prelude::*;

#[derive(Debug)]
struct Refused;

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("refused")
    }
}

#[durable_workflow]
async fn pay(session: &Session, id: u32) -> Result<(), Refused> {
    #[side_effect(key = "pay/{id}", in_doubt = "treasury")]
    call(id).await?;
    #[side_effect(key = "mail/{id}", in_doubt = "treasury")]
    call(id).await?;
    Ok(())
}

async fn call(_: u32) -> Result<u32, Refused> {
    Ok(0)
}

fn main() {}
