//! Workflows that are made up: what they do, and what they give.

use std::time::Duration;

use durable_runtime::prelude::*;
use durable_runtime::{SideEffect, Unproven};
use futures_util::future::join_all;
use serde::{Deserialize, Serialize};

use super::world::{Fault, Trouble, World};

/// A list of things to do, each with the key that it has in its run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Program {
    ops: Vec<(String, Op)>,
    /// Whether a process ends where it would wait.
    pub(super) exits: bool,
    /// Whether the log is shrunk as soon as a run has ended.
    pub(super) trims: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum Op {
    Alone(Step),
    /// Side by side.
    Together(Vec<Step>),
    /// In a run of their own.
    Nested(Vec<Step>),
    /// In a run of their own that a person gives up once they are done, and which then cleans up.
    GivenUp(Vec<Step>, Step),
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
    /// Its error is a value.
    Recorded,
    /// An hour.
    Sleep,
    /// What a person says.
    Decision,
}

impl Program {
    pub(super) fn of(ops: Vec<Op>, exits: bool, trims: bool) -> Self {
        Self { ops: ops.into_iter().enumerate().map(|(at, op)| (at.to_string(), op)).collect(), exits, trims }
    }

    /// Every step, by its full key.
    pub(super) fn steps(&self) -> impl Iterator<Item = (String, &Step)> {
        self.ops.iter().flat_map(|(key, op)| {
            let (around, steps, last) = match op {
                Op::Alone(step) => (format!("run//{key}"), std::slice::from_ref(step), None),
                Op::Together(steps) => (format!("run//{key}"), steps.as_slice(), None),
                Op::Nested(steps) => (format!("run//{key}//0"), steps.as_slice(), None),
                Op::GivenUp(steps, last) => {
                    (format!("run//up/{key}//0"), steps.as_slice(), Some((format!("run//up/{key}//clean"), last)))
                }
            };
            let steps = steps.iter().enumerate().map(move |(at, step)| (format!("{around}/{at}"), step));
            steps.chain(last)
        })
    }

    /// The runs that a person gives up.
    pub(super) fn given_up(&self) -> impl Iterator<Item = String> {
        let is_given_up = |(_, op): &&(String, Op)| matches!(op, Op::GivenUp(..));
        self.ops.iter().filter(is_given_up).map(|(key, _)| format!("run//up/{key}"))
    }

    /// What it gives where nothing befalls but this: an error is a value, where its effect did not happen.
    pub(super) fn result(&self, has_happened: impl Fn(&str) -> bool) -> u64 {
        let value = |(key, step): (String, &Step)| match step.kind {
            Kind::Recorded if !has_happened(&key) => REFUSED,
            _ => World::value(&key),
        };
        self.steps().map(value).fold(0, u64::wrapping_add)
    }
}

/// What stands for an effect that did not happen.
const REFUSED: u64 = 1;

/// How long a sleep is.
pub(super) const HOUR: Duration = Duration::from_secs(3600);

#[durable_workflow(key = "run", goal = "do what was made up")]
pub(super) async fn run(session: &Session, #[resource] world: &World, program: Program) -> Result<u64, Trouble> {
    let mut sum = 0_u64;
    for (key, op) in &program.ops {
        let given = match op {
            Op::Alone(step) => one(session, world, ("run", key, 0), step).await?,
            Op::Together(steps) => together(session, world, ("run", key), steps).await?,
            Op::Nested(steps) =>
            {
                #[run(key = "{key}")]
                nested(session, world, format!("run//{key}"), steps.clone()).await?
            }
            Op::GivenUp(steps, _) =>
            {
                #[run(key = "up/{key}")]
                given_up(session, world, format!("run//up/{key}"), steps.clone()).await?
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

#[durable_workflow]
async fn given_up(session: &Session, #[resource] world: &World, run: String, steps: Vec<Step>) -> Result<u64, Trouble> {
    let sum = together(session, world, (&run, "0"), &steps).await?;
    if !session.is_cancelled() {
        session.decide::<u64>().key("wait").ask("nobody").await?;
    }
    #[side_effect(
        key = "clean" as clean,
        cleanup,
        verify = world.verify(clean.clone()).await,
        settle = "10s",
        classify = Trouble::classify,
        retry(attempts = 2),
    )]
    let cleaned = world.call(clean.clone()).await?;
    Ok(sum.wrapping_add(cleaned))
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
    let full = format!("{run}//{key}");
    match step.kind {
        Kind::Read => {
            let read = session.read(&key).attempts(step.attempts);
            return read.run(|| world.act(full.clone())).await;
        }
        Kind::Sleep => {
            world.lies_down(&full);
            session.sleep(HOUR).key(&key).await?;
            return Ok(world.wakes(&full));
        }
        Kind::Decision => return Ok(session.decide().key(&key).ask("ada").await?),
        Kind::Verified | Kind::Idempotent | Kind::Asked | Kind::Recorded => {}
    }
    let effect: SideEffect<'_, Unproven> =
        session.side_effect(&key).attempts(step.attempts).settle(Duration::from_secs(10));
    let effect = if step.limited { effect.timeout(Duration::from_secs(60)) } else { effect };
    let call = |key: StepKey| world.call(key);
    match step.kind {
        Kind::Verified => effect.verify(|key: StepKey| world.verify(key)).run_classified(call, Trouble::classify).await,
        Kind::Idempotent => effect.idempotent().run_classified(call, Trouble::classify).await,
        Kind::Recorded => {
            let effect = effect.verify(|key: StepKey| world.verify(key));
            Ok(effect.run_recorded(call, Trouble::classify).await?.unwrap_or(REFUSED))
        }
        _ => effect.in_doubt("ada").run_classified(call, Trouble::classify).await,
    }
}
