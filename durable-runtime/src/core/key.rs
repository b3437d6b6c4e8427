//! Keys: how a template and its holes become the one name of an effect.

mod part;
mod problem;
#[cfg(test)]
mod properties;

use std::fmt::{self, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

pub use part::{FormattedPart, KeyPart};
pub use problem::KeyProblem;
use uuid::Uuid;

use super::time::Timestamp;
use crate::broken::{self, Broken};

/// The longest full key, in bytes of its JSON text: one key must fit into one disk sector of the registry.
pub const MAX_KEY_JSON: usize = 480;

/// Stands between a run's key and what belongs to it. No template and no hole can contain it.
pub const SCOPE: &str = "//";

/// The name of one effect, and the token by which its receiver knows a repeat.
///
/// Visible inside a step, and inside its verifier, as the name given with `key = ".." as name`.
#[derive(Clone, Debug)]
pub struct StepKey {
    full: Arc<str>,
    token: Uuid,
    /// Shared by the clones: a new attempt is seen by whoever holds the key.
    reserved_at: Arc<AtomicU64>,
}

impl StepKey {
    pub(crate) fn new(session: Uuid, full: String) -> Self {
        let token = token(session, &full);
        Self { full: full.into(), token, reserved_at: Arc::new(AtomicU64::new(NEVER)) }
    }

    /// The full key: the run's key and the step's own, joined by `//`.
    pub fn as_str(&self) -> &str {
        &self.full
    }

    /// The same, held together with others.
    pub(crate) fn share(&self) -> Arc<str> {
        Arc::clone(&self.full)
    }

    /// An idempotency token: the same for every attempt, process and machine. Pass it to the receiver, and look it up
    /// in `verify`.
    pub fn token(&self) -> Uuid {
        if let (true, Some(at)) = (broken::is(Broken::TokenOfAttempt), self.reserved_at()) {
            return token(self.token, &format!("{at:?}"));
        }
        self.token
    }

    /// When the newest attempt was reserved; `None` before the first.
    pub fn reserved_at(&self) -> Option<SystemTime> {
        let millis = self.reserved_at.load(Ordering::Relaxed);
        (millis != NEVER).then(|| Timestamp::from_millis(millis).into())
    }

    pub(crate) fn set_reserved_at(&self, at: Timestamp) {
        self.reserved_at.store(at.as_millis(), Ordering::Relaxed);
    }
}

const NEVER: u64 = u64::MAX;

impl fmt::Display for StepKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.full)
    }
}

/// The token of a key: name-based, so that no record is needed to find it again.
pub fn token(session: Uuid, full: &str) -> Uuid {
    Uuid::new_v5(&session, full.as_bytes())
}

/// What fills one hole of a template.
#[derive(Clone, Copy)]
pub enum Hole<'a> {
    /// A value as it is.
    Part(&'a dyn KeyPart),
    /// A value with a format.
    Text(fmt::Arguments<'a>),
}

impl fmt::Debug for Hole<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hole(..)")
    }
}

/// Fills the holes of a template. Every hole is escaped, so that it can neither end a part of the key nor begin one.
///
/// # Errors
///
/// Fails if a hole is empty.
pub fn fill(pieces: &[&str], holes: &[Hole<'_>]) -> Result<String, KeyProblem> {
    let mut key = String::new();
    for (index, piece) in pieces.iter().enumerate() {
        key.push_str(piece);
        let Some(hole) = holes.get(index) else { continue };
        let before = key.len();
        let mut out = Escape(&mut key);
        let written = match hole {
            Hole::Part(part) => part.write_part(&mut out),
            Hole::Text(text) => out.write_fmt(*text),
        };
        if written.is_err() || key.len() == before {
            return Err(KeyProblem::EmptyHole(index));
        }
    }
    Ok(key)
}

/// Whether a key is what a template of this shape can become: a hole holds one or more characters that no hole escapes.
pub fn fits(shape: &str, key: &str) -> bool {
    let mut pieces = pieces(shape).into_iter();
    let Some(rest) = pieces.next().and_then(|first| key.strip_prefix(&*first)) else { return false };
    fits_behind(&pieces.collect::<Vec<_>>(), rest)
}

fn fits_behind(pieces: &[String], text: &str) -> bool {
    let Some((piece, later)) = pieces.split_first() else { return text.is_empty() };
    let hole = text.char_indices().take_while(|(_, c)| !matches!(c, '/' | ':')).map(|(at, c)| at + c.len_utf8());
    hole.into_iter().any(|end| text[end..].strip_prefix(&**piece).is_some_and(|rest| fits_behind(later, rest)))
}

/// What stands between the holes of a shape, its doubled braces undone.
fn pieces(shape: &str) -> Vec<String> {
    let mut pieces = vec![String::new()];
    let mut chars = shape.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('{', Some('}')) => {
                chars.next();
                pieces.push(String::new());
                continue;
            }
            ('{', Some('{')) | ('}', Some('}')) => drop(chars.next()),
            _ => {}
        }
        if let Some(last) = pieces.last_mut() {
            last.push(c);
        }
    }
    pieces
}

