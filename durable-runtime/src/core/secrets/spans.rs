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
    let mut spans: Vec<_> = shapes::keys(text).collect();
    spans.extend(private_keys(text).map(|at| Span { at, what: "a private key" }));
    spans.extend(passwords(text).map(|at| Span { at, what: "a password in an address" }));
    spans
}

/// The words of the text, and the parts of those that are paths: a key is one.
pub(super) fn words(text: &str) -> impl Iterator<Item = Range<usize>> {
    whole_words(text).flat_map(|word| {
        let (mut from, whole) = (word.start, &text[word.clone()]);
        let parts = whole.split('/').map(move |part| {
            let at = from..from + part.len();
            from = at.end + 1;
            at
        });
        let is_part = {
            let word = word.clone();
            move |at: &Range<usize>| !at.is_empty() && *at != word
        };
        std::iter::once(word).chain(parts.filter(is_part))
    })
}

fn whole_words(text: &str) -> impl Iterator<Item = Range<usize>> {
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
    const HEAD: &str = "-----BEGIN";
    let mut from = 0;
    std::iter::from_fn(move || {
        loop {
            let start = from + memmem::find(&text.as_bytes()[from..], HEAD.as_bytes())?;
            from = start + HEAD.len();
            // What kind of key it is stands right behind.
            let kind = text.get(from..text.floor_char_boundary(from + 40)).unwrap_or_default();
            let Some(end) = kind.find("-----") else { continue };
            if kind[..end].replace('+', " ").contains(" PRIVATE KEY") {
                let tail = text[start..].find("-----END").map(|end| start + end + 9);
                let end = tail.and_then(|tail| Some(tail + text[tail..].find("-----")? + 5));
                from = end.unwrap_or(text.len());
                return Some(start..from);
            }
        }
    })
}

/// The passwords of addresses, as in `https://ada:hunter2@shop`.
fn passwords(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut starts = memmem::find_iter(text.as_bytes(), "://").map(|start| start + 3).peekable();
    std::iter::from_fn(move || Some((starts.next()?, starts.peek().map_or(text.len(), |next| next - 3)))).filter_map(
        |(start, next)| {
            // Whoever has written the text may want to hold us up: none of it is looked at twice.
            let rest = &text[start..text.floor_char_boundary(start + LONGEST).min(next.max(start))];
            let rest = &rest[..rest.find(ends_address).unwrap_or(rest.len())];
            let authority = &rest[..rest.find(['/', '?', '#']).unwrap_or(rest.len())];
            // A password that nobody has escaped may have these in it, and a path may have an `@`.
            let authority = if authority.contains('@') { authority } else { rest };
            let (user, host) = authority.rsplit_once('@')?;
            let (name, password) = user.split_once(':')?;
            let at = start + name.len() + 1;
            let is_name =
                !name.contains(['/', '?', '#', '[']) && !host.starts_with("sha256:") && !host.starts_with("sha512:");
            (is_name && is_password(password)).then(|| at..at + password.len())
        },
    )
}

/// How much of an address is looked at.
const LONGEST: usize = 1024;

fn ends_address(c: char) -> bool {
    c.is_whitespace() || "\"'<>`\\".contains(c)
}

/// Whether it is one, and neither the number of a port nor what stands where one was or will be.
fn is_password(text: &str) -> bool {
    let port = text.split(['/', ',', '?', '#']).next().unwrap_or_default();
    let is_port = !port.is_empty() && port.len() < 6 && port.bytes().all(|byte| byte.is_ascii_digit()) && port != text;
    let stands_for_one =
        text.starts_with(['$', '{', '[', '%', '*']) || text.bytes().all(|byte| matches!(byte, b'x' | b'X' | b'.'));
    !text.is_empty() && !is_port && !stands_for_one
}
