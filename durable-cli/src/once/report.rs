//! What is said of a call when it ends.

use std::io;

use durable_runtime::core::text;
use durable_runtime::{Error, Outcome};
use serde::Serialize;
use serde_json::value::RawValue;

use super::Once;
use super::act::{Seen, Undone};
use super::program::End;
use super::recorded::ExitAndOutput;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Output, say};

/// What a call has come to.
pub(super) struct Report {
    answer: Answer,
    /// The recorded output, where it is to be printed again.
    again: Option<ExitAndOutput>,
    /// What is said on standard error.
    words: Option<String>,
}

/// The same for a program.
#[derive(Serialize)]
struct Answer {
    key: String,
    outcome: &'static str,
    exit: u8,
    /// How the command ended, if it ran in this call.
    #[serde(skip_serializing_if = "Option::is_none")]
    ended: Option<Ended>,
    /// What is recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Ended {
    Exit(u8),
    Signal(i32),
    TimedOut(bool),
}

impl Report {
    pub(super) fn of(once: &Once, done: Result<ExitAndOutput, Undone>, seen: &Seen) -> Self {
        match done {
            Ok(result) => Self::done(once, result, seen),
            Err(undone) => Self::undone(once, &undone, seen),
        }
    }

    /// The program is not there, and the session knows nothing of the key: nothing is begun, and the key is free.
    pub(super) fn missing(once: &Once, error: &io::Error) -> Self {
        let program = once.command.first().map(|program| program.to_string_lossy()).unwrap_or_default();
        let (outcome, exit, words) = not_started(error, &format!("`{program}` could not be started: {error}"));
        let answer = Answer { error: Some(words.clone()), ..Answer::of(once, outcome, exit, &Seen::default()) };
        Self { answer, again: None, words: Some(words) }
    }

    fn done(once: &Once, result: ExitAndOutput, seen: &Seen) -> Self {
        let (outcome, words) = match seen {
            Seen { is_verified: true, .. } => {
                ("verified", Some(format!("`{}` has happened, says its verifier", once.key)))
            }
            Seen { end: Some(_), .. } => ("ran", None),
            _ => (
                "replayed",
                Some(format!("`{}` was done before: nothing was run, and this is what was recorded", once.key)),
            ),
        };
        let cut = [(result.stdout_cut, "output"), (result.stderr_cut, "standard error")];
        let cut = cut.iter().filter(|(cut, _)| *cut > 0 && words.is_some());
        let cut = cut.map(|(cut, of)| format!("; {cut} bytes at the end of its {of} were not kept"));
        let words = words.as_ref().map(|words| words.clone() + &cut.collect::<String>());
        let recorded = durable_runtime::core::value::encode(&result).ok();
        let recorded = recorded.and_then(|stored| RawValue::from_string(stored.get().to_owned()).ok());
        let answer = Answer { result: recorded, ..Answer::of(once, outcome, result.exit, seen) };
        Self { answer, again: words.is_some().then_some(result), words }
    }

    fn undone(once: &Once, undone: &Undone, seen: &Seen) -> Self {
        let (outcome, exit, words) = match undone {
            Undone::NotStarted { error, .. } => not_started(error, &undone.to_string()),
            Undone::Session(error) => not_taken(once, error, seen),
            Undone::Ended { end, .. } => ended(once, *end, seen),
            Undone::Lost(_) => in_doubt(once, &undone.to_string(), seen),
        };
        let error = Some(words.clone());
        Self { answer: Answer { error, ..Answer::of(once, outcome, exit, seen) }, again: None, words: Some(words) }
    }

    /// Prints it, and gives the exit code. `broken` is why the output was not passed on to its end while the command ran.
    pub(super) fn tell(self, output: &Output, broken: Option<io::Error>) -> Result<Exit, Failure> {
        if let Some(words) = &self.words {
            say(words);
        }
        let printed = match &self.again {
            _ if output.is_json() => output.json(&self.answer),
            Some(again) => again.print().map_err(Failure::from),
            None => Ok(()),
        };
        let exit = Exit::of_command(self.answer.exit);
        match printed.and(broken.map_or(Ok(()), |error| Err(error.into()))) {
            // Whoever reads no more has read enough: the exit code is the recorded one all the same.
            Ok(()) | Err(Failure { text: None, .. }) => Ok(exit),
            Err(unprinted) => self.unprinted(exit, unprinted),
        }
    }

