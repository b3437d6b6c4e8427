//! The story: finance refuses, finance agrees, the money is out and the agent is killed, and a fresh one goes on.

use std::fs;

use anyhow::ensure;
use durable_runtime::{Outcome, Word, post};

use crate::common;
use crate::shop::Shop;

/// When the agent is killed.
pub(crate) const KILL: &str = "after the money was given back, and before anybody was told";

/// Succeeds only if all came as it should.
pub(crate) async fn play() -> anyhow::Result<Outcome> {
    let place = tempfile::tempdir()?;
    let (dir, session) = (place.path(), place.path().join("session"));

    common::waits(dir)?;
    post(&session, Word::answer("support//allow/2/0").decline().by("Grace", "the lamp was 40 euros")).await?;
    common::waits(dir)?;
    post(&session, Word::answer("support//allow/3/0").approve().by("Grace", "it came broken")).await?;
    common::killed_at(KILL, dir)?;
    common::goes_on(dir)?;

    let ledger = Shop(dir).ledger().text();
    ensure!(ledger.lines().count() == 1 && ledger.contains("40 euros back"), "money went back once: {ledger}");
    ensure!(common::records(dir, "reserve", "support//refund/2/0")? == 0, "what was refused was not begun");
    ensure!(common::records(dir, "reserve", "support//refund/3/0")? == 1, "what was agreed to was begun once");
    ensure!(fs::read_to_string(dir.join("mail.txt"))? == "You get 40 euros back.", "the customer was told");
    let journal = fs::read_to_string(session.join("journal.jsonl"))?;
    ensure!(journal.contains(r#""half":true"#), "half of the context was used");
    println!("\n== It ends with this handoff:\n\n{}", fs::read_to_string(session.join("handoff.md"))?.trim_end());
    Ok(Outcome::Finished)
}
