//! A report is written, the process is killed before it is submitted, and a fresh process submits it: once, and without writing
//! it anew.
//!
//! ```text
//! cargo run --example submit_report
//! ```

mod common;
#[path = "common/list.rs"]
mod list;

use std::fs;
use std::path::Path;

use anyhow::ensure;
use durable_runtime::Outcome;
use durable_runtime::prelude::*;

use list::List;

/// The world outside: a desk at which reports are handed in, and its list of those that it has taken.
struct Desk<'a>(&'a Path);

impl Desk<'_> {
    /// `POST /submit report`.
    fn submit(&self, token: impl ToString, report: &str) -> std::io::Result<usize> {
        self.list().add(token, report)
    }

    /// The number under which the desk has a report that came with this token.
    fn find(&self, token: impl ToString) -> Option<usize> {
        self.list().find(token)
    }

    fn list(&self) -> List {
        List(self.0.join("desk.txt"))
    }
}

#[durable_workflow(goal = "hand in the report of this quarter", invariants = ["the report is handed in once"])]
async fn submit_report(session: &Session, #[resource] desk: &Desk<'_>) -> anyhow::Result<usize> {
    #[side_effect(key = "draft", title = "write the report", idempotent = "the same file is written over")]
    let draft = write(desk.0)?;
    session.checkpoint("the report is written").await?;
    common::moment("after the report was written")?;
    #[side_effect(
        key = "submit" as submit,
        title = "POST /submit report",
        verify = desk.find(submit.token()),
        settle = "0s", // this desk has a report at once or never
    )]
    let number = desk.submit(submit.token(), &draft)?;
    Ok(number)
}

fn write(dir: &Path) -> std::io::Result<String> {
    let report = "We have sold more than ever.".to_owned();
    fs::write(dir.join("report.txt"), &report)?;
    Ok(report)
}

#[tokio::main]
async fn main() -> anyhow::Result<Outcome> {
    if let Some(dir) = common::worker_in() {
        return Ok(work(&dir).await);
    }
    let place = tempfile::tempdir()?;
    let dir = place.path();
    common::killed_at("after the report was written", dir)?;
    ensure!(Desk(dir).list().text().is_empty(), "nothing was submitted yet");
    let handoff = fs::read_to_string(dir.join("session/handoff.md"))?;
    ensure!(handoff.contains("1. START the worker again"), "nothing is in doubt");
    ensure!(handoff.contains("next with `submit` (POST /submit report)"), "the handoff names the next action");

    common::goes_on(dir)?;
    ensure!(Desk(dir).list().text().lines().count() == 1, "the report was submitted once");
    ensure!(common::records(dir, "reserve", "submit_report//submit")? == 1, "the submission was begun once");
    ensure!(common::records(dir, "done", "submit_report//submit")? == 1, "the submission is logged once");
    ensure!(common::records(dir, "reserve", "submit_report//draft")? == 1, "the report was written once");
    println!("\n== One report was written and submitted, each once.");
    Ok(Outcome::Finished)
}

async fn work(dir: &Path) -> Outcome {
    durable_runtime::run(dir.join("session"), async |session| {
        let number = submit_report(session, &Desk(dir)).await?;
        println!("the desk has the report under number {number}");
        anyhow::Ok(())
    })
    .await
}
