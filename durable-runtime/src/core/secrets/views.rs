//! A text as whoever reads it undoes its escapes and joins its lines: in another form than it has, a secret is one all the same.

use std::ops::Range;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use memchr::memmem;

/// How often escapes are undone: in strings in strings of JSON, in addresses in addresses.
const DEPTH: usize = 3;

/// A text that was made of another, and where its parts stood there.
pub(super) struct View {
    pub(super) text: String,
    changes: Vec<Change>,
}

/// A part that is another here than it was there.
struct Change {
    here: Range<usize>,
    there: Range<usize>,
}

impl View {
    /// Without the outermost escapes; none where there are none.
    pub(super) fn unescaped(text: &str) -> Option<Self> {
        Self::made(text, ['\\', '%'], |rest| unescaped(rest).map(|(c, len)| (Some(c), len)))
    }

    /// With its lines joined; none where it is one line.
    pub(super) fn joined(text: &str) -> Option<Self> {
        let blank = |c: char| matches!(c, '\r' | '\n' | ' ' | '\t');
        Self::made(text, ['\r', '\n'], |rest| Some((None, rest.find(|c| !blank(c)).unwrap_or(rest.len()))))
    }

    /// Each time once more without its escapes, until there are none; each a view of the one before.
    pub(super) fn all(text: &str) -> Vec<Self> {
        let mut views: Vec<Self> = Vec::new();
        while views.len() < DEPTH
            && let Some(next) = Self::unescaped(views.last().map_or(text, |view| &view.text))
        {
            views.push(next);
        }
        views
    }

    /// Where a part of it stood in the text that it was made of.
    pub(super) fn origin(&self, at: Range<usize>) -> Range<usize> {
        let before = |is: &dyn Fn(&Change) -> bool| self.changes[..self.changes.partition_point(is)].last();
        let start = match before(&|change| change.here.start <= at.start) {
            Some(Change { here, there }) if at.start < here.end => there.start,
            Some(Change { here, there }) => there.end + at.start - here.end,
            None => at.start,
        };
        let end = match before(&|change| change.here.start < at.end) {
            Some(Change { here, there }) => there.end + at.end.saturating_sub(here.end),
            None => at.end,
        };
        start..end
    }

    /// Of what begins with one of these, `change` says what it becomes and how long it was; none where nothing changes.
    fn made(text: &str, begins: [char; 2], change: impl Fn(&str) -> Option<(Option<char>, usize)>) -> Option<Self> {
        let (mut view, mut done, mut from) = (Self { text: String::new(), changes: Vec::new() }, 0, 0);
        while let Some(at) = memchr::memchr2(begins[0] as u8, begins[1] as u8, &text.as_bytes()[from..]) {
            let start = from + at;
            let Some((becomes, len)) = change(&text[start..]) else {
                from = start + 1;
                continue;
            };
            view.text.push_str(&text[done..start]);
            let here = view.text.len();
            view.text.extend(becomes);
            (done, from) = (start + len, start + len);
            view.changes.push(Change { here: here..view.text.len(), there: start..done });
        }
        view.text.push_str(&text[done..]);
        (!view.changes.is_empty()).then_some(view)
    }
}

/// The character that stands escaped at the beginning, and in how many bytes.
fn unescaped(text: &str) -> Option<(char, usize)> {
    if text.starts_with('%') {
        return of_address(text);
    }
    let c = match text.chars().nth(1)? {
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'b' => '\u{8}',
        'f' => '\u{c}',
        '0' => '\0',
        c @ ('\\' | '/' | '"' | '\'') => c,
        'x' => return Some((char::from(u8::try_from(hex(text, 2..4)?).ok()?), 4)).filter(|(c, _)| c.is_ascii()),
        'u' => return of_unicode(text),
        _ => return None,
    };
    Some((c, 2))
}

