//! The lines of the checklist, one by one.

use std::collections::{BTreeSet, HashSet};

use super::{Audit, AuditLine, AuditVerdict, Course};
use crate::core::handoff::Handoff;
use crate::core::key;
use crate::core::record::Record;
use crate::core::state::{Life, State};
use crate::core::text::{self, count};
use crate::core::view::StateView;

/// What a log says: the state that it comes to, and the course that it took.
#[derive(Debug)]
pub(crate) struct Told {
    pub(crate) state: State,
    pub(crate) course: Course,
    /// The letter of the record from which the file says that it was made.
    pub(crate) letter: Option<String>,
}

/// What the files say beside the log.
#[derive(Debug, Default)]
pub(crate) struct Beside {
    /// The keys of the registry; `None` if it is missing, or no array of keys.
    pub(crate) registry: Option<Vec<String>>,
    /// What the state view says; else, why it does not.
    pub(crate) state: Option<Result<Viewed, String>>,
    /// The letter.
    pub(crate) handoff: Option<String>,
    /// What a kill has left of a rename.
    pub(crate) leftovers: Vec<String>,
    /// Where a secret stands, and what it is.
    pub(crate) secrets: Vec<String>,
    /// How many files were looked through for that.
    pub(crate) files: u64,
    /// The names that were not, and why.
    pub(crate) unseen: Vec<String>,
}

/// What the state view says that nothing but the log decides.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Viewed {
    /// Up to which record it goes.
    pub(crate) seq: u64,
    pub(crate) identity: String,
    pub(crate) iteration: u64,
    pub(crate) status: String,
}

impl From<StateView> for Viewed {
    fn from(view: StateView) -> Self {
        let StateView { identity, session_iteration: iteration, status, durable, .. } = view;
        Self { seq: durable.seq, identity, iteration, status }
    }
}

impl Viewed {
    /// Where it is of the moment at which the log ends, and says something else: another hand has written in it.
    fn misfits(&self, state: &State) -> Vec<String> {
        let iteration = |of: u64| of.to_string();
        let all = [
            ("identity", self.identity.clone(), state.identity.clone()),
            ("session_iteration", iteration(self.iteration), iteration(state.iteration)),
            ("status", self.status.clone(), state.status.as_str().to_owned()),
        ];
        let misfits = all.into_iter().filter(|(_, view, log)| self.seq == state.seq && view != log);
        let tell = |(what, view, log): (_, String, String)| {
            let view = text::clean(&view, SHOWN);
            format!("state.json has the {what} {view}, and the journal says {log}: another hand has written in it")
        };
        misfits.map(tell).collect()
    }
}

/// How much of what a hand has written is shown, in bytes.
const SHOWN: usize = 60;

impl Told {
    /// Of a log that is not read yet.
    pub(crate) fn new(state: State) -> Self {
        Self { state, course: Course::default(), letter: None }
    }

    /// The next record; that of `letter` is the one of which a letter is asked for.
    pub(crate) fn add(&mut self, record: &Record, letter: Option<u64>) {
        self.course.add(record);
        self.state.apply(record);
        if letter == Some(record.seq) {
            self.letter = Some(Handoff::of(&self.state).to_string());
        }
    }
}

impl Audit {
    /// From a log as it was before the files were read, which have all of that, and as it was behind them, which has all of
    /// theirs: a worker may hold the session.
    pub(crate) fn of(place: String, before: &Course, after: &Told, beside: &Beside) -> Self {
        let Told { state, course, .. } = after;
        let lines = vec![
            reserved(course),
            witnessed(before, state, beside),
            anchored(state, course, beside),
            checkpoints(course),
            handoff(before, after, beside),
            whole(before, state, beside),
            discreet(beside),
            AuditLine::new(
                "the kill test is passed",
                AuditVerdict::NotSeen,
                "no file tells that: run the workflow in a `KillLab`",
            ),
        ];
        Self { place, lines }
    }
}

fn reserved(course: &Course) -> AuditLine {
    let rule = "every side effect has a key of its own, and a checkpoint before it";
    let holds =
        format!("{} done, each behind a reservation of its own", count(course.effects, "effect was", "effects were"));
    let fails = match course.unreserved.is_empty() {
        true => "these were done once more, though their result was known",
        false if course.repeated.is_empty() => "no reservation stands before these",
        false => "no reservation stands before these, or they were done once more",
    };
    let places = course.unreserved.iter().chain(&course.repeated).cloned().collect();
    AuditLine::judged(rule, places, holds, fails)
}

