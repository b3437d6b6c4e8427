//! A transfer is relayed, and the process is killed before it can record that. The key was reserved before the call, so a fresh
//! process does not pay again under a new id: it looks for the transfer on the chain, and finds it.
//!
//! ```text
//! cargo run --example semantic_rollback
//! ```

mod common;
#[path = "common/list.rs"]
mod list;

use std::fs;
use std::path::Path;

use anyhow::ensure;
use durable_runtime::Outcome;
use durable_runtime::prelude::*;
use serde::{Deserialize, Serialize};

use list::List;

/// What the answer with status 402 asks for.
#[derive(Serialize, Deserialize)]
struct Quote {
    amount: u64,
    payee: String,
}

/// The world outside: a relay that puts transfers on a chain, which is a file with one transfer in each line.
struct Chain<'a>(&'a Path);

impl Chain<'_> {
    /// The answer to a request that has to be paid for: `402 Payment Required`.
    fn quote(&self) -> Quote {
        Quote { amount: 500, payee: "storage".to_owned() }
    }

    fn relay(&self, token: impl ToString, quote: &Quote) -> anyhow::Result<usize> {
        let block = self.transfers().add(token, &format!("{} {}", quote.amount, quote.payee))?;
        common::moment("after the relay, and before anybody was told")?;
        Ok(block)
    }

    /// The block that holds the transfer with this token.
    fn find(&self, token: impl ToString) -> Option<usize> {
        self.transfers().find(token)
    }

    fn transfers(&self) -> List {
        List(self.0.join("chain.txt"))
    }
}

#[durable_workflow(goal = "pay what the storage asks for", invariants = ["`pay_07` is on the chain at most once"])]
async fn rent(session: &Session, #[resource] chain: &Chain<'_>) -> anyhow::Result<usize> {
    #[read(key = "quote", title = "ask for the price")]
    let quote = chain.quote();
    #[side_effect(
        key = "pay_07" as pay,
        title = "transfer {quote.amount} to {quote.payee}",
        verify = chain.find(pay.token()),
        settle = "0s", // this relay puts a transfer on the chain at once or never
    )]
    let block = chain.relay(pay.token(), &quote)?;
    Ok(block)
}

#[tokio::main]
async fn main() -> anyhow::Result<Outcome> {
    if let Some(dir) = common::worker_in() {
        return Ok(work(&dir).await);
    }
    let place = tempfile::tempdir()?;
    let dir = place.path();
    common::killed_at("after the relay, and before anybody was told", dir)?;
    let registry = fs::read_to_string(dir.join("session/idempotency.json"))?;
    ensure!(registry.contains("rent//pay_07"), "the key was reserved before the call");
    let handoff = fs::read_to_string(dir.join("session/handoff.md"))?;
    ensure!(handoff.contains("1. VERIFY `rent//pay_07`"), "the handoff says to verify, and not to pay");

    common::goes_on(dir)?;
    ensure!(Chain(dir).transfers().text().lines().count() == 1, "the transfer was executed once");
    ensure!(common::records(dir, "reserve", "rent//pay_07")? == 1, "no further attempt was made");
    println!("\n== One transfer was executed across both sessions.");
    Ok(Outcome::Finished)
}

async fn work(dir: &Path) -> Outcome {
    durable_runtime::run(dir.join("session"), async |session| {
        let block = rent(session, &Chain(dir)).await?;
        println!("the transfer is in block {block}");
        anyhow::Ok(())
    })
    .await
}
