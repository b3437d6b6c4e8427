//! One attempt of a step: its reservation, and the record of its result.

use std::sync::Arc;

use super::commit::Commit;
use super::slot::{Phase, Slot};
use crate::broken::{self, Broken};
use crate::core::decide::barred;
use crate::core::meta::{Proof, StepKind};
use crate::core::record::{Done, Event, How, InDoubt, Refused, Reserve, Stored};
use crate::core::start::{Cause, Stop};
use crate::core::state::{Life, State};
use crate::core::time::Timestamp;
use crate::core::value;
use crate::core::way_out::{WayOut, short};
use crate::error::{CancelText, Error, Kind, Refusal, whose};
use crate::store::StoreError;

/// Why a step asks that would be repeated if its run had not been given up.
const GIVEN_UP: &str = "its run was cancelled, so it is not repeated";

impl<T, E> Slot<T, E> {
    /// Makes an attempt, not before an instant.
    pub(super) async fn again(&mut self, attempt: u32, not_before: Option<Timestamp>) {
        if let Some(until) = not_before
            && let Err(error) = self.rest(until).await
        {
            self.phase = Phase::Closed(Err(error));
            return;
        }
        self.reserve(attempt).await;
    }

    /// Makes the reservation of an attempt durable. If it cannot be, the effect does not start.
    async fn reserve(&mut self, attempt: u32) {
        let is_read = self.plan.kind == StepKind::Read;
        if !is_read {
            self.session.take_words_now_and_then().await;
        }
        if let Some(why) = self.barred() {
            return self.ask(attempt.saturating_sub(1), why).await;
        }
        if let Some(error) = self.resting() {
            return self.refuse(error).await;
        }
        let attempt = if is_read { 0 } else { attempt };
        if let Err(error) = self.push_reservation(attempt) {
            if error.is_cancelled() {
                self.session.give_up(self.key.as_str(), self.plan.place, &error);
            }
            self.phase = Phase::Closed(Err(error));
            return;
        }
        // From here on a drop is noticed: whoever drops the step may have begun it.
        self.phase = Phase::Ready { attempt };
        if is_read || broken::is(Broken::ReservedAfterEffect) {
            return;
        }
        match self.session.commit(Commit::Durable).await {
            Ok(()) => self.note_reservation(attempt),
            Err(_) if broken::is(Broken::ReserveErrorIgnored) => self.note_reservation(attempt),
            Err(source) => {
                self.session.shared.live().unreserve(&self.key, attempt);
                let (key, at) = (self.key.to_string(), self.plan.place);
                self.fail(Kind::NotReserved { key, at, source }.into());
            }
        }
    }

    /// Whether it is not begun any more.
    pub(super) fn is_given_up(&self, state: &State) -> bool {
        self.plan.is_given_up(&self.session.scope, state)
    }

    /// Why an effect does not begin in this turn of the loop around it.
    fn resting(&self) -> Option<Error> {
        if self.plan.kind == StepKind::Read {
            return None;
        }
        let live = self.session.shared.live();
        let (run, number) = live.start.resting(&self.session.scope)?;
        let (what, at, whose) = (self.key.to_string(), self.plan.place, whose(run));
        Some(Refusal::Resting { what, at, number, whose }.into())
    }

    /// Why a person is asked instead of a further attempt.
    fn barred(&self) -> Option<String> {
        let now = self.session.shared.clock.now();
        let live = self.session.shared.live();
        let step = live.state.steps.get(self.key.as_str())?;
        // A repeat would settle it, and is a new effect all the same.
        if self.is_given_up(&live.state) && matches!(step.life, Life::Reserved | Life::Doubt(_)) {
            return Some(GIVEN_UP.to_owned());
        }
        let (within, crash_limit) = (self.plan.policy.within, self.session.shared.settings.crash_limit);
        barred(step, within, now, crash_limit).map(|barred| barred.to_string())
    }

