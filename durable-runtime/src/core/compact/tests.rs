use serde_json::value::RawValue;

use super::*;
use crate::core::meta::{Proof, StepKind};
use crate::core::outline::Outline;
use crate::core::pace::TurnKind;
use crate::core::record::{
    Artifact, Boot, By, Cancel, Checkpoint, Done, End, FORMAT, How, Lost, Mark, Memory, Note, Reserve, Run, Stopped,
    Stored, Turn,
};
use crate::core::time::Timestamp;

/// A log that is told event by event.
struct Log(Vec<Record>);

impl Log {
    fn new() -> Self {
        Self(Vec::new()).boot()
    }

    fn tell(mut self, event: impl Into<Event>) -> Self {
        let seq = self.0.len() as u64 + 1;
        self.0.push(Record { seq, epoch: 1, at: Timestamp::from_millis(seq), event: event.into() });
        self
    }

    fn boot(self) -> Self {
        let iteration = self.0.iter().filter(|record| matches!(record.event, Event::Boot(_))).count() as u64 + 1;
        self.tell(Boot {
            session: Uuid::from_u128(7),
            format: FORMAT,
            iteration,
            identity: "agent".into(),
            durability: "power_safe".into(),
            library: "0.1.0".into(),
            machine_boot: None,
            pid: 1,
            place: None,
        })
        .tell(Checkpoint { goal: Some("pay".into()), ..Checkpoint::default() })
    }

    fn run(self, run: &str) -> Self {
        self.tell(Run {
            run: run.into(),
            workflow: "pay".into(),
            shape: "pay".into(),
            named: false,
            title: None,
            goal: None,
            version: None,
            inputs: Default::default(),
            outline: Outline {
                name: "pay".into(),
                goal: None,
                invariants: Vec::new(),
                entry: Vec::new(),
                steps: Vec::new(),
                calls: Vec::new(),
            }
            .into(),
        })
    }

    fn reserve(self, key: &str) -> Self {
        self.tell(Reserve {
            key: key.into(),
            run: key.rsplit_once("//").unwrap_or_default().0.into(),
            shape: "s".into(),
            attempt: 1,
            token: None,
            proof: Proof::Verify,
            ask: "ada".into(),
            title: None,
            settle_ms: 0,
            within_ms: None,
            args: Some(Uuid::nil()),
            gives: None,
        })
    }

    fn step(self, key: &str) -> Self {
        let run = key.rsplit_once("//").unwrap_or_default().0.into();
        let (kind, how, value) = (StepKind::SideEffect, How::Executed, Some(value()));
        let (key, shape) = (key.to_owned(), "s".into());
        let reserved = self.reserve(&key);
        reserved.tell(Done {
            key: key.into(),
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
        })
    }

    fn end(self, run: &str) -> Self {
        self.tell(End { run: run.into(), value: value() })
    }

    /// The run of this key with so many steps, begun and ended.
    fn whole(self, run: &str, steps: u32) -> Self {
        let begun = self.run(run);
        (0..steps).fold(begun, |log, n| log.step(&format!("{run}//{n}"))).end(run)
    }

    /// The numbers of the records that are kept, without the `trim`.
    fn kept(&self) -> Vec<u64> {
        let mut kept: Vec<_> = shrunk(&self.0).unwrap().iter().map(|record| record.seq).collect();
        kept.pop();
        kept
    }
}

fn value() -> Stored {
    RawValue::from_string("7".to_owned()).unwrap().into()
}

#[test]
fn of_a_finished_run_the_beginning_and_the_end_are_kept_and_the_last_actions() {
    let log = Log::new().whole("a", 30).whole("b", 30);
    // Two of the boot, 62 of the first run; of the second its beginning, 19 steps and its end.
    let last: Vec<u64> = (126 - 38..=126).collect();
    assert_eq!(log.kept(), [&[1, 2, 3, 64, 65], last.as_slice()].concat());
}

#[test]
fn what_was_left_out_stays_out_and_only_numbers_are_remembered_of_it() {
    let log = Log::new().whole("a", 30);
    let mut again = Log(shrunk(&log.0).unwrap());
    let seq = again.0.last().unwrap().seq;
    let next =
        Record { seq: seq + 1, epoch: 1, at: Timestamp::from_millis(9_000), event: Note { text: "x".into() }.into() };
    again.0.push(next);
    let twice = shrunk(&again.0).unwrap();
    assert_eq!(twice.iter().filter(|record| matches!(record.event, Event::Trim(_))).count(), 1);
    assert_eq!(fold(&twice).opened, 30);
}

#[test]
fn every_record_of_a_run_that_goes_on_is_kept_but_for_the_runs_that_are_finished_in_it() {
    let log = Log::new().run("a").step("a//1").run("a//in").step("a//in//x").run("a//in//deep").end("a//in//deep");
    let log = log.end("a//in").whole("z", 20);
    let kept = log.kept();
    // The run, its step, and the run in it, without what stands in that.
    assert_eq!(kept[..7], [1, 2, 3, 4, 5, 6, 11]);
}

