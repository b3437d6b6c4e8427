//! Text from outside, made harmless: one line, bounded, with nothing in it that a terminal or a Markdown reader obeys.

use std::fmt::{Display, Write as _, from_fn};

/// The longest value that a hole of a title or goal shows, in bytes.
const MAX_HOLE: usize = 80;

/// The longest title or goal, in bytes: enough for 120 characters written in the code and a few holes.
const MAX_TEXT: usize = 400;

/// A title or a goal: the words of the code as they are, and the values in its holes in quotes, cleaned and cut.
///
/// A value that is a plain number needs no quotes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text(String);

impl Text {
    /// Fills the holes between the pieces.
    pub fn new(pieces: &[&str], holes: &[&dyn Display]) -> Self {
        let mut text = String::new();
        for (index, piece) in pieces.iter().enumerate() {
            text.push_str(piece);
            if let Some(hole) = holes.get(index) {
                text.push_str(&in_quotes(hole));
            }
        }
        Self(clean(&text, MAX_TEXT))
    }

    /// The text.
    pub fn into_string(self) -> String {
        self.0
    }
}

impl Display for Text {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// A number and what is counted.
pub fn count<N: Display + PartialEq + From<u8>>(number: N, one: &str, many: &str) -> impl Display {
    from_fn(move |f| write!(f, "{number} {}", if number == N::from(1) { one } else { many }))
}

/// One line of at most `max` bytes; what was longer ends with an ellipsis and its whole length.
pub fn clean(text: &str, max: usize) -> String {
    if is_simple(text, max) {
        return text.to_owned();
    }
    Cut::of(text, max, &is_hidden).whole()
}

/// A text as it is shown. Most are fit to be shown as they are, and are not copied for it.
#[derive(Clone, Debug)]
pub enum Shown<'a> {
    /// As it is.
    Plain(&'a str),
    /// In a code span.
    Span(&'a str),
    /// Made fit.
    Made(String),
}

impl Shown<'_> {
    /// Whether it ends as a sentence does.
    pub fn is_ended(&self) -> bool {
        match self {
            Self::Plain(text) => text.ends_with(STOPS),
            Self::Span(_) => false,
            Self::Made(text) => text.ends_with(STOPS),
        }
    }
}

/// What a sentence ends with.
const STOPS: [char; 3] = ['.', '!', '?'];

impl Display for Shown<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Plain(text) => f.write_str(text),
            Self::Span(text) => ["`", text, "`"].into_iter().try_for_each(|part| f.write_str(part)),
            Self::Made(text) => f.write_str(text),
        }
    }
}

/// The same in a code span that nothing inside can end.
pub fn quoted(text: &str, max: usize) -> Shown<'_> {
    if is_simple(text, max) {
        return Shown::Span(text);
    }
    let cut = Cut::of(text, max, &unfit(text));
    let span = code_span(&cut.shown);
    Shown::Made(if cut.is_whole { span } else { format!("{span} ({} bytes)", text.len()) })
}

/// The same of a text whose end says what to do about it: a long one is cut in the middle.
pub fn quoted_at_both_ends(text: &str, max: usize) -> Shown<'_> {
    in_the_middle(text, max, max / 2)
}

/// A text in a code span; a long one is cut behind so many bytes of its beginning.
fn in_the_middle(text: &str, max: usize, head: usize) -> Shown<'_> {
    if is_simple(text, max) {
        return Shown::Span(text);
    }
    let unfit = unfit(text);
    let whole = Cut::of(text, usize::MAX, &unfit).shown;
    if whole.len() <= max {
        return Shown::Made(code_span(&whole));
    }
    Shown::Made(format!("{} ({} bytes)", code_span(&both_ends(&whole, head, max - head)), text.len()))
}

/// About as many bytes of the beginning, and of the end.
fn both_ends(text: &str, head: usize, tail: usize) -> String {
    let head = text.floor_char_boundary(head);
    let tail = text.ceil_char_boundary(text.len() - tail);
    format!("{}…{}", &text[..head], &text[tail..])
}

