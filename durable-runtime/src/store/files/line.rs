//! One line of the log: a record, the store's own fields, and a checksum.

use std::borrow::Cow;
use std::io::Write as _;

use serde::Deserialize;
use serde::de::IgnoredAny;
use uuid::Uuid;

use crate::broken::{self, Broken};
use crate::core::record::{BEYOND, Quick, Record, Unreadable, last_number, push_number};

/// A record as it stands in the log.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// The record.
    pub(super) record: Record,
    /// The last record that had been synced when this one was written.
    pub(super) durable: u64,
    /// The record before it, where that is not the one numbered before it: what lay between them is lost, and the
    /// session knew.
    pub(super) after: Option<u64>,
}

impl Entry {
    fn is_reachable(&self) -> bool {
        self.record.is_reachable() && self.durable < BEYOND
    }
}

/// What a line is.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "there is one at a time, and nearly all are records")]
pub(super) enum Line {
    /// A record of this session.
    Ours(Entry),
    /// Somebody else's: kept where it stands, never believed.
    Foreign,
    /// Whole, but beyond this version: the kind that it does not know.
    Newer(String),
    /// Damaged, or not finished.
    Bad,
}

/// Stands between what the checksum covers and the checksum.
const CRC: &str = r#","crc":""#;

/// Stands before the number of the last record that was synced.
const DURABLE: &str = r#","durable":"#;

/// Bytes from the comma before the checksum to the end of the object.
const CRC_LEN: usize = CRC.len() + 8 + 2;

/// Writes one line with its line feed. `after` is given only where the log has a known gap.
pub(super) fn encode(
    out: &mut Vec<u8>,
    session: Uuid,
    record: &Record,
    durable: u64,
    after: Option<u64>,
) -> serde_json::Result<()> {
    let start = out.len();
    record.open_json(out)?;
    // A line feed in JSON text can only stand between tokens, so a space says the same and keeps the line one line.
    if memchr::memchr2(b'\n', b'\r', &out[start..]).is_some() {
        out[start..].iter_mut().filter(|byte| matches!(byte, b'\n' | b'\r')).for_each(|byte| *byte = b' ');
    }
    push_number(out, DURABLE, durable);
    if let Some(after) = after {
        push_number(out, r#","after":"#, after);
    }
    let crc = crc32c::crc32c_append(seed(session), &out[start..]);
    writeln!(out, "{CRC}{crc:08x}\"}}").map_err(serde_json::Error::io)
}

/// Reads a line without its line feed.
pub(super) fn decode(session: Uuid, line: &[u8]) -> Line {
    Decoder::new(session).decode(line)
}

/// Reads the lines of one session, one after another.
pub(super) struct Decoder {
    /// Where the checksum of every line begins.
    seed: u32,
    quick: Quick,
}

impl Decoder {
    pub(super) fn new(session: Uuid) -> Self {
        Self { seed: seed(session), quick: Quick::default() }
    }

    /// Reads a line without its line feed.
    pub(super) fn decode(&mut self, line: &[u8]) -> Line {
        match covered(line) {
            Some((covered, crc))
                if crc == crc32c::crc32c_append(self.seed, covered) || broken::is(Broken::ChecksumIgnored) =>
            {
                self.read(line, covered)
            }
            Some(_) => Line::Bad,
            None if is_foreign(line) => Line::Foreign,
            None => Line::Bad,
        }
    }

    /// Reads a line whose checksum holds: what cannot be read now was written by a newer version.
    fn read(&mut self, line: &[u8], covered: &[u8]) -> Line {
        if let Some(entry) = self.read_quickly(covered) {
            return Line::Ours(entry);
        }
        let Ok(text) = std::str::from_utf8(line) else { return Line::Bad };
        let entry = Record::read(text).and_then(|record| {
            let (durable, after) = own_fields(&text[..covered.len()])
                .ok_or_else(|| Unreadable::UnknownKind(record.event.action().to_owned()))?;
            Ok(Entry { record, durable, after })
        });
        match entry {
            Ok(entry) if !entry.is_reachable() => Line::Newer("a number that no session comes to".to_owned()),
            Ok(entry) => Line::Ours(entry),
            Err(Unreadable::UnknownKind(kind)) => Line::Newer(format!("a record of the kind `{kind}`")),
            Err(Unreadable::Malformed(error)) => Line::Newer(format!("a record with other fields ({error})")),
        }
    }

    /// The entry, if it is exactly what this version writes for one of the kinds that nearly all of a log is of.
    fn read_quickly(&mut self, covered: &[u8]) -> Option<Entry> {
        let (record, own) = self.quick.read(covered)?;
        let entry = Entry { record, durable: last_number(own, DURABLE)?, after: None };
        entry.is_reachable().then_some(entry)
    }
}

/// The record of this session in a line without its line feed, if it is one.
pub(super) fn record(session: Uuid, line: &[u8]) -> Option<Record> {
    if let Line::Ours(entry) = decode(session, line) { Some(entry.record) } else { None }
}

/// Whether the line ends as ours do, with one checksum that may hold: it is one record, or a damaged one.
pub(super) fn is_sealed(line: &[u8]) -> bool {
    covered(line).is_some() && serde_json::from_slice::<IgnoredAny>(line).is_ok()
}

/// The session that a boot record names, if its own checksum confirms it.
pub(super) fn claimed_session(line: &[u8]) -> Option<Uuid> {
    #[derive(Deserialize)]
    struct Claim<'a> {
        action: &'a str,
        session: Uuid,
    }
    let (covered, crc) = covered(line)?;
    let claim: Claim<'_> = serde_json::from_slice(line).ok()?;
    (claim.action == "boot" && crc == crc32c::crc32c_append(seed(claim.session), covered)).then_some(claim.session)
}

