//! A story lived through once more, this time with everything written down.

use std::fmt::Display;
use std::sync::{Mutex, PoisonError};

use super::baseline::Baseline;
use super::scene::Scene;
use super::trial::{Position, Trial};
use crate::testing::life::{End, Sessions, stalled};
use crate::testing::machine::Content;
use crate::testing::machine::trace::Traced;
use crate::testing::story::{Fate, Plan, Story, Turn};

/// What happened in each life of a story, to its end.
#[derive(Debug)]
pub(crate) struct Retold {
    pub(crate) lives: Vec<LifeRetold>,
    /// What the letter says to the first life that nothing befalls.
    pub(crate) handoff: String,
    /// What landed after all lives were over.
    pub(crate) landed: Vec<Traced>,
}

/// What happened in one life.
#[derive(Debug)]
pub(crate) struct LifeRetold {
    /// What befell it, and what became of the disk; `None` for one that nothing befell.
    pub(crate) turn: Option<Turn>,
    pub(crate) trace: Vec<Traced>,
    pub(crate) end: String,
    /// Of each file: what a reader sees, and how long it was before the power was cut.
    pub(crate) left: Vec<(String, usize, usize)>,
}

impl LifeRetold {
    /// What befell it.
    pub(crate) fn plan(&self) -> Option<Plan> {
        self.turn.as_ref()?.plan
    }
}

/// More lives are not told of: the first ones show what happened.
const LIVES: usize = 4;

impl LifeRetold {
    /// Whether the work was given an error, by the disk, by the world, or by a step.
    pub(crate) fn has_error(&self) -> bool {
        let is_failing = |plan: Plan| !matches!(plan.fate, Fate::Dies | Fate::DiesLate);
        let failed = |traced: &Traced| match traced {
            Traced::Operation { records, .. } => records.iter().any(|said| said.action == "failed"),
            _ => false,
        };
        self.plan().is_some_and(is_failing) || self.trace.iter().any(failed)
    }
}

impl Retold {
    pub(crate) fn of<W, T, E: Display>(
        story: &Story,
        scene: &Scene<'_, W>,
        baseline: &Baseline<T>,
        work: &impl AsyncFn(&Sessions, &W) -> Result<T, E>,
    ) -> Self {
        let start = Story { turns: Vec::new(), ..story.clone() };
        let mut trial = Position::start(start, scene.ledger()).resume(scene, work);
        let mut lives = Vec::new();
        for turn in &story.turns {
            *trial.process.machine.trace() = Some(Vec::new());
            let lived = trial.live(turn.plan, work);
            let before = sizes(&trial);
            trial.suffer(&turn.after);
            let (trace, end) = (take_trace(&trial), told(&lived.end));
            lives.push(LifeRetold { turn: Some(turn.clone()), trace, end, left: compared(before, sizes(&trial)) });
        }
        let handoff = handoff(&trial, story, scene, work);
        for _ in 0..LIVES {
            *trial.process.machine.trace() = Some(Vec::new());
            let lived = trial.live(None, work);
            let (trace, end) = (take_trace(&trial), told(&lived.end));
            lives.push(LifeRetold { turn: None, trace, end, left: Vec::new() });
            match lived.end {
                End::Done(_) if lived.asked.is_empty() => break,
                End::Done(_) | End::Stopped(_) => trial.answer(baseline, &lived.asked),
                _ => break,
            }
        }
        *trial.process.machine.trace() = Some(Vec::new());
        trial.let_all_land();
        Self { lives, handoff, landed: take_trace(&trial) }
    }
}

/// The letter that the next life begins with.
fn handoff<W, T, E: Display>(
    trial: &Trial<W>,
    story: &Story,
    scene: &Scene<'_, W>,
    _: &impl AsyncFn(&Sessions, &W) -> Result<T, E>,
) -> String {
    let names: Vec<String> = trial.process.machine.storage().sessions();
    let copy = trial.position(Story { turns: Vec::new(), ..story.clone() });
    let letters = Mutex::new(String::new());
    let look = async |sessions: &Sessions, _: &W| {
        for name in &names {
            let session = sessions.open(name).await?;
            *letters.lock().unwrap_or_else(PoisonError::into_inner) += &session.handoff().to_string();
        }
        Ok::<_, crate::error::Error>(())
    };
    copy.resume(scene, &look).live(None, &look);
    letters.into_inner().unwrap_or_else(PoisonError::into_inner)
}

fn take_trace<W>(trial: &Trial<W>) -> Vec<Traced> {
    trial.process.machine.trace().take().unwrap_or_default()
}

fn sizes<W>(trial: &Trial<W>) -> Vec<(String, Vec<u8>)> {
    let storage = trial.process.machine.storage();
    let file = |(directory, name, content): (&str, &str, &Content)| (format!("{directory}/{name}"), content.to_vec());
    storage.visible().map(file).collect()
}

/// The files that are not what they were.
fn compared(before: Vec<(String, Vec<u8>)>, after: Vec<(String, Vec<u8>)>) -> Vec<(String, usize, usize)> {
    let now = |name: &str| after.iter().find(|(other, _)| other == name).map(|(_, content)| content);
    let changed = before.iter().filter(|(name, content)| now(name) != Some(content));
    changed.map(|(name, content)| (name.clone(), now(name).map_or(0, Vec::len), content.len())).collect()
}

fn told<T>(end: &End<T>) -> String {
    match end {
        End::Died => "killed".to_owned(),
        End::Refused(error) => format!("refused: {error}"),
        End::Done(_) => "done".to_owned(),
        End::Stopped(error) => format!("stopped: {error}"),
        End::Panicked(text) => format!("panicked: {text}"),
        End::Stalled(what) => stalled(what),
    }
}
