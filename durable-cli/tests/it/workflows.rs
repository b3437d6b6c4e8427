//! Workers that ask people.

use std::path::Path;

use durable_runtime::prelude::*;
use durable_runtime::{Error, Waits};
use serde::{Deserialize, Serialize};

/// Sends what finance approves.
#[durable_workflow(goal = "send the summary")]
pub(crate) async fn send(session: &Session) -> Result<String, Error> {
    #[decision(key = "send", ask = "finance", title = "send the summary", shows = 3)]
    let send: Approval = session.decide().await?;
    Ok(send.to_string())
}

/// Says what somebody wants to be said.
#[durable_workflow(goal = "say something")]
pub(crate) async fn say(session: &Session) -> Result<String, Error> {
    #[decision(key = "words", ask = "the poet")]
    let words: String = session.decide().await?;
    Ok(words)
}

/// One of two.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Color {
    Red,
    Blue,
}

/// Paints in a color that somebody names.
#[durable_workflow(goal = "paint the shed")]
pub(crate) async fn paint(session: &Session) -> Result<String, Error> {
    #[decision(key = "color", ask = "the neighbours")]
    let color: Color = session.decide().await?;
    Ok(format!("{color:?}"))
}

/// Asks for a sum, and does not wait long.
#[durable_workflow(goal = "guess a sum")]
pub(crate) async fn guess(session: &Session) -> Result<u32, Error> {
    #[decision(key = "sum", ask = "sales", expires = "3s", on_expiry = 7)]
    let sum: u32 = session.decide().await?;
    Ok(sum)
}

/// An effect that gives a number, and of which only a person can tell.
#[durable_workflow(goal = "wire the rest")]
pub(crate) async fn wire(session: &Session) -> anyhow::Result<u32> {
    #[side_effect(key = "wire", title = "wire the rest", in_doubt = "treasury")]
    let receipt = lost().await?;
    Ok(receipt)
}

/// The same, where it gives nothing.
#[durable_workflow(goal = "ring")]
pub(crate) async fn ring(session: &Session) -> anyhow::Result<()> {
    #[side_effect(key = "ring", in_doubt = "whoever heard it")]
    unheard().await?;
    Ok(())
}

/// An effect whose result is written nowhere.
#[durable_workflow(goal = "log in")]
pub(crate) async fn log_in(session: &Session) -> anyhow::Result<usize> {
    #[side_effect(key = "login", verify = Some(token()))]
    let login = Ok::<_, anyhow::Error>(token())?;
    anyhow::ensure!(login.is_empty(), "not now");
    Ok(login.len())
}

fn token() -> String {
    format!("gh{}_{}", "p", "abcdefghijklmnopqrstuvwxyz0123456789")
}

async fn lost() -> anyhow::Result<u32> {
    anyhow::bail!("no answer")
}

async fn unheard() -> anyhow::Result<()> {
    anyhow::bail!("no answer")
}

/// Opens the session, does the work once, and closes it.
pub(crate) async fn once<T, E>(dir: &Path, work: impl AsyncFnOnce(&Session) -> Result<T, E>) -> Result<T, E> {
    let session = Session::builder(dir).goal("find out").waits(Waits::Exit).open().await.unwrap();
    let result = work(&session).await;
    session.close().await.unwrap();
    result
}
