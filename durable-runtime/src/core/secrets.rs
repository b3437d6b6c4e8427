//! What counts as a secret: it is found in what is about to be written, and is written nowhere.

mod known;
mod named;
mod shapes;
mod spans;
mod views;

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use self::known::Known;
use self::spans::Span;
use self::views::{View, packed};

/// What stands where a secret was.
pub const REDACTED: &str = "[redacted]";

/// What counts as a secret, beside what looks like one by its shape: keys and tokens of the well-known issuers, private keys in
/// PEM, passwords in addresses.
///
/// Nothing that counts is written into a session: not into its journal, its views, its registry or its words, and not into what
/// is told while it runs. A key or an input that holds one is refused before anything happens, for their names and values must
/// come back as they were. In the words of an error, a title or a goal `[redacted]` stands in its place. A result is
/// [withheld](crate::side_effect#secrets).
///
/// What a builder names is known to the sessions that it opens. `post`, `adopt` and `audit` are given none, and go by
/// [`Secrets::new`](Secrets::new).
///
/// That is a net, and no proof: a secret that looks like any other word, and that nobody has named here, passes. Better is to
/// let none come near: mark the client that holds it `#[resource]`, and name a variable by an [`EnvRef`](crate::EnvRef).
///
/// ```
/// use durable_runtime::{Secrets, Session};
///
/// # let vault_password = "correct-horse-7";
/// let builder = Session::builder("session").secrets(
///     Secrets::new()
///         .value("the password of the vault", vault_password)
///         .rule("a token of ours", |word| word.starts_with("acme_") && word.len() > 20),
/// );
/// # let _ = builder;
/// ```
#[derive(Clone)]
pub struct Secrets {
    known: Known,
    rules: Vec<Rule>,
    uses_environment: bool,
}

#[derive(Clone)]
struct Rule {
    what: Arc<str>,
    is: Arc<dyn Fn(&str) -> bool + Send + Sync>,
}

impl Secrets {
    /// What looks like a secret, and the values of environment variables with telling names, such as `BANK_TOKEN`.
    pub fn new() -> Self {
        Self { known: Known::default(), rules: Vec::new(), uses_environment: true }
    }

    /// This text is a secret too; `what` says in an error what it is, as "the password of the vault". A text of fewer than four
    /// bytes is passed over: it stands in too many others.
    ///
    /// White space around it is no part of it. It is found as it is, with escapes of JSON, of a program or of an address (and
    /// with those escaped once more), over the ends of lines, and, if it has six bytes or more, in Base64, in hexadecimal, and as
    /// a list of bytes.
    #[must_use]
    pub fn value(mut self, what: &str, value: impl Into<String>) -> Self {
        self.known.add(what, &value.into());
        self
    }

    /// So is a word of which this is true, or a part of one between its `/`. A word is letters, digits, and `_ - . / + ~ %`; `what` says in an error what it is, as
    /// "a token of ours".
    #[must_use]
    pub fn rule(mut self, what: &str, is: impl Fn(&str) -> bool + Send + Sync + 'static) -> Self {
        self.rules.push(Rule { what: what.into(), is: Arc::new(is) });
        self
    }

    /// The values of environment variables are not looked for.
    #[must_use]
    pub fn without_environment(mut self) -> Self {
        self.uses_environment = false;
        self
    }

    /// Looks for the values of those of these variables whose names tell that they hold a secret.
    pub(crate) fn with_variables(mut self, variables: impl Iterator<Item = (String, String)>) -> Self {
        if self.uses_environment {
            for (name, value) in variables.filter(|(name, value)| is_telling(name) && is_secretive(value)) {
                self.known.add(&format!("the value of `${name}`"), &value);
            }
        }
        self
    }

