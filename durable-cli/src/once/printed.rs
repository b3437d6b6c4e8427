//! What a program has printed, as it is recorded.

use std::fmt;

use durable_runtime::Session;
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// How much more is looked at than is kept, so that no secret stands half at the end of it.
const BEYOND: usize = 8 * 1024;

/// The beginning of what a program prints, while it prints.
#[derive(Debug)]
pub(super) struct Beginning {
    bytes: Vec<u8>,
    /// How much is kept of it.
    limit: usize,
    /// How much there was.
    len: u64,
}

/// What was printed, without what looked like a secret. A string in the log if it is text, else bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Printed(pub(super) Vec<u8>);

impl Beginning {
    pub(super) fn new(limit: usize) -> Self {
        Self { bytes: Vec::new(), limit, len: 0 }
    }

    pub(super) fn add(&mut self, piece: &[u8]) {
        let room = self.limit.saturating_add(BEYOND).saturating_sub(self.bytes.len());
        self.bytes.extend_from_slice(&piece[..piece.len().min(room)]);
        self.len += piece.len() as u64;
    }

    /// What is kept of it, and how many bytes behind that are not.
    pub(super) fn printed(&self, session: &Session) -> (Printed, u64) {
        let cut = self.len.saturating_sub(self.limit as u64);
        let mut kept = redacted(&self.bytes, session);
        if cut > 0 {
            kept.truncate(self.limit);
            kept.truncate(whole_characters(&kept));
        }
        (Printed(kept), cut)
    }
}

/// The bytes, with `[redacted]` for what in the text between them is a secret.
fn redacted(bytes: &[u8], session: &Session) -> Vec<u8> {
    let mut redacted = Vec::new();
    for chunk in bytes.utf8_chunks() {
        redacted.extend_from_slice(session.redact(chunk.valid()).as_bytes());
        redacted.extend_from_slice(chunk.invalid());
    }
    redacted
}

/// The length without the beginning of a character that is cut off.
fn whole_characters(bytes: &[u8]) -> usize {
    match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() => error.valid_up_to(),
        _ => bytes.len(),
    }
}

impl Serialize for Printed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match std::str::from_utf8(&self.0) {
            Ok(text) => serializer.serialize_str(text),
            Err(_) => serializer.serialize_bytes(&self.0),
        }
    }
}

impl<'de> Deserialize<'de> for Printed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextOrBytes)
    }
}

struct TextOrBytes;

impl Visitor<'_> for TextOrBytes {
    type Value = Printed;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string, or bytes")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Printed, E> {
        Ok(Printed(text.into()))
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Printed, E> {
        Ok(Printed(bytes.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn session() -> (tempfile::TempDir, Session) {
        let place = tempfile::tempdir().unwrap();
        let session = Session::open(place.path().join("s")).await.unwrap();
        (place, session)
    }

    fn kept(session: &Session, limit: usize, pieces: &[&[u8]]) -> (Vec<u8>, u64) {
        let mut beginning = Beginning::new(limit);
        pieces.iter().for_each(|piece| beginning.add(piece));
        let (printed, cut) = beginning.printed(session);
        (printed.0, cut)
    }

    #[tokio::test]
    async fn what_is_beyond_the_limit_is_counted_and_not_kept() {
        let (_place, session) = session().await;
        let kept = |limit, pieces| kept(&session, limit, pieces);
        assert_eq!(kept(6, &[b"abc", b"def"]), (b"abcdef".to_vec(), 0));
        assert_eq!(kept(4, &[b"abc", b"def"]), (b"abcd".to_vec(), 2));
        assert_eq!(kept(4, &[&[b'x'; 100_000]]), (b"xxxx".to_vec(), 99_996));
        assert_eq!(kept(2, &["aä".as_bytes()]), (b"a".to_vec(), 1), "no half of a character is kept");
    }

    #[tokio::test]
    async fn a_secret_is_not_kept_where_it_is_cut_nor_between_bytes() {
        let (_place, session) = session().await;
        let (short, _) = kept(&session, 9, &[b"token=abcdefghijklmn0p"]);
        assert_eq!(short, b"token=[re");
        let (mixed, _) = kept(&session, 100, &[b"\xff password=hunter2 \xfe"]);
        assert_eq!(mixed, b"\xff password=[redacted] \xfe");
    }
}