#[test]
fn an_open_step_keeps_the_boots_behind_it_and_a_settled_one_does_not() {
    let settled = Log::new().run("a").step("a//1").boot().boot().whole("z", 30);
    assert!(!settled.kept().contains(&6), "{:?}", settled.kept());
    let open = Log::new().run("a").reserve("a//1").boot().boot().whole("z", 30);
    assert!(open.kept().contains(&5) && open.kept().contains(&7), "{:?}", open.kept());
    let crashes = |records: &[Record]| fold(records).steps.get("a//1").unwrap().tried().crashes;
    assert_eq!((crashes(&open.0), crashes(&shrunk(&open.0).unwrap())), (1, 1));
}

#[test]
fn what_happened_behind_the_last_completed_action_is_kept_whatever_it_is() {
    let stopped = Stopped {
        run: "b".into(),
        key: None,
        error: "broken".into(),
        waits: false,
        cancelled: false,
        missed: Vec::new(),
        origin: None,
    };
    let log = Log::new().whole("a", 30).run("b").tell(stopped).tell(Mark {});
    let kept = log.kept();
    assert_eq!(kept[kept.len() - 3..], [65, 66, 67]);
    assert!(fold(&shrunk(&log.0).unwrap()).trouble.is_some());
}

#[test]
fn who_gave_a_run_up_is_kept() {
    let cancel = Cancel { run: "a".into(), by: "ada".into(), because: "ill".into(), word: None };
    let log = Log::new().run("a").tell(cancel).end("a").whole("z", 30);
    assert!(fold(&shrunk(&log.0).unwrap()).runs["a"].cancelled.is_some());
}

fn by(run: &str, nth: u64) -> By {
    By { run: run.into(), nth: Some(nth) }
}

fn remember(name: &str, by: By) -> Memory {
    Memory { name: name.into(), value: Some(value()), by }
}

#[test]
fn what_is_remembered_is_kept_and_what_is_forgotten_or_was_replaced_is_not() {
    let log = Log::new().tell(remember("a", By::default())).tell(remember("a", By::default()));
    let made = |forgotten| Artifact { name: "x".into(), digest: None, about: None, forgotten, by: By::default() };
    let log = log.tell(made(false)).tell(made(true)).tell(remember("b", By::default()));
    let kept = log.tell(Memory { value: None, ..remember("b", By::default()) }).whole("z", 30).kept();
    assert_eq!(kept[..3], [1, 2, 4]);
}

/// A run that goes on notes all of it again, and must know how far it had come.
#[test]
fn the_newest_that_an_unfinished_run_has_noted_is_kept_also_if_it_is_forgotten_since() {
    let noted = Log::new().run("a").tell(remember("n", by("a", 1))).tell(remember("n", by("a", 2)));
    let noted = noted.tell(Memory { value: None, ..remember("n", By::default()) });
    let log = noted.whole("z", 30);
    assert_eq!(log.kept()[..4], [1, 2, 3, 5]);
    assert_eq!(fold(&shrunk(&log.0).unwrap()).runs["a"].noted["memory/n"].nth, 2);
    let ended = Log::new().run("a").tell(remember("n", by("a", 1))).tell(remember("n", by("a", 2))).end("a");
    assert_eq!(ended.whole("z", 30).kept()[..5], [1, 2, 3, 5, 6], "its value is remembered all the same");
}

fn turn(run: &str, number: u64, turn: TurnKind) -> Turn {
    Turn { run: run.into(), number, turn, after: 3, idle: 1, barren: 1, stalled: 1 }
}

/// It is given the same turns again.
#[test]
fn every_turn_of_a_run_that_goes_on_is_kept_and_of_a_loop_outside_any_run_the_newest() {
    let log = Log::new().run("a").tell(turn("a", 1, TurnKind::Work)).tell(turn("a", 2, TurnKind::Explore));
    let log = log.tell(turn("", 1, TurnKind::Work)).tell(turn("", 2, TurnKind::Rest)).whole("z", 30);
    assert_eq!(log.kept()[..6], [1, 2, 3, 4, 5, 7]);
    let over = Log::new().run("a").tell(turn("a", 1, TurnKind::Work)).end("a").whole("z", 30);
    assert_eq!(over.kept()[..4], [1, 2, 3, 5]);
}

/// What was made last in a loop counts for its pace, also if it is forgotten.
#[test]
fn what_a_pace_counts_by_is_kept() {
    let made = |forgotten| Artifact { name: "x".into(), digest: None, about: None, forgotten, by: by("a//in", 1) };
    let log = Log::new().run("a").tell(turn("a", 1, TurnKind::Work)).run("a//in").step("a//in//1").tell(made(false));
    let log = log.tell(made(true)).end("a//in").whole("z", 30);
    assert!(fold(&shrunk(&log.0).unwrap()).paces.of("a").unwrap().made > 0);
}

#[test]
fn a_log_that_has_lost_records_is_left_alone() {
    let log = Log::new().whole("a", 30).tell(Lost { keys: vec!["b//1".into()], adopted: false });
    assert!(shrunk(&log.0).unwrap().is_empty());
}

#[test]
fn states_that_differ_anywhere_are_not_the_same() {
    let log = Log::new().run("a").step("a//1").tell(remember("n", by("a", 1))).reserve("a//2");
    let whole = fold(&log.0);
    for left_out in 2..log.0.len() {
        let mut others = log.0.clone();
        others.remove(left_out);
        assert!(whole.same(&fold(&others)).is_err(), "without record {}", left_out + 1);
    }
}
