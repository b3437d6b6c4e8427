//! Secrets that are known word for word: found in the forms in which they come into a text, all of them in one look at it.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};

use super::spans::Span;

/// The texts that are looked for.
#[derive(Clone, Default)]
pub(super) struct Known {
    names: Vec<Arc<str>>,
    /// By the two bytes that they begin with.
    forms: HashMap<[u8; 2], Vec<Form>>,
    /// Which two bytes one begins with: a bit for each; empty where nothing is looked for.
    begins: Vec<u64>,
}

/// A text that is, or tells, a secret.
#[derive(Clone)]
struct Form {
    what: Arc<str>,
    text: Vec<u8>,
    /// Whether the letters beside it tell the rest of it.
    is_inner: bool,
}

/// The shortest secret that is looked for, in bytes.
const SHORTEST: usize = 4;

/// The same for one that is looked for in an encoding.
const ENCODED: usize = 6;

impl Known {
    /// A value that was read from a file ends with its line, and is used without that.
    pub(super) fn add(&mut self, what: &str, value: &str) {
        let value = value.trim();
        if value.len() < SHORTEST {
            return;
        }
        let what: Arc<str> = what.into();
        self.names.push(Arc::clone(&what));
        let of = |is_inner| move |text: String| (text.into_bytes(), is_inner);
        let forms = written(value).into_iter().map(of(false)).chain(in_base64(value).into_iter().map(of(true)));
        for (text, is_inner) in forms.filter(|(text, _)| text.len() >= SHORTEST) {
            self.insert(Form { what: Arc::clone(&what), text, is_inner });
        }
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &Arc<str>> {
        self.names.iter()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.begins.is_empty()
    }

    /// Where they stand.
    pub(super) fn spans<'s>(&'s self, text: &str) -> Vec<Span<'s>> {
        let mut spans = Vec::new();
        if self.is_empty() {
            return spans;
        }
        let bytes = text.as_bytes();
        for (at, pair) in bytes.windows(2).enumerate() {
            let begin = [pair[0], pair[1]];
            let (word, bit) = place(begin);
            if self.begins[word] & bit == 0 {
                continue;
            }
            let forms = self.forms.get(&begin).into_iter().flatten();
            let found = forms.filter(|form| bytes[at..].starts_with(&form.text));
            spans.extend(found.map(|form| form.span(bytes, at)));
        }
        spans
    }

    fn insert(&mut self, form: Form) {
        let begin = [form.text[0], form.text[1]];
        self.begins.resize(1 << 10, 0);
        let (word, bit) = place(begin);
        self.begins[word] |= bit;
        self.forms.entry(begin).or_default().push(form);
    }
}

fn place(begin: [u8; 2]) -> (usize, u64) {
    let number = u16::from_be_bytes(begin);
    (usize::from(number >> 6), 1 << (number & 63))
}

impl Form {
    fn span<'s>(&'s self, text: &[u8], at: usize) -> Span<'s> {
        let (mut from, mut to) = (at, at + self.text.len());
        if self.is_inner {
            let is_letter =
                |at: usize| text.get(at).is_some_and(|byte| byte.is_ascii_graphic() && !b"\"'\\".contains(byte));
            from -= usize::from(from.checked_sub(1).is_some_and(is_letter));
            to += usize::from(is_letter(to));
        }
        Span { at: from..to, what: &self.what }
    }
}

/// As it is, with the spaces of a form, in hexadecimal, and as a list of bytes. Escapes are undone before.
fn written(value: &str) -> BTreeSet<String> {
    let mut forms = BTreeSet::from([value.to_owned(), value.replace(' ', "+")]);
    if value.len() < ENCODED {
        return forms;
    }
    let all = |one: fn(u8) -> String, between: &str| value.bytes().map(one).collect::<Vec<_>>().join(between);
    forms.extend([all(|byte| format!("{byte:02x}"), ""), all(|byte| format!("{byte:02X}"), "")]);
    forms.extend([",", ", "].map(|between| all(|byte| byte.to_string(), between)));
    forms
}

/// In Base64, wherever in a longer text it stands, as in `user:password`: three of its bytes are four letters, so it begins at
/// the first, the second or the third. Letters that belong to a byte beside it are left out.
fn in_base64(value: &str) -> BTreeSet<String> {
    let mut forms = BTreeSet::new();
    if value.len() < ENCODED {
        return forms;
    }
    for before in 0..3 {
        let bytes = [&[0; 2][..before], value.as_bytes()].concat();
        let (from, to) = ((before * 8).div_ceil(6), bytes.len() * 8 / 6);
        forms.extend([&STANDARD_NO_PAD, &URL_SAFE_NO_PAD].map(|base64| base64.encode(&bytes)[from..to].to_owned()));
    }
    forms
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(value: &str) -> Known {
        let mut known = Known::default();
        known.add("a value", value);
        known
    }

    #[test]
    fn a_short_value_is_found_as_it_is_and_a_shorter_one_not() {
        assert_eq!(known("1234").spans("12345 [49,50,51,52] 31323334").len(), 1);
        assert!(known("123").spans("123").is_empty());
    }

    #[test]
    fn the_letters_beside_a_part_of_base64_go_with_it() {
        let text = STANDARD_NO_PAD.encode("ada:Zw3kq9Lm!");
        let known = known("Zw3kq9Lm");
        let spans = known.spans(&text);
        let rest = format!("{}{}", &text[..spans[0].at.start], &text[spans[0].at.end..]);
        assert_eq!((spans.len(), rest.as_str()), (1, "YWRhOQ"));
    }
}
