//! `durable once`

mod act;
mod left;
mod printed;
mod program;
pub(crate) mod recorded;
mod report;
mod signals;
mod tee;

use std::cell::Cell;
use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::time::Duration;

use clap::{ArgGroup, Args};
use durable_runtime::core::key::{self, KeyProblem};
use durable_runtime::{Session, StepKey, inspect};

use crate::agent::opening::Opening;
use crate::args::{duration, words};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{self, Output};
use act::{Act, Undone};
use program::Streams;
use recorded::ExitAndOutput;
use report::Report;
use signals::{At, Signals};

/// Run a command whose effect must not happen twice
///
/// The first call reserves the key, durably, runs the command, and records how it ended. Every later call with the key gives the
/// recorded output and exit code again, and runs nothing. If a call dies in between, the next one first finds out
/// whether the effect has happened: `--verify` asks a command of yours, `--idempotent` sends the same token again, and `--in-doubt`
/// stops and asks a person. One of the three is needed.
///
/// Exit code 0, or one of `--ok`, says that it has happened; one of `--rejected`, or a program that cannot be started, that
/// nothing has, so that the next call runs it. Any other end, also by a signal or by `--timeout`, may have come in the middle:
/// the effect is in doubt, as after a crash, and the verifier is asked at once.
///
/// The command holds the session too: if this process is killed, the next call is refused (77) until the command has
/// ended, and what it has started. In its environment are DURABLE_KEY, DURABLE_TOKEN (the same for each attempt: send it to whoever drops
/// repeats) and DURABLE_SESSION.
#[derive(Args)]
#[command(after_help = EXITS, group = ArgGroup::new("proof").required(true).multiple(true).args(["verify", "idempotent", "in_doubt"]))]
pub(crate) struct Once {
    #[command(flatten)]
    opening: Opening,
    /// What the session is for, if it does not know yet
    #[arg(long, value_name = "TEXT", value_parser = words)]
    goal: Option<String>,
    /// Identity of the effect: the same key is the same effect, for ever
    #[arg(long, value_name = "KEY", allow_hyphen_values = true)]
    key: String,
    /// The effect in words, for the handoff
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Tells whether the effect has happened, by `sh -c CMD`: exit code 0 if so, and what it prints is the output that is recorded;
    /// 1 if not; anything else if it cannot tell
    #[arg(long, value_name = "CMD", conflicts_with = "idempotent")]
    verify: Option<String>,
    /// How long after the command the verifier may still miss the effect [default: the timeout, else 30s]
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    settle: Option<Duration>,
    /// A repeat does no harm: the receiver drops it by DURABLE_TOKEN, or the command makes the same thing again
    #[arg(long)]
    idempotent: bool,
    /// How long the receiver remembers the token; later it is in doubt
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    within: Option<Duration>,
    /// Whom to ask when nothing else can tell [default, with --verify: operator]
    #[arg(long, value_name = "WHO", value_parser = words, conflicts_with = "idempotent")]
    in_doubt: Option<String>,
    /// Exit codes that say that it has happened, besides 0
    #[arg(long, value_name = "CODE", value_delimiter = ',')]
    ok: Vec<u8>,
    /// Exit codes that prove that nothing has happened
    #[arg(long, value_name = "CODE", value_delimiter = ',')]
    rejected: Vec<u8>,
    /// How long the command may take; then it is ended, and in doubt
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    timeout: Option<Duration>,
    /// How many bytes of its standard output, and of its standard error, are kept for later calls
    #[arg(long, value_name = "BYTES", default_value_t = 64 * 1024)]
    keep: usize,
    /// The command, and what it is given: the same key with another one is refused
    #[arg(last = true, required = true, value_name = "CMD")]
    command: Vec<OsString>,
}

const EXITS: &str = "Exit codes: the command's own once its end is known to be the effect's, now or in an earlier call (126 and 127 \
                     if it cannot be started, 128 and the number of the signal that ended it, 124 after the timeout). Else those of \
                     `durable`: above all 74 if it has happened and is recorded, and what it printed could not be passed on, 75 if the effect is in doubt, 76 if the key was used with another command, 77 if another \
                     process holds the session. Where the command has such codes too, --json tells them apart: its `outcome` is \
                     `ran`, `replayed`, `verified` or `failed` for a code of the command.";

/// The default of [`Once::settle`].
const SETTLE: Duration = Duration::from_secs(30);

impl Once {
    pub(crate) async fn run(self, output: &Output) -> Result<Exit, Failure> {
        self.refuse_no_key()?;
        self.refuse_contradiction()?;
        self.refuse_what_does_nothing()?;
        self.opening.refuse_inner(&self.key)?;
        // A slip of the finger in the name of the program is not to be the command of that key for ever.
        if let Some(error) = program::missing(&self.command)
            && self.is_new().await
        {
            return Report::missing(&self, &error).tell(output, None);
        }
        let session = self.opening.open(|builder| match &self.goal {
            Some(goal) => builder.goal(goal),
            None => builder,
        });
        let session = session.await?;
        let mut signals = Signals::new().map_err(without_signals)?;
        let (at, place) = (Cell::default(), self.opening.place()?);
        let act = self.act(&session, &place, &at, output);
        let done = tokio::select! {
            biased;
            done = self.take(&session, &act) => done,
            signal = signals.interrupted(&at) => return Ok(Exit::of_signal(signal.as_raw())),
        };
        let mut seen = act.seen.into_inner();
        if done.is_err() {
            seen.attempt = self.attempt().await;
        }
        let report = Report::of(&self, done, &seen);
        // First what the next call goes by, then what the reader of this one may be slow to take.
        let left = self.opening.leave(session).await;
        at.set(At::Rest);
        tokio::select! {
            biased;
            told = tell(report, seen.streams.take(), left, *output) => told,
            signal = signals.interrupted(&at) => Ok(Exit::of_signal(signal.as_raw())),
        }
    }

