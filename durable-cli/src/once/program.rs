//! The command: started, watched and ended.
#![expect(clippy::disallowed_methods, reason = "the room in which `durable once` starts what it was given")]

use std::cell::Cell;
use std::env;
use std::ffi::OsString;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use durable_runtime::StepKey;
use rustix::process::{Pid, Signal, kill_process};
use tokio::io::AsyncWrite;
use tokio::process::{Child, ChildStderr, ChildStdout, Command};
use tokio::time::timeout;

use super::signals::At;
use super::tee::Tee;

/// How long a command that took too long has to end in order.
const GRACE: Duration = Duration::from_secs(5);

/// How a command has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Code(u8),
    Signal(i32),
    /// It took longer than it may, and was ended.
    TimedOut(Duration),
}

/// Where its two streams go.
pub(super) struct Streams {
    pub(super) stdout: Tee<ChildStdout>,
    pub(super) stderr: Tee<ChildStderr>,
}

/// Who is to read a stream.
pub(super) type Reader = Option<Box<dyn AsyncWrite + Unpin>>;

/// The command, as it is to be started.
pub(super) fn of(line: &[OsString], key: &StepKey, session: &Path) -> Command {
    let mut words = line.iter();
    let mut command = Command::new(words.next().map_or(OsString::new(), OsString::clone));
    command.args(words).stdout(Stdio::piped()).stderr(Stdio::piped());
    told(&mut command, key, session);
    command
}

/// Why the program of a command cannot be started, if it is not there at all, or is no program.
pub(super) fn missing(line: &[OsString]) -> Option<io::Error> {
    let program = Path::new(line.first()?);
    let (is_there, is_program) = match program.components().count() {
        1 if !program.starts_with(".") => {
            let path = env::var_os("PATH").unwrap_or_default();
            let found: Vec<_> = env::split_paths(&path).map(|dir| dir.join(program)).filter(|at| at.exists()).collect();
            (!found.is_empty(), found.iter().any(|at| is_program(at)))
        }
        _ => (program.exists(), is_program(program)),
    };
    let why = if is_there { rustix::io::Errno::ACCESS } else { rustix::io::Errno::NOENT };
    (!is_program).then(|| io::Error::from_raw_os_error(why.raw_os_error()))
}

/// Whether it is a file that somebody may execute.
fn is_program(path: &Path) -> bool {
    path.metadata().is_ok_and(|at| at.is_file() && at.permissions().mode() & 0o111 != 0)
}

/// The verifier, as it is to be started. It ends with the process: it only looks.
pub(super) fn verifier(line: &str, key: &StepKey, session: &Path) -> Command {
    let mut command = Command::new("sh");
    command.arg("-c").arg(line).stdin(Stdio::null()).stdout(Stdio::piped()).kill_on_drop(true);
    told(&mut command, key, session);
    command
}

fn told(command: &mut Command, key: &StepKey, session: &Path) {
    command.env("DURABLE_KEY", key.as_str()).env("DURABLE_TOKEN", key.token().to_string());
    command.env("DURABLE_SESSION", session);
}

impl Streams {
    /// The streams of a program that has been started.
    pub(super) fn of(child: &mut Child, [out, err]: [Reader; 2], keep: usize) -> Self {
        Self { stdout: Tee::new(child.stdout.take(), out, keep), stderr: Tee::new(child.stderr.take(), err, keep) }
    }

    /// Watches the program to its end. What it has started may live on, and have its streams: nobody waits for that.
    pub(super) async fn until_end(&mut self, child: &mut Child) -> io::Result<ExitStatus> {
        let ended = loop {
            tokio::select! {
                ended = child.wait() => break ended,
                () = self.stdout.pass(), if self.stdout.is_open() => {}
                () = self.stderr.pass(), if self.stderr.is_open() => {}
            }
        };
        self.stdout.drain();
        self.stderr.drain();
        ended
    }

    /// Passes on what is left. Gives why one of them was not passed on to its end, unless its reader has gone away.
    pub(super) async fn finish(&mut self) -> Option<io::Error> {
        self.stdout.finish().await;
        self.stderr.finish().await;
        self.stdout.broken.take().or(self.stderr.broken.take())
    }
}

/// Watches the command to its end, or ends it when its time is over.
pub(super) async fn watch(
    child: &mut Child,
    streams: &mut Streams,
    at: &Cell<At>,
    limit: Option<Duration>,
) -> io::Result<End> {
    let pid = child.id().and_then(|id| Pid::from_raw(id.cast_signed()));
    at.set(pid.map_or(At::Record, At::Command));
    let ended = match limit {
        None => streams.until_end(child).await.map(End::of),
        Some(limit) => match timeout(limit, streams.until_end(child)).await {
            Ok(ended) => ended.map(End::of),
            Err(_) => end(child, streams, pid).await.map(|_| End::TimedOut(limit)),
        },
    };
    at.set(At::Record);
    ended
}

/// Ends a command: in order if it does so, else by force.
async fn end(child: &mut Child, streams: &mut Streams, pid: Option<Pid>) -> io::Result<ExitStatus> {
    pid.map(|pid| kill_process(pid, Signal::TERM));
    match timeout(GRACE, streams.until_end(child)).await {
        Ok(ended) => ended,
        Err(_) => {
            child.start_kill()?;
            streams.until_end(child).await
        }
    }
}

impl End {
    pub(super) fn of(status: ExitStatus) -> Self {
        let code = status.code().and_then(|code| u8::try_from(code).ok());
        code.map_or_else(|| Self::Signal(status.signal().unwrap_or_default()), Self::Code)
    }

    /// Its exit code, or the one that a shell gives for it.
    pub(super) fn code(self) -> u8 {
        match self {
            Self::Code(code) => code,
            Self::Signal(signal) => u8::try_from(signal).unwrap_or(0).saturating_add(128),
            Self::TimedOut(_) => 124,
        }
    }
}

impl std::fmt::Display for End {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Code(code) => write!(f, "it ended with exit code {code}"),
            Self::Signal(signal) => write!(f, "it was ended by signal {signal}"),
            Self::TimedOut(limit) => {
                write!(f, "it was ended, for it took longer than {}", humantime::format_duration(*limit))
            }
        }
    }
}
