//! What changes while a session is open, behind one lock that is never held across an `await`.

use std::sync::Arc;

use crate::core::budget::Used;
use crate::core::compact;
use crate::core::key::StepKey;
use crate::core::record::{Absent, Event, Origin, Record, Replayed, Witnessed};
use crate::core::secrets::Secrets;
use crate::core::start::{Cause, Place, Start, Stop};
use crate::core::state::State;
use crate::core::time::Timestamp;
use crate::error::{CancelText, Kind, StopText};

/// The state of the session, what is true for this start only, and what the store has not been given yet.
#[derive(Debug)]
pub(crate) struct Live {
    pub(crate) state: State,
    pub(crate) start: Start,
    pending: Vec<Record>,
    /// What no record may say.
    secrets: Arc<Secrets>,
    /// Whether the log could not be shrunk in this start: it is not tried again.
    keeps_all: bool,
}

impl Live {
    pub(crate) fn new(state: State, secrets: Arc<Secrets>) -> Self {
        let start = Start::new(state.opened);
        Self { state, start, pending: Vec::new(), secrets, keeps_all: false }
    }

    /// The start belongs to this iteration: half of a context that was used in it is used still.
    pub(super) fn go_on_in(&mut self, iteration: u64) {
        let used = self.state.budget.filter(|used| used.iteration == iteration);
        self.start.pass_half("", used.is_some_and(Used::is_past_half));
    }

    /// Whether the log may be shrunk.
    pub(super) fn may_trim(&self) -> bool {
        !self.keeps_all && !self.state.is_lossy
    }

    /// The log could not be shrunk.
    pub(super) fn give_up_trimming(&mut self) {
        self.keeps_all = true;
    }

    /// The log was shrunk.
    pub(super) fn trimmed(&mut self) {
        let trim = compact::trim(&self.state, 0, 0, Witnessed::default());
        self.state.apply(&trim);
    }

    /// A run that was entered in this start and has not finished.
    pub(super) fn under_way(&self) -> Option<String> {
        let mut runs = self.state.runs.iter();
        let is_under_way = |key: &str, unfinished: bool| unfinished && self.start.reached(key);
        runs.find(|(key, run)| is_under_way(key, run.value.is_none())).map(|(key, _)| key.clone())
    }

    /// Why nothing new is begun beside a run that the code no longer calls.
    pub(super) fn uncalled(&self, here: &str, at: Place, run: &str, known: &str) -> Kind {
        let of = |key: &str| self.state.runs.get(key);
        let (workflow, shape) = of(known).map(|run| (run.workflow.clone(), run.shape.clone())).unwrap_or_default();
        let outer = of(run).map(|run| run.workflow.clone()).unwrap_or_default();
        let (here, run, known) = (here.to_owned(), run.to_owned(), known.to_owned());
        Kind::CallVanished { here, at, run, known, workflow, shape, outer }
    }

    /// What an error in a run follows from that says what in it is for later, or why it had stopped: that may itself be a
    /// refusal because of the first.
    pub(super) fn origin(&self, run: &str, error: &str) -> Option<Box<Origin>> {
        let before = [self.start.postponed(run), self.start.stop_of(run)].into_iter().flatten();
        // One that needs a run which was given up has its own words for that.
        let needs = |stop: &Stop| stop.cause == Cause::Cancelled && self.state.cancelled(run).is_none();
        let told = |stop: &&Stop| needs(stop) || error.contains(&StopText(Stop::clone(stop)).to_string());
        let Stop { key, place, why, .. } = before.into_iter().find(told)?;
        let place = place.map(|place| place.to_string());
        Some(Box::new(Origin { key: key.clone(), place, error: why.clone() }))
    }

    /// Whether a run has stopped for nothing but that one inside it was given up, and cleans up in the next start.
    pub(super) fn is_to_clean_up(&self, run: &str, stop: &Stop, error: &str) -> bool {
        let given_up = self.state.cancelled(&stop.key).filter(|(_, given_up)| !given_up.is_over);
        let is_told = |given_up| error.contains(&CancelText::of(given_up).to_string());
        stop.cause == Cause::Error && stop.key != run && given_up.is_some_and(is_told)
    }

    /// Makes the next record. From here on the state knows it; it must be committed before anyone acts on it.
    pub(crate) fn push(&mut self, now: Timestamp, event: impl Into<Event>) -> u64 {
        self.push_replayed(now);
        self.make(now, event.into())
    }

    /// Makes the record of what was replayed in this start, if anything was.
    pub(super) fn push_replayed(&mut self, now: Timestamp) {
        if let Some((count, first, last)) = self.start.replayed.take() {
            self.make(now, Replayed { count, first, last }.into());
        }
    }

    /// Takes back a reservation that could not be written, for what this process still says of it. The log is dead by
    /// now; a later process finds what the disk holds, and decides for itself.
    pub(crate) fn unreserve(&mut self, key: &StepKey, attempt: u32) {
        let by = "the process that could not write its reservation".to_owned();
        let event = Absent { key: key.to_string(), attempt, by, retry_at: None, spent: false }.into();
        let State { seq, epoch, at, .. } = self.state;
        self.state.apply(&Record { seq, epoch, at, event });
    }

    /// Takes what the store has not been given yet.
    pub(crate) fn take_pending(&mut self) -> Vec<Record> {
        std::mem::take(&mut self.pending)
    }

    /// What the store has not taken yet.
    pub(crate) fn pending(&self) -> &[Record] {
        &self.pending
    }

    fn make(&mut self, now: Timestamp, mut event: Event) -> u64 {
        event.scrub(&self.secrets);
        // The clock may step back; the log does not.
        let at = now.max(self.state.at);
        let record = Record { seq: self.state.seq + 1, epoch: self.state.epoch, at, event };
        self.state.apply(&record);
        self.pending.push(record);
        self.state.seq
    }
}
