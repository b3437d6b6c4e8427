//! A file line by line, in bounded memory.

use std::io;

/// How much is read at once.
pub(super) const CHUNK: usize = 256 * 1024;

/// A line that is longer is not ours: large values have files of their own.
const MAX_LINE: usize = 64 * 1024 * 1024;

/// Gives what stands from an offset on: [`CHUNK`] bytes, or all that is left; `None` if there is no file.
pub(super) type Source<'a> = Box<dyn FnMut(u64) -> io::Result<Option<Vec<u8>>> + 'a>;

/// The lines of a file.
pub(super) struct Lines<'a> {
    source: Source<'a>,
    buffer: Vec<u8>,
    /// Where the buffer begins in the file.
    base: u64,
    /// Where the next line begins in the buffer.
    next: usize,
    at_end: bool,
    is_missing: bool,
    number: u64,
}

/// A line, without its line feed, and where it stands.
#[derive(Debug)]
pub(super) struct Raw<'a> {
    /// Its number, from 1.
    pub(super) number: u64,
    /// Where it begins.
    pub(super) offset: u64,
    /// What it says.
    pub(super) bytes: &'a [u8],
    /// Whether it has its line feed: one without is not finished, whatever it says.
    pub(super) is_ended: bool,
}

impl Raw<'_> {
    /// Where the next line begins.
    pub(super) fn end(&self) -> u64 {
        self.offset + self.bytes.len() as u64 + u64::from(self.is_ended)
    }
}

impl<'a> Lines<'a> {
    pub(super) fn new(source: Source<'a>) -> Self {
        Self { source, buffer: Vec::new(), base: 0, next: 0, at_end: false, is_missing: false, number: 0 }
    }

    /// The lines of these bytes.
    #[cfg(test)]
    pub(super) fn of(bytes: &'a [u8]) -> Self {
        Self::new(source(bytes))
    }

    /// The next line, if there is one.
    pub(super) fn next(&mut self) -> io::Result<Option<Raw<'_>>> {
        let Some((len, is_ended)) = self.find_end()? else { return Ok(None) };
        let from = self.next;
        self.next += len + usize::from(is_ended);
        self.number += 1;
        let (number, offset) = (self.number, self.base + from as u64);
        Ok(Some(Raw { number, offset, bytes: &self.buffer[from..from + len], is_ended }))
    }

    /// Whether there is another line.
    pub(super) fn has_next(&mut self) -> io::Result<bool> {
        Ok(self.find_end()?.is_some())
    }

    /// Begins again with the first line. What is still there of the beginning is not read again.
    pub(super) fn rewind(&mut self) {
        if self.base > 0 {
            self.buffer.clear();
            (self.base, self.at_end) = (0, false);
        }
        (self.next, self.number) = (0, 0);
    }

    /// Whether there is no file. Known once a line was asked for.
    pub(super) fn is_missing(&self) -> bool {
        self.is_missing
    }

    /// Where the next line begins, and after the last one where the file ends.
    pub(super) fn offset(&self) -> u64 {
        self.base + self.next as u64
    }

    /// What stands between two offsets that have been passed.
    pub(super) fn again(&mut self, from: u64, to: u64) -> io::Result<Vec<u8>> {
        let len = usize::try_from(to - from).map_err(io::Error::other)?;
        if let Some(start) = from.checked_sub(self.base).and_then(|start| usize::try_from(start).ok())
            && let Some(bytes) = self.buffer.get(start..start + len)
        {
            return Ok(bytes.to_vec());
        }
        let mut bytes = Vec::new();
        while bytes.len() < len {
            let more = (self.source)(from + bytes.len() as u64)?.unwrap_or_default();
            if more.is_empty() {
                break;
            }
            bytes.extend_from_slice(&more);
        }
        bytes.truncate(len);
        Ok(bytes)
    }

    /// The length of the next line, and whether it is ended.
    fn find_end(&mut self) -> io::Result<Option<(usize, bool)>> {
        let mut searched = 0;
        loop {
            let rest = &self.buffer[self.next..];
            if let Some(len) = memchr::memchr(b'\n', &rest[searched..]) {
                return Ok(Some((searched + len, true)));
            }
            searched = rest.len();
            if self.at_end || searched > MAX_LINE {
                return Ok((searched > 0).then_some((searched, false)));
            }
            self.fill()?;
        }
    }

    fn fill(&mut self) -> io::Result<()> {
        let more = (self.source)(self.base + self.buffer.len() as u64)?;
        self.is_missing = more.is_none();
        let more = more.unwrap_or_default();
        self.at_end = more.len() < CHUNK;
        if more.is_empty() {
            return Ok(());
        }
        self.buffer.drain(..self.next);
        self.base += self.next as u64;
        self.next = 0;
        self.buffer.extend_from_slice(&more);
        Ok(())
    }
}

