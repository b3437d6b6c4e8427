//! One step while it is reached: from its key to its value.

use super::Session;
use super::codec::Codec;
use super::run::Reached;
use crate::core::decide::{Decision, decide};
use crate::core::key::StepKey;
use crate::core::meta::{StepKind, StepMeta};
use crate::core::record::{Event, How};
use crate::core::start::Cause;
use crate::core::step_error::StepError;
use crate::core::text::Text;
use crate::core::time::Timestamp;
use crate::error::{Error, Kind, Places};
use crate::private::bounds::{Failing, Recordable};

/// A step that has been reached. Made by [`Run::begin`](super::Run::begin), and asked by the expansion what to do.
pub struct Slot<T, E> {
    pub(super) session: Session,
    pub(super) key: StepKey,
    pub(super) meta: &'static StepMeta,
    pub(super) title: Option<String>,
    pub(super) codec: Codec<T>,
    pub(super) show: fn(&E) -> String,
    pub(super) phase: Phase<T, E>,
    /// When the verifier was asked last.
    pub(super) asked_at: Timestamp,
}

/// Where a reached step stands.
pub(super) enum Phase<T, E> {
    /// A proof is needed; the error that raised the doubt, if it was raised in this start.
    Doubt { attempt: u32, raised_by: Option<E> },
    /// The effect may be running.
    Ready { attempt: u32 },
    /// It happened, and its result is being recorded.
    Recording,
    /// Nothing happened, and an error is its result.
    Failed(StepError),
    /// It is settled.
    Closed(Result<Result<T, E>, Error>),
    /// Its outcome has been taken.
    Taken,
}

impl<T, E> Slot<T, E> {
    pub(super) async fn begin(session: &Session, reached: &Reached, title: Option<Text>) -> Self
    where
        T: Recordable,
        E: Failing,
    {
        let mut slot = Self {
            session: session.clone(),
            key: reached.key.clone(),
            meta: reached.meta,
            title: title.map(Text::into_string),
            codec: Codec::new(),
            show: |error| format!("{error:#}"),
            phase: Phase::Taken,
            asked_at: Timestamp::from_millis(0),
        };
        match slot.reach(reached) {
            Ok(decision) => slot.obey(decision).await,
            Err(error) => slot.refuse(error).await,
        }
        slot
    }

    /// Whether a proof is needed. The verifier is asked right after this, and what it says holds for this instant.
    pub fn in_doubt(&mut self) -> bool {
        self.asked_at = self.session.shared.clock.now();
        matches!(self.phase, Phase::Doubt { .. })
    }

    /// Whether the step is to run: its attempt is reserved.
    pub fn may_run(&self) -> bool {
        matches!(self.phase, Phase::Ready { .. })
    }

    /// Records what the step gave.
    pub async fn finish(&mut self, outcome: Result<T, E>) {
        match outcome {
            Ok(value) => self.done(value, How::Executed).await,
            Err(error) => self.failed(error).await,
        }
    }

    /// Records what a step gave that cannot fail.
    pub async fn finish_value(&mut self, value: T) {
        self.done(value, How::Executed).await;
    }

    /// What the step comes to.
    ///
    /// # Errors
    ///
    /// Fails if the step was refused, or is in doubt.
    pub fn close(mut self) -> Result<Result<T, E>, Error> {
        match std::mem::replace(&mut self.phase, Phase::Taken) {
            Phase::Closed(outcome) => outcome,
            phase => Err(self.left(&phase)),
        }
    }

    /// Why a step that was left in this phase has no outcome.
    pub(super) fn left(&self, phase: &Phase<T, E>) -> Error {
        match phase {
            Phase::Doubt { attempt, .. } | Phase::Ready { attempt } => self.doubted(*attempt, LEFT),
            Phase::Recording | Phase::Failed(_) | Phase::Closed(_) | Phase::Taken => self.doubted(0, LEFT),
        }
    }

    /// What a step comes to that cannot fail.
    ///
    /// # Errors
    ///
    /// See [`close`](Self::close).
    pub fn close_value(self) -> Result<T, Error> {
        let show = self.show;
        let (key, ask) = (self.key.to_string(), self.meta.ask.to_owned());
        self.close()?.map_err(|error| Kind::InDoubt { key, attempt: 0, ask, why: show(&error) }.into())
    }

    fn reach(&self, reached: &Reached) -> Result<Decision, Error> {
        let at = self.place();
        let mut live = self.session.shared.live();
        self.session.admits(&live, self.key.as_str())?;
        if let Some(problem) = reached.problem.clone() {
            return Err(Kind::BadKey { template: self.meta.key.to_owned(), at, problem }.into());
        }
        if let Some(first) = live.start.reach_step(&self.session.scope, self.key.as_str(), at) {
            return Err(Kind::KeyReused { key: self.key.to_string(), places: Places { first, again: at } }.into());
        }
        let gone = live.state.gone(&self.session.scope);
        Ok(decide(live.state.steps.get(self.key.as_str()), self.meta.proof, gone))
    }

    async fn obey(&mut self, decision: Decision) {
        tracing::debug!(key = %self.key, ?decision, "step reached");
        match decision {
            Decision::Run { attempt } => self.reserve(attempt).await,
            Decision::Verify { attempt } => self.phase = Phase::Doubt { attempt, raised_by: None },
            Decision::Take(word) => self.take(word).await,
            Decision::Ask { attempt, why } => self.ask(attempt, why).await,
            Decision::Replay(stored) => match (self.codec.decode)(&stored) {
                Ok(value) => {
                    self.session.shared.live().start.replay(self.key.as_str());
                    self.phase = Phase::Closed(Ok(Ok(value)));
                }
                Err(error) => {
                    let ty = self.codec.type_name;
                    self.refuse(Kind::Undecodable { key: self.key.to_string(), ty, error }.into()).await;
                }
            },
            Decision::Fail(error) => {
                self.session.shared.live().start.replay(self.key.as_str());
                self.conclude(error).await;
            }
            Decision::Supply { why, .. } => {
                self.refuse(Kind::NotStorable { key: self.key.to_string(), why }.into()).await;
            }
            Decision::SettleFirst(lost) => {
                let (key, run) = (self.key.to_string(), self.session.scope.to_string());
                self.refuse(Kind::LogLost { key, at: self.place(), run, lost: lost.join(", ") }.into()).await;
            }
        }
    }
}

const LEFT: &str = "the step was left before it ended";

impl<T, E> Drop for Slot<T, E> {
    /// A reserved effect that is dropped may have happened: its run stops, and the next start finds out. So does the run
    /// of one that was dropped while it was verified or recorded: going on without it would choose another path.
    fn drop(&mut self) {
        let attempt = match self.phase {
            Phase::Ready { .. } if self.meta.kind == StepKind::Read => return,
            Phase::Ready { attempt } => Some(attempt),
            Phase::Doubt { .. } | Phase::Recording => None,
            Phase::Closed(_) | Phase::Failed(_) | Phase::Taken => return,
        };
        let why = if std::thread::panicking() { "the step panicked" } else { "the step was dropped before it ended" };
        tracing::warn!(key = %self.key, why, "step left");
        if let Some(attempt) = attempt {
            self.session.shared.push(Event::from(self.failure(attempt, why.to_owned())));
        }
        self.stop(why.to_owned(), Cause::Error);
    }
}

impl<T, E> std::fmt::Debug for Slot<T, E> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Slot").field("key", &self.key).finish_non_exhaustive()
    }
}
