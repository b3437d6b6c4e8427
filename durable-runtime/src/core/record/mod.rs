//! The records of the log: one per line, in the order in which they were made.
//!
//! Every kind is one struct of `kinds` and one row in `docs/format.md`. Values stay the JSON text that was stored
//! ([`Stored`]), so that no number is rounded by passing through a tree.

mod about;
mod kinds;
mod noted;
mod quick;
mod scrub;
mod stored;

use serde::Deserialize;

pub use kinds::*;
pub use noted::*;
pub use quick::write::number as push_number;
pub use quick::{Quick, last_number};
pub use stored::{APART_FROM, Apart, Kept, Stored, Withheld};

use super::time::Timestamp;

/// The version of the log's format, written in every boot record. A newer one is refused.
pub const FORMAT: u32 = 1;

/// More than any log, count of boots or instant in milliseconds comes to, and so far from the end of its type that counting on is
/// safe. What says that it has come further was written by no session.
pub const BEYOND: u64 = 1 << 53;

/// The same for the attempts of one step.
const BEYOND_ATTEMPTS: u32 = 1 << 31;

/// One record, before a store adds what it needs to find damage.
#[derive(Clone, Debug)]
pub struct Record {
    /// Position in the log; contiguous, from 1.
    pub seq: u64,
    /// The boot that wrote it; grows with each boot.
    pub epoch: u64,
    /// When it was made.
    pub at: Timestamp,
    /// What happened.
    pub event: Event,
}