    /// Makes the record of a reservation, unless the run has stopped meanwhile: nothing new starts in a stopped run.
    fn push_reservation(&self, attempt: u32) -> Result<(), Error> {
        let now = self.session.shared.clock.now();
        let mut live = self.session.shared.live();
        self.session.admits(&live, self.key.as_str())?;
        if self.plan.kind == StepKind::Read {
            return Ok(());
        }
        if let (false, Some(cancelled)) = (self.plan.cleanup, live.state.cancelled(&self.session.scope)) {
            let (here, cancelled) = (self.key.to_string(), CancelText::of(cancelled));
            return Err(Kind::Cancelled { here, cancelled }.into());
        }
        let millis = |length: std::time::Duration| u64::try_from(length.as_millis()).unwrap_or(u64::MAX);
        let reserve = Reserve {
            key: self.key.share(),
            run: Arc::clone(&self.session.scope),
            shape: (&*self.plan.shape).into(),
            attempt,
            token: self.plan.sends_token.then(|| self.key.token()),
            proof: self.plan.proof,
            ask: (&*self.plan.ask).into(),
            title: self.title.clone(),
            settle_ms: millis(self.plan.settle()),
            within_ms: self.plan.policy.within.map(millis),
            args: self.args,
            // Whoever finds the session is to ask for it.
            gives: (self.plan.proof == Proof::Person).then(|| short(self.codec.type_name)),
        };
        live.push(now, reserve);
        if broken::is(Broken::DoneBeforeEffect) {
            live.push(now, self.result(attempt, How::Executed, value::encode(&())));
        }
        Ok(())
    }

    /// Records the result, and gives the value as it was stored: the first run sees what every replay will see.
    pub(super) async fn done(&mut self, value: T, how: How) {
        if let Some(withheld) = self.withheld.take() {
            return self.got_again(withheld, value).await;
        }
        let stored = match (self.codec.encode)(&value) {
            Ok(json) if broken::is(Broken::ValueNotAsStored) => Ok((value, json)),
            json => json.and_then(|json| Ok(((self.codec.decode)(&json)?, json))),
        };
        self.record(stored, how).await;
    }

    /// Records a value as it is stored, or why it cannot be.
    pub(super) async fn record(&mut self, stored: Result<(T, Stored), String>, how: How) {
        let stored = stored.and_then(|(value, json)| Ok((value, self.session.shared.fitting(json)?)));
        let (value, json) = match stored {
            Ok((value, json)) => match self.session.shared.set_apart(self.without_secrets(json)).await {
                Ok(json) => (Ok(value), Ok(json)),
                Err(source) => return self.not_recorded(source),
            },
            Err(why) => (Err(why.clone()), Err(why)),
        };
        tracing::info!(key = %self.key, ?how, "step done");
        let done = match json {
            Ok(_) if broken::is(Broken::OtherResultRecorded) => self.result(self.attempt(), how, value::encode(&0)),
            json => self.result(self.attempt(), how, json),
        };
        if !(broken::is(Broken::ReadNotRecorded) && self.plan.kind == StepKind::Read) {
            self.push_outcome(done, how == How::Resolved);
        }
        self.phase = Phase::Recording;
        match (self.session.commit(self.promise()).await, value) {
            (Err(source), _) => self.not_recorded(source),
            (Ok(()), Ok(value)) => self.phase = Phase::Closed(Ok(Ok(value))),
            (Ok(()), Err(why)) => self.refuse(self.not_storable(why)).await,
        }
    }

    /// Makes the record of what became of the step, and refuses the words that come too late for it.
    pub(super) fn push_outcome(&self, outcome: impl Into<Event>, is_said: bool) {
        let now = self.session.shared.clock.now();
        let mut live = self.session.shared.live();
        let late = live.state.late(self.key.as_str(), !is_said);
        live.push(now, outcome);
        self.session.shared.refuse_all(&mut live, now, late);
    }

    pub(super) fn result(&self, attempt: u32, how: How, stored: Result<Stored, String>) -> Done {
        let (value, unstorable) = match stored {
            Ok(json) => (Some(json), None),
            Err(why) => (None, Some(why)),
        };
        let gives = unstorable.is_some().then(|| short(self.codec.type_name));
        Done {
            key: self.key.share(),
            run: Arc::clone(&self.session.scope),
            shape: (&*self.plan.shape).into(),
            kind: self.plan.kind,
            how,
            attempt,
            title: self.title.clone(),
            value,
            unstorable,
            args: self.args.filter(|_| self.plan.kind == StepKind::Read),
            gives,
        }
    }

    /// A result that no verifier could find again is made durable at once; any other shares the next sync.
    fn promise(&self) -> Commit {
        match (self.plan.kind, self.plan.proof) {
            (StepKind::SideEffect, Proof::Person) => Commit::Durable,
            _ => Commit::Written,
        }
    }

