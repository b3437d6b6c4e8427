//! Sessions as earlier versions of the library have left them: the workflows that they were left by, and are resumed by.
//!
//! What is written once stays as it is. A workflow here keeps its keys and types; what is to be new is a new fixture.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use durable_runtime::prelude::*;
use durable_runtime::{Artifact, Budget, Research, Turn};
use tokio::sync::Notify;

use crate::lab::Stop;

/// Where they are.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

/// The files of a session that are kept.
const FILES: [&str; 6] =
    ["journal.jsonl", "snapshot.jsonl", "idempotency.json", "state.json", "handoff.md", "session.lock"];

/// Copies a session, and sets the modes that it has: version control keeps none.
///
/// # Errors
///
/// Fails if the disk does.
pub fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for file in FILES.into_iter().filter(|file| from.join(file).exists()) {
        fs::write(to.join(file), fs::read(from.join(file))?)?;
        fs::set_permissions(to.join(file), fs::Permissions::from_mode(0o600))?;
    }
    fs::set_permissions(to, fs::Permissions::from_mode(0o700))
}

/// The world outside, and what it does to a request.
#[derive(Debug, Default)]
pub struct World {
    happened: Mutex<BTreeSet<String>>,
    manner: Manner,
    /// Told when a request hangs.
    pub hangs: Notify,
}

/// See [`World`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Manner {
    /// It does what it is asked for, and answers.
    #[default]
    Answers,
    /// It does what it is asked for, and does not answer from the request of this number on.
    Hangs(usize),
    /// It refuses from the request of this number on, and finds what it did.
    Refuses(usize),
}

impl World {
    /// A world in which this has happened.
    pub fn after(happened: &[&str], manner: Manner) -> Self {
        let happened = happened.iter().map(|&what| what.to_owned()).collect();
        Self { happened: Mutex::new(happened), manner, hangs: Notify::new() }
    }

    /// What has happened, in order.
    pub fn happened(&self) -> Vec<String> {
        self.happened.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    /// Does it.
    ///
    /// # Errors
    ///
    /// Fails if it refuses, or if it was done before.
    pub async fn act(&self, what: &str) -> io::Result<String> {
        let number = self.happened().len() + 1;
        if matches!(self.manner, Manner::Refuses(from) if from <= number) {
            return Err(io::Error::other("no"));
        }
        if !self.happened.lock().unwrap_or_else(PoisonError::into_inner).insert(what.to_owned()) {
            return Err(io::Error::other(format!("{what} happened twice")));
        }
        if matches!(self.manner, Manner::Hangs(from) if from <= number) {
            self.hangs.notify_one();
            std::future::pending::<()>().await;
        }
        Ok(format!("receipt of {what}"))
    }

    /// Whether it was done, and what it gave.
    pub fn find(&self, what: &str) -> Option<String> {
        self.happened().iter().any(|happened| happened == what).then(|| format!("receipt of {what}"))
    }
}

/// Effects of every kind, one behind the other.
///
/// # Errors
///
/// Fails if the world does.
#[durable_workflow(key = "payroll/{month}", goal = "pay {names.len()} people", invariants = ["nobody is paid twice"])]
pub async fn payroll(
    session: &Session,
    #[resource] world: &World,
    month: u32,
    names: &[String],
) -> Result<Vec<String>, Stop> {
    let mut receipts = Vec::new();
    for name in names {
        #[side_effect(key = "pay/{name}", title = "pay {name}", verify = world.find(name), settle = "1s")]
        let receipt = world.act(name).await?;
        receipts.push(receipt);
    }
    #[read(key = "count")]
    let count = receipts.len();
    #[side_effect(key = "tell", idempotent = "telling twice does no harm")]
    world.act("tell").await?;
    receipts.push(count.to_string());
    Ok(receipts)
}

/// An effect of which only a person can tell.
///
/// # Errors
///
/// Fails if the world does.
#[durable_workflow(goal = "post a letter")]
pub async fn letter(session: &Session, #[resource] world: &World) -> Result<String, Stop> {
    #[side_effect(key = "post", title = "post the letter", in_doubt = "the post office")]
    let posted = world.act("post").await?;
    #[side_effect(key = "note", in_doubt = "the post office")]
    world.act("note").await?;
    Ok(posted)
}

/// Errors that are results.
///
/// # Errors
///
/// Fails if the world does.
#[durable_workflow(goal = "pay one way or the other")]
pub async fn either(session: &Session, #[resource] world: &World) -> Result<String, Stop> {
    #[read(key = "rate", errors = "recorded")]
    let rate = "none".parse::<u32>();
    #[side_effect(key = "transfer", verify = world.find("transfer"), settle = "0s", errors = "recorded")]
    let paid = world.act("transfer").await;
    let way = if paid.is_ok() && rate.is_ok() { "done" } else { "cheque" };
    #[side_effect(key = "end/{way}", in_doubt = "treasury")]
    let end = world.act(way).await?;
    Ok(end)
}

/// Runs that are named where they are called.
///
/// # Errors
///
/// Fails if the world does.
#[durable_workflow(goal = "write to everybody")]
pub async fn letters(session: &Session, #[resource] world: &World) -> Result<String, Stop> {
    let mut all = Vec::new();
    for name in ["ada", "bob"] {
        #[run(key = "to/{name}", title = "write to {name}")]
        let sent = mail(session, world, name).await?;
        all.push(sent);
    }
    Ok(all.join(", "))
}

#[durable_workflow]
async fn mail(session: &Session, #[resource] world: &World, name: &str) -> Result<String, Stop> {
    #[side_effect(key = "mail", verify = world.find(name), settle = "0s")]
    let sent = world.act(name).await?;
    Ok(sent)
}

/// A loop that notes things beside its steps, and works in every turn that lets it.
///
/// # Errors
///
/// Fails if the world does.
#[durable_workflow(goal = "go round until two are paid")]
pub async fn rounds(session: &Session, #[resource] world: &World) -> Result<Vec<String>, Stop> {
    let (pace, memory) = (session.pace().explore_after(1).rest_every(4), session.memory());
    let mut told = Vec::new();
    while pace.number() < 5 {
        let turn = pace.turn().await?;
        let n = pace.number();
        memory.set("turn", &n).await?;
        let half = session.budget(n, 4).await? == Budget::HalfUsed;
        told.push(format!("{turn:?}{}", if half { ", half used" } else { "" }));
        if matches!(turn, Turn::Explore(_)) || n == 5 {
            pace.researched("a loop", Research::Reject, "ours turns").await?;
            session.checkpoint("there is something to do").await?;
            #[side_effect(key = "act/{n}", verify = world.find(&format!("act {n}")), settle = "0s")]
            let receipt = world.act(&format!("act {n}")).await?;
            memory.artifact(Artifact::new(format!("receipt-{n}")).about(receipt)).await?;
        }
    }
    pace.end();
    memory.remove("turn").await?;
    Ok(told)
}

/// The names that `payroll` is run with.
pub fn names() -> Vec<String> {
    ["ada", "bob", "cid"].map(String::from).to_vec()
}

/// The payrolls of earlier months: more steps than a shrunk log keeps for its readers.
pub fn earlier() -> impl Iterator<Item = (u32, Vec<String>)> {
    (1..=6).map(|month| (month, ["eve", "fay", "gus", "hal"].map(String::from).to_vec()))
}