/// Words that are meant to be read as such: plain where every character is, else [`quoted`].
pub fn words(text: &str, max: usize) -> Shown<'_> {
    if is_simple(text, max) {
        let all_plain = text.bytes().all(|byte| PLAIN[usize::from(byte)]);
        return if all_plain && !is_linked(text) { Shown::Plain(text) } else { Shown::Span(text) };
    }
    let all_plain = text.chars().take(max).all(|c| is_plain(c) && !is_hidden(c));
    if all_plain && !is_linked(text) { Shown::Made(clean(text, max)) } else { quoted(text, max) }
}

/// Which characters of ASCII are read as words, and nothing else.
const PLAIN: [bool; 256] = {
    let mut plain = [false; 256];
    let marks = b" .,:;'\"-_/()#%+=?!{}$";
    let mut byte = 0;
    while byte < 128 {
        plain[byte] = (byte as u8).is_ascii_alphanumeric();
        byte += 1;
    }
    let mut mark = 0;
    while mark < marks.len() {
        plain[marks[mark] as usize] = true;
        mark += 1;
    }
    plain
};

fn is_plain(c: char) -> bool {
    if c.is_ascii() { PLAIN[c as usize] } else { c.is_alphanumeric() || "€—–".contains(c) }
}

/// What readers make links of without being asked to.
fn is_linked(text: &str) -> bool {
    let has = |first: u8, link: &[u8]| {
        memchr::memchr_iter(first, text.as_bytes()).any(|at| text.as_bytes()[at..].starts_with(link))
    };
    has(b'/', b"//") || has(b'w', b"www.")
}

/// A key in a code span. A key tells most at its end, so a long one is cut in the middle.
pub fn key(key: &str, max: usize) -> Shown<'_> {
    in_the_middle(key, max, max / 3)
}

/// The text as one word of a shell, whatever is in it; what a terminal would obey is written as escapes, which `bash`, `zsh` and
/// `ksh` read.
pub fn shell(text: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || "/._-+,=@%:".contains(c);
    if !text.is_empty() && !text.starts_with(['-', '=']) && text.chars().all(is_bare) {
        return text.to_owned();
    }
    if !text.contains(is_hidden) {
        return format!("'{}'", text.replace('\'', r"'\''"));
    }
    let mut word = String::from("$'");
    for c in text.chars() {
        match c {
            '\'' | '\\' => word.extend(['\\', c]),
            c if is_hidden(c) => word.push_str(&format!("\\U{:08x}", u32::from(c))),
            c => word.push(c),
        }
    }
    word + "'"
}

/// What stands behind the name of a command about `key`: `says` is one word or options, and `signed` options. A key that reads as an
/// option stands last, behind `--`.
pub fn about(key: &str, says: &str, signed: &str) -> String {
    let (word, is_option) = (shell(key), says.starts_with('-'));
    let parts = match key.starts_with('-') {
        false => [&*word, says, signed, ""],
        true if is_option => [says, signed, "--", &word],
        true => [signed, "--", &word, says],
    };
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

/// What is said of an attempt. Of any but the first its number is said as well: an answer about an earlier one that is typed once
/// more is none about this.
pub fn of_attempt(says: &str, attempt: u32) -> String {
    if attempt > 1 { format!("{says} --attempt {attempt}") } else { says.to_owned() }
}

/// Any text in a code span: its run of backticks is longer than any inside.
pub fn code_span(text: &str) -> String {
    let runs = || text.split(|c| c != '`').map(str::len);
    let longest = if text.contains('`') { runs().max().unwrap_or(0) } else { 0 };
    let fence = "`".repeat(longest + 1);
    // A space on both sides is taken off by readers; without it a backtick would join the fence.
    let pad = if longest > 0 || text.trim() != text || text.is_empty() { " " } else { "" };
    [&fence, pad, text, pad, &fence].concat()
}

/// Whether a text is what nearly every text is: short, visible, and without anything that a code span could end with.
fn is_simple(text: &str, max: usize) -> bool {
    let bytes = text.as_bytes();
    let is_edge = |byte: Option<&u8>| byte.is_some_and(|byte| *byte != b' ');
    let is_visible = |byte: &u8| matches!(byte, b' '..=b'~') && *byte != b'`';
    text.len() <= max && is_edge(bytes.first()) && is_edge(bytes.last()) && bytes.iter().all(is_visible)
}

fn in_quotes(hole: &dyn Display) -> String {
    let mut value = String::new();
    // Not `to_string`, which panics when the value's own code fails to write itself.
    write!(value, "{hole}").ok();
    let is_number = |c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | ',');
    if !value.is_empty() && value.len() <= MAX_HOLE && value.chars().all(is_number) {
        return value;
    }
    let special = |c| is_hidden(c) || matches!(c, '"' | '\\');
    format!("\"{}\"", Cut::of(&value, MAX_HOLE, &special).whole())
}

