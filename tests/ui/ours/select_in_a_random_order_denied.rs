//! Where both branches are recorded, a restart could take the other one.
use durable_runtime::Error;
use durable_runtime::prelude::*;

mod futures {
    pub(crate) use tokio::select;
}

use tokio::select;

#[durable_workflow(nondeterminism = "deny")]
async fn first_of(session: &Session, id: u32) -> Result<u32, Error> {
    let card = async {
        #[side_effect(key = "card/{id}", in_doubt = "treasury")]
        call(id).await
    };
    let paid = tokio::select! {
        paid = card => paid?,
        () = std::future::pending() => 0,
    };
    futures::select! {
        one = call(paid) => { one?; }
        other = call(id) => { other?; }
    }
    let kept = select! {
        kept = call(id) => kept?,
        rest = call(paid), if paid > 1 => rest?,
    };
    let in_order = tokio::select! {
        biased;
        one = call(paid) => one?,
        other = call(id) => other?,
    };
    Ok(kept + in_order)
}

async fn call(_: u32) -> Result<u32, Error> {
    Ok(0)
}

fn main() {}
