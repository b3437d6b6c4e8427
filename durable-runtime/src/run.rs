//! The whole life of a process that runs a session.

use std::fmt::Display;
use std::io::{self, Write as _};
use std::path::Path;

use crate::core::secrets::Secrets;
use crate::error::Error;
use crate::outcome::Outcome;
use crate::session::{Session, SessionBuilder, told};

/// Boots the session in `dir`, does `work`, writes the final handoff and ends dormant.
///
/// Return what it gives from `main`: its exit code tells a supervisor, or the next agent, how the process ended. When
/// the work stops, the handoff is printed to standard error, and behind it, as the last line, the outcome and the error.
///
/// The work is the workflow itself, `run(dir, pay)`, or an `async` closure, `run(dir, async |session| pay(session, 3).await)`.
/// A closure that gives a future, `|session| pay(session, 3)`, is none: of it the compiler says that its implementation of
/// `AsyncFnOnce` is not general enough, since a closure cannot name the lifetime of the session in what it gives.
///
/// # Crash safety
///
/// See [`Session::open`] and [`Session::close`].
///
/// # Examples
///
/// ```
/// use durable_runtime::prelude::*;
///
/// #[durable_workflow(goal = "greet {name}")]
/// async fn greet(session: &Session, name: &str) -> Result<String, durable_runtime::Error> {
///     #[read(key = "greeting")]
///     let greeting = format!("hello, {name}");
///     Ok(greeting)
/// }
///
/// #[tokio::main(flavor = "current_thread")]
/// async fn main() {
/// #   let dir = tempfile::tempdir().expect("a directory for the example");
/// #   let dir = dir.path().join("session");
///     let outcome = durable_runtime::run(&dir, async |session| greet(session, "Ada").await).await;
///     assert_eq!(outcome.code(), 0);
/// }
/// ```
pub async fn run<T, E: Display>(dir: impl AsRef<Path>, work: impl AsyncFnOnce(&Session) -> Result<T, E>) -> Outcome {
    Session::builder(dir).run(work).await
}

pub(crate) async fn life<T, E: Display>(
    builder: SessionBuilder,
    work: impl AsyncFnOnce(&Session) -> Result<T, E>,
) -> Outcome {
    let secrets = builder.known_secrets();
    let session = match builder.open().await {
        Ok(session) => session,
        Err(error) => return refused(&error, &secrets),
    };
    for amiss in session.boot_report().amiss() {
        say(amiss);
    }
    let result = work(&session).await.map(drop).map_err(|error| told(&error));
    let outcome = session.outcome(result.is_err());
    let closed = session.clone().close().await;
    if outcome != Outcome::Finished {
        let written = if closed.is_err() { session.written_handoff().await } else { None };
        say(&written.unwrap_or_else(|| session.handoff()));
        // Behind the page, where whoever looks at the end of the output finds it.
        let gave = match outcome {
            Outcome::Cancelled => "a person has cancelled the work, and that is what it has come to",
            _ => "the work gave a value; what it left open stands above",
        };
        let error = result.err().unwrap_or_else(|| gave.to_owned());
        say(&format!("{outcome}: {}", session.redact(&error)));
    }
    match closed {
        Ok(()) => outcome,
        Err(error) if outcome == Outcome::Finished => refused(&error, &secrets),
        Err(error) => {
            say(&session.redact(&error.to_string()));
            outcome
        }
    }
}

fn refused(error: &Error, secrets: &Secrets) -> Outcome {
    let outcome = error.outcome();
    say(&format!("{outcome}: {}", secrets.redact(&error.to_string())));
    outcome
}

/// Speaks to whoever started the process. Where nobody can read it, the work goes on.
fn say(what: &impl Display) {
    writeln!(io::stderr(), "{what}").ok();
}

/// Says it while the work goes on: see [`SessionBuilder::tell_of_waits`](crate::SessionBuilder::tell_of_waits).
pub(crate) fn tell(beginning: &str, what: &impl Display) {
    say(&format_args!("{beginning}{what}"));
}
