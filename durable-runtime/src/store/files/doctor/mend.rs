//! A log that an editor or a script has touched, put back as it was: records have checksums and numbers, so their order and
//! what stands between them can be restored with proof.

use std::collections::BTreeMap;
use std::io;

use uuid::Uuid;

use super::super::line::{self, Line};
use super::super::lines::{CHUNK, Source};

/// How every record begins.
const START: &[u8] = br#"{"t":""#;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The lines of all records that can be found, in their order, each once; lines of others stay behind the record that they
/// stood behind. `None` if two different records have one number.
///
/// It says nothing of what cannot be found: whoever believes it must see that no number is missing.
pub(super) fn lines(bytes: &[u8], session: Uuid) -> Option<Vec<u8>> {
    let mut records: BTreeMap<u64, &[u8]> = BTreeMap::new();
    let mut others: BTreeMap<u64, Vec<&[u8]>> = BTreeMap::new();
    let mut last = 0;
    for piece in pieces(bytes) {
        match line::decode(session, piece) {
            Line::Ours(entry) => {
                last = entry.record.seq;
                if *records.entry(last).or_insert(piece) != piece {
                    return None;
                }
            }
            Line::Foreign if piece.trim_ascii().is_empty() => {}
            Line::Foreign => others.entry(last).or_default().push(piece),
            Line::Newer(_) | Line::Bad => {}
        }
    }
    let mut mended = Vec::with_capacity(bytes.len());
    let mut write = |line: &[u8]| {
        mended.extend_from_slice(line);
        mended.push(b'\n');
    };
    others.remove(&0).unwrap_or_default().into_iter().for_each(&mut write);
    for (seq, record) in records {
        write(record);
        others.remove(&seq).unwrap_or_default().into_iter().for_each(&mut write);
    }
    Some(mended)
}

/// The session that a boot record names, wherever it stands.
pub(super) fn claimed_session(bytes: &[u8]) -> Option<Uuid> {
    pieces(bytes).find_map(line::claimed_session)
}

/// Bytes in memory, as they would be read from a file.
pub(super) fn source(bytes: &[u8]) -> Source<'_> {
    Box::new(move |offset| {
        let from = usize::try_from(offset).map_err(io::Error::other)?.min(bytes.len());
        Ok(Some(bytes[from..bytes.len().min(from + CHUNK)].to_vec()))
    })
}

/// The lines without what editors put around them, and of a line in which several records stand, each.
fn pieces(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
    bytes.split(|&byte| byte == b'\n').flat_map(|line| {
        let line = line.trim_ascii_end();
        let starts = line.windows(START.len()).enumerate().filter(|&(at, text)| at > 0 && text == START);
        let mut cuts: Vec<_> = std::iter::once(0).chain(starts.map(|(at, _)| at)).collect();
        cuts.push(line.len());
        let apart: Vec<_> = cuts.windows(2).map(|cut| line[cut[0]..cut[1]].trim_ascii()).collect();
        // A value may hold the text that a record begins with: a line that is whole is not cut.
        if apart.len() > 1 && line::is_sealed(line) { vec![line] } else { apart }
    })
}
