//! One step while it is reached: from its key to its value.

use super::Session;
use super::codec::Codec;
use super::commit::Commit;
use super::run::Reached;
use crate::core::decide::{Decision, decide};
use crate::core::key::StepKey;
use crate::core::meta::{DEFAULT_SETTLE, Proof, StepKind, StepMeta};
use crate::core::record::{Done, Event, Failed, Failure, How, InDoubt, Refused, Reserve, Stored};
use crate::core::start::{Cause, Place, Stop};
use crate::core::text::Text;
use crate::core::time::Timestamp;
use crate::error::{Error, Kind, Places};
use crate::private::bounds::{Recordable, StepError};
use crate::store::StoreError;

/// A step that has been reached. Made by [`Run::begin`](super::Run::begin), and asked by the expansion what to do.
pub struct Slot<T, E> {
    pub(super) session: Session,
    pub(super) key: StepKey,
    pub(super) meta: &'static StepMeta,
    title: Option<String>,
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
    /// It is settled.
    Closed(Result<Result<T, E>, Error>),
    /// Its outcome has been taken.
    Taken,
}

impl<T, E> Slot<T, E> {
    pub(super) async fn begin(session: &Session, reached: &Reached, title: Option<Text>) -> Self
    where
        T: Recordable,
        E: StepError,
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
            Phase::Doubt { attempt, .. } | Phase::Ready { attempt } => Err(self.doubted(attempt, LEFT)),
            Phase::Recording | Phase::Taken => Err(self.doubted(0, LEFT)),
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
            Decision::Supply { why, .. } => {
                self.refuse(Kind::NotStorable { key: self.key.to_string(), why }.into()).await;
            }
            Decision::SettleFirst(lost) => {
                let (key, run) = (self.key.to_string(), self.session.scope.to_string());
                self.refuse(Kind::LogLost { key, at: self.place(), run, lost: lost.join(", ") }.into()).await;
            }
        }
    }

    /// Makes the reservation of an attempt durable. If it cannot be, the effect does not start.
    pub(super) async fn reserve(&mut self, attempt: u32) {
        let is_read = self.meta.kind == StepKind::Read;
        let attempt = if is_read { 0 } else { attempt };
        if let Err(error) = self.push_reservation(attempt) {
            self.phase = Phase::Closed(Err(error));
            return;
        }
        // From here on a drop is noticed: whoever drops the step may have begun it.
        self.phase = Phase::Ready { attempt };
        if is_read {
            return;
        }
        match self.session.commit(Commit::Durable).await {
            Ok(()) => self.note_reservation(),
            Err(source) => {
                self.session.shared.live().unreserve(&self.key);
                let (key, at) = (self.key.to_string(), self.place());
                self.fail(Kind::NotReserved { key, at, source }.into());
            }
        }
    }

    /// Makes the record of a reservation, unless the run has stopped meanwhile: nothing new starts in a stopped run.
    fn push_reservation(&self, attempt: u32) -> Result<(), Error> {
        let now = self.session.shared.clock.now();
        let mut live = self.session.shared.live();
        self.session.admits(&live, self.key.as_str())?;
        if self.meta.kind == StepKind::Read {
            return Ok(());
        }
        let reserve = Reserve {
            key: self.key.to_string(),
            run: self.session.scope.to_string(),
            shape: self.meta.shape.to_owned(),
            attempt,
            token: self.meta.sends_token.then(|| self.key.token()),
            proof: self.meta.proof,
            ask: self.meta.ask.to_owned(),
            title: self.title.clone(),
            settle_ms: u64::try_from(self.meta.settle.unwrap_or(DEFAULT_SETTLE).as_millis()).unwrap_or(u64::MAX),
        };
        live.push(now, reserve);
        Ok(())
    }

    /// Records the result, and gives the value as it was stored: the first run sees what every replay will see.
    pub(super) async fn done(&mut self, value: T, how: How) {
        let stored = (self.codec.encode)(&value).and_then(|json| Ok(((self.codec.decode)(&json)?, json)));
        self.record(stored, how).await;
    }

    /// Records a value as it is stored, or why it cannot be.
    pub(super) async fn record(&mut self, stored: Result<(T, Stored), String>, how: How) {
        let attempt = self.attempt();
        let (value, json, unstorable) = match stored {
            Ok((value, json)) => (Ok(value), Some(json), None),
            Err(why) => (Err(why.clone()), None, Some(why)),
        };
        let done = Done {
            key: self.key.to_string(),
            run: self.session.scope.to_string(),
            shape: self.meta.shape.to_owned(),
            kind: self.meta.kind,
            how,
            attempt,
            title: self.title.clone(),
            value: json,
            unstorable,
        };
        tracing::info!(key = %self.key, ?how, "step done");
        self.session.shared.push(done);
        self.phase = Phase::Recording;
        match (self.session.commit(self.promise()).await, value) {
            (Err(source), _) => self.not_recorded(source),
            (Ok(()), Ok(value)) => self.phase = Phase::Closed(Ok(Ok(value))),
            (Ok(()), Err(why)) => self.refuse(Kind::NotStorable { key: self.key.to_string(), why }.into()).await,
        }
    }

    /// A result that no verifier could find again is made durable at once; any other shares the next sync.
    fn promise(&self) -> Commit {
        match (self.meta.kind, self.meta.proof) {
            (StepKind::SideEffect, Proof::Person) => Commit::Durable,
            _ => Commit::Written,
        }
    }

    async fn failed(&mut self, error: E) {
        let (attempt, text) = (self.attempt(), (self.show)(&error));
        tracing::warn!(key = %self.key, error = text, "step failed");
        self.session.shared.push(self.failure(attempt, text.clone()));
        match (self.meta.kind, self.meta.proof) {
            (StepKind::SideEffect, Proof::Verify) => self.phase = Phase::Doubt { attempt, raised_by: Some(error) },
            (StepKind::SideEffect, Proof::Person) => {
                self.session.shared.push(self.question(attempt, text.clone()));
                self.stop(text, Cause::Doubt);
                self.phase = Phase::Closed(Ok(Err(error)));
            }
            _ => {
                self.stop(text, Cause::Error);
                self.phase = Phase::Closed(Ok(Err(error)));
            }
        }
        if let Err(source) = self.session.commit(Commit::Told).await {
            self.not_recorded(source);
        }
    }

    /// Goes no further, and asks a person.
    pub(super) async fn ask(&mut self, attempt: u32, why: String) {
        tracing::warn!(key = %self.key, why, ask = self.meta.ask, "step in doubt: a person is asked");
        self.session.shared.push(self.question(attempt, why.clone()));
        self.stop(why.clone(), Cause::Doubt);
        self.phase = Phase::Closed(Err(self.doubted(attempt, &why)));
        if let Err(source) = self.session.commit(Commit::Told).await {
            self.not_recorded(source);
        }
    }

    /// Refuses the step, records why, and stops the run.
    pub(super) async fn refuse(&mut self, error: Error) {
        let known = error.is_stopped();
        let text = error.to_string();
        let cause = error.cause();
        self.phase = Phase::Closed(Err(error));
        if known {
            return;
        }
        self.stop(text.clone(), cause);
        let (run, key) = (self.session.scope.to_string(), Some(self.key.to_string()));
        if let Err(unwritten) = self.session.tell(Refused { run, key, error: text }).await {
            tracing::error!(%unwritten, "the refusal could not be recorded");
        }
    }

    pub(super) fn not_recorded(&mut self, source: StoreError) {
        let (key, at) = (self.key.to_string(), self.place());
        self.fail(Kind::NotRecorded { key, at, source }.into());
    }

    /// Stops the run with an error that cannot be recorded: the store is gone.
    fn fail(&mut self, error: Error) {
        tracing::error!(key = %self.key, %error, "session cannot be written");
        self.stop(error.to_string(), Cause::Error);
        self.phase = Phase::Closed(Err(error));
    }

    pub(super) fn stop(&self, why: String, cause: Cause) {
        let stop = Stop { key: self.key.to_string(), place: Some(self.place()), why, cause };
        self.session.shared.live().start.stop(&self.session.scope, &stop);
    }

    fn doubted(&self, attempt: u32, why: &str) -> Error {
        let (key, ask) = (self.key.to_string(), self.meta.ask.to_owned());
        Kind::InDoubt { key, attempt, ask, why: why.to_owned() }.into()
    }

    fn question(&self, attempt: u32, why: String) -> InDoubt {
        InDoubt { key: self.key.to_string(), attempt, ask: self.meta.ask.to_owned(), why }
    }

    fn failure(&self, attempt: u32, error: String) -> Failed {
        Failed {
            key: self.key.to_string(),
            run: self.session.scope.to_string(),
            kind: self.meta.kind,
            attempt,
            failure: Failure::Unknown,
            error,
        }
    }

    fn attempt(&self) -> u32 {
        match self.phase {
            Phase::Doubt { attempt, .. } | Phase::Ready { attempt } => attempt,
            Phase::Recording | Phase::Closed(_) | Phase::Taken => 0,
        }
    }

    fn note_reservation(&self) {
        let live = self.session.shared.live();
        if let Some(at) = live.state.steps.get(self.key.as_str()).and_then(|step| step.reserved_at) {
            self.key.set_reserved_at(at);
        }
    }

    fn place(&self) -> Place {
        Place { file: self.meta.file, line: self.meta.line }
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
            Phase::Closed(_) | Phase::Taken => return,
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