    /// Says that not all was printed; where the effect has happened, the exit code says so too.
    fn unprinted(&self, exit: Exit, Failure { exit: unprinted, text }: Failure) -> Result<Exit, Failure> {
        let why = text.unwrap_or_default();
        if self.answer.error.is_some() {
            say(&why);
            return Ok(exit);
        }
        let key = &self.answer.key;
        let text = format!(
            "`{key}` has happened, which is recorded with exit code {}: it is not run again; {why}, and the same call prints what is recorded",
            exit.code()
        );
        Err(Failure::new(unprinted, text))
    }
}

/// The program could not be started.
fn not_started(error: &io::Error, why: &str) -> (&'static str, u8, String) {
    let exit = if error.kind() == io::ErrorKind::NotFound { 127 } else { 126 };
    ("failed", exit, format!("{why}: nothing has happened; once it can be started, call this again"))
}

/// The command ended otherwise than it does when it has happened, and the step goes no further in this call.
fn ended(once: &Once, end: End, seen: &Seen) -> (&'static str, u8, String) {
    let key = &once.key;
    let is_rejected = matches!(end, End::Code(code) if once.rejected.contains(&code));
    match (is_rejected, &once.verify, once.idempotent) {
        (true, ..) => (
            "failed",
            end.code(),
            format!("`{key}`: {end}, which proves that nothing has happened; the next call runs it again"),
        ),
        (_, Some(_), _) => (
            "failed",
            end.code(),
            format!("`{key}`: {end}, and nothing has happened, says its verifier; the next call runs it again"),
        ),
        (.., true) => (
            "failed",
            end.code(),
            format!(
                "`{key}`: {end}, and it may have happened all the same; the next call runs it again, with the same token"
            ),
        ),
        _ => in_doubt(once, &end.to_string(), seen),
    }
}

/// The session did not let the step come to its end.
fn not_taken(once: &Once, error: &Error, seen: &Seen) -> (&'static str, u8, String) {
    let key = &once.key;
    let exit = error.outcome().code();
    match error.outcome() {
        Outcome::InDoubt => {
            let why = seen.untold.clone().or_else(|| seen.end.map(|end| end.to_string()));
            let why = why.unwrap_or_else(|| "the call that ran it has not come to its end".to_owned());
            in_doubt(once, &why, seen)
        }
        Outcome::Conflict => (
            "conflict",
            exit,
            format!(
                "key `{key}` was used before for something else: nothing was run; give it the command that it had, or this effect a key of its own ({})",
                told(once, error)
            ),
        ),
        // It has run, and what it came to is not recorded, as on a full disk: the next call knows no more than after a crash.
        Outcome::Stopped if seen.end.is_some() => ("in_doubt", Outcome::InDoubt.code(), told(once, error)),
        outcome => (Exit::from(outcome).word(), exit, told(once, error)),
    }
}

/// The text of an error for whoever types commands.
fn told(once: &Once, error: &Error) -> String {
    let text = once.opening.session.in_commands(&error.to_string());
    text.replace("key template ", "key ").replace(OF_A_TEMPLATE, "put an id in its place; nothing was run")
}

/// What the library says to whoever writes a key into code.
const OF_A_TEMPLATE: &str = "put an id into the hole; or, if it is none, write `secrets = \"allow\"` beside the key";

fn in_doubt(once: &Once, why: &str, seen: &Seen) -> (&'static str, u8, String) {
    let (key, who) = (&once.key, once.who());
    let resolve = |says| {
        let about = text::about(key, &text::of_attempt(says, seen.attempt), "--by WHO --because WHY");
        once.opening.session.command(&format!("resolve {about}"))
    };
    let (happened, absent) = (resolve("--happened --value OUTPUT"), resolve("--did-not-happen"));
    let again = match once.verify {
        Some(_) => "call this again, for each call asks the verifier; if it still cannot tell, ",
        None => "",
    };
    let words = format!(
        "`{key}` is in doubt: it may have happened ({why}), and is not run again before that is known; {again}ask {who}, and say \
         what is true: `{happened}`, where OUTPUT is what it would have printed, as a JSON string, or `{absent}`; then call this \
         again"
    );
    ("in_doubt", Outcome::InDoubt.code(), words)
}

impl Answer {
    fn of(once: &Once, outcome: &'static str, exit: u8, seen: &Seen) -> Self {
        let ended = seen.end.map(|end| match end {
            End::Code(code) => Ended::Exit(code),
            End::Signal(signal) => Ended::Signal(signal),
            End::TimedOut(_) => Ended::TimedOut(true),
        });
        Self { key: once.key.clone(), outcome, exit, ended, result: None, error: None }
    }
}
