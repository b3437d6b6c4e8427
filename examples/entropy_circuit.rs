//! A loop that does not get on. Three turns complete nothing, and the fourth is for looking around: it finds what everything waits
//! for, a payload that was never sent. The process is killed in between, and the turns are counted on.
//!
//! ```text
//! cargo run --example entropy_circuit
//! ```

mod common;

use std::fs;
use std::path::Path;

use anyhow::ensure;
use durable_runtime::prelude::*;
use durable_runtime::{Outcome, Turn};

const KILL: &str = "in its second turn";

/// The world outside: a page is online once its payload was sent, and somebody has forgotten that.
struct Site<'a>(&'a Path);

impl Site<'_> {
    fn is_online(&self) -> bool {
        self.0.join("sent.txt").exists()
    }

    fn unsent(&self) -> Option<String> {
        fs::read_to_string(self.0.join("outbox.txt")).ok().filter(|_| !self.is_online())
    }

    fn send(&self, payload: &str) -> std::io::Result<()> {
        fs::write(self.0.join("sent.txt"), payload)
    }
}

#[durable_workflow(goal = "put the page online")]
async fn publish(session: &Session, #[resource] site: &Site<'_>) -> anyhow::Result<u64> {
    let pace = session.pace();
    loop {
        let turn = pace.turn().await?;
        let n = pace.number();
        match turn {
            Turn::Rest => {}
            Turn::Explore(why) | Turn::Build(why) => {
                println!("turn {n}: {why}");
                #[read(key = "explore/{n}", title = "look for what it waits for")]
                let unsent = site.unsent();
                if let Some(payload) = unsent {
                    #[side_effect(key = "send/{n}", title = "send what was left", verify = site.is_online(), settle = "0s")]
                    site.send(&payload)?;
                }
            }
            _ => {
                println!("turn {n}: is the page online?");
                #[read(key = "look/{n}", title = "see whether the page is online")]
                let is_online = site.is_online();
                if is_online {
                    session.memory().artifact("page.html").await?;
                    return Ok(n);
                }
                if n == 2 {
                    session.checkpoint("two turns have come to nothing").await?;
                    common::moment(KILL)?;
                }
            }
        }
    }
}

#[tokio::main]
async fn main() -> anyhow::Result<Outcome> {
    if let Some(dir) = common::worker_in() {
        return Ok(work(&dir).await);
    }
    let place = tempfile::tempdir()?;
    let dir = place.path();
    fs::write(dir.join("outbox.txt"), "<h1>We have moved</h1>")?;
    common::killed_at(KILL, dir)?;

    common::goes_on(dir)?;
    ensure!(Site(dir).is_online(), "the page is online");
    ensure!(common::records(dir, "done", "publish//send/4")? == 1, "the fourth turn has sent the payload");
    ensure!(common::records(dir, "done", "publish//look/5")? == 1, "the fifth has seen the page");
    let state = fs::read_to_string(dir.join("session/state.json"))?;
    ensure!(state.contains("page.html"), "there is something to show for it");
    println!("\n== Three turns came to nothing, the fourth looked around, and the fifth was the last.");
    Ok(Outcome::Finished)
}

async fn work(dir: &Path) -> Outcome {
    durable_runtime::run(dir.join("session"), async |session| {
        let turns = publish(session, &Site(dir)).await?;
        println!("the page is online after {turns} turns");
        anyhow::Ok(())
    })
    .await
}