fn witnessed(before: &Course, state: &State, beside: &Beside) -> AuditLine {
    let rule = "journal and registry agree";
    let Some(registry) = &beside.registry else {
        let missing = if before.reserved.is_empty() { Vec::new() } else { vec!["idempotency.json".to_owned()] };
        let fails = "it is missing, or no array of keys; the next boot writes it anew from the journal";
        return AuditLine::judged(rule, missing, "nothing was ever reserved".to_owned(), fails);
    };
    let listed: HashSet<&str> = registry.iter().map(String::as_str).collect();
    let unlisted: Vec<_> = before.reserved.iter().filter(|key| !listed.contains(&***key)).collect();
    let mut places: BTreeSet<_> = unlisted.iter().map(|key| format!("`{key}`: in the journal alone")).collect();
    // What stands in a finished run need not stand in the log any more.
    let is_over = |key: &str| key::around(key).next().is_some_and(|run| state.is_finished(run));
    let unknown: Vec<_> = registry.iter().filter(|key| !state.steps.contains_key(key) && !is_over(key)).collect();
    let fails = match unknown.is_empty() {
        true if unlisted.iter().all(|key| is_fresh(state, key)) => {
            "a kill between the journal and the registry leaves it so, and the next boot mends it"
        }
        true => "the registry lacks these; the next boot writes it anew from the journal",
        false => {
            "they do not name the same keys; the next boot verifies or asks about each of these before anything new begins"
        }
    };
    places.extend(unknown.into_iter().map(|key| format!("`{key}`: in the registry alone")));
    let holds = format!("both name the same, {} in all", count(registry.len() as u64, "key", "keys"));
    AuditLine::judged(rule, places.into_iter().collect(), holds, fails)
}

/// Whether nothing is known of a step but its first reservation, whatever other steps did meanwhile: no effect begins before its
/// key stands in the registry.
fn is_fresh(state: &State, key: &str) -> bool {
    state.steps.get(key).is_some_and(|step| step.life == Life::Reserved && step.attempt == 1)
}

fn anchored(state: &State, course: &Course, beside: &Beside) -> AuditLine {
    let rule = "each boot is followed by its checkpoint, and the newest of both are there";
    let mut places: Vec<_> = course.unanchored.iter().map(|at| format!("{at} follows a boot without one")).collect();
    if state.booted == 0 {
        places.push("no boot stands in the journal".to_owned());
    } else if state.anchored < state.booted && !course.ends_with_boot() {
        places.push(format!("that of the boot in record {} is gone", state.booted));
    }
    let cut_short = match course.cut_short {
        0 => String::new(),
        some => {
            format!("; {} cut short before its checkpoint, which does no harm", count(some, "boot was", "boots were"))
        }
    };
    let newest = match state.anchored > state.booted {
        true => format!("the newest boot is record {}, its checkpoint record {}", state.booted, state.anchored),
        false => {
            format!("the newest boot, record {}, has ended before its checkpoint, which does no harm", state.booted)
        }
    };
    let holds = format!("{newest}{cut_short}");
    let fails = if state.booted == 0 && is_first_boot(state, beside) { FIRST_BOOT } else { "an anchor is missing" };
    AuditLine::judged(rule, places, holds, fails)
}

/// What a line says that a kill in the first boot has broken.
const FIRST_BOOT: &str = "a kill in the first boot leaves it so, and the next boot mends it";

/// Whether no more is there than a first boot that was killed has written: its records at most, and not the last of its files.
fn is_first_boot(state: &State, beside: &Beside) -> bool {
    state.seq <= 2 && beside.state.is_none() && beside.registry.as_ref().is_none_or(Vec::is_empty)
}

fn checkpoints(course: &Course) -> AuditLine {
    let rule = "two checkpoints without an action between them are explained";
    let holds = match course.explained {
        0 => "there are none".to_owned(),
        some => format!("{} explained by a boot between them, or by a reason", count(some, "pair is", "pairs are")),
    };
    AuditLine::judged(rule, course.unexplained.clone(), holds, "nothing says why these were written")
}

fn handoff(before: &Course, Told { state, course, letter }: &Told, beside: &Beside) -> AuditLine {
    let rule = "the handoff is written at every checkpoint";
    let mut fails = "it does not say how the work stands; the next boot writes it anew from the journal";
    let amiss = match beside.handoff.as_deref().map(made_from) {
        Some(Some(seq)) if seq > state.seq => {
            format!("handoff.md speaks of record {seq}, and the journal ends at {}", state.seq)
        }
        Some(Some(seq)) if seq < before.newest => {
            fails = "a kill behind a reservation leaves it so, and the next boot mends it";
            format!("handoff.md was made from record {seq}, and an effect was reserved in record {}", before.newest)
        }
        Some(Some(seq)) => {
            let is_other = course.tells_of(seq) && letter.is_some() && beside.handoff != *letter;
            let by = if is_other { OTHER } else { "" };
            let holds = format!("it was made from record {seq} of {}{}{by}", state.seq, lag(seq, before));
            return AuditLine::judged(rule, Vec::new(), holds, fails);
        }
        Some(None) => "handoff.md does not say from which record it was made".to_owned(),
        None => {
            if is_first_boot(state, beside) {
                fails = FIRST_BOOT;
            }
            "handoff.md is missing".to_owned()
        }
    };
    AuditLine::judged(rule, vec![amiss], String::new(), fails)
}

/// What is said of a letter that is not the one that this library makes of the record.
const OTHER: &str = "; it is not, word for word, the letter of that record: another build of this library has written it, or another hand, so believe what `durable handoff` prints";

