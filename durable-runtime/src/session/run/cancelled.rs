//! How a run ends that a person has given up, or that has one inside it.

use super::Run;
use crate::core::key;
use crate::core::start::{Cause, Stop};
use crate::error::{CancelText, Error, Kind};
use crate::session::live::Live;

impl Run {
    /// Of work that was cancelled the process says so, though it has a result. One that another run needs is its matter.
    pub(super) fn note_cancelled(&self, live: &mut Live) {
        let run = self.key_str();
        if !run.contains(key::SCOPE) && live.state.cancelled(run).is_some() {
            live.start.finish_given_up();
        }
    }

    /// One that was given up may clean up, and come to nothing else; but where something was not begun, what the body made
    /// of that is no result.
    pub(super) fn may_end_cancelled(&self, live: &Live) -> Result<(), Error> {
        let run = self.key_str();
        if let Some(key) = live.state.untold(run) {
            return Err(Kind::CancelledInDoubt { run: run.to_owned(), key: key.to_owned() }.into());
        }
        self.ended_cancelled(live).map_or(Ok(()), |ended| Err(ended.into()))
    }

    /// What is told of a run in which something was not begun because it was given up.
    fn ended_cancelled(&self, live: &Live) -> Option<Kind> {
        let run = self.key_str();
        let (undone, cancelled) = (live.start.given_up(run)?.key.clone(), live.state.cancelled(run)?);
        let (run, cancelled) = (run.to_owned(), CancelText::of(cancelled));
        Some(match self.owes_cleanup(live) {
            true => Kind::NotCleanedUp { run, cancelled },
            false => Kind::EndedCancelled { run, undone, cancelled },
        })
    }

    /// Whether it was given up while its body was running, which may have passed the place where it cleans up: that is for
    /// the next start.
    pub(super) fn owes_cleanup(&self, live: &Live) -> bool {
        !self.was_given_up && live.start.given_up(self.key_str()).is_some() && !self.has_cleaned_up(live)
    }

    /// What is told of a run that was not given up, and stopped because one inside it was.
    pub(super) fn needs_cancelled(&self, live: &Live, stop: &Stop) -> Option<Kind> {
        let run = self.key_str();
        if stop.cause != Cause::Cancelled || live.state.cancelled(run).is_some() {
            return None;
        }
        let cancelled = CancelText::of(live.state.cancelled(&stop.key)?);
        Some(Kind::NeedsCancelled { run: run.to_owned(), cancelled })
    }

    /// What the error of the body is told as, and what the process says of it.
    pub(super) fn judged(&self, live: &Live, error: String) -> (String, Cause) {
        let run = self.key_str();
        if let Some(stop) = live.start.stop_of(run) {
            return (self.needs_cancelled(live, stop).map_or(error, |needs| needs.to_string()), stop.cause);
        }
        if let Some(stop) = live.start.postponed(run) {
            return (error, stop.cause);
        }
        let ended = self.ended_cancelled(live);
        if live.state.cancelled(run).is_none() || (ended.is_none() && !self.has_cleaned_up(live)) {
            return (error, Cause::Error);
        }
        if let Some(key) = live.state.untold(run) {
            let in_doubt = Kind::CancelledInDoubt { run: run.to_owned(), key: key.to_owned() };
            return (in_doubt.to_string(), Cause::Doubt);
        }
        match ended.map(Error::from) {
            Some(ended) => (ended.to_string(), ended.cause()),
            None => (error, Cause::Cancelled),
        }
    }

    /// Whether this start has reached everything in the run that cleans up.
    fn has_cleaned_up(&self, live: &Live) -> bool {
        let run = self.key_str();
        let reached = |own: &str| live.start.reached(&key::scoped(run, own));
        let is_reached =
            |shape: &str| live.state.steps.of_run(run).any(|(own, step)| *step.shape == *shape && reached(own));
        self.meta.steps.iter().filter(|step| step.cleanup).all(|step| is_reached(step.shape))
    }
}
