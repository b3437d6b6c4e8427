//! How a session stands at the end of a start in which nothing went wrong.

use super::life;
use super::start::Cause;
use super::state::{Life, State, Status, Step};

/// How a session stands, for whoever looks at it from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Standing {
    /// Everything that was begun is finished.
    Finished,
    /// Nothing was ever begun in it.
    Empty,
    /// A person has given up what was begun.
    Cancelled,
    /// A process has it, and nobody is needed.
    Running,
    /// It waits: for an instant, or for a person who decides.
    Waiting,
    /// It was stopped, by an error or by the end of its process; a start goes on.
    Stopped,
    /// Its process ended in the middle of an effect, and a start finds out what became of that; or, outside any run, between two steps
    /// and before it was closed.
    Interrupted,
    /// It is not known whether an effect happened, or what it gave, and a person is to say it.
    InDoubt,
    /// Records are gone that were synced, and no start has gone on without them: whoever has a copy puts it back first.
    Lossy,
    /// It is not where it was, or its machine was started anew under it: nobody has vouched for it.
    Unvouched,
}

impl Standing {
    /// The word for it, for programs. Each stays what it is.
    pub fn word(self) -> &'static str {
        match self {
            Self::Finished => "finished",
            Self::Empty => "empty",
            Self::Cancelled => "cancelled",
            Self::Running => "running",
            Self::Waiting => "waiting",
            Self::Stopped => "stopped",
            Self::Interrupted => "interrupted",
            Self::InDoubt => "in_doubt",
            Self::Lossy => "lossy",
            Self::Unvouched => "unvouched",
        }
    }
}

impl State {
    /// How the session stands. Where a process is known to have it, what that has started is no doubt.
    pub fn stands(&self, is_held: bool) -> Standing {
        if self.runs.is_empty() && self.opened == 0 {
            return if is_held { Standing::Running } else { Standing::Empty };
        }
        if self.standing(false).is_some() {
            return Standing::InDoubt;
        }
        match self.standing(true) {
            Some(Cause::Waiting) => Standing::Waiting,
            // Whatever it has done, it may go on.
            _ if is_held => Standing::Running,
            Some(Cause::Doubt) => Standing::Interrupted,
            Some(Cause::Cancelled) => Standing::Cancelled,
            Some(_) => Standing::Stopped,
            None if self.has_unmended_trouble() => Standing::Stopped,
            // Where there is no run, only who closes the session says that no step is to come.
            None if self.runs.is_empty() && self.status == Status::Awake => Standing::Interrupted,
            None => Standing::Finished,
        }
    }

    /// Whether an error is the last that is heard of it: nothing was completed since, and no later start has ended in order.
    pub(crate) fn has_unmended_trouble(&self) -> bool {
        let is_last = |seq| self.status == Status::Awake || seq > self.booted;
        self.trouble.as_ref().is_some_and(|trouble| is_last(trouble.seq))
    }

    /// What is left open that the process must say when it ends; `None` where everything that was asked for is done.
    ///
    /// What a person is asked is always said. A start that `is_idle`, for it has reached nothing, speaks of the whole session:
    /// work that it was not asked to do has not been done.
    pub fn standing(&self, is_idle: bool) -> Option<Cause> {
        let any = |is: &dyn Fn(&Step) -> bool| self.open_steps().any(|(_, step)| is(step));
        if any(&|step| is_asked(step) || (is_idle && matches!(step.life, Life::Reserved | Life::Doubt(_)))) {
            return Some(Cause::Doubt);
        }
        if !is_idle {
            return None;
        }
        let mut runs = self.active.values();
        let is_wait = |step: &Step| step.life.is_wait() && !self.is_given_up(step);
        match any(&is_wait) {
            true => Some(Cause::Waiting),
            // No run that could still be finished has it.
            false if any(&|step| step.run.is_empty()) => Some(Cause::Error),
            false if runs.clone().any(|run| self.cancelled(run).is_none()) => Some(Cause::Error),
            false => runs.next().map(|_| Cause::Cancelled),
        }
    }
}

