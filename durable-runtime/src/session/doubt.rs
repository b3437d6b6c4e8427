//! How a doubt ends with a proof.

use std::time::Duration;

use super::commit::Commit;
use super::said::word_in;
use super::slot::{Phase, Raised, Slot};
use super::waits::Wait;
use crate::broken::{self, Broken};
use crate::core::record::{Absent, How, NotYet};
use crate::core::state::{Life, State, Word};
use crate::core::time::Timestamp;
use crate::error::Error;
use crate::verdict::Verdict;

/// A verifier that says "not yet" is not asked again before this.
const SHORTEST_WAIT: Duration = Duration::from_secs(1);

impl<T, E> Slot<T, E> {
    /// Takes what the verifier said. It may wait, and then ask again.
    pub async fn proof(&mut self, verdict: Verdict<T>) {
        self.note_effect(false);
        if matches!(self.phase, Phase::Withheld) {
            return self.fetched_again(verdict).await;
        }
        let Phase::Doubt { attempt, .. } = self.phase else { return };
        if let Some(word) = self.word() {
            return self.take(word).await;
        }
        match verdict {
            Verdict::Happened(value) => {
                tracing::info!(key = %self.key, "verified: it happened");
                self.done(value, How::Verified).await;
            }
            Verdict::DidNotHappen => self.absent(attempt).await,
            Verdict::NotYet(after) => {
                let until = self.session.shared.clock.now().after(after.max(SHORTEST_WAIT));
                self.wait(attempt, until).await;
            }
            Verdict::Unknown(_) if broken::is(Broken::UnknownTakenForAbsent) => self.absent(attempt).await,
            Verdict::Unknown(why) => self.ask_for_verifier(attempt, why).await,
        }
    }

    /// The verifier found nothing. That proves absence only if it was asked when a request on its way must have landed.
    async fn absent(&mut self, attempt: u32) {
        let until = self.settled_at();
        if self.asked_at < until && !broken::is(Broken::AbsenceBelievedEarly) {
            return self.wait(attempt, until).await;
        }
        if let Some(why) = self.error_may_be_gone() {
            return self.ask(attempt, why).await;
        }
        tracing::info!(key = %self.key, attempt, "verified: it did not happen");
        match std::mem::replace(&mut self.phase, Phase::Doubt { attempt, raised: Raised::Before }) {
            Phase::Doubt { raised: Raised::Now(ended, failure), .. } => self.did_nothing(attempt, ended, failure).await,
            _ => self.did_nothing_before(attempt).await,
        }
    }

    /// An attempt of an earlier start did nothing: its error is the result, or another one is made.
    async fn did_nothing_before(&mut self, attempt: u32) {
        if let Some(word) = self.push_absence(self.absence(attempt)) {
            return self.take(word).await;
        }
        if let Some(error) = self.recorded_error() {
            return self.conclude(error).await;
        }
        self.again(attempt + 1, self.recorded_retry_at()).await;
    }

    /// Records that the verifier found nothing, unless a person has said what happened meanwhile: that word counts.
    pub(super) fn push_absence(&self, absence: Absent) -> Option<Word> {
        let now = self.session.shared.clock.now();
        let mut live = self.session.shared.live();
        let word = word_in(&live.state, self.key.as_str());
        if word.is_none() {
            live.push(now, absence);
        }
        word
    }

    /// Before which instant no attempt is made, as recorded.
    pub(super) fn recorded_retry_at(&self) -> Option<Timestamp> {
        let live = self.session.shared.live();
        match &live.state.steps.get(self.key.as_str())?.life {
            Life::Rejected { retry_at, .. } => *retry_at,
            life => life.doubt()?.retry_at,
        }
    }

    /// Lets the time pass before the next attempt.
    pub(super) async fn rest(&mut self, until: Timestamp) -> Result<(), Error> {
        if until <= self.session.shared.clock.now() {
            return Ok(());
        }
        tracing::info!(key = %self.key, %until, "waiting before the next attempt");
        let what = format!("until {until}, when it is tried again");
        let (key, at) = (self.key.as_str(), self.plan.place);
        let wait = Wait { key, at, what: &what, until: Some(until), outlasts_stop: false };
        // Of the slot only these are lent: its value can move between threads, and need not be shared by them.
        let is_given_up = |state: &State| self.plan.is_given_up(&self.session.scope, state);
        self.session.hold(wait, is_given_up).await
    }

    /// Waits, and then the verifier is asked again. Where an attempt of this start only has to settle, that goes on in a run
    /// that has stopped meanwhile: what has begun is still recorded, and soon known. An hour that a verifier asks for is not.
    async fn wait(&mut self, attempt: u32, until: Timestamp) {
        let is_of_this_start = matches!(self.phase, Phase::Doubt { raised: Raised::Now(..), .. });
        let outlasts_stop = is_of_this_start && until <= self.settles_at();
        tracing::info!(key = %self.key, %until, "absence is not believed yet: waiting");
        self.session.shared.push(NotYet { key: self.key.to_string(), attempt, until });
        if let Err(source) = self.session.commit(Commit::Told).await {
            return self.not_recorded(source);
        }
        let what = format!("until {until}: it may still land, and its verifier is asked again then");
        let (key, at) = (self.key.as_str(), self.plan.place);
        let wait = Wait { key, at, what: &what, until: Some(until), outlasts_stop };
        let is_answered = |state: &State| word_in(state, self.key.as_str()).is_some();
        if let Err(error) = self.session.hold(wait, is_answered).await {
            self.phase = Phase::Closed(Err(error));
        }
    }

    /// From when on absence is believed: a request has landed, and the verifier has no more time asked for.
    fn settled_at(&self) -> Timestamp {
        let settles = self.settles_at();
        let live = self.session.shared.live();
        let doubt = live.state.steps.get(self.key.as_str()).and_then(|step| step.life.doubt());
        doubt.and_then(|doubt| doubt.not_before).map_or(settles, |not_before| settles.max(not_before))
    }

    /// When a request on its way has landed.
    fn settles_at(&self) -> Timestamp {
        let live = self.session.shared.live();
        let step = live.state.steps.get(self.key.as_str());
        let settle = step.and_then(|step| step.tried().settle).unwrap_or_else(|| self.plan.settle());
        let doubt = step.and_then(|step| step.life.doubt());
        let since = match step.and_then(|step| step.tried().reserved_at) {
            Some(reserved_at) if broken::is(Broken::SettledSinceReserved) => reserved_at,
            _ => doubt.map_or(live.state.at, |doubt| doubt.since),
        };
        since.after(settle)
    }
}