/// What the records that stand in the middle of a bad line say of `durable`: a damaged line feed glues a record to the
/// one before it, and must not hide what that one had acknowledged.
///
/// A value may be nothing but beginnings of records. So the checksum of what stands behind each is not made anew: it is that of
/// what stands between it and the next one, put together with the next one's.
pub(super) fn durable_in(session: Uuid, line: &[u8]) -> Option<u64> {
    const START: &[u8] = br#"{"t":""#;
    let (covered, crc) = covered(line)?;
    let starts: Vec<_> = memchr::memmem::find_iter(covered, START).filter(|&at| at > 0).collect();
    let seed = seed(session);
    let (mut durable, mut behind, mut end) = (None, 0, covered.len());
    for at in starts.into_iter().rev() {
        behind = crc32c::crc32c_combine(crc32c::crc32c(&covered[at..end]), behind, covered.len() - end);
        end = at;
        let holds = crc == crc32c::crc32c_combine(seed, behind, covered.len() - at);
        if (holds || broken::is(Broken::ChecksumIgnored))
            && let Line::Ours(entry) = decode(session, &line[at..])
        {
            durable = durable.max(Some(entry.durable));
        }
    }
    durable
}

/// The key in a line that may be damaged; for messages only. What stands in an input or in an outline is none.
pub(super) fn key_in(line: &[u8]) -> Option<String> {
    const KEY: &str = r#","key":""#;
    let text = String::from_utf8_lossy(line);
    let own = text.find(r#","inputs":"#).map_or(&*text, |inputs| &text[..inputs]);
    let key = &own[own.find(KEY)? + KEY.len()..];
    let mut escaped = false;
    let end = key.find(|c| {
        let closes = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        closes
    })?;
    serde_json::from_str(&format!("\"{}\"", &key[..end])).ok()
}

/// Splits a line of ours into what its checksum covers and the checksum.
fn covered(line: &[u8]) -> Option<(&[u8], u32)> {
    let (covered, rest) = line.split_at_checked(line.len().checked_sub(CRC_LEN)?)?;
    let hex = rest.strip_prefix(CRC.as_bytes())?.strip_suffix(b"\"}")?;
    let crc = hex.iter().try_fold(0, |crc, &byte| Some(crc << 4 | u32::from(lower_hex(byte)?)))?;
    Some((covered, crc))
}

fn lower_hex(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    }
}