    /// What the text holds that is a secret: the first of it, in words.
    pub fn find<'s>(&'s self, text: &str) -> Option<&'s str> {
        self.spans(text).first().map(|span| span.what)
    }

    /// The text without its secrets, and without what stands behind a name such as `password`.
    pub fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        again(text, |text| {
            let mut spans = self.spans(text);
            spans.extend(named::values(text).map(|at| Span { at, what: "" }));
            spans
        })
    }

    /// The text of a JSON value with a mark for each secret in it; the mark alone, where that would be none.
    pub(crate) fn redact_json(&self, json: &str) -> String {
        let text = again(json, |json| self.spans(json)).into_owned();
        let is_json = serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok();
        if is_json { text } else { format!("\"{REDACTED}\"") }
    }

    /// Where they stand, with their escapes or without.
    fn spans<'s>(&'s self, text: &str) -> Vec<Span<'s>> {
        let mut spans = self.told(text);
        let views = View::all(text);
        for (depth, view) in views.iter().enumerate() {
            let origin = |at| views[..=depth].iter().rev().fold(at, |at, view| view.origin(at));
            spans.extend(self.told(&view.text).into_iter().map(|Span { at, what }| Span { at: origin(at), what }));
        }
        spans
    }

    /// Where they stand as they are, or as the bytes that they are.
    fn told<'s>(&'s self, text: &str) -> Vec<Span<'s>> {
        let mut spans = self.shown(text);
        let first = |text: &str| self.shown(text).first().map(|span| span.what);
        spans.extend(packed(text).filter_map(|(at, text)| Some(Span { at, what: first(&text)? })));
        spans
    }

    /// Where they stand as they are, or over the ends of lines.
    fn shown<'s>(&'s self, text: &str) -> Vec<Span<'s>> {
        let mut spans = spans::shaped(text);
        spans.extend(self.known.spans(text));
        if !self.known.is_empty()
            && let Some(view) = View::joined(text)
        {
            let joined = self.known.spans(&view.text).into_iter();
            spans.extend(joined.map(|Span { at, what }| Span { at: view.origin(at), what }));
        }
        if !self.rules.is_empty() {
            let is = |word: &str| self.rules.iter().find(|rule| (rule.is)(word)).map(|rule| &*rule.what);
            spans.extend(spans::words(text).filter_map(|at| Some(Span { what: is(&text[at.clone()])?, at })));
        }
        spans
    }
}

impl Default for Secrets {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Secrets {
    /// Without the secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = self.known.names().chain(self.rules.iter().map(|rule| &rule.what));
        f.debug_set().entries(what).finish()
    }
}

/// The text without what looks like a secret, where no session says what else is one.
pub(crate) fn redact(text: &str) -> Cow<'_, str> {
    Secrets::new().redact(text)
}

/// Whether a variable of this name holds a secret: its last word says so. A number behind it says which.
fn is_telling(name: &str) -> bool {
    const TELLING: &[&str] = &[
        "TOKEN",
        "SECRET",
        "PASSWORD",
        "PASSWD",
        "PASS",
        "PGPASSWORD",
        "PASSPHRASE",
        "CREDENTIAL",
        "CREDENTIALS",
        "APIKEY",
        "SSHPASS",
    ];
    /// The same behind another word.
    const TELLING_BEHIND: &[&str] = &["KEY", "PWD", "PW", "PAT", "AUTH"];
    /// What a key is that anybody may have.
    const OPEN: &[&str] = &["PUBLIC", "SORT", "PRIMARY", "FOREIGN", "PARTITION", "CACHE"];
    let name = name.to_ascii_uppercase();
    let mut words = name.split('_').rev().skip_while(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
    let (last, before) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    TELLING.contains(&last) || TELLING_BEHIND.contains(&last) && !before.is_empty() && !OPEN.contains(&before)
}

/// Whether the value of such a variable is the secret itself: neither where that is to be found, nor a word of every day.
fn is_secretive(value: &str) -> bool {
    let kinds = kinds(value);
    let begins =
        value.starts_with(['/', '.', '~']) || ["file:", "http:", "https:"].iter().any(|at| value.starts_with(at));
    // One in sixty-four of all keys in Base64 begins with a `/`.
    let is_place = begins && !value.split('/').any(|part| part.len() >= 16 && self::kinds(part) == 3);
    !is_place && ((value.len() >= 6 && kinds >= 3) || (value.len() >= 8 && kinds >= 2) || value.len() >= 20)
}

/// How many there are of these in it: small letters, capitals, digits.
fn kinds(text: &str) -> usize {
    let has = |is: fn(&u8) -> bool| usize::from(text.bytes().any(|byte| is(&byte)));
    has(u8::is_ascii_lowercase) + has(u8::is_ascii_uppercase) + has(u8::is_ascii_digit)
}

/// The text without what is found, and without what is found then: behind a mark a word begins.
fn again<'t, 's>(text: &'t str, find: impl Fn(&str) -> Vec<Span<'s>>) -> Cow<'t, str> {
    let mut text = without(text, find(text));
    for _ in 0..PASSES {
        let Cow::Owned(once) = &text else { break };
        let spans = find(once);
        if spans.is_empty() {
            break;
        }
        text = Cow::Owned(without(once, spans).into_owned());
    }
    text
}

/// More secrets do not stand one at the other.
const PASSES: usize = 16;

/// The text with a mark in the place of each span.
fn without<'t>(text: &'t str, mut spans: Vec<Span<'_>>) -> Cow<'t, str> {
    if spans.is_empty() {
        return Cow::Borrowed(text);
    }
    spans.sort_unstable_by_key(|span| span.at.start);
    let (mut out, mut done) = (String::with_capacity(text.len()), 0);
    for Span { at, .. } in spans {
        if at.start >= done {
            out.push_str(&text[done..at.start]);
            out.push_str(REDACTED);
        }
        done = done.max(at.end);
    }
    out.push_str(&text[done..]);
    Cow::Owned(out)
}

#[cfg(test)]
mod tests;
