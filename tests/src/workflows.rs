//! Workflows of a few steps, one for each kind of step, and one that mixes them.
//!
//! `settle` is a millisecond: this world is a file, so what was written is there at once and nothing lands late.

use std::fmt;

use durable_runtime::{Error, prelude::*};
use serde::{Deserialize, Serialize};

use crate::world::World;

/// The workflows, by the kind of their steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Workflow {
    /// Effects that can be looked up.
    Verified,
    /// Effects that may be repeated.
    Repeatable,
    /// Effects of which only a person can tell.
    Doubtful,
    /// Reads.
    Reads,
    /// A read, and one effect of each kind.
    Mixed,
}

/// What a step is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `verify`
    Verify,
    /// `idempotent`
    Idempotent,
    /// `in_doubt`
    Person,
    /// `read`
    Read,
}

impl Workflow {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Verified, Self::Repeatable, Self::Doubtful, Self::Reads, Self::Mixed];

    /// Name of the workflow, and key of its run.
    pub fn name(self) -> &'static str {
        match self {
            Self::Verified => "verified",
            Self::Repeatable => "repeatable",
            Self::Doubtful => "doubtful",
            Self::Reads => "reads",
            Self::Mixed => "mixed",
        }
    }

    /// Its steps in their order: key and kind.
    pub fn steps(self) -> &'static [(&'static str, Kind)] {
        use Kind::{Idempotent, Person, Read, Verify};
        match self {
            Self::Verified => &[("debit", Verify), ("credit", Verify), ("mail", Verify)],
            Self::Repeatable => &[("debit", Idempotent), ("credit", Idempotent), ("mail", Idempotent)],
            Self::Doubtful => &[("debit", Person), ("credit", Person), ("mail", Person)],
            Self::Reads => &[("debit", Read), ("credit", Read), ("mail", Read)],
            Self::Mixed => &[("rate", Read), ("debit", Verify), ("credit", Idempotent), ("mail", Person)],
        }
    }

    /// Full key of one of its steps.
    pub fn full_key(self, key: &str) -> String {
        format!("{}//{key}", self.name())
    }

    /// Runs it; gives what its steps gave.
    ///
    /// # Errors
    ///
    /// Fails if the session goes no further.
    pub async fn run(self, session: &Session, world: &World) -> Result<Vec<u64>, Error> {
        match self {
            Self::Verified => verified(session, world).await,
            Self::Repeatable => repeatable(session, world).await,
            Self::Doubtful => doubtful(session, world).await,
            Self::Reads => reads(session, world).await,
            Self::Mixed => mixed(session, world).await,
        }
    }
}

impl fmt::Display for Workflow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[durable_workflow(goal = "three effects that can be looked up")]
async fn verified(session: &Session, #[resource] world: &World) -> Result<Vec<u64>, Error> {
    #[side_effect(key = "debit" as key, verify = world.find(key).await, settle = "1ms")]
    let debit = world.book(key).await;
    world.see("debit", debit).await;
    #[side_effect(key = "credit" as key, verify = world.find(key).await, settle = "1ms")]
    let credit = world.book(key).await;
    world.see("credit", credit).await;
    #[side_effect(key = "mail" as key, verify = world.find(key).await, settle = "1ms")]
    let mail = world.book(key).await;
    world.see("mail", mail).await;
    Ok(vec![debit, credit, mail])
}

#[durable_workflow(goal = "three effects whose repeats are dropped")]
async fn repeatable(session: &Session, #[resource] world: &World) -> Result<Vec<u64>, Error> {
    #[side_effect(key = "debit" as key, idempotent)]
    let debit = world.book_once(key).await;
    world.see("debit", debit).await;
    #[side_effect(key = "credit" as key, idempotent)]
    let credit = world.book_once(key).await;
    world.see("credit", credit).await;
    #[side_effect(key = "mail" as key, idempotent)]
    let mail = world.book_once(key).await;
    world.see("mail", mail).await;
    Ok(vec![debit, credit, mail])
}

#[durable_workflow(goal = "three effects of which a person must tell")]
async fn doubtful(session: &Session, #[resource] world: &World) -> Result<Vec<u64>, Error> {
    #[side_effect(key = "debit" as key, in_doubt = "treasury")]
    let debit = world.book(key).await;
    world.see("debit", debit).await;
    #[side_effect(key = "credit" as key, in_doubt = "treasury")]
    let credit = world.book(key).await;
    world.see("credit", credit).await;
    #[side_effect(key = "mail" as key, in_doubt = "treasury")]
    let mail = world.book(key).await;
    world.see("mail", mail).await;
    Ok(vec![debit, credit, mail])
}

#[durable_workflow(goal = "three looks at something that changes")]
async fn reads(session: &Session, #[resource] world: &World) -> Result<Vec<u64>, Error> {
    #[read(key = "debit" as key)]
    let debit = world.look(key).await;
    world.see("debit", debit).await;
    #[read(key = "credit" as key)]
    let credit = world.look(key).await;
    world.see("credit", credit).await;
    #[read(key = "mail" as key)]
    let mail = world.look(key).await;
    world.see("mail", mail).await;
    Ok(vec![debit, credit, mail])
}

#[durable_workflow(goal = "a look, and three effects of three kinds")]
async fn mixed(session: &Session, #[resource] world: &World) -> Result<Vec<u64>, Error> {
    #[read(key = "rate" as key)]
    let rate = world.look(key).await;
    world.see("rate", rate).await;
    #[side_effect(key = "debit" as key, verify = world.find(key).await, settle = "1ms")]
    let debit = world.book(key).await;
    world.see("debit", debit).await;
    #[side_effect(key = "credit" as key, idempotent)]
    let credit = world.book_once(key).await;
    world.see("credit", credit).await;
    #[side_effect(key = "mail" as key, in_doubt = "treasury")]
    let mail = world.book(key).await;
    world.see("mail", mail).await;
    Ok(vec![rate, debit, credit, mail])
}