/// `\u00e4`, `\ud83d\ude00`, `\u{e4}`.
fn of_unicode(text: &str) -> Option<(char, usize)> {
    if text[2..].starts_with('{') {
        let end = 3 + text.as_bytes()[3..].iter().take(7).position(|byte| *byte == b'}')?;
        return Some((char::from_u32(hex(text, 3..end)?)?, end + 1));
    }
    let first = hex(text, 2..6)?;
    match char::from_u32(first) {
        Some(c) => Some((c, 6)),
        None => {
            let second = text.get(6..8).filter(|begin| *begin == "\\u").and_then(|_| hex(text, 8..12))?;
            let pair = [u16::try_from(first).ok()?, u16::try_from(second).ok()?];
            Some((char::decode_utf16(pair).next()?.ok()?, 12))
        }
    }
}

/// `%20`, `%C3%A4`.
fn of_address(text: &str) -> Option<(char, usize)> {
    let byte = |nth: usize| {
        let at = 3 * nth;
        (text.as_bytes().get(at) == Some(&b'%'))
            .then(|| hex(text, at + 1..at + 3))?
            .and_then(|byte| u8::try_from(byte).ok())
    };
    let bytes: Vec<u8> = (0..4).map_while(byte).collect();
    let len = (1..=bytes.len()).find(|len| std::str::from_utf8(&bytes[..*len]).is_ok())?;
    Some((std::str::from_utf8(&bytes[..len]).ok()?.chars().next()?, 3 * len))
}

fn hex(text: &str, at: Range<usize>) -> Option<u32> {
    let digits = text.get(at).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
    u32::from_str_radix(digits, 16).ok()
}

/// What stands in the text as bytes, each as the text that it is: `"$u8":"aGk="`, in which a value has them, and `[104, 105]`.
pub(super) fn packed(text: &str) -> impl Iterator<Item = (Range<usize>, String)> {
    let base64 = |at: Range<usize>| Some((at.clone(), STANDARD.decode(&text[at]).ok()?));
    let values = memmem::find_iter(text.as_bytes(), BYTES).filter_map(move |start| {
        let from = start + BYTES.len();
        base64(from..from + text[from..].find('"')?)
    });
    let lists = memchr::memchr_iter(b'[', text.as_bytes()).filter_map(move |start| {
        let from = start + 1;
        let is_of_list = |byte: &u8| byte.is_ascii_digit() || byte.is_ascii_whitespace() || *byte == b',';
        let to = from + text.as_bytes()[from..].iter().take_while(|byte| is_of_list(byte)).count();
        // A list that is printed on lines has a comma behind its last.
        let list = text[from..to].trim_end().trim_end_matches(',');
        let bytes: Option<_> = list.split(',').map(|byte| byte.trim().parse::<u8>().ok()).collect();
        Some((from..to, bytes?))
    });
    values.chain(lists).map(|(at, bytes)| (at, String::from_utf8_lossy(&bytes).into_owned()))
}

const BYTES: &str = r#""$u8":""#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_view_is_found_where_it_stood() {
        for (text, shown, part, stood) in [
            (r"a\nb\u00e4c", "a\nbäc", "bä", r"b\u00e4"),
            (r"\ud83d\ude00!\u{e4}\x41\/", "\u{1f600}!äA/", "\u{1f600}", r"\ud83d\ude00"),
            ("x%20y%C3%A4%ff%zz", "x yä%ff%zz", " yä", "%20y%C3%A4"),
            (r"\q \ud83d % \u{110000} \", r"\q \ud83d % \u{110000} \", "", ""),
        ] {
            let Some(view) = View::unescaped(text) else {
                assert_eq!(text, shown);
                continue;
            };
            let at = view.text.find(part).unwrap();
            assert_eq!((&*view.text, &text[view.origin(at..at + part.len())]), (shown, stood));
        }
    }

    #[test]
    fn the_end_of_a_line_belongs_to_a_part_only_inside_it() {
        let text = "a bc\r\n  de\nf";
        let view = View::joined(text).unwrap();
        assert_eq!(view.text, "a bcdef");
        for (part, stood) in [("bc", "bc"), ("cd", "c\r\n  d"), ("def", "de\nf")] {
            let at = view.text.find(part).unwrap();
            assert_eq!(&text[view.origin(at..at + part.len())], stood);
        }
    }

    #[test]
    fn escapes_in_escapes_are_undone_three_times() {
        let texts: Vec<_> = View::all("%25253D").into_iter().map(|view| view.text).collect();
        assert_eq!(texts, ["%253D", "%3D", "="]);
    }
}
