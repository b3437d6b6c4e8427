use durable_runtime::Error;
use durable_runtime::prelude::*;

mod one {
    use super::*;

    #[durable_workflow(key = "one/{n}")]
    pub async fn pay(session: &Session, n: u32) -> Result<u32, Error> {
        Ok(n)
    }
}

mod two {
    use super::*;

    #[durable_workflow(key = "two/{n}")]
    pub async fn pay(session: &Session, n: u32) -> Result<u32, Error> {
        Ok(n)
    }
}

#[durable_workflow(key = "one/{id}")]
async fn other(session: &Session, id: u32) -> Result<u32, Error> {
    Ok(id)
}

fn main() {
    let _ = workflows![one::pay, two::pay];
    let _ = workflows![one::pay, other];
}
