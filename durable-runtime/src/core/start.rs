//! What is true for one start only: from the boot of a session to its drop.

use std::collections::{BTreeSet, HashMap};
use std::fmt;

use super::key;
use super::way_out::WayOut;
use crate::broken::{self, Broken};

/// Keys reached, and runs stopped, since the boot.
#[derive(Debug, Default)]
pub struct Start {
    reached: HashMap<String, Place>,
    /// For which types and constants the runs of generic workflows were entered.
    instances: HashMap<String, String>,
    steps: HashMap<String, u64>,
    stopped: HashMap<String, Stop>,
    refused: Option<Cause>,
    /// The runs whose bodies are running.
    driven: BTreeSet<String>,
    /// The runs that may stop without stopping those around them.
    later: BTreeSet<String>,
    /// The runs in which another one has failed that is for later.
    postponed: HashMap<String, Stop>,
    /// The runs in which something was not begun because a person had given them up, or a run around them.
    given_up: HashMap<String, Stop>,
    /// The steps whose expressions are all that is running of their runs.
    alone: HashMap<String, Effect>,
    /// The runs inside each run that its code no longer calls, and may reach all the same.
    uncalled: HashMap<String, Vec<String>>,
    /// The turns of the loops in each run, and whether the newest is for rest.
    turns: HashMap<String, (u64, bool)>,
    /// The runs in which more than half of the context budget is used.
    past_half: BTreeSet<String>,
    /// How often each run has noted each thing.
    noted: HashMap<(String, String), u64>,
    /// The templates of which it was told that a title has changed.
    retitled: BTreeSet<String>,
    /// How many steps had been opened before.
    opened: u64,
    /// Whether the session was closed.
    pub closed: bool,
    /// How many results were replayed, and the first and last of them; taken when it is recorded.
    pub replayed: Option<(u64, String, String)>,
}

/// A place in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// File.
    pub file: &'static str,
    /// Line.
    pub line: u32,
}

/// A step whose expression, or whose verifier, is running.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effect {
    /// Its full key.
    pub key: String,
    /// Where it stands.
    pub place: Place,
}

/// Why a run goes no further in this start.
#[derive(Clone, Debug)]
pub struct Stop {
    /// The key at which it stopped: a step's, or the run's own.
    pub key: String,
    /// Where that is, if it was a step.
    pub place: Option<Place>,
    /// Why, in words.
    pub why: String,
    /// What the process should say of it.
    pub cause: Cause,
    /// How a doubt ends that stopped it, where `why` does not say so itself.
    pub way: Option<Box<WayOut>>,
}

/// The kinds of stops, the gravest last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// A person has given the run up: nothing went wrong, and nothing is left to do.
    Cancelled,
    /// A wait: nothing went wrong.
    Waiting,
    /// An error.
    Error,
    /// The code and the log do not agree.
    Conflict,
    /// A doubt that a person must end.
    Doubt,
    /// A file that no longer says what was acknowledged.
    Damage,
}

impl Place {
    /// Where a plain call stands.
    #[track_caller]
    pub fn of_caller() -> Self {
        let caller = std::panic::Location::caller();
        Self { file: caller.file(), line: caller.line() }
    }
}

impl Start {
    /// A start of a session in which this many steps were ever opened.
    pub fn new(opened: u64) -> Self {
        Self { opened, ..Self::default() }
    }

    /// Whether the step of this place among all that were ever opened was opened in this start.
    pub fn opened(&self, place: u64) -> bool {
        place > self.opened
    }

    /// Notes that a key is reached; the place where it was reached before, if it was.
    pub fn reach(&mut self, key: &str, place: Place) -> Option<Place> {
        if let Some(&before) = self.reached.get(key) {
            return Some(before);
        }
        self.reached.insert(key.to_owned(), place);
        None
    }

    /// Notes for which types a run of a generic workflow is entered; those for which it was entered before, if they are
    /// others.
    pub fn enter_for(&mut self, run: &str, types: &str) -> Option<String> {
        match self.instances.get(run) {
            Some(before) => (before != types).then(|| before.clone()),
            None => {
                self.instances.insert(run.to_owned(), types.to_owned());
                None
            }
        }
    }