/// What is escaped in a code span: beside [`is_hidden`] characters, backticks that would make its fences long.
fn unfit(text: &str) -> impl Fn(char) -> bool + use<> {
    let many = text.contains("````");
    move |c| is_hidden(c) || (many && c == '`')
}

/// The beginning of a text, escaped.
struct Cut {
    shown: String,
    is_whole: bool,
    bytes: usize,
}

impl Cut {
    /// Takes characters until the next one would not leave room for an ellipsis.
    fn of(text: &str, max: usize, escaped: &dyn Fn(char) -> bool) -> Self {
        if text.len() <= max && !text.contains(escaped) {
            return Self { shown: text.to_owned(), is_whole: true, bytes: text.len() };
        }
        let mut shown = String::new();
        let mut room = 0;
        for c in text.chars() {
            if escaped(c) {
                shown.push_str(&escape(c));
            } else {
                shown.push(c);
            }
            if shown.len() > max {
                shown.truncate(room);
                shown.push('…');
                return Self { shown, is_whole: false, bytes: text.len() };
            }
            if shown.len() + '…'.len_utf8() <= max {
                room = shown.len();
            }
        }
        Self { shown, is_whole: true, bytes: text.len() }
    }

    fn whole(self) -> String {
        if self.is_whole { self.shown } else { format!("{} ({} bytes)", self.shown, self.bytes) }
    }
}

fn escape(c: char) -> String {
    if c == '`' { c.escape_unicode().to_string() } else { c.escape_default().to_string() }
}