/// Declares the kinds: the enum, its names in the log, and how each is written and read.
macro_rules! events {
    ($($(#[$doc:meta])* $name:ident = $action:literal,)*) => {
        /// What a record says.
        #[derive(Clone, Debug)]
        #[non_exhaustive]
        pub enum Event { $($(#[$doc])* $name($name),)* }

        impl Event {
            /// The word that stands in the record's `action` field.
            pub fn action(&self) -> &'static str {
                match self { $(Self::$name(_) => $action,)* }
            }

            /// Writes the fields of the kind, each behind a comma.
            fn write(&self, out: &mut Vec<u8>) -> serde_json::Result<()> {
                let from = out.len();
                match self { $(Self::$name(fields) => serde_json::to_writer(&mut *out, fields),)* }?;
                // The brace in front of them becomes the comma, and goes where there are none.
                out.pop();
                match &mut out[from..] {
                    [_] => out.truncate(from),
                    fields => fields[0] = b',',
                }
                Ok(())
            }

            /// Reads the fields of `action` from a whole record; `None` if there is no such kind.
            fn read(action: &str, json: &str) -> Option<serde_json::Result<Self>> {
                match action {
                    $($action => Some(serde_json::from_str(json).map(Self::$name)),)*
                    _ => None,
                }
            }
        }

        $(impl From<$name> for Event {
            fn from(fields: $name) -> Self { Self::$name(fields) }
        })*
    };
}

events! {
    /// A process took the session.
    Boot = "boot",
    /// An anchor: what was done last, what comes next.
    Checkpoint = "checkpoint",
    /// A run began.
    Run = "run",
    /// The code of a run changed between two starts.
    Code = "code",
    /// An attempt may start.
    Reserve = "reserve",
    /// A step has its result.
    Done = "done",
    /// An attempt ended with an error.
    Failed = "failed",
    /// It is proven that the newest attempt did not happen.
    Absent = "absent",
    /// It is not known whether an attempt happened, and a person is asked.
    InDoubt = "in_doubt",
    /// Absence is not believed before an instant.
    NotYet = "not_yet",
    /// A person said what happened.
    Resolve = "resolve",
    /// A step sleeps until an instant.
    Wait = "wait",
    /// The sleep is over.
    Woke = "woke",
    /// A person is asked to decide.
    Ask = "ask",
    /// A person has decided.
    Answer = "answer",
    /// A person's word does not count.
    WordRefused = "word_refused",
    /// A run stopped until the next start.
    Stopped = "stopped",
    /// A run finished.
    End = "end",
    /// A run was given up.
    Cancel = "cancel",
    /// Steps whose results were replayed in this boot.
    Replayed = "replayed",
    /// A torn tail was cut off.
    Repaired = "repaired",
    /// Keys that only the registry knows: the log that reserved them is gone.
    Lost = "lost",
    /// A person vouches for a session that was moved, copied or restored.
    Adopt = "adopt",
    /// A call was refused after boot.
    Refused = "refused",
    /// A value that is remembered by its name, or forgotten.
    Memory = "memory",
    /// Something was made.
    Artifact = "artifact",
    /// How much of a context budget is used.
    Budget = "budget",
    /// One turn of a loop, and what it is for.
    Turn = "turn",
    /// What a search for a ready component has found.
    Verdict = "verdict",
    /// Anything worth a line.
    Note = "note",
    /// Carries the `durable` mark past the record before it.
    Mark = "mark",
    /// The session was closed in order.
    Dormant = "dormant",
    /// Everything before it that still matters stands in front of it: the log was shrunk.
    Trim = "trim",
    /// Keys that were reserved in runs which are finished; a shrunk log has no other record of them.
    Closed = "closed",
}

/// Why a line is no record.
#[derive(Debug)]
pub enum Unreadable {
    /// It has no such kind: a newer version wrote it.
    UnknownKind(String),
    /// It is not what its kind says.
    Malformed(serde_json::Error),
}

impl Record {
    /// Writes the record as one JSON object, without its closing brace: a store adds fields of its own behind it.
    ///
    /// # Errors
    ///
    /// Fails only if a stored value cannot be written.
    pub fn open_json(&self, out: &mut Vec<u8>) -> serde_json::Result<()> {
        let (at, action) = (self.at, self.event.action());
        for part in [br#"{"t":""#, &at.text()[..], br#"","action":""#, action.as_bytes(), b"\""] {
            out.extend_from_slice(part);
        }
        match &self.event {
            Event::Reserve(reserve) => quick::write::reserve(out, reserve)?,
            Event::Done(done) => quick::write::done(out, done)?,
            event => event.write(out)?,
        }
        quick::write::number(out, r#","seq":"#, self.seq);
        quick::write::number(out, r#","epoch":"#, self.epoch);
        Ok(())
    }

    /// Whether a session can come so far.
    pub fn is_reachable(&self) -> bool {
        let event = match &self.event {
            Event::Boot(boot) => boot.iteration < BEYOND,
            Event::Reserve(reserve) => reserve.attempt < BEYOND_ATTEMPTS,
            _ => true,
        };
        event && self.seq < BEYOND && self.epoch < BEYOND
    }

    /// Reads a record from the JSON object of a whole line; fields of a store's own are passed over. [`Quick`] reads most of them
    /// in less time.
    ///
    /// # Errors
    ///
    /// Fails if the kind is unknown or the fields are not those of the kind.
    pub fn read(json: &str) -> Result<Self, Unreadable> {
        let head: Head<'_> = serde_json::from_str(json).map_err(Unreadable::Malformed)?;
        let event = Event::read(&head.action, json)
            .ok_or_else(|| Unreadable::UnknownKind(head.action.clone().into_owned()))?
            .map_err(Unreadable::Malformed)?;
        Ok(Self { seq: head.seq, epoch: head.epoch, at: head.t, event })
    }
}

/// The fields that every record has.
#[derive(Deserialize)]
struct Head<'a> {
    t: Timestamp,
    #[serde(borrow)]
    action: std::borrow::Cow<'a, str>,
    seq: u64,
    epoch: u64,
}

/// The same, as text.
#[cfg(test)]
fn open(record: &Record) -> String {
    let mut line = Vec::new();
    record.open_json(&mut line).unwrap();
    String::from_utf8(line).unwrap()
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::*;

    fn value(json: &str) -> Stored {
        RawValue::from_string(json.to_owned()).unwrap().into()
    }

    fn record(event: impl Into<Event>) -> Record {
        Record { seq: 7, epoch: 2, at: Timestamp::from_millis(1_000), event: event.into() }
    }

    #[test]
    fn a_value_keeps_every_digit() {
        let exact = "[340282366920938463463374607431768211455,0.1,1e400]";
        let line = open(&record(End { run: "r".into(), value: value(exact) })) + "}";
        let Event::End(end) = Record::read(&line).unwrap().event else { panic!("{line}") };
        assert_eq!(end.value.get(), exact);
    }

    #[test]
    fn a_result_of_nothing_is_a_result() {
        for value in [Some(value("null")), None] {
            let (key, by, because) = ("k".into(), "ada".into(), "seen".into());
            let line =
                record(Resolve { key, attempt: 1, happened: true, value: value.clone(), by, because, word: None });
            let line = open(&line) + "}";
            let Event::Resolve(resolve) = Record::read(&line).unwrap().event else { panic!("{line}") };
            assert_eq!(resolve.value.map(|value| value.get().to_owned()), value.map(|value| value.get().to_owned()));
        }
    }

    #[test]
    fn the_seed_fields_come_first_and_the_order_fields_last() {
        let line = open(&record(Mark {}));
        assert_eq!(line, r#"{"t":"1970-01-01T00:00:01.000Z","action":"mark","seq":7,"epoch":2"#);
    }

    #[test]
    fn an_unknown_kind_is_named() {
        let line = r#"{"t":"1970-01-01T00:00:01.000Z","action":"teleport","seq":7,"epoch":2}"#;
        assert!(matches!(Record::read(line), Err(Unreadable::UnknownKind(kind)) if kind == "teleport"));
    }
}