    /// Notes that a step of a run is reached; the place where it was reached before, if it was.
    pub fn reach_step(&mut self, run: &str, key: &str, place: Place) -> Option<Place> {
        let before = self.reach(key, place);
        if before.is_none() {
            *self.steps.entry(run.to_owned()).or_default() += 1;
        }
        before
    }

    /// How many steps of a run were reached in this start.
    pub fn steps_reached(&self, run: &str) -> u64 {
        self.steps.get(run).copied().unwrap_or_default()
    }

    /// Notes which runs in `run` its code no longer calls.
    pub fn miss(&mut self, run: &str, uncalled: Vec<String>) {
        if !uncalled.is_empty() {
            self.uncalled.insert(run.to_owned(), uncalled);
        }
    }

    /// A run that the code no longer calls and this start has not reached, in `run` or in one around it; and which of them.
    pub fn missed(&self, run: &str) -> Option<(&str, &str)> {
        if self.uncalled.is_empty() {
            return None;
        }
        std::iter::once(run).chain(key::around(run)).find_map(|run| {
            let (run, uncalled) = self.uncalled.get_key_value(run)?;
            uncalled.iter().find(|inner| !self.reached(inner)).map(|inner| (run.as_str(), inner.as_str()))
        })
    }

    /// Whether nothing was reached in this start.
    pub fn is_idle(&self) -> bool {
        self.reached.is_empty()
    }

    /// Whether a key was reached in this start.
    pub fn reached(&self, key: &str) -> bool {
        self.reached.contains_key(key)
    }

    /// Stops a run and the runs around it. The first of the gravest stops of a run is the one that is told: no error hides
    /// a doubt.
    pub fn stop(&mut self, run: &str, stop: &Stop) {
        for run in std::iter::once(run).chain(key::around(run)) {
            let told = self.stopped.entry(run.to_owned()).or_insert_with(|| stop.clone());
            if told.cause < stop.cause {
                told.clone_from(stop);
            }
            if self.later.contains(run) {
                break;
            }
        }
    }

    /// Lets a run stop without stopping those around it.
    pub fn begin_later(&mut self, run: &str) {
        self.later.insert(run.to_owned());
    }

    /// Notes that a run which is for later has failed in this one. The first is the one that is told, unless it only waited.
    pub fn postpone(&mut self, run: &str, stop: Stop) {
        let told = self.postponed.entry(run.to_owned()).or_insert_with(|| stop.clone());
        if told.cause == Cause::Waiting && stop.cause > Cause::Waiting {
            *told = stop;
        }
    }

    /// What has failed in a run and is for later: until it has not, nothing else is begun there.
    pub fn postponed(&self, run: &str) -> Option<&Stop> {
        self.postponed.get(run)
    }

    /// Notes that something in `run` was not begun because `cancelled`, that run or one around it, was given up. It stops
    /// nothing: what is recorded, in doubt, or cleans up goes on in other branches too, and nothing else can.
    pub fn give_up(&mut self, run: &str, cancelled: &str, stop: &Stop) {
        for run in std::iter::once(run).chain(key::around(run)) {
            self.given_up.entry(run.to_owned()).or_insert_with(|| stop.clone());
            if run == cancelled {
                break;
            }
        }
    }

    /// What was not begun in a run because it was given up: it comes to no result.
    pub fn given_up(&self, run: &str) -> Option<&Stop> {
        self.given_up.get(run)
    }

    /// Stops a run at its end because `cancelled`, that run or one around it, was given up. Those between the two may have to
    /// clean up, and go on.
    pub fn stop_given_up(&mut self, run: &str, cancelled: &str, stop: &Stop) {
        self.give_up(run, cancelled, stop);
        match run == cancelled {
            true => self.stop(run, stop),
            false => drop(self.stopped.entry(run.to_owned()).or_insert_with(|| stop.clone())),
        }
    }

