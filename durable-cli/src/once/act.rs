//! The effect and its verifier, as the step calls them.

use std::cell::{Cell, RefCell};
use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::Path;
use std::time::Duration;

use durable_runtime::{Error, Failure, Session, StepKey, Verdict};
use tokio::io::AsyncWrite;

use super::left::Left;
use super::program::{self, End, Streams};
use super::recorded::ExitAndOutput;
use super::signals::At;
use crate::output::say;

/// How the command is run, and what became of it in this process.
pub(super) struct Act<'a> {
    pub(super) session: &'a Session,
    /// Where the session is, for the command.
    pub(super) place: &'a Path,
    pub(super) line: &'a [OsString],
    /// The exit codes that say that it happened, besides 0.
    pub(super) ok: &'a [u8],
    /// The exit codes that prove that nothing happened.
    pub(super) rejected: &'a [u8],
    pub(super) timeout: Option<Duration>,
    pub(super) settle: Duration,
    pub(super) keep: usize,
    /// Whether what it prints is not passed on but told in the answer.
    pub(super) is_told: bool,
    pub(super) at: &'a Cell<At>,
    pub(super) seen: RefCell<Seen>,
}

/// What became of the command in this process.
#[derive(Default)]
pub(super) struct Seen {
    /// How it ended, if it ran.
    pub(super) end: Option<End>,
    /// What it printed and nobody has read yet.
    pub(super) streams: Option<Streams>,
    /// Whether the verifier found that it happened.
    pub(super) is_verified: bool,
    /// Why the verifier could not tell.
    pub(super) untold: Option<String>,
    /// The newest attempt, where its result is not known; 0 where that is not known either.
    pub(super) attempt: u32,
    /// What it may have left running.
    left: Option<Left>,
}

/// Why a command has no result.
#[derive(Debug)]
pub(super) enum Undone {
    /// It could not be started.
    NotStarted { program: String, error: io::Error },
    /// It ended otherwise than it does when it has happened.
    Ended { end: End, words: String },
    /// Its end could not be seen.
    Lost(io::Error),
    /// The session goes no further.
    Session(Error),
}

impl Act<'_> {
    /// Runs the command, with the lock of the session: so nobody verifies it, or runs it again, while it acts.
    pub(super) async fn run(&self, key: StepKey) -> Result<ExitAndOutput, Undone> {
        let lent = self.session.lend_lock()?;
        let mut command = program::of(self.line, &key, self.place);
        self.at.set(At::Record);
        let started = Left::new().and_then(|(left, inherited)| {
            let child = command.spawn()?;
            drop(inherited);
            Ok((left, child))
        });
        let (left, mut child) = match started {
            Ok(started) => started,
            Err(error) => {
                lent.take_back();
                let program = self.line.first().map(|program| program.to_string_lossy().into_owned());
                return Err(Undone::NotStarted { program: program.unwrap_or_default(), error });
            }
        };
        let mut streams = Streams::of(&mut child, self.readers(), self.keep);
        let end = program::watch(&mut child, &mut streams, self.at, self.timeout).await.map_err(Undone::Lost)?;
        let recorded = self.recorded(&streams, end.code());
        let mut seen = self.seen.borrow_mut();
        (seen.end, seen.streams) = (Some(end), Some(streams));
        match end {
            End::Code(code) if code == 0 || self.ok.contains(&code) => {
                lent.take_back();
                Ok(recorded)
            }
            End::Code(code) if self.rejected.contains(&code) => {
                lent.take_back();
                Err(Undone::Ended { end, words: last_line(&recorded) })
            }
            // Something that it has started may still act: that keeps the lock.
            end => {
                seen.left = Some(left);
                Err(Undone::Ended { end, words: last_line(&recorded) })
            }
        }
    }

    /// What the end of the command proves.
    pub(super) fn classify(&self, undone: &Undone) -> Failure {
        match undone {
            Undone::NotStarted { .. } | Undone::Session(_) => Failure::rejected(),
            Undone::Ended { end: End::Code(code), .. } if self.rejected.contains(code) => {
                Failure::rejected().with_code(code)
            }
            Undone::Ended { .. } | Undone::Lost(_) => Failure::unknown(),
        }
    }

    /// Asks the verifier, once nothing runs any more that the command has started.
    pub(super) async fn verify(&self, line: &str, key: StepKey) -> Verdict<ExitAndOutput> {
        self.at.set(At::Rest);
        let left = self.seen.borrow_mut().left.take();
        if let Some(mut left) = left
            && tokio::time::timeout(Duration::from_millis(1), left.has_ended()).await.is_err()
        {
            say(&format!("`{key}`: waiting for what the command has left running, before its verifier is asked"));
            left.has_ended().await;
            return Verdict::NotYet(self.settle);
        }
        let verdict = self.ask(line, &key).await;
        let mut seen = self.seen.borrow_mut();
        match &verdict {
            Verdict::Happened(_) => seen.is_verified = true,
            Verdict::Unknown(why) => seen.untold = Some(why.clone()),
            _ => {}
        }
        verdict
    }

    async fn ask(&self, line: &str, key: &StepKey) -> Verdict<ExitAndOutput> {
        let asked = async {
            let mut child = program::verifier(line, key, self.place).spawn()?;
            let mut streams = Streams::of(&mut child, [None, None], self.keep);
            let status = streams.until_end(&mut child).await?;
            Ok::<_, io::Error>((End::of(status), self.recorded(&streams, 0)))
        };
        match asked.await {
            Ok((End::Code(0), recorded)) => Verdict::Happened(recorded),
            Ok((End::Code(1), _)) => Verdict::DidNotHappen,
            Ok((end, _)) => Verdict::Unknown(format!("its verifier cannot tell: {end}")),
            Err(error) => Verdict::Unknown(format!("its verifier could not be run: {error}")),
        }
    }

    /// What is recorded of a program that has ended.
    fn recorded(&self, streams: &Streams, exit: u8) -> ExitAndOutput {
        let (stdout, stdout_cut) = streams.stdout.kept.printed(self.session);
        let (stderr, stderr_cut) = streams.stderr.kept.printed(self.session);
        ExitAndOutput { exit, stdout, stderr, stdout_cut, stderr_cut }
    }

    fn readers(&self) -> [program::Reader; 2] {
        let stdout = (!self.is_told).then(|| Box::new(tokio::io::stdout()) as Box<dyn AsyncWrite + Unpin>);
        [stdout, Some(Box::new(tokio::io::stderr()))]
    }
}

/// What a program says last of its failure.
fn last_line(recorded: &ExitAndOutput) -> String {
    let text = String::from_utf8_lossy(&recorded.stderr.0);
    text.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default().to_owned()
}

impl From<Error> for Undone {
    fn from(error: Error) -> Self {
        Self::Session(error)
    }
}

impl fmt::Display for Undone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotStarted { program, error } => write!(f, "`{program}` could not be started: {error}"),
            Self::Ended { end, words } if words.is_empty() => end.fmt(f),
            Self::Ended { end, words } => write!(f, "{end}: {words}"),
            Self::Lost(error) => write!(f, "its end could not be seen: {error}"),
            Self::Session(error) => error.fmt(f),
        }
    }
}