/// Bytes in memory, as they would be read from a file.
#[cfg(test)]
pub(super) fn source(bytes: &[u8]) -> Source<'_> {
    Box::new(move |offset| {
        let from = usize::try_from(offset).unwrap().min(bytes.len());
        Ok(Some(bytes[from..bytes.len().min(from + CHUNK)].to_vec()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(bytes: &[u8]) -> Vec<(u64, u64, Vec<u8>, bool)> {
        let mut lines = Lines::of(bytes);
        let mut all = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            all.push((line.number, line.offset, line.bytes.to_vec(), line.is_ended));
        }
        assert_eq!(lines.offset(), bytes.len() as u64);
        all
    }

    #[test]
    fn a_last_line_without_its_line_feed_is_not_ended() {
        assert_eq!(all(b""), []);
        assert_eq!(all(b"a\n\nb"), [(1, 0, b"a".into(), true), (2, 2, b"".into(), true), (3, 3, b"b".into(), false)]);
    }

    #[test]
    fn lines_are_the_same_wherever_a_read_ends() {
        for len in [CHUNK - 2, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK] {
            let bytes = ["x".repeat(len), "y".repeat(9), "z".repeat(len)].join("\n") + "\n";
            let expected: Vec<_> = bytes.lines().map(|line| line.as_bytes().to_vec()).collect();
            assert_eq!(all(bytes.as_bytes()).into_iter().map(|line| line.2).collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn a_line_says_where_the_next_one_begins() {
        let mut lines = Lines::of(b"ab\n\nc");
        let mut ends = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            ends.push(line.end());
        }
        assert_eq!(ends, [3, 4, 5], "the last one has no line feed");
    }

    #[test]
    fn what_begins_again_begins_with_the_first_line_however_far_it_had_come() {
        for len in [3, CHUNK, 2 * CHUNK] {
            let bytes = ["x".repeat(len), "y".repeat(9), "z".repeat(len)].join("\n") + "\n";
            let mut lines = Lines::of(bytes.as_bytes());
            let mut read = |passed: usize| {
                let mut read = Vec::new();
                while read.len() < passed
                    && let Some(line) = lines.next().unwrap()
                {
                    read.push((line.number, line.offset, line.bytes.to_vec(), line.is_ended));
                }
                lines.rewind();
                read
            };
            for passed in [1, 2, 9, 9] {
                assert_eq!(read(passed), all(bytes.as_bytes())[..passed.min(3)], "{len} bytes, after {passed} lines");
            }
        }
    }

    /// A file that is one long line takes no more memory than any.
    #[test]
    fn a_line_that_does_not_end_is_given_up() {
        let most = MAX_LINE + 2 * CHUNK;
        let endless = |offset| match usize::try_from(offset).is_ok_and(|offset| offset < most) {
            true => Ok(Some(vec![b'x'; CHUNK])),
            false => Err(io::Error::other("read too far")),
        };
        let mut lines = Lines::new(Box::new(endless));
        let line = lines.next().unwrap().unwrap();
        assert!(!line.is_ended && line.bytes.len() > MAX_LINE);
    }

    /// Somebody may shorten it meanwhile.
    #[test]
    fn what_is_not_there_any_more_is_not_made_up() {
        let bytes = "x".repeat(9);
        assert_eq!(Lines::of(bytes.as_bytes()).again(6, 12).unwrap(), b"xxx");
    }

    #[test]
    fn what_was_passed_can_be_read_again() {
        let bytes = ["x".repeat(CHUNK), "y".repeat(9), "z".repeat(CHUNK)].join("\n");
        let mut lines = Lines::of(bytes.as_bytes());
        while lines.next().unwrap().is_some() {}
        for (from, to) in [(0, 3), (1, CHUNK + 20), (CHUNK, bytes.len())] {
            assert_eq!(lines.again(from as u64, to as u64).unwrap(), &bytes.as_bytes()[from..to]);
        }
    }
}
