//! Reservations and results, which are nearly all of a log, read without a general parser.
//!
//! It knows their lines exactly as they are written, and gives up on everything else: that is read by the general one, so what
//! is believed is the same either way.

mod rest;
pub(super) mod write;

use std::sync::Arc;

use super::{Done, Event, How, Record, Reserve};
use crate::core::meta::{Proof, StepKind};
use crate::core::names::Names;
use crate::core::time::Timestamp;
use rest::Rest;

/// The number that is the last field of a line, after this name.
pub fn last_number(own: &[u8], name: &str) -> Option<u64> {
    let (number, rest) = rest::number(own.strip_prefix(name.as_bytes())?)?;
    rest.is_empty().then_some(number)
}

/// Reads line after line, and holds each text once that stands in the next line too.
#[derive(Debug, Default)]
pub struct Quick {
    names: Names,
    /// The text that stood last in each field.
    last: [Option<Arc<str>>; FIELDS],
    /// The instant that was read last, and its text but for the milliseconds.
    second: Option<([u8; SECOND], u64)>,
}

/// How many fields hold texts that are shared.
const FIELDS: usize = 5;

/// See [`Quick::last`].
#[derive(Clone, Copy)]
enum Field {
    Key,
    Run,
    Shape,
    Ask,
    Title,
}

/// How long the text of an instant is up to its milliseconds.
const SECOND: usize = "2026-09-13T08:05:00.".len();

