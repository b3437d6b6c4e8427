//! An agent that answers a ticket. It asks a model, calls the tools that the model wants, and gives money back only if a person
//! says so: once they refuse, once they agree. After the money is out the process is killed, and nobody is paid twice.
//!
//! ```text
//! cargo run --example agent_loop
//! ```
//!
//! Read `agent.rs` first: the workflow is there. `model.rs` is a model that follows a script, where yours would call one;
//! `shop.rs` is the world outside; `story.rs` starts and kills, and answers for finance.

mod agent;
#[path = "../common/mod.rs"]
mod common;
#[path = "../common/list.rs"]
mod list;
mod model;
mod shop;
mod story;

use durable_runtime::Outcome;

#[tokio::main]
async fn main() -> anyhow::Result<Outcome> {
    match common::worker_in() {
        Some(dir) => Ok(agent::work(&dir).await),
        None => story::play().await,
    }
}
