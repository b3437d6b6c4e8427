//! Workflows that are made up: what they do, and what they give.

use std::time::Duration;

use durable_runtime::prelude::*;
use durable_runtime::{SideEffect, Unproven};
use futures_util::future::join_all;
use serde::{Deserialize, Serialize};

use super::world::{Fault, Trouble, World};

/// A list of things to do, each with the key that it has in its run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Program(Vec<(String, Op)>);

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum Op {
    Alone(Step),
    /// Side by side.
    Together(Vec<Step>),
    /// In a run of their own.
    Nested(Vec<Step>),
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Step {
    pub(super) kind: Kind,
    /// How many may fail in one start.
    pub(super) attempts: u32,
    /// What befalls its calls, one after the other.
    pub(super) faults: Vec<Fault>,
    /// How often its verifier cannot tell.
    pub(super) blind: u32,
    /// Whether its time is limited.
    pub(super) limited: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Kind {
    Verified,
    Idempotent,
    Asked,
    Read,
}

impl Program {
    pub(super) fn of(ops: Vec<Op>) -> Self {
        Self(ops.into_iter().enumerate().map(|(at, op)| (at.to_string(), op)).collect())
    }

    /// Every step, by its full key.
    pub(super) fn steps(&self) -> impl Iterator<Item = (String, &Step)> {
        self.0.iter().flat_map(|(key, op)| {
            let (around, steps) = match op {
                Op::Alone(step) => (format!("run//{key}"), std::slice::from_ref(step)),
                Op::Together(steps) => (format!("run//{key}"), steps.as_slice()),
                Op::Nested(steps) => (format!("run//{key}//0"), steps.as_slice()),
            };
            steps.iter().enumerate().map(move |(at, step)| (format!("{around}/{at}"), step))
        })
    }

    /// What it gives where nothing befalls.
    pub(super) fn result(&self) -> u64 {
        self.steps().map(|(key, _)| World::value(&key)).fold(0, u64::wrapping_add)
    }
}

#[durable_workflow(key = "run", goal = "do what was made up")]
pub(super) async fn run(session: &Session, #[resource] world: &World, program: Program) -> Result<u64, Trouble> {
    let mut sum = 0_u64;
    for (key, op) in &program.0 {
        let given = match op {
            Op::Alone(step) => one(session, world, ("run", key, 0), step).await?,
            Op::Together(steps) => together(session, world, ("run", key), steps).await?,
            Op::Nested(steps) =>
            {
                #[run(key = "{key}")]
                nested(session, world, format!("run//{key}"), steps.clone()).await?
            }
        };
        sum = sum.wrapping_add(given);
    }
    Ok(sum)
}

#[durable_workflow]
async fn nested(session: &Session, #[resource] world: &World, run: String, steps: Vec<Step>) -> Result<u64, Trouble> {
    together(session, world, (&run, "0"), &steps).await
}

/// All of them, each to its end.
async fn together(session: &Session, world: &World, (run, key): (&str, &str), steps: &[Step]) -> Result<u64, Trouble> {
    let all = steps.iter().enumerate().map(|(at, step)| one(session, world, (run, key, at), step));
    join_all(all).await.into_iter().try_fold(0_u64, |sum, given| Ok(sum.wrapping_add(given?)))
}

async fn one(
    session: &Session,
    world: &World,
    (run, around, at): (&str, &str, usize),
    step: &Step,
) -> Result<u64, Trouble> {
    let key = format!("{around}/{at}");
    if step.kind == Kind::Read {
        let read = session.read(&key).attempts(step.attempts);
        return read.run(|| world.act(format!("{run}//{key}"))).await;
    }
    let effect: SideEffect<'_, Unproven> =
        session.side_effect(&key).attempts(step.attempts).settle(Duration::from_secs(10));
    let effect = if step.limited { effect.timeout(Duration::from_secs(60)) } else { effect };
    let call = |key: StepKey| world.call(key);
    match step.kind {
        Kind::Verified => effect.verify(|key: StepKey| world.verify(key)).run_classified(call, Trouble::classify).await,
        Kind::Idempotent => effect.idempotent().run_classified(call, Trouble::classify).await,
        Kind::Asked | Kind::Read => effect.in_doubt("ada").run_classified(call, Trouble::classify).await,
    }
}