/// Whether a character is obeyed rather than seen: it moves a cursor, turns the writing direction, joins or hides.
pub fn is_hidden(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_control();
    }
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_obeys_is_shown_instead() {
        let hostile = "a\n# b\u{1b}[2J\u{202e}\u{200b}\u{e0041}\u{7f}\u{85}";
        assert_eq!(clean(hostile, 200), r"a\n# b\u{1b}[2J\u{202e}\u{200b}\u{e0041}\u{7f}\u{85}");
    }

    #[test]
    fn the_short_way_gives_what_the_long_one_gives() {
        for text in ["a", "a b", " a", "a ", "", "`", "a\u{7f}", "a\n", "äö", "a//b", "www.a", "x~y", "a<b"] {
            assert_eq!(
                is_simple(text, 9),
                code_span(&Cut::of(text, 9, &unfit(text)).shown) == format!("`{text}`") && text.is_ascii()
            );
        }
        let plain = |c: &char| c.is_alphanumeric() || " .,:;'\"-_/()#%+=?!{}$€—–".contains(*c);
        assert!(('\0'..='\u{3000}').all(|c| is_plain(c) == plain(&c)));
    }

    #[test]
    fn a_long_text_says_how_long_it_was() {
        assert_eq!(clean("abcdefgh", 8), "abcdefgh");
        assert_eq!(clean("abcdefghi", 8), "abcde… (9 bytes)");
        assert_eq!(quoted("äöüäöü", 8).to_string(), "`äö…` (12 bytes)");
    }

    #[test]
    fn no_backticks_end_a_code_span() {
        assert_eq!(quoted("a", 9).to_string(), "`a`");
        assert_eq!(quoted("a``b", 9).to_string(), "``` a``b ```");
        assert_eq!(quoted("````", 99).to_string(), r"`\u{60}\u{60}\u{60}\u{60}`");
        assert_eq!(quoted("", 9).to_string(), "`  `");
    }

    #[test]
    fn words_stay_words_unless_they_could_be_markup() {
        assert_eq!(words("pay $1 to \"Bob\"", 99).to_string(), "pay $1 to \"Bob\"");
        assert_eq!(words("![x](http://evil)", 99).to_string(), "`![x](http://evil)`");
        assert_eq!(words("a <b>", 99).to_string(), "`a <b>`");
    }

    #[test]
    fn a_long_key_keeps_its_end() {
        assert_eq!(key("payroll/2026-09//pay/4711", 99).to_string(), "`payroll/2026-09//pay/4711`");
        assert_eq!(key("payroll/2026-09//pay/4711", 12).to_string(), "`payr…pay/4711` (25 bytes)");
    }

    #[test]
    fn a_long_error_keeps_its_beginning_and_its_end() {
        assert_eq!(quoted_at_both_ends("abc", 6).to_string(), "`abc`");
        assert_eq!(quoted_at_both_ends("abcdefghij", 6).to_string(), "`abc…hij` (10 bytes)");
        assert_eq!(quoted_at_both_ends("äöüäöü", 7).to_string(), "`ä…öü` (12 bytes)");
        assert_eq!(quoted_at_both_ends("a\n# b", 99).to_string(), r"`a\n# b`");
    }

    #[test]
    fn a_key_that_reads_as_an_option_stands_behind_all_of_them() {
        assert_eq!(about("pay/1", "--happened", "--by WHO"), "pay/1 --happened --by WHO");
        assert_eq!(about("-x", "--happened", "--by WHO"), "--happened --by WHO -- '-x'");
        assert_eq!(about("-x", "approve", "--by WHO"), "--by WHO -- '-x' approve");
    }

    #[test]
    fn a_shell_reads_one_word_and_no_command() {
        let table = [
            ("payroll/2026-09//pay/4711", "payroll/2026-09//pay/4711"),
            ("a b", "'a b'"),
            ("it's", r"'it'\''s'"),
            ("$(rm -r ~)`id`;\\", r"'$(rm -r ~)`id`;\'"),
            ("-x", "'-x'"),
            ("", "''"),
            ("ä~", "'ä~'"),
            ("a'\\\u{202e}", r"$'a\'\\\U0000202e'"),
        ];
        for (text, word) in table {
            assert_eq!(shell(text), word);
        }
    }

    #[test]
    fn a_hole_stands_in_quotes_that_it_cannot_close() {
        let text = Text::new(&["pay ", " to ", ""], &[&250, &"Bob\" and run `rm`"]);
        assert_eq!(text.into_string(), r#"pay 250 to "Bob\" and run `rm`""#);
    }

    #[test]
    fn a_value_that_cannot_write_itself_brings_nothing_down() {
        struct Broken;
        impl Display for Broken {
            fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                Err(std::fmt::Error)
            }
        }
        assert_eq!(Text::new(&["pay ", ""], &[&Broken]).into_string(), "pay \"\"");
    }

    #[test]
    fn a_title_has_a_bound() {
        let long = "x".repeat(9_000);
        let holes: Vec<&dyn Display> = vec![&long; 20];
        assert!(Text::new(&[""; 21], &holes).into_string().len() < MAX_TEXT + 20);
    }
}