/// The fields that the store has put behind the record's own.
fn own_fields(covered: &str) -> Option<(u64, Option<u64>)> {
    match last_field(covered, DURABLE) {
        Some((durable, _)) => Some((durable, None)),
        None => {
            let (after, before) = last_field(covered, r#","after":"#)?;
            let (durable, _) = last_field(before, DURABLE)?;
            Some((durable, Some(after)))
        }
    }
}

/// The number of the field of this name at the end of the text, and what stands before it.
fn last_field<'a>(text: &'a str, name: &str) -> Option<(u64, &'a str)> {
    let digits = text.bytes().rev().take_while(u8::is_ascii_digit).count();
    let (before, number) = text.split_at(text.len() - digits);
    Some((number.parse().ok()?, before.strip_suffix(name)?))
}

/// Whether it is an empty line, or one that the protocol's script may have written.
pub(super) fn is_of_script(line: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Line<'a> {
        #[serde(borrow, rename = "t")]
        _at: Cow<'a, str>,
        #[serde(borrow, rename = "action")]
        _action: Cow<'a, str>,
    }
    line.trim_ascii().is_empty() || serde_json::from_slice::<Line<'_>>(line).is_ok()
}

/// A JSON object that does not pretend to be a record, or an empty line.
fn is_foreign(line: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Object {
        seq: Option<IgnoredAny>,
        epoch: Option<IgnoredAny>,
    }
    if line.trim_ascii().is_empty() {
        return true;
    }
    line.first() == Some(&b'{')
        && serde_json::from_slice::<Object>(line).is_ok_and(|object| object.seq.is_none() || object.epoch.is_none())
}

/// Where the CRC32C of each line begins, so that a line of another session is not taken for one of this.
fn seed(session: Uuid) -> u32 {
    crc32c::crc32c(session.as_bytes())
}

