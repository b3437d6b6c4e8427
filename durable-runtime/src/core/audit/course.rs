//! In which order the records came: what their state does not say.

use std::collections::HashSet;
use std::sync::Arc;

use crate::core::meta::StepKind;
use crate::core::record::{Done, Event, How, Record};

/// What the records of a log say of their order.
#[derive(Debug, Default)]
pub(crate) struct Course {
    pub(super) reserved: HashSet<Arc<str>>,
    /// The record of the newest reservation.
    pub(super) newest: u64,
    /// The newest record that the handoff tells at once: an error, a doubt, a wait, an end.
    pub(super) told: u64,
    /// Effects that were done without a reservation of theirs before.
    pub(super) unreserved: Vec<String>,
    /// Effects that were done once more, after their result was known.
    pub(super) repeated: Vec<String>,
    done: HashSet<Arc<str>>,
    pub(super) effects: u64,
    /// Boots that something else followed than their checkpoint.
    pub(super) unanchored: Vec<String>,
    /// Boots that ended before their checkpoint.
    pub(super) cut_short: u64,
    /// Checkpoints that no action stands between, and why that is so.
    pub(super) explained: u64,
    pub(super) unexplained: Vec<String>,
    /// Which version of this library the newest boot was one of.
    library: String,
    /// The newest record that was left out of the log, or written when some were.
    trimmed: u64,
    last: Last,
}

/// What the last record was that matters for the order.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Last {
    /// Anything that was done or noted.
    #[default]
    Action,
    Boot,
    Checkpoint,
}

impl Course {
    /// The next record.
    pub(crate) fn add(&mut self, record: &Record) {
        let seq = record.seq;
        if is_told_at_once(&record.event) {
            self.told = seq;
        }
        match &record.event {
            Event::Boot(boot) => {
                self.library.clone_from(&boot.library);
                self.cut_short += u64::from(self.last == Last::Boot);
                // Two checkpoints with a boot between them are those of two boots.
                self.explained += u64::from(self.last == Last::Checkpoint);
                self.last = Last::Boot;
            }
            Event::Checkpoint(checkpoint) => {
                if self.last == Last::Checkpoint {
                    match checkpoint.why {
                        Some(_) => self.explained += 1,
                        None => self.unexplained.push(format!("record {seq}")),
                    }
                }
                self.last = Last::Checkpoint;
            }
            Event::Reserve(reserve) => {
                self.reserved.insert(Arc::clone(&reserve.key));
                self.newest = seq;
                self.acted(seq);
            }
            Event::Done(done) => {
                if done.kind == StepKind::SideEffect {
                    self.effects += 1;
                    self.executed(seq, done);
                }
                self.acted(seq);
            }
            // What stands in front of it was picked out of a longer log.
            Event::Trim(_) => {
                let reserved = std::mem::take(&mut self.reserved);
                let library = std::mem::take(&mut self.library);
                let (newest, told) = (self.newest, self.told);
                *self = Self { reserved, newest, told, library, trimmed: seq, ..Self::default() };
            }
            // These belong to a boot, or say nothing of the work.
            Event::Repaired(_)
            | Event::Lost(_)
            | Event::Adopt(_)
            | Event::Note(_)
            | Event::Mark(_)
            | Event::Closed(_) => {}
            _ if self.last == Last::Boot => {}
            _ => self.last = Last::Action,
        }
    }

    /// Whether nothing stands behind the newest boot.
    pub(super) fn ends_with_boot(&self) -> bool {
        self.last == Last::Boot
    }

    /// Whether the log tells to the letter how the work stood at this record: all that was said from there on stands in it, and
    /// this version of the library would have told it in these words.
    pub(crate) fn tells_of(&self, seq: u64) -> bool {
        seq > self.trimmed && self.library == env!("CARGO_PKG_VERSION")
    }

    /// Where a result could not be kept, a person supplies it, and the step is done once more without being executed again.
    fn executed(&mut self, seq: u64, done: &Done) {
        let is_executed = done.how == How::Executed;
        let place = || format!("`{}`, record {seq}", done.key);
        if is_executed && !self.reserved.contains(&done.key) {
            self.unreserved.push(place());
        }
        if done.unstorable.is_some() {
            self.done.remove(&done.key);
        } else if !self.done.insert(Arc::clone(&done.key)) && is_executed {
            self.repeated.push(place());
        }
    }

    fn acted(&mut self, seq: u64) {
        if self.last == Last::Boot {
            self.unanchored.push(format!("record {seq}"));
        }
        self.last = Last::Action;
    }
}

fn is_told_at_once(event: &Event) -> bool {
    matches!(
        event,
        Event::Checkpoint(_)
            | Event::Failed(_)
            | Event::InDoubt(_)
            | Event::NotYet(_)
            | Event::Wait(_)
            | Event::Ask(_)
            | Event::Stopped(_)
            | Event::Refused(_)
            | Event::Cancel(_)
            | Event::End(_)
            | Event::Dormant(_)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::record::{Checkpoint, Mark};
    use crate::core::time::Timestamp;

    fn course(events: impl IntoIterator<Item = Event>) -> Course {
        let mut course = Course::default();
        for (seq, event) in (1..).zip(events) {
            course.add(&Record { seq, epoch: 1, at: Timestamp::from_millis(0), event });
        }
        course
    }

    fn boot() -> Event {
        let boot = serde_json::from_str(
            r#"{"session":"00000000-0000-0000-0000-000000000000","format":1,"iteration":1,"identity":"a","durability":"power_safe","library":"0","pid":1}"#,
        );
        Event::Boot(boot.unwrap())
    }

    fn checkpoint(why: Option<&str>) -> Event {
        Checkpoint { why: why.map(str::to_owned), ..Checkpoint::default() }.into()
    }

    #[test]
    fn a_boot_that_is_cut_short_before_its_checkpoint_is_no_fault() {
        let course = course([boot(), boot(), checkpoint(None)]);
        assert_eq!((course.cut_short, course.unanchored.len(), course.unexplained.len()), (1, 0, 0));
    }

    #[test]
    fn an_effect_that_was_done_once_more_is_named_and_a_result_that_a_start_could_not_keep_is_not() {
        let done = |rest: &str| -> Event {
            let json = format!(
                r#"{{"key":"a//b","run":"a","shape":"b","kind":"side_effect","how":"executed","attempt":1,{rest}}}"#
            );
            Event::Done(serde_json::from_str(&json).unwrap())
        };
        let twice = course([done(r#""value":1"#), done(r#""value":1"#)]);
        assert_eq!(twice.repeated, ["`a//b`, record 2"]);
        let supplied = course([done(r#""value":1"#), done(r#""unstorable":"why""#), done(r#""value":1"#)]);
        assert!(supplied.repeated.is_empty());
    }

    #[test]
    fn two_checkpoints_are_explained_by_a_boot_or_by_a_reason() {
        let explained = course([boot(), checkpoint(None), boot(), checkpoint(None), checkpoint(Some("half"))]);
        assert_eq!((explained.explained, explained.unexplained.len()), (2, 0));
        let repeated = course([boot(), checkpoint(None), Mark {}.into(), checkpoint(None)]);
        assert_eq!(repeated.unexplained, ["record 4"]);
    }
}
