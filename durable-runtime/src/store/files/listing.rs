//! The registry as a boot reads it: all of it, or only what stands behind the part that a snapshot has witnessed.

use std::io;

use super::keys::Keys;
use super::layout::SECTOR;
use super::lines::Source;
use super::registry::{self, Spaces};
use crate::core::record::Witnessed;

/// The end of a registry that was written here.
const END: &[u8] = b"]\n";

/// The file, piece by piece.
pub(super) struct Listing<'a> {
    source: Source<'a>,
    /// How long it is; `None` if there is none.
    len: Option<u64>,
}

/// What was read of it.
#[derive(Debug, Default)]
pub(super) enum Listed {
    /// There is none.
    #[default]
    Missing,
    /// It is no array of keys.
    Unreadable {
        /// Whether that may be all that a power cut has left of one that named none.
        names_nothing: bool,
    },
    /// Keys, in their order.
    Keys {
        /// All of them, or those behind what is witnessed.
        keys: Keys,
        /// Where the next one goes, and how long the file is.
        room: Option<(Spaces, u64)>,
    },
}

impl<'a> Listing<'a> {
    pub(super) fn new(source: Source<'a>, len: Option<u64>) -> Self {
        Self { source, len }
    }

    /// One of these bytes.
    #[cfg(test)]
    pub(super) fn of(bytes: Option<&'a [u8]>) -> Self {
        let source = super::lines::source(bytes.unwrap_or_default());
        Self::new(source, bytes.map(|bytes| bytes.len() as u64))
    }

    /// Reads all of it.
    pub(super) fn whole(&mut self) -> io::Result<Listed> {
        let Some(len) = self.len else { return Ok(Listed::Missing) };
        let mut bytes = Vec::new();
        while (bytes.len() as u64) < len {
            let more = (self.source)(bytes.len() as u64)?.unwrap_or_default();
            if more.is_empty() {
                break;
            }
            bytes.extend_from_slice(&more);
        }
        let room = registry::spaces(&bytes).map(|spaces| (spaces, bytes.len() as u64));
        let names_nothing = registry::names_nothing(&bytes);
        // Space between its tokens means nothing, and a parser looks at each byte of it.
        if let Some((Spaces { from, to, .. }, _)) = room {
            let place = |offset| usize::try_from(offset).map_err(io::Error::other);
            bytes.drain(place(from)?..place(to)?);
        }
        Ok(match registry::parse(&bytes) {
            Some(keys) => Listed::Keys { keys, room },
            None => Listed::Unreadable { names_nothing },
        })
    }

    /// Reads what stands behind the part that is witnessed; `None` if that part is not as it was, or it cannot be told where the
    /// keys end without reading all.
    pub(super) fn behind(&mut self, witnessed: Witnessed) -> io::Result<Option<Listed>> {
        let Some(len) = self.len.filter(|len| witnessed.len > 0 && witnessed.len < *len) else { return Ok(None) };
        if !self.begins_with(witnessed)? {
            return Ok(None);
        }
        let rest = (self.source)(witnessed.len)?.unwrap_or_default();
        let end = (self.source)(len - END.len() as u64)?.unwrap_or_default();
        // No key is put behind so many spaces: see `Registry::insert`.
        let gap = [b' '; SECTOR as usize];
        let Some(keys_end) = memchr::memmem::find(&rest, &gap).filter(|_| end == END) else { return Ok(None) };
        let spaces = Spaces { from: witnessed.len + keys_end as u64, to: len - END.len() as u64, first: false };
        // What stands there all the same is not ours, and with it the file is no array any more.
        if !self.is_blank(spaces)? {
            return Ok(None);
        }
        let keys = registry::parse_behind(&rest[..keys_end]);
        Ok(keys.map(|keys| Listed::Keys { keys, room: Some((spaces, len)) }))
    }

