//! What of a line is not read yet, and what can be read off it. It takes nothing that a general parser would refuse.

use uuid::Uuid;

use crate::core::record::Stored;

/// The rest of a line.
pub(super) struct Rest<'a>(pub(super) &'a [u8]);

/// The most digits of a number that cannot be too large for its type.
const DIGITS: usize = 19;

impl<'a> Rest<'a> {
    #[inline]
    pub(super) fn expect(&mut self, text: &str) -> Option<()> {
        self.0 = self.0.strip_prefix(text.as_bytes())?;
        Some(())
    }

    #[inline]
    pub(super) fn take(&mut self, len: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(taken)
    }

    /// A field that may be left out.
    #[inline]
    pub(super) fn if_there<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(&mut Self, &str) -> Option<T>,
    ) -> Option<Option<T>> {
        if self.0.starts_with(name.as_bytes()) { read(self, name).map(Some) } else { Some(None) }
    }

    /// A text without anything escaped.
    pub(super) fn text(&mut self, name: &str) -> Option<&'a str> {
        self.expect(name)?;
        self.quoted()
    }

    /// The same, without its name.
    pub(super) fn quoted(&mut self) -> Option<&'a str> {
        self.expect("\"")?;
        let is_special = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..0x20);
        let text = self.take(self.0.iter().position(is_special)?)?;
        self.expect("\"")?;
        std::str::from_utf8(text).ok()
    }

    /// Whether this text comes next, in quotes, and then passes over it. It must be one without anything to escape.
    #[inline]
    pub(super) fn is_next(&mut self, text: &str) -> bool {
        let behind = self.0.strip_prefix(b"\"").and_then(|rest| rest.strip_prefix(text.as_bytes()));
        let behind = behind.and_then(|rest| rest.strip_prefix(b"\""));
        self.0 = behind.unwrap_or(self.0);
        behind.is_some()
    }

    /// A word of ours, whose name ends with its opening quote.
    #[inline]
    pub(super) fn word(&mut self, name: &str) -> Option<&'a [u8]> {
        self.expect(name)?;
        let word = self.take(self.0.iter().position(|byte| *byte == b'"')?)?;
        self.expect("\"")?;
        Some(word)
    }

    #[inline]
    pub(super) fn number(&mut self, name: &str) -> Option<u64> {
        self.expect(name)?;
        let (number, rest) = number(self.0)?;
        self.0 = rest;
        Some(number)
    }

    pub(super) fn uuid(&mut self, name: &str) -> Option<Option<Uuid>> {
        self.if_there(name, |rest, name| {
            rest.expect(name)?;
            let uuid = Uuid::try_parse_ascii(rest.take(36)?).ok()?;
            rest.expect("\"")?;
            Some(uuid)
        })
    }

    /// A value of any kind, as it stands.
    pub(super) fn value(&mut self, name: &str) -> Option<Stored> {
        self.expect(name)?;
        let value = self.take(end_of_value(self.0)?)?;
        let value = std::str::from_utf8(value).ok()?;
        Stored::read(value)
    }
}

/// The number that the bytes begin with, and what stands behind it; `None` if it is none, is written as none is, or may be too
/// large.
pub(super) fn number(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let (mut number, mut len) = (0, 0);
    while let Some(digit @ b'0'..=b'9') = bytes.get(len) {
        if len == DIGITS {
            return None;
        }
        number = 10 * number + u64::from(digit - b'0');
        len += 1;
    }
    let is_plain = len == 1 || (len > 1 && bytes[0] != b'0');
    is_plain.then(|| (number, &bytes[len..]))
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