    /// Refuses an exit code that would say both that it has happened and that it has not.
    fn refuse_contradiction(&self) -> Result<(), Failure> {
        match self.rejected.iter().find(|&&code| code == 0 || self.ok.contains(&code)) {
            Some(code) => {
                let text = format!(
                    "exit code {code} cannot prove that nothing has happened, for it says that it has; take it out of `--rejected`"
                );
                Err(Failure::new(Exit::USAGE, text))
            }
            None => Ok(()),
        }
    }

    /// Refuses what no doubt of this effect would ever ask for. The parser lets it through where its other half is excluded.
    fn refuse_what_does_nothing(&self) -> Result<(), Failure> {
        let text = match (self.settle, self.within) {
            (Some(_), _) if self.verify.is_none() => {
                "`--settle` is for a verifier, and there is none: add `--verify CMD`, or leave it out"
            }
            (_, Some(_)) if !self.idempotent => {
                "`--within` is for a receiver that knows the token, and nothing says that there is one: add `--idempotent`, or leave it out"
            }
            _ => return Ok(()),
        };
        Err(Failure::new(Exit::USAGE, text))
    }

    /// Refuses what is no key of a step, before anything is opened for it.
    fn refuse_no_key(&self) -> Result<(), Failure> {
        let Err(problem) = key::check_part(&self.key) else { return Ok(()) };
        let shown = output::shown(&self.key, 100);
        let text = match problem {
            KeyProblem::TooLong(bytes) => format!(
                "`--key {shown}` has {bytes} bytes as JSON, and a key takes {} at most; nothing was run: put an id into it, not the text itself",
                key::MAX_KEY_JSON
            ),
            problem => {
                format!("`--key {shown}` is none: {problem}; nothing was run: write one without it, such as `pay/81`")
            }
        };
        Err(Failure::new(Exit::USAGE, text))
    }

    async fn attempt(&self) -> u32 {
        let seen = inspect(self.opening.session.dir()).look().await;
        seen.ok().and_then(|seen| seen.state().steps.get(&self.key).map(|step| step.attempt)).unwrap_or_default()
    }

    /// Whether the session is known to know nothing of the key.
    async fn is_new(&self) -> bool {
        let session = inspect(self.opening.session.dir());
        if !session.exists() {
            return true;
        }
        session.look().await.is_ok_and(|seen| !seen.state().steps.contains_key(&self.key))
    }

    fn act<'a>(&'a self, session: &'a Session, place: &'a Path, at: &'a Cell<At>, output: &Output) -> Act<'a> {
        Act {
            session,
            place,
            line: &self.command,
            ok: &self.ok,
            rejected: &self.rejected,
            timeout: self.timeout,
            settle: self.settle(),
            keep: self.keep,
            is_told: output.is_json(),
            at,
            seen: Default::default(),
        }
    }

    /// The life of the step: reserved, run, recorded, or what became of that in an earlier call.
    async fn take(&self, session: &Session, act: &Act<'_>) -> Result<ExitAndOutput, Undone> {
        let line: Vec<_> = self.command.iter().map(|word| word.as_bytes()).collect();
        let mut step = session.side_effect(self.key.as_str()).args(&line).settle(self.settle());
        if let Some(title) = &self.title {
            step = step.title(title);
        }
        if let Some(within) = self.within {
            step = step.within(within);
        }
        let (run, classify) = (|key: StepKey| act.run(key), |undone: &Undone| act.classify(undone));
        match (&self.verify, self.idempotent) {
            (Some(verify), _) => {
                let step = step.verify(|key| act.verify(verify, key)).in_doubt(self.who());
                step.run_classified(run, classify).await
            }
            (None, true) => step.idempotent().run_classified(run, classify).await,
            (None, false) => step.in_doubt(self.who()).run_classified(run, classify).await,
        }
    }

    fn who(&self) -> &str {
        self.in_doubt.as_deref().unwrap_or("operator")
    }

    fn settle(&self) -> Duration {
        self.settle.or(self.timeout).unwrap_or(SETTLE)
    }
}

/// Prints what is left to print. A reader that takes nothing holds up no signal: it is written apart.
async fn tell(
    report: Report,
    streams: Option<Streams>,
    left: Result<(), Failure>,
    output: Output,
) -> Result<Exit, Failure> {
    let broken = match streams {
        Some(mut streams) => streams.finish().await,
        None => None,
    };
    left?;
    let told = tokio::task::spawn_blocking(move || report.tell(&output, broken)).await;
    told.unwrap_or_else(|error| Err(io::Error::other(error).into()))
}

fn without_signals(error: io::Error) -> Failure {
    Failure::new(Exit::STOPPED, format!("no signal could be waited for: {error}; nothing was run: try again"))
}