impl Quick {
    /// The record that a line begins with, and what of the line is not read: the fields of a store's own. `None` if it is not
    /// exactly what a writer of this version makes of a reservation or a result.
    pub fn read<'a>(&mut self, line: &'a [u8]) -> Option<(Record, &'a [u8])> {
        let mut rest = Rest(line);
        rest.expect(r#"{"t":""#)?;
        let at = self.instant(rest.take(24)?)?;
        rest.expect(r#"","action":""#)?;
        let event = match rest.0.first()? {
            b'r' => Event::Reserve(self.reserve(&mut rest)?),
            b'd' => Event::Done(self.done(&mut rest)?),
            _ => return None,
        };
        let seq = rest.number(r#","seq":"#)?;
        let epoch = rest.number(r#","epoch":"#)?;
        Some((Record { seq, epoch, at, event }, rest.0))
    }

    fn reserve(&mut self, rest: &mut Rest<'_>) -> Option<Reserve> {
        Some(Reserve {
            key: self.new_text(rest, r#"reserve","key":"#, Field::Key)?,
            run: self.text(rest, r#","run":"#, Field::Run)?,
            shape: self.text(rest, r#","shape":"#, Field::Shape)?,
            attempt: rest.number(r#","attempt":"#)?.try_into().ok()?,
            token: rest.uuid(r#","token":""#)?,
            proof: match rest.word(r#","proof":""#)? {
                b"verify" => Proof::Verify,
                b"idempotent" => Proof::Idempotent,
                b"person" => Proof::Person,
                b"not_needed" => Proof::NotNeeded,
                _ => return None,
            },
            ask: self.text(rest, r#","ask":"#, Field::Ask)?,
            title: rest.if_there(r#","title":"#, |rest, name| self.new_text(rest, name, Field::Title))?,
            settle_ms: rest.number(r#","settle_ms":"#)?,
            within_ms: rest.if_there(r#","within_ms":"#, Rest::number)?,
            args: rest.uuid(r#","args":""#)?,
            gives: rest.if_there(r#","gives":"#, Rest::text)?.map(str::to_owned),
        })
    }

    fn done(&mut self, rest: &mut Rest<'_>) -> Option<Done> {
        Some(Done {
            key: self.text(rest, r#"done","key":"#, Field::Key)?,
            run: self.text(rest, r#","run":"#, Field::Run)?,
            shape: self.text(rest, r#","shape":"#, Field::Shape)?,
            kind: match rest.word(r#","kind":""#)? {
                b"side_effect" => StepKind::SideEffect,
                b"read" => StepKind::Read,
                _ => return None,
            },
            how: match rest.word(r#","how":""#)? {
                b"executed" => How::Executed,
                b"verified" => How::Verified,
                b"resolved" => How::Resolved,
                _ => return None,
            },
            attempt: rest.number(r#","attempt":"#)?.try_into().ok()?,
            title: rest.if_there(r#","title":"#, |rest, name| self.text(rest, name, Field::Title))?,
            value: Some(rest.value(r#","value":"#)?),
            unstorable: None,
            args: rest.uuid(r#","args":""#)?,
            gives: None,
        })
    }

    fn instant(&mut self, text: &[u8]) -> Option<Timestamp> {
        let (second, millis) = text.split_first_chunk::<SECOND>()?;
        if let (Some((known, base)), [a, b, c, b'Z']) = (&self.second, millis)
            && known == second
            && [a, b, c].into_iter().all(u8::is_ascii_digit)
        {
            let millis = [a, b, c].into_iter().fold(0, |number, digit| 10 * number + u64::from(digit - b'0'));
            return Some(Timestamp::from_millis(base + millis));
        }
        let at = Timestamp::parse(std::str::from_utf8(text).ok()?)?;
        self.second = Some((*second, at.as_millis() / 1000 * 1000));
        Some(at)
    }

    /// A text that may have stood in the same field of the line before: then that one is shared.
    #[inline]
    fn text(&mut self, rest: &mut Rest<'_>, name: &str, field: Field) -> Option<Arc<str>> {
        rest.expect(name)?;
        match &self.last[field as usize] {
            Some(known) if rest.is_next(known) => Some(Arc::clone(known)),
            _ => self.unknown(rest, field),
        }
    }

    /// A text that the lines before do not have.
    #[inline]
    fn new_text(&mut self, rest: &mut Rest<'_>, name: &str, field: Field) -> Option<Arc<str>> {
        rest.expect(name)?;
        self.unknown(rest, field)
    }

    fn unknown(&mut self, rest: &mut Rest<'_>, field: Field) -> Option<Arc<str>> {
        let text = rest.quoted()?;
        let text = match field {
            // These are of one step alone.
            Field::Key | Field::Title => text.into(),
            Field::Run | Field::Shape | Field::Ask => self.names.share(text),
        };
        self.last[field as usize] = Some(Arc::clone(&text));
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::value::RawValue;
    use uuid::Uuid;

    use super::*;
    use crate::core::record::{Stored, open};

    /// What the general serializer makes of the fields of a record.
    fn serialized(event: &Event) -> String {
        let fields = match event {
            Event::Reserve(reserve) => serde_json::to_string(reserve),
            Event::Done(done) => serde_json::to_string(done),
            other => panic!("{other:?}"),
        };
        fields.unwrap()
    }

    /// It may be left to the general parser; what is not is what that makes of it.
    fn assert_same(quick: &mut Quick, line: &str) {
        let Some((record, own)) = quick.read(line.as_bytes()) else { return };
        // A line of which it leaves nothing but a store's own fields is one that the general parser reads.
        if own == b"}" || own.starts_with(b",\"durable\":7,") {
            assert_eq!(format!("{record:?}"), format!("{:?}", Record::read(line).unwrap()), "{line}");
        }
    }

    fn title() -> impl Strategy<Value = Option<String>> {
        prop_oneof![Just(None), Just(Some("pay".to_owned())), any::<String>().prop_map(Some)]
    }

    fn value() -> impl Strategy<Value = Stored> {
        let json = prop_oneof![
            Just("7"),
            Just("-1.5e3"),
            Just("null"),
            Just(r#""a \"b\" \\""#),
            Just(r#"{"a":[1,{"b":"}]"}],"seq":3}"#),
            Just(r#"[ "x" , {} ]"#),
            Just(r#"{"$blob":{"name":"00000000-0000-0000-0000-000000000007","len":300000}}"#),
        ];
        json.prop_map(|json| RawValue::from_string(json.to_owned()).unwrap().into())
    }

    fn event() -> impl Strategy<Value = Event> {
        let proof =
            prop_oneof![Just(Proof::Verify), Just(Proof::Idempotent), Just(Proof::Person), Just(Proof::NotNeeded)];
        let id = || proptest::option::of(any::<u128>().prop_map(Uuid::from_u128));
        let key = || prop_oneof![Just("all//pay/7".to_owned()), any::<String>()];
        let reserve = (key(), any::<u32>(), id(), proof, title(), any::<u64>(), any::<Option<u64>>(), id(), title());
        let reserve = reserve.prop_map(|(key, attempt, token, proof, title, settle_ms, within_ms, args, gives)| {
            let (run, shape, ask) = ("all".to_owned(), "pay/{}".to_owned(), "ada".to_owned());
            Reserve {
                key: key.into(),
                run: run.into(),
                shape: shape.into(),
                attempt,
                token,
                proof,
                ask: ask.into(),
                title: title.map(Into::into),
                settle_ms,
                within_ms,
                args,
                gives,
            }
            .into()
        });
        let how = prop_oneof![Just(How::Executed), Just(How::Verified), Just(How::Resolved), Just(How::Expired)];
        let kinds = [StepKind::SideEffect, StepKind::Read, StepKind::Decision, StepKind::Run, StepKind::Sleep];
        let kind = proptest::sample::select(kinds.to_vec());
        let done = (key(), kind, how, any::<u32>(), title(), proptest::option::of(value()), title(), id());
        let done = done.prop_map(|(key, kind, how, attempt, title, value, unstorable, args)| {
            let (run, shape) = ("all".to_owned(), "pay/{}".to_owned());
            Done {
                key: key.into(),
                run: run.into(),
                shape: shape.into(),
                kind,
                how,
                attempt,
                title: title.map(Into::into),
                value,
                gives: unstorable.clone(),
                unstorable,
                args,
            }
            .into()
        });
        prop_oneof![reserve, done]
    }

    proptest! {
        #[test]
        fn a_record_is_written_as_the_general_serializer_writes_it(event in event(), seq: u64, epoch: u64) {
            let record = Record { seq, epoch, at: Timestamp::from_millis(1), event };
            let fields = serialized(&record.event);
            let (action, fields) = (record.event.action(), &fields[1..fields.len() - 1]);
            let wanted = format!(
                r#"{{"t":"1970-01-01T00:00:00.001Z","action":"{action}",{fields},"seq":{seq},"epoch":{epoch}"#
            );
            prop_assert_eq!(open(&record), wanted);
        }

        #[test]
        fn a_line_says_the_same_as_to_the_general_parser(
            events in proptest::collection::vec(event(), 1..4), seq: u64, epoch: u64, at in 0..4_102_444_800_000_u64,
        ) {
            let mut quick = Quick::default();
            for (event, at) in events.into_iter().zip(at..) {
                let record = Record { seq, epoch, at: Timestamp::from_millis(at), event };
                for end in ["}", r#","durable":7,"crc":"00000000"}"#] {
                    assert_same(&mut quick, &(open(&record) + end));
                }
            }
        }

        /// What is changed anywhere is read as the general parser reads it, or left to it.
        #[test]
        fn a_line_that_was_changed_is_never_read_as_something_else(event in event(), at in 0..400_usize, byte: u8) {
            let record = Record { seq: 7, epoch: 1, at: Timestamp::from_millis(1), event };
            let mut quick = Quick::default();
            let line = open(&record) + "}";
            assert_same(&mut quick, &line);
            let mut line = line.into_bytes();
            let at = at % line.len();
            line[at] = byte;
            match String::from_utf8(line) {
                Ok(line) => assert_same(&mut quick, &line),
                Err(line) => assert!(quick.read(line.as_bytes()).is_none_or(|(_, own)| own != b"}")),
            }
        }
    }

    #[test]
    fn the_lines_of_a_plain_step_are_read_quickly() {
        for line in [
            r#"{"t":"2026-09-13T08:05:00.004Z","action":"reserve","key":"invoices//pay/1","run":"invoices","shape":"pay/{}","attempt":1,"token":"e08df529-ac63-5b54-8a8d-a64854c69c5d","proof":"verify","ask":"treasury","settle_ms":30000,"seq":4,"epoch":1,"durable":0,"crc":"7f805e56"}"#,
            r#"{"t":"2026-09-13T08:05:00.250Z","action":"done","key":"invoices//pay/1","run":"invoices","shape":"pay/{}","kind":"side_effect","how":"executed","attempt":1,"value":"tx-81","seq":5,"epoch":1,"durable":4,"crc":"440f27ce"}"#,
        ] {
            let mut quick = Quick::default();
            assert!(quick.read(line.as_bytes()).is_some(), "{line}");
            assert_eq!(
                format!("{:?}", quick.read(line.as_bytes()).unwrap().0),
                format!("{:?}", Record::read(line).unwrap())
            );
        }
    }
}