/// The formats of the holes of a template as it is written, in order: of `pay/{month:02}/{id}` these are `02` and none.
pub fn formats(template: &str) -> Vec<&str> {
    written_holes(template).into_iter().map(|(_, format)| format).collect()
}

/// Whether what stands in the holes of a workflow's key, as it is written, are inputs: neither its receiver nor a constant,
/// be it one of its generics, is recorded.
pub fn is_of_inputs(template: &str) -> bool {
    let root = |hole: &str| hole.split('.').next().unwrap_or_default().trim().to_owned();
    let mut roots = written_holes(template).into_iter().map(|(hole, _)| root(hole));
    roots.all(|root| root != "self" && !root.starts_with(char::is_uppercase))
}

/// The holes of a template as it is written, each with its format.
fn written_holes(template: &str) -> Vec<(&str, &str)> {
    let mut holes = Vec::new();
    let mut rest = template;
    while let Some((_, inside)) = rest.split_once('{') {
        rest = match inside.strip_prefix('{') {
            Some(text) => text,
            None => {
                let (hole, text) = inside.split_once('}').unwrap_or((inside, ""));
                holes.push(hole.rsplit_once(':').unwrap_or((hole, "")));
                text
            }
        };
    }
    holes
}

/// Joins a key to the run that it belongs to; outside any run it stays as it is.
pub fn scoped(run: &str, key: &str) -> String {
    if run.is_empty() { key.to_owned() } else { format!("{run}{SCOPE}{key}") }
}

/// The runs around the run of this key, the nearest first.
pub fn around(run: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(parent(run), |run| parent(run))
}

/// Whether a run is `outer`, or stands inside it.
pub fn is_inside(run: &str, outer: &str) -> bool {
    run == outer || around(run).any(|run| run == outer)
}

fn parent(run: &str) -> Option<&str> {
    split(run).map(|(parent, _)| parent)
}

/// The run that a full key stands in, and its own part; `None` for one that stands in none.
pub fn split(full: &str) -> Option<(&str, &str)> {
    let bytes = full.as_bytes();
    let mut ends = memchr::memrchr_iter(b'/', bytes);
    let second = ends.find(|&at| at > 0 && bytes[at - 1] == b'/')?;
    Some((&full[..second - 1], &full[second + 1..]))
}

/// Refuses what cannot be a full key.
///
/// # Errors
///
/// Fails if it is empty, has an empty part, holds a control character or is too long.
pub fn check(full: &str) -> Result<(), KeyProblem> {
    if full.is_empty() || full.starts_with('/') || full.ends_with('/') || full.contains("///") {
        return Err(KeyProblem::Reserved("an empty part".to_owned()));
    }
    if let Some(control) = full.chars().find(|c| c.is_control()) {
        return Err(KeyProblem::Reserved(format!("the control character U+{:04X}", u32::from(control))));
    }
    let bytes = json_len(full);
    if bytes > MAX_KEY_JSON { Err(KeyProblem::TooLong(bytes)) } else { Ok(()) }
}

/// Refuses what cannot be one level of a full key.
///
/// # Errors
///
/// Fails as [`check`] does, and if it holds the separator of scopes.
pub fn check_part(part: &str) -> Result<(), KeyProblem> {
    if part.contains(SCOPE) {
        return Err(KeyProblem::Reserved(format!("`{SCOPE}`, which stands between a run and its steps")));
    }
    check(part)
}