/// One line as text.
#[cfg(test)]
pub(super) fn encoded(session: Uuid, record: &Record, durable: u64, after: Option<u64>) -> String {
    let mut line = Vec::new();
    encode(&mut line, session, record, durable, after).unwrap();
    String::from_utf8(line).unwrap()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::record::{Event, Note};
    use crate::core::time::Timestamp;

    const SESSION: Uuid = Uuid::from_u128(7);

    fn line(text: &str, after: Option<u64>) -> String {
        let event = Event::from(Note { text: text.to_owned() });
        let record = Record { seq: 9, epoch: 2, at: Timestamp::from_millis(0), event };
        encoded(SESSION, &record, 5, after)
    }

    #[test]
    fn a_line_has_the_store_fields_last() {
        let line = line("hi", Some(3));
        assert!(
            line.starts_with(
                r#"{"t":"1970-01-01T00:00:00.000Z","action":"note","text":"hi","seq":9,"epoch":2,"durable":5,"after":3,"crc":""#
            ),
            "{line}"
        );
        assert!(line.ends_with("\"}\n"));
    }

    /// Of records that were glued to what stands before them, and of what only looks like one.
    #[test]
    fn a_record_behind_a_bad_beginning_is_found_among_many_that_begin_like_one() {
        let record = line("hi", None);
        let record = record.trim_end();
        for beginnings in [0, 1, 4_000] {
            let glued = format!("x{}{record}", r#"{"t":""#.repeat(beginnings));
            assert_eq!(durable_in(SESSION, glued.as_bytes()), Some(5), "{beginnings}");
            assert_eq!(durable_in(Uuid::nil(), glued.as_bytes()), None, "another session's");
            assert_eq!(durable_in(SESSION, glued.replace("hi", "ho").as_bytes()), None, "damaged");
            assert_eq!(durable_in(SESSION, &glued.as_bytes()[..glued.len() - 1]), None, "not ended");
        }
        assert_eq!(durable_in(SESSION, record.as_bytes()), None, "what begins the line is the line itself");
    }

    #[test]
    fn a_line_is_read_as_it_was_written() {
        for after in [None, Some(3)] {
            let line = line(r#"a ","durable":7,"after":1,"crc":"00000000"} b"#, after);
            let Line::Ours(entry) = decode(SESSION, line.trim_end().as_bytes()) else { panic!("{line}") };
            assert_eq!((entry.record.seq, entry.durable, entry.after), (9, 5, after));
        }
    }

    /// The line stands in `docs/format.md`; its checksum was computed by other code.
    #[test]
    fn a_line_of_the_documented_format_is_read() {
        let session = Uuid::from_u128(0x2f0c5a3e_7c0f_4a55_9d6e_0c2b8f6a1d11);
        let line = r#"{"t":"2026-09-13T08:05:00.004Z","action":"reserve","key":"invoices//pay/1","run":"invoices","shape":"pay/{}","attempt":1,"token":"e08df529-ac63-5b54-8a8d-a64854c69c5d","proof":"verify","ask":"treasury","settle_ms":30000,"seq":4,"epoch":1,"durable":0,"crc":"7f805e56"}"#;
        let Line::Ours(entry) = decode(session, line.as_bytes()) else { panic!("not ours") };
        let Event::Reserve(reserve) = &entry.record.event else { panic!("{entry:?}") };
        assert_eq!(reserve.token, Some(Uuid::new_v5(&session, b"invoices//pay/1")));
        assert_eq!(encoded(session, &entry.record, 0, None).trim_end(), line);
    }

    #[test]
    fn no_flipped_bit_leaves_a_record_or_a_foreign_line() {
        let line = line("hi", None);
        let line = line.trim_end().as_bytes();
        for position in 0..line.len() {
            for bit in 0..8 {
                let mut flipped = line.to_vec();
                flipped[position] ^= 1 << bit;
                assert!(matches!(decode(SESSION, &flipped), Line::Bad), "byte {position} bit {bit}");
            }
        }
    }

    #[test]
    fn a_line_of_another_session_is_bad() {
        assert!(matches!(decode(Uuid::from_u128(8), line("hi", None).trim_end().as_bytes()), Line::Bad));
    }

    #[test]
    fn lines_of_a_script_are_foreign_and_half_a_line_is_bad() {
        for foreign in [r#"{"t": "2026-09-13T08:05:00Z", "action": "boot", "iteration": 3}"#, "{}", "", " "] {
            assert!(matches!(decode(SESSION, foreign.as_bytes()), Line::Foreign), "{foreign}");
        }
        for bad in [r#"{"t": "2026"#, "[1]", "hello", "\0\0\0"] {
            assert!(matches!(decode(SESSION, bad.as_bytes()), Line::Bad), "{bad}");
        }
    }

    #[test]
    fn the_key_of_a_damaged_line_is_still_found() {
        assert_eq!(key_in(br#"{"t":"x","key":"a\"b\\","ru"#).as_deref(), Some("a\"b\\"));
        assert_eq!(key_in(b"{\"t\":\"\xff\",\"key\":\"pay/1\",").as_deref(), Some("pay/1"));
        assert_eq!(key_in(br#"{"t":"x","key":"cut"#), None);
        assert_eq!(
            key_in(br#"{"t":"x","run":"r","inputs":{"a":1,"key":"no"},"outline":{"steps":[{"key":"no"}]}"#),
            None
        );
        assert_eq!(key_in(br#"{"t":"x","action":"code","run":"r","outline":{"steps":[{"key":"pay/{n}"}]}"#), None);
    }
}