/// What is said of a view that does not tell of the newest error, doubt, wait or end.
fn lag(seq: u64, before: &Course) -> String {
    match seq < before.told {
        true => format!(
            "; it lags behind record {}, as a crash or a full disk leaves it, and the next boot writes it anew",
            before.told
        ),
        false => String::new(),
    }
}

/// The record that a letter says it was made from.
pub(crate) fn made_from(letter: &str) -> Option<u64> {
    let (_, behind) = letter.split_once("As of record ")?;
    behind.split(' ').next()?.parse().ok()
}

fn whole(before: &Course, state: &State, beside: &Beside) -> AuditLine {
    let rule = "state.json is put in place whole";
    let mut places: Vec<_> =
        beside.leftovers.iter().map(|name| format!("{name} is what a kill has left of a rename")).collect();
    let seq = match &beside.state {
        Some(Ok(view)) => {
            places.extend(view.misfits(state));
            view.seq
        }
        Some(Err(why)) => {
            places.push(format!("state.json cannot be read: {why}"));
            0
        }
        None => {
            places.push("state.json is missing".to_owned());
            0
        }
    };
    if seq > state.seq {
        places.push(format!("state.json speaks of record {seq}, and the journal ends at {}", state.seq));
    }
    let fails = match places.len() == beside.leftovers.len() {
        true => "a kill leaves it so, and the next boot mends it",
        false if is_first_boot(state, beside) => FIRST_BOOT,
        false => "the next boot sees to it: what the session is stands in the journal",
    };
    let holds = format!("it is whole, as of record {seq} of {}{}", state.seq, lag(seq, before));
    AuditLine::judged(rule, places, holds, fails)
}

fn discreet(beside: &Beside) -> AuditLine {
    let rule = "no secret stands in any file";
    let unseen = match &*beside.unseen {
        [] => String::new(),
        unseen => format!("; not looked at: {}", unseen.join(", ")),
    };
    let holds = format!("none was found in {}{unseen}", count(beside.files, "file", "files"));
    let fails = "these look like one: take it back where it was issued, for it was written, and may have been copied, unless your code lets it through with `secrets = \"allow\"`";
    AuditLine::judged(rule, beside.secrets.clone(), holds, fails)
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::core::record::Event;
    use crate::core::time::Timestamp;

    /// What is said of a registry that has these keys alone: `left` and `right` were reserved side by side, and `left` is done.
    fn side_by_side(registry: &[&str]) -> String {
        let reserve = |key: &str| -> Event {
            let json = format!(
                r#"{{"key":"{key}","run":"","shape":"{key}","attempt":1,"proof":"verify","ask":"","settle_ms":0}}"#
            );
            Event::Reserve(serde_json::from_str(&json).unwrap())
        };
        let done =
            r#"{"key":"left","run":"","shape":"left","kind":"side_effect","how":"executed","attempt":1,"value":1}"#;
        let mut told = Told::new(State::new(Uuid::nil(), String::new()));
        let events = [reserve("left"), reserve("right"), Event::Done(serde_json::from_str(done).unwrap())];
        for (seq, event) in (1..).zip(events) {
            told.add(&Record { seq, epoch: 1, at: Timestamp::from_millis(0), event }, None);
        }
        let registry = Some(registry.iter().map(|key| (*key).to_owned()).collect());
        witnessed(&told.course, &told.state, &Beside { registry, ..Beside::default() }).because
    }

    #[test]
    fn what_a_kill_leaves_beside_a_step_that_gets_on_is_told_apart_from_a_key_that_is_gone() {
        assert_eq!(side_by_side(&["left", "right"]), "both name the same, 2 keys in all");
        assert!(side_by_side(&["left"]).starts_with("a kill between the journal and the registry"));
        assert!(side_by_side(&["right"]).starts_with("the registry lacks these"));
        assert!(side_by_side(&["left", "other"]).starts_with("they do not name the same keys"));
    }

    /// What is said of anchors, handoff and state where no record was written, and these files.
    fn without_records(beside: &Beside) -> [String; 3] {
        let told = Told::new(State::new(Uuid::nil(), String::new()));
        let (course, state) = (&told.course, &told.state);
        [anchored(state, course, beside), handoff(course, &told, beside), whole(course, state, beside)]
            .map(|line| line.because)
    }

    #[test]
    fn what_a_kill_leaves_of_the_first_boot_is_told_apart_from_a_log_that_is_gone() {
        assert_eq!(without_records(&Beside::default()), [FIRST_BOOT; 3]);
        let registry = Some(vec!["a//b".to_owned()]);
        let view = Viewed { seq: 9, identity: String::new(), iteration: 1, status: "awake".to_owned() };
        for beside in [Beside { registry, ..Beside::default() }, Beside { state: Some(Ok(view)), ..Beside::default() }]
        {
            let told = without_records(&beside);
            assert_eq!(told[0], "an anchor is missing");
            assert!(!told.contains(&FIRST_BOOT.to_owned()), "{told:?}");
        }
    }
}