    /// Notes that a run which was given up has a result all the same: the process says how it came to it.
    pub fn finish_given_up(&mut self) {
        self.refused = self.refused.max(Some(Cause::Cancelled));
    }

    /// Forgets that a run, and what is inside it, has stopped.
    pub fn forgive(&mut self, run: &str) {
        self.stopped.retain(|stopped, _| !key::is_inside(stopped, run));
    }

    /// Notes that a run was not entered, and stops the run that asked for it, if one did.
    pub fn refuse(&mut self, scope: &str, stop: &Stop) {
        self.refused = self.refused.max(Some(stop.cause));
        if !scope.is_empty() {
            self.stop(scope, stop);
        }
    }

    /// The turn that the loop of a run is in; 0 before the first.
    pub fn turn(&self, run: &str) -> u64 {
        self.turns.get(run).map_or(0, |(number, _)| *number)
    }

    /// Notes that the loop of a run is in this turn.
    pub fn take_turn(&mut self, run: &str, number: u64, rests: bool) {
        self.turns.insert(run.to_owned(), (number, rests));
    }

    /// Notes whether the loop of a run rests.
    pub fn rest(&mut self, run: &str, rests: bool) {
        if let Some((_, resting)) = self.turns.get_mut(run) {
            *resting = rests;
        }
    }