    fn is_blank(&mut self, Spaces { from, to, .. }: Spaces) -> io::Result<bool> {
        let mut read = from;
        while read < to {
            let more = (self.source)(read)?.unwrap_or_default();
            let wanted = usize::try_from(to - read).unwrap_or(usize::MAX).min(more.len());
            if wanted == 0 || more[..wanted].iter().any(|byte| *byte != b' ') {
                return Ok(false);
            }
            read += wanted as u64;
        }
        Ok(true)
    }

    fn begins_with(&mut self, witnessed: Witnessed) -> io::Result<bool> {
        let (mut read, mut crc) = (0, 0);
        while read < witnessed.len {
            let more = (self.source)(read)?.unwrap_or_default();
            let wanted = usize::try_from(witnessed.len - read).unwrap_or(usize::MAX).min(more.len());
            if wanted == 0 {
                return Ok(false);
            }
            crc = crc32c::crc32c_append(crc, &more[..wanted]);
            read += wanted as u64;
        }
        Ok(crc == witnessed.crc)
    }
}

impl Listed {
    /// The keys that were read, if there is an array of them.
    pub(super) fn keys(&self) -> Option<&Keys> {
        if let Self::Keys { keys, .. } = self { Some(keys) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn padded(keys: &str) -> Vec<u8> {
        format!("{keys}{}]\n", " ".repeat(4096 - keys.len() - 2)).into_bytes()
    }

    fn witnessed(bytes: &[u8], len: usize) -> Witnessed {
        Witnessed { len: len as u64, crc: crc32c::crc32c(&bytes[..len]) }
    }

    fn behind(bytes: &[u8], witnessed: Witnessed) -> Option<(Vec<String>, u64)> {
        match Listing::of(Some(bytes)).behind(witnessed).unwrap()? {
            Listed::Keys { keys, room: Some((spaces, len)) } => {
                assert_eq!((len, spaces.to), (bytes.len() as u64, bytes.len() as u64 - 2));
                Some((keys.from(0).map(str::to_owned).collect(), spaces.from))
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn only_what_stands_behind_the_witnessed_part_is_read() {
        let bytes = padded(r#"["a","b"   ,"c""#);
        assert_eq!(behind(&bytes, witnessed(&bytes, 4)), Some((vec!["b".into(), "c".into()], 15)));
        assert_eq!(behind(&bytes, witnessed(&bytes, 15)), Some((Vec::new(), 15)));
    }

    #[test]
    fn a_part_that_is_not_as_it_was_witnesses_nothing() {
        let bytes = padded(r#"["a","b""#);
        let then = witnessed(&bytes, 4);
        for at in 0..4 {
            let mut flipped = bytes.clone();
            flipped[at] ^= 1;
            assert_eq!(behind(&flipped, then), None);
        }
        assert_eq!(behind(&bytes[..3], then), None);
        assert_eq!(behind(&bytes, Witnessed::default()), None);
        assert!(Listing::of(None).behind(then).unwrap().is_none());
    }

    /// Nothing of ours stands behind a sector of spaces; what another hand has put there spoils the array.
    #[test]
    fn what_stands_among_the_spaces_is_seen() {
        let bytes = padded(r#"["a","b""#);
        for (at, what) in [(600, "x"), (4_093, "x"), (2_000, r#","c""#)] {
            let mut spoilt = bytes.clone();
            spoilt[at..at + what.len()].copy_from_slice(what.as_bytes());
            assert_eq!(behind(&spoilt, witnessed(&bytes, 4)), None, "{what} at {at}");
        }
    }

    /// What a script has laid out in another way is read whole.
    #[test]
    fn where_the_keys_end_is_not_guessed() {
        for bytes in [br#"["a","b"]"#.to_vec(), [padded(r#"["a","b""#), b" ".to_vec()].concat()] {
            assert_eq!(behind(&bytes, witnessed(&bytes, 4)), None);
            let whole = Listing::of(Some(&bytes)).whole().unwrap();
            assert_eq!(whole.keys().unwrap().from(0).collect::<Vec<_>>(), ["a", "b"]);
        }
    }
}
