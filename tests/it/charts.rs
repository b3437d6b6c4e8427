//! A workflow as a chart, and how far a run of it has come.

use durable_runtime::prelude::*;
use durable_runtime::{Approval, Error, Waits, outline};
use insta::assert_snapshot;

#[durable_workflow(key = "payroll/{month}", goal = "pay {names.len()} people")]
async fn payroll(session: &Session, month: u32, names: &[&str]) -> Result<usize, Error> {
    #[read(key = "rate", title = "ask for the rate of \"today\"")]
    let rate = u64::from(month) + 1;
    for name in names {
        #[run(key = "person/{name}", title = "pay {name}")]
        person(session, name, rate).await?;
    }
    #[decision(key = "release", ask = "the <treasury>", shows = &names.len())]
    let released: Approval = session.decide().await?;
    if released.is_approved() {
        #[side_effect(key = "tell", title = "tell everybody & `all`", idempotent = "telling twice does no harm")]
        tell().await?;
    }
    Ok(names.len())
}

#[durable_workflow]
async fn person(session: &Session, name: &str, rate: u64) -> Result<(), Error> {
    #[side_effect(key = "pay/{name}", verify = Some(rate))]
    let _paid = pay(rate).await?;
    Ok(())
}

async fn pay(rate: u64) -> Result<u64, Error> {
    Ok(rate)
}

async fn tell() -> Result<(), Error> {
    Ok(())
}

#[test]
fn a_workflow_is_a_flowchart() {
    assert_snapshot!(outline!(payroll).mermaid());
}

#[tokio::test]
async fn a_run_says_how_far_each_step_has_come() {
    let directory = tempfile::tempdir().unwrap();
    let open = || Session::builder(directory.path().join("session")).waits(Waits::Exit).open();
    let session = open().await.unwrap();
    assert!(session.progress("payroll/7").is_none());
    payroll(&session, 7, &["ada", "bob"]).await.unwrap_err();
    let progress = session.progress("payroll/7").unwrap();
    assert_snapshot!("a_run_that_waits", format!("{progress}\n\n{}", progress.mermaid()));

    session.answer("payroll/7//release").approve().by("eve", "fine").await.unwrap();
    drop(session);
    let session = open().await.unwrap();
    payroll(&session, 7, &["ada", "bob"]).await.unwrap();
    let progress = session.progress("payroll/7").unwrap();
    assert!(progress.is_finished());
    assert_eq!(progress.to_string(), "payroll/7 (payroll): finished");
    assert_eq!(progress.mermaid(), outline!(payroll).mermaid());
}