    /// The run that rests, this one or one around it, and the number of the turn.
    pub fn resting<'a>(&self, run: &'a str) -> Option<(&'a str, u64)> {
        if self.turns.is_empty() {
            return None;
        }
        let mut chain = std::iter::once(run).chain(key::around(run)).chain(std::iter::once(""));
        chain.find_map(|run| self.turns.get(run).filter(|(_, rests)| *rests).map(|(number, _)| (run, *number)))
    }

    /// Notes whether more than half of a run's context budget is used; whether it was before.
    pub fn pass_half(&mut self, run: &str, is_past: bool) -> bool {
        match is_past {
            true => !self.past_half.insert(run.to_owned()),
            false => self.past_half.remove(run),
        }
    }

    /// Counts how often a run has noted this in this start, this time included.
    pub fn note(&mut self, run: &str, lane: &str) -> u64 {
        let nth = self.noted.entry((run.to_owned(), lane.to_owned())).or_default();
        *nth += 1;
        *nth
    }

    /// Notes that a title of this template is another than it was recorded; whether it is the first.
    pub fn retitle(&mut self, shape: &str) -> bool {
        self.retitled.insert(shape.to_owned())
    }

    /// Notes that the body of a run begins.
    pub fn drive(&mut self, run: &str) {
        self.driven.insert(run.to_owned());
    }

    /// Notes that the body of a run has ended, or was dropped.
    pub fn end_of_drive(&mut self, run: &str) {
        self.driven.remove(run);
    }

    /// Notes that the expression of a step begins, and that nothing else of its run goes on until it ends.
    pub fn begin_alone(&mut self, run: &str, effect: Effect) {
        self.alone.insert(run.to_owned(), effect);
    }

    /// Notes that the expression of a step has ended, or was dropped.
    pub fn end_alone(&mut self, run: &str, key: &str) {
        if self.alone.get(run).is_some_and(|effect| effect.key == key) {
            self.alone.remove(run);
        }
    }

    /// The step whose expression is all that is running of a run.
    pub fn alone(&self, run: &str) -> Option<&Effect> {
        self.alone.get(run)
    }

    /// Whether the body of another run is running.
    pub fn drives_another(&self, run: &str) -> bool {
        self.driven.iter().any(|driven| driven != run)
    }

    /// A run that has stopped, and whose body runs on: what it begins now, by whatever handle, is part of another path.
    pub fn driven_and_stopped(&self) -> Option<(&str, &Stop)> {
        self.driven.iter().find_map(|run| Some((run.as_str(), self.stopped.get(run)?)))
    }

    /// Why nothing may be started in a run: it, or one around it, has stopped.
    pub fn stop_of(&self, run: &str) -> Option<&Stop> {
        if broken::is(Broken::StoppedRunGoesOn) {
            return None;
        }
        std::iter::once(run).chain(key::around(run)).find_map(|run| self.stopped.get(run))
    }

    /// The gravest of the stops and refusals.
    pub fn worst(&self) -> Option<Cause> {
        self.stopped.values().map(|stop| stop.cause).max().max(self.refused)
    }

    /// Notes a replayed result.
    pub fn replay(&mut self, key: &str) {
        let (count, first, _) = self.replayed.take().unwrap_or_else(|| (0, key.to_owned(), String::new()));
        self.replayed = Some((count + 1, first, key.to_owned()));
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stop() -> Stop {
        Stop { key: "a//b//c//pay".into(), place: None, why: "no".into(), cause: Cause::Error, way: None }
    }

    #[test]
    fn the_first_of_the_gravest_stops_is_told() {
        let mut start = Start::default();
        let told = |start: &Start| start.stop_of("a").map(|stop| (stop.cause, stop.why.clone())).unwrap();
        for (cause, why, wanted) in [
            (Cause::Cancelled, "is given up", "is given up"),
            (Cause::Waiting, "waits", "waits"),
            (Cause::Error, "fails", "fails"),
            (Cause::Error, "fails too", "fails"),
            (Cause::Doubt, "is in doubt", "is in doubt"),
            (Cause::Conflict, "differs", "is in doubt"),
            (Cause::Damage, "is damaged", "is damaged"),
        ] {
            start.stop("a//b", &Stop { why: why.into(), cause, ..stop() });
            assert_eq!(told(&start).1, wanted);
        }
        assert_eq!(start.worst(), Some(Cause::Damage));
    }

    #[test]
    fn a_stop_reaches_the_runs_around_up_to_one_that_is_for_later() {
        let mut start = Start::default();
        start.stop("a//b//c", &stop());
        assert!(["a", "a//b", "a//b//c", "a//b//c//d"].iter().all(|run| start.stop_of(run).is_some()));

        let mut start = Start::default();
        start.begin_later("a//b");
        start.stop("a//b//c", &stop());
        assert!(["a//b", "a//b//c"].iter().all(|run| start.stop_of(run).is_some()));
        assert!(start.stop_of("a").is_none() && start.stop_of("a//other").is_none());
        assert_eq!(start.worst(), Some(Cause::Error), "the process says so all the same");
        start.forgive("a//b");
        assert!(start.stop_of("a//b").is_none() && start.stop_of("a//b//c").is_none());
        assert_eq!(start.worst(), None);
    }

    #[test]
    fn what_is_given_up_is_known_up_to_the_run_that_was_cancelled_and_stops_nothing() {
        let mut start = Start::default();
        start.give_up("a//b//c", "a//b", &Stop { cause: Cause::Cancelled, ..stop() });
        let known = ["a", "a//b", "a//b//c"].map(|run| start.given_up(run).is_some());
        assert_eq!(known, [false, true, true]);
        assert!(start.stop_of("a//b//c").is_none() && start.worst().is_none());
        start.stop_given_up("a//b//c", "a//b", &Stop { cause: Cause::Cancelled, ..stop() });
        assert!(start.stop_of("a//b//c").is_some() && start.stop_of("a//b").is_none());
        start.stop_given_up("a//b", "a//b", &Stop { cause: Cause::Cancelled, ..stop() });
        assert!(start.stop_of("a").is_some(), "what needs its result goes no further");
        assert_eq!(start.worst(), Some(Cause::Cancelled));
    }

    #[test]
    fn only_the_step_that_is_alone_ends_being_so() {
        let mut start = Start::default();
        let effect = Effect { key: "a//pay".into(), place: Place { file: "a.rs", line: 1 } };
        start.begin_alone("a", effect.clone());
        start.end_alone("a", "a//mail");
        assert_eq!((start.alone("a"), start.alone("b")), (Some(&effect), None));
        start.end_alone("a", "a//pay");
        assert_eq!(start.alone("a"), None);
    }
}
