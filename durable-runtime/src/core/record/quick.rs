//! Reservations and results, which are nearly all of a log, read without a general parser.
//!
//! It knows their lines exactly as they are written, and gives up on everything else: that is read by the general one, so what
//! is believed is the same either way.

use serde_json::value::RawValue;
use uuid::Uuid;

use super::{Done, How, Record, Reserve, Stored};
use crate::core::meta::{Proof, StepKind};
use crate::core::names::Names;
use crate::core::time::Timestamp;

/// The record of a line; `None` if it is not exactly what a writer of this version makes of a reservation or a result.
pub(super) fn read(line: &str, names: &mut Names) -> Option<Record> {
    let mut rest = Rest(line);
    rest.expect(r#"{"t":""#)?;
    let at = Timestamp::parse(rest.take(24)?)?;
    rest.expect(r#"","action":""#)?;
    let event = match rest.0.split_once('"')?.0 {
        "reserve" => reserve(&mut rest, names)?.into(),
        "done" => done(&mut rest, names)?.into(),
        _ => return None,
    };
    let seq = rest.number(r#","seq":"#)?;
    let epoch = rest.number(r#","epoch":"#)?;
    // What follows is a store's own.
    rest.0.starts_with([',', '}']).then_some(Record { seq, epoch, at, event })
}

fn reserve(rest: &mut Rest<'_>, names: &mut Names) -> Option<Reserve> {
    Some(Reserve {
        key: rest.text(r#"reserve","key":"#)?.into(),
        run: names.share(rest.borrowed(r#","run":"#)?),
        shape: names.share(rest.borrowed(r#","shape":"#)?),
        attempt: rest.number(r#","attempt":"#)?.try_into().ok()?,
        token: rest.uuid(r#","token":""#)?,
        proof: match rest.word(r#","proof":""#)? {
            "verify" => Proof::Verify,
            "idempotent" => Proof::Idempotent,
            "person" => Proof::Person,
            "not_needed" => Proof::NotNeeded,
            _ => return None,
        },
        ask: names.share(rest.borrowed(r#","ask":"#)?),
        title: rest.if_there(r#","title":"#, Rest::text)?.map(Into::into),
        settle_ms: rest.number(r#","settle_ms":"#)?,
        within_ms: rest.if_there(r#","within_ms":"#, Rest::number)?,
        args: rest.uuid(r#","args":""#)?,
        gives: rest.if_there(r#","gives":"#, Rest::text)?,
    })
}

fn done(rest: &mut Rest<'_>, names: &mut Names) -> Option<Done> {
    Some(Done {
        key: rest.text(r#"done","key":"#)?.into(),
        run: names.share(rest.borrowed(r#","run":"#)?),
        shape: names.share(rest.borrowed(r#","shape":"#)?),
        kind: match rest.word(r#","kind":""#)? {
            "side_effect" => StepKind::SideEffect,
            "read" => StepKind::Read,
            _ => return None,
        },
        how: match rest.word(r#","how":""#)? {
            "executed" => How::Executed,
            "verified" => How::Verified,
            "resolved" => How::Resolved,
            _ => return None,
        },
        attempt: rest.number(r#","attempt":"#)?.try_into().ok()?,
        title: rest.if_there(r#","title":"#, Rest::text)?.map(Into::into),
        value: Some(rest.value(r#","value":"#)?),
        unstorable: None,
        args: rest.uuid(r#","args":""#)?,
        gives: None,
    })
}

/// What of the line is not read yet.
struct Rest<'a>(&'a str);

impl<'a> Rest<'a> {
    fn expect(&mut self, text: &str) -> Option<()> {
        self.0 = self.0.strip_prefix(text)?;
        Some(())
    }

    fn take(&mut self, len: usize) -> Option<&'a str> {
        let (taken, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(taken)
    }

    /// A field that may be left out.
    fn if_there<T>(&mut self, name: &str, read: impl FnOnce(&mut Self, &str) -> Option<T>) -> Option<Option<T>> {
        if self.0.starts_with(name) { read(self, name).map(Some) } else { Some(None) }
    }

    fn text(&mut self, name: &str) -> Option<String> {
        self.borrowed(name).map(str::to_owned)
    }

    /// A text without anything escaped.
    fn borrowed(&mut self, name: &str) -> Option<&'a str> {
        self.expect(name)?;
        self.expect("\"")?;
        let end = memchr::memchr2(b'"', b'\\', self.0.as_bytes())?;
        let text = self.take(end)?;
        self.expect("\"")?;
        Some(text)
    }

    fn word(&mut self, name: &str) -> Option<&'a str> {
        self.expect(name)?;
        let word = self.take(memchr::memchr(b'"', self.0.as_bytes())?)?;
        self.expect("\"")?;
        Some(word)
    }

    fn number(&mut self, name: &str) -> Option<u64> {
        self.expect(name)?;
        let len = self.0.bytes().take_while(u8::is_ascii_digit).count();
        self.take(len)?.parse().ok()
    }

    fn uuid(&mut self, name: &str) -> Option<Option<Uuid>> {
        self.if_there(name, |rest, name| {
            rest.expect(name)?;
            let uuid = Uuid::try_parse(rest.take(36)?).ok()?;
            rest.expect("\"")?;
            Some(uuid)
        })
    }

    /// A value of any kind, as it stands.
    fn value(&mut self, name: &str) -> Option<Stored> {
        self.expect(name)?;
        let value = self.take(end_of_value(self.0.as_bytes())?)?;
        Some(RawValue::from_string(value.to_owned()).ok()?.into())
    }
}

/// How long the value is that the bytes begin with, if it is one at all.
fn end_of_value(bytes: &[u8]) -> Option<usize> {
    let (mut depth, mut at) = (0_usize, 0);
    loop {
        match bytes.get(at)? {
            b'"' => at = end_of_string(bytes, at + 1)?,
            b'{' | b'[' => depth += 1,
            b'}' | b']' | b',' if depth == 0 => return Some(at),
            b'}' | b']' => depth -= 1,
            _ => {}
        }
        at += 1;
    }
}

/// Where the quote stands that ends the string.
fn end_of_string(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        at += memchr::memchr2(b'"', b'\\', bytes.get(at..)?)?;
        if bytes[at] == b'"' {
            return Some(at);
        }
        at += 2;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::core::record::{Event, Head};

    /// What the general parser makes of it.
    fn general(line: &str) -> Option<Record> {
        let head: Head<'_> = serde_json::from_str(line).ok()?;
        let event = Event::read(&head.action, line)?.ok()?;
        Some(Record { seq: head.seq, epoch: head.epoch, at: head.t, event })
    }

    fn assert_same(line: &str) {
        if let Some(quick) = read(line, &mut Names::default()) {
            assert_eq!(format!("{quick:?}"), format!("{:?}", general(line).unwrap()), "{line}");
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
        let proof = prop_oneof![Just(Proof::Verify), Just(Proof::Idempotent), Just(Proof::Person)];
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
        let kind = prop_oneof![Just(StepKind::SideEffect), Just(StepKind::Read), Just(StepKind::Decision)];
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
        fn a_line_says_the_same_as_to_the_general_parser(event in event(), seq: u64, epoch: u64, at in 0..4_102_444_800_000_u64) {
            let record = Record { seq, epoch, at: Timestamp::from_millis(at), event };
            for end in ["}", r#","durable":7,"crc":"00000000"}"#] {
                assert_same(&(record.open_json().unwrap() + end));
            }
        }

        /// What is changed anywhere is read as the general parser reads it, or left to it.
        #[test]
        fn a_line_that_was_changed_is_never_read_as_something_else(event in event(), at in 0..400_usize, byte in 0x20..0x7f_u8) {
            let record = Record { seq: 7, epoch: 1, at: Timestamp::from_millis(1), event };
            let mut line = (record.open_json().unwrap() + "}").into_bytes();
            let at = at % line.len();
            line[at] = byte;
            if let Ok(line) = String::from_utf8(line) && general(&line).is_some() {
                assert_same(&line);
            }
        }
    }

    #[test]
    fn the_lines_of_a_plain_step_are_read_quickly() {
        for line in [
            r#"{"t":"2026-09-13T08:05:00.004Z","action":"reserve","key":"invoices//pay/1","run":"invoices","shape":"pay/{}","attempt":1,"token":"e08df529-ac63-5b54-8a8d-a64854c69c5d","proof":"verify","ask":"treasury","settle_ms":30000,"seq":4,"epoch":1,"durable":0,"crc":"7f805e56"}"#,
            r#"{"t":"2026-09-13T08:05:00.250Z","action":"done","key":"invoices//pay/1","run":"invoices","shape":"pay/{}","kind":"side_effect","how":"executed","attempt":1,"value":"tx-81","seq":5,"epoch":1,"durable":4,"crc":"440f27ce"}"#,
        ] {
            assert!(read(line, &mut Names::default()).is_some(), "{line}");
            assert_same(line);
        }
    }
}