/// The bytes of a text as a JSON string, quotes included.
fn json_len(text: &str) -> usize {
    serde_json::to_string(text).map_or(usize::MAX, |json| json.len())
}

/// Percent-escapes what a hole may not say in clear: the separator, the escape itself, `:` and control characters.
struct Escape<'a>(&'a mut String);

impl fmt::Write for Escape<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for c in text.chars() {
            if matches!(c, '/' | '%' | ':') || c.is_control() {
                let mut utf8 = [0; 4];
                for byte in c.encode_utf8(&mut utf8).bytes() {
                    write!(self.0, "%{byte:02X}")?;
                }
            } else {
                self.0.push(c);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(pieces: &[&str], values: &[&str]) -> Result<String, KeyProblem> {
        let holes: Vec<_> = values.iter().map(|value| Hole::Part(value)).collect();
        fill(pieces, &holes)
    }

    #[test]
    fn a_hole_cannot_reach_into_the_next_part() {
        assert_eq!(filled(&["order/", ""], &["7/mail"]).unwrap(), "order/7%2Fmail");
        assert_eq!(filled(&["order/", "/mail"], &["7"]).unwrap(), "order/7/mail");
        assert_eq!(filled(&["", ""], &["50%: a\n"]).unwrap(), "50%25%3A a%0A");
    }

    #[test]
    fn g22_two_parts_never_run_together() {
        let one = filled(&["", "/", ""], &["a/b", "c"]).unwrap();
        let other = filled(&["", "/", ""], &["a", "b/c"]).unwrap();
        assert_ne!(one, other);
    }

    #[test]
    fn a_key_fits_the_shapes_that_it_can_come_from() {
        for (shape, key, is_one) in [
            ("pay/{}", "pay/7", true),
            ("pay/{}", "pay/", false),
            ("pay/{}", "pay/7/mail", false),
            ("pay/{}", "pay/a%2Fb", true),
            ("{}-{}", "a-b-c", true),
            ("a{}a", "aa", false),
            ("a{}a", "aéa", true),
            ("{{{}}}", "{7}", true),
            ("{{}}", "{}", true),
            ("nightly//{}//pay/{}", "nightly//7//pay/1", true),
            ("nightly//{}", "nightly//7//pay", false),
            ("pay", "pay", true),
            ("pay", "payroll", false),
        ] {
            assert_eq!(fits(shape, key), is_one, "{shape} {key}");
        }
    }

    #[test]
    fn a_format_is_escaped_too() {
        assert_eq!(fill(&["pay/", ""], &[Hole::Text(format_args!("{:03}/x", 7))]).unwrap(), "pay/007%2Fx");
    }

    #[test]
    fn an_empty_hole_is_refused() {
        assert_eq!(filled(&["pay/", ""], &[""]), Err(KeyProblem::EmptyHole(0)));
    }

    #[test]
    fn a_key_that_fits_no_sector_is_refused() {
        assert!(check(&"k".repeat(MAX_KEY_JSON - 2)).is_ok());
        assert_eq!(check(&"k".repeat(MAX_KEY_JSON - 1)), Err(KeyProblem::TooLong(MAX_KEY_JSON + 1)));
    }

    #[test]
    fn a_part_cannot_hold_the_separator_of_scopes() {
        assert!(check_part("a//b").is_err());
        assert!(check("a//b").is_ok());
        assert!(check("a///b").is_err());
        assert!(check("").is_err());
    }

    #[test]
    fn the_runs_around_a_run_are_its_prefixes() {
        assert_eq!(around("a//b/1//c").collect::<Vec<_>>(), ["a//b/1", "a"]);
        assert_eq!(around("a").count(), 0);
    }

    #[test]
    fn a_token_depends_on_session_and_key_only() {
        let (one, two) = (Uuid::from_u128(1), Uuid::from_u128(2));
        assert_eq!(token(one, "a"), token(one, "a"));
        assert_ne!(token(one, "a"), token(two, "a"));
        assert_ne!(token(one, "a"), token(one, "b"));
    }
}
