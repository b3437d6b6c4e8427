//! Where secrets stand in a text, by what they look like.

use std::ops::Range;

use memchr::memmem;

use super::shapes;

/// A place in a text, and what stands there.
pub(super) struct Span<'s> {
    pub(super) at: Range<usize>,
    pub(super) what: &'s str,
}

/// What looks like a secret, wherever it stands.
pub(super) fn shaped(text: &str) -> Vec<Span<'static>> {
    let mut spans: Vec<_> =
        shapes::keys(text).map(|(start, what)| Span { at: start..end_of_word(text, start), what }).collect();
    spans.extend(private_keys(text).map(|at| Span { at, what: "a private key" }));
    spans.extend(passwords(text).map(|at| Span { at, what: "a password in an address" }));
    spans
}

/// The words of the text.
pub(super) fn words(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut from = 0;
    std::iter::from_fn(move || {
        let start = from + text[from..].find(is_word)?;
        from = end_of_word(text, start);
        Some(start..from)
    })
}

pub(super) fn end_of_word(text: &str, from: usize) -> usize {
    text[from..].find(|c| !is_word(c)).map_or(text.len(), |len| from + len)
}

pub(super) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '+' | '~' | '%')
}

/// Private keys in PEM, each from its first line to its last; one that is cut off goes to the end of the text.
fn private_keys(text: &str) -> impl Iterator<Item = Range<usize>> {
    const HEAD: &str = "-----BEGIN ";
    let starts: Vec<_> = memmem::find_iter(text.as_bytes(), HEAD).collect();
    let is_private = |start: &usize| {
        let rest = &text[*start + HEAD.len()..];
        rest.find("-----").is_some_and(|end| rest[..end].ends_with("PRIVATE KEY") || rest[..end].ends_with("KEY BLOCK"))
    };
    starts.into_iter().filter(is_private).map(|start| {
        let tail = text[start..].find("-----END ").map(|end| start + end + 9);
        let end = tail.and_then(|tail| Some(tail + text[tail..].find("-----")? + 5));
        start..end.unwrap_or(text.len())
    })
}

/// The passwords of addresses, as in `https://ada:hunter2@shop`.
fn passwords(text: &str) -> impl Iterator<Item = Range<usize>> {
    let starts: Vec<_> = memmem::find_iter(text.as_bytes(), "://").map(|start| start + 3).collect();
    starts.into_iter().filter_map(|start| {
        let len = text[start..].find(|c: char| c.is_whitespace() || "/?#\"'<>`\\".contains(c));
        let authority = &text[start..len.map_or(text.len(), |len| start + len)];
        let (user, _) = authority.rsplit_once('@')?;
        let (name, password) = user.split_once(':')?;
        let at = start + name.len() + 1;
        (!password.is_empty()).then(|| at..at + password.len())
    })
}