/// Whether nobody but a person can tell what became of it, or what it gave.
fn is_asked(step: &Step) -> bool {
    match &step.life {
        Life::Doubt(doubt) => life::is_asked(step, doubt),
        Life::Done { value, .. } => value.is_err(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;
    use uuid::Uuid;

    use super::*;
    use crate::core::meta::{Proof, StepKind};
    use crate::core::outline::Outline;
    use crate::core::record::{self, Event, Record};
    use crate::core::time::Timestamp;

    fn told(events: impl IntoIterator<Item = Event>) -> State {
        let mut state = State::new(Uuid::nil(), "agent".to_owned());
        for event in events {
            let seq = state.seq + 1;
            state.apply(&Record { seq, epoch: 1, at: Timestamp::from_millis(seq), event });
        }
        state
    }

    fn run() -> Event {
        let (run, workflow, shape) = ("r".to_owned(), "r".to_owned(), "r".to_owned());
        let (title, goal, version, inputs) = (None, None, None, [].into());
        let (name, invariants, entry, steps, calls) = ("r".to_owned(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let outline = Outline { name, goal: None, invariants, entry, steps, calls }.into();
        record::Run { run, workflow, shape, named: false, title, goal, version, inputs, outline }.into()
    }

    fn reserve(proof: Proof) -> Event {
        let (run, shape) = ("r".to_owned().into(), "pay".to_owned().into());
        let (token, title, within_ms, args, gives) = (None, None, None, None, None);
        let (key, attempt, ask, settle_ms) = ("r//pay".to_owned().into(), 1, "bank".to_owned().into(), 0);
        record::Reserve { key, run, shape, attempt, token, proof, ask, title, settle_ms, within_ms, args, gives }.into()
    }

    fn doubt() -> Event {
        let (key, ask, why) = ("r//pay".to_owned(), "bank".to_owned(), "no answer".to_owned());
        record::InDoubt { key, attempt: 1, ask, why, gives: None }.into()
    }

    fn done(key: &str) -> Event {
        let (run, shape, key) = (String::new().into(), String::new().into(), key.to_owned().into());
        let (kind, how, value) = (StepKind::SideEffect, record::How::Executed, Some(RawValue::NULL.to_owned().into()));
        record::Done {
            key,
            run,
            shape,
            kind,
            how,
            attempt: 1,
            title: None,
            value,
            unstorable: None,
            args: None,
            gives: None,
        }
        .into()
    }

    fn flat(key: &str) -> Event {
        let (run, shape) = (String::new().into(), String::new().into());
        let (token, title, within_ms, args, gives) = (None, None, None, None, None);
        let (key, attempt, ask, settle_ms, proof) =
            (key.to_owned().into(), 1, "bank".to_owned().into(), 0, Proof::Verify);
        record::Reserve { key, run, shape, attempt, token, proof, ask, title, settle_ms, within_ms, args, gives }.into()
    }

    fn absent(key: &str) -> Event {
        let (key, by) = (key.to_owned(), "verifier".to_owned());
        record::Absent { key, attempt: 1, by, retry_at: None, spent: true }.into()
    }

    fn refused() -> Event {
        record::Refused { run: String::new(), key: None, error: "other arguments".to_owned(), origin: None }.into()
    }

    fn boot() -> Event {
        let (iteration, identity, durability) = (1, "agent".to_owned(), "power_safe".to_owned());
        let (session, format, library, pid) = (Uuid::nil(), 1, String::new(), 1);
        record::Boot { session, format, iteration, identity, durability, library, machine_boot: None, pid, place: None }
            .into()
    }

    fn wait() -> Event {
        let (key, run, shape, why) = ("r//s".to_owned(), "r".to_owned(), "s".to_owned(), "sleep".to_owned());
        record::Wait { key, run, shape, title: None, until: Timestamp::from_millis(9), why }.into()
    }

    fn cancel() -> Event {
        record::Cancel { run: "r".to_owned(), by: "ada".to_owned(), because: "no".to_owned(), word: None }.into()
    }

    fn end() -> Event {
        let value = RawValue::NULL.to_owned().into();
        record::End { run: "r".to_owned(), value }.into()
    }

    #[test]
    fn whoever_looks_from_outside_sees_a_doubt_only_where_a_person_is_to_speak() {
        for (events, free, held) in [
            (vec![], Standing::Empty, Standing::Running),
            (vec![run()], Standing::Stopped, Standing::Running),
            (vec![run(), end()], Standing::Finished, Standing::Running),
            (vec![run(), wait()], Standing::Waiting, Standing::Waiting),
            (vec![run(), reserve(Proof::Verify)], Standing::Interrupted, Standing::Running),
            (vec![run(), reserve(Proof::Person)], Standing::Interrupted, Standing::Running),
            (vec![run(), reserve(Proof::Verify), doubt()], Standing::InDoubt, Standing::InDoubt),
            (vec![run(), cancel()], Standing::Cancelled, Standing::Running),
        ] {
            let state = told(events.clone());
            assert_eq!((state.stands(false), state.stands(true)), (free, held), "{events:?}");
        }
    }

    #[test]
    fn a_session_without_a_run_is_finished_only_where_nothing_is_open_or_amiss_and_somebody_has_closed_it() {
        let dormant = || Event::Dormant(record::Dormant {});
        for (events, free) in [
            (vec![boot(), flat("a")], Standing::Interrupted),
            (vec![boot(), flat("a"), absent("a")], Standing::Stopped),
            (vec![boot(), flat("a"), absent("a"), dormant()], Standing::Stopped),
            (vec![boot(), flat("a"), done("a")], Standing::Interrupted),
            (vec![boot(), flat("a"), done("a"), dormant()], Standing::Finished),
            (vec![boot(), flat("a"), done("a"), refused()], Standing::Stopped),
            (vec![boot(), flat("a"), done("a"), refused(), dormant()], Standing::Stopped),
            (vec![boot(), flat("a"), done("a"), refused(), boot()], Standing::Stopped),
            (vec![boot(), flat("a"), done("a"), refused(), boot(), dormant()], Standing::Finished),
            (vec![boot(), flat("a"), refused(), done("a"), dormant()], Standing::Finished),
            (vec![boot(), run(), end()], Standing::Finished),
            (vec![boot(), run(), end(), flat("a"), absent("a")], Standing::Stopped),
            (vec![boot(), run(), cancel(), flat("a"), absent("a")], Standing::Stopped),
        ] {
            let state = told(events.clone());
            assert_eq!((state.stands(false), state.stands(true)), (free, Standing::Running), "{events:?}");
        }
    }

    #[test]
    fn a_start_that_reaches_nothing_speaks_of_the_session_and_any_other_of_what_a_person_is_asked() {
        for (events, idle, busy) in [
            (vec![], None, None),
            (vec![run()], Some(Cause::Error), None),
            (vec![run(), end()], None, None),
            (vec![run(), wait()], Some(Cause::Waiting), None),
            (vec![run(), reserve(Proof::Verify)], Some(Cause::Doubt), None),
            (vec![run(), wait(), reserve(Proof::Verify), doubt()], Some(Cause::Doubt), Some(Cause::Doubt)),
            (vec![run(), reserve(Proof::Verify), doubt(), end()], None, None),
            (vec![run(), wait(), cancel()], Some(Cause::Cancelled), None),
            (vec![run(), reserve(Proof::Verify), doubt(), cancel()], Some(Cause::Doubt), Some(Cause::Doubt)),
        ] {
            let state = told(events.clone());
            assert_eq!((state.standing(true), state.standing(false)), (idle, busy), "{events:?}");
        }
    }
}