    /// Goes no further, and asks a person: nothing else can tell, in this start or the next.
    pub(super) async fn ask(&mut self, attempt: u32, why: String) {
        let way = WayOut { verifies_again: false, ..self.way_out() };
        self.ask_by(attempt, why, way).await;
    }

    /// Goes no further, and asks a person whatever a verifier could not tell; each start asks the verifier once more.
    pub(super) async fn ask_for_verifier(&mut self, attempt: u32, why: String) {
        self.ask_by(attempt, why, self.way_out()).await;
    }

    async fn ask_by(&mut self, attempt: u32, why: String, way: WayOut) {
        let told = self.session.shared.secrets.redact(&why);
        tracing::warn!(key = %self.key, why = &*told, ask = %self.plan.ask, "step in doubt: a person is asked");
        self.session.shared.push(self.question(attempt, why.clone()));
        self.stop_by(why.clone(), Cause::Doubt, Some(way.clone()));
        self.phase = Phase::Closed(Err(Kind::InDoubt { attempt, why, way: Box::new(way) }.into()));
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
        let origin = self.session.shared.live().origin(&run, &text);
        if let Err(unwritten) = self.session.tell(Refused { run, key, error: text, origin }).await {
            tracing::error!(%unwritten, "the refusal could not be recorded");
        }
    }

    pub(super) fn not_recorded(&mut self, source: StoreError) {
        let (key, at) = (self.key.to_string(), self.plan.place);
        self.fail(Kind::NotRecorded { key, at, source }.into());
    }

    /// Stops the run with an error that cannot be recorded: the store is gone.
    fn fail(&mut self, error: Error) {
        tracing::error!(key = %self.key, %error, "session cannot be written");
        self.stop(error.to_string(), Cause::Error);
        self.phase = Phase::Closed(Err(error));
    }

    pub(super) fn stop(&self, why: String, cause: Cause) {
        self.stop_by(why, cause, None);
    }

    /// Stops the run at a doubt that only a person can end.
    pub(super) fn stop_in_doubt(&self, why: String) {
        self.stop_by(why, Cause::Doubt, Some(self.way_out()));
    }

    fn stop_by(&self, why: String, cause: Cause, way: Option<WayOut>) {
        let (key, way) = (self.key.to_string(), way.map(Box::new));
        let stop = Stop { key, place: Some(self.plan.place), why, cause, way };
        let mut live = self.session.shared.live();
        match self.session.scope.is_empty() {
            // A step outside any workflow stands alone: there is no run to stop, and nothing that would go on without it.
            true => live.start.refuse("", &stop),
            false => live.start.stop(&self.session.scope, &stop),
        }
    }

    pub(super) fn doubted(&self, attempt: u32, why: &str) -> Error {
        Kind::InDoubt { attempt, why: why.to_owned(), way: Box::new(self.way_out()) }.into()
    }

    pub(super) fn not_storable(&self, why: String) -> Error {
        Kind::NotStorable { key: self.key.to_string(), why, gives: short(self.codec.type_name) }.into()
    }

    pub(super) fn way_out(&self) -> WayOut {
        WayOut {
            key: self.key.to_string(),
            ask: (&*self.plan.ask).into(),
            gives: short(self.codec.type_name),
            verifies_again: self.plan.proof == Proof::Verify,
        }
    }

    pub(super) fn question(&self, attempt: u32, why: String) -> InDoubt {
        let (ask, gives) = (self.plan.ask.to_string(), Some(short(self.codec.type_name)));
        InDoubt { key: self.key.to_string(), attempt, ask, why, gives }
    }

    pub(super) fn attempt(&self) -> u32 {
        match self.phase {
            Phase::Doubt { attempt, .. } | Phase::Ready { attempt } => attempt,
            Phase::Withheld | Phase::Recording | Phase::Closed(_) | Phase::Failed(_) | Phase::Taken => 0,
        }
    }

    fn note_reservation(&self, attempt: u32) {
        if attempt == 1 && broken::is(Broken::TokenOfAttempt) {
            return;
        }
        let live = self.session.shared.live();
        if let Some(at) = live.state.steps.get(self.key.as_str()).and_then(|step| step.tried().reserved_at) {
            self.key.set_reserved_at(at);
        }
    }
}
