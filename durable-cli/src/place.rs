//! Which session is meant, and how it is named in a command that a person may type next.

use std::env;
use std::path::{self, Path, PathBuf};

use clap::Args;
use durable_runtime::core::{text, way_out};
use durable_runtime::{Error, Handoff, Inspect, Inspection, inspect};

use crate::exit::Exit;
use crate::failure::Failure;

/// Which session is meant.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct SessionArg {
    /// The session's directory [default: this directory if it is one, else `session`]
    #[arg(short = 's', long = "session", value_name = "DIR", env = ENV, hide_env_values = true)]
    dir: Option<PathBuf>,
}

/// The variable that names it.
pub(crate) const ENV: &str = "DURABLE_SESSION";

/// Where a session stands if nobody says otherwise.
pub(crate) const DEFAULT: &str = "session";

impl SessionArg {
    /// The session in this directory.
    pub(crate) fn at(dir: impl Into<PathBuf>) -> Self {
        Self { dir: Some(dir.into()) }
    }

    /// Refuses to guess which session a person speaks to: a letter says "typed in this directory", and a variable that was set
    /// for another session would take the word there, where the same key may stand as well.
    pub(crate) fn refuse_two(&self) -> Result<(), Failure> {
        let known = env::var_os(ENV).map(PathBuf::from).filter(|known| self.dir.as_ref() == Some(known));
        let Some(known) = known.filter(|_| inspect(".").exists()) else { return Ok(()) };
        if path::absolute(&known).ok() == env::current_dir().ok() {
            return Ok(());
        }
        let known = text::clean(&known.display().to_string(), 400);
        let text = format!(
            "this directory is a session, and {ENV} names another, `{known}`: nothing was said; say which is meant, with `-s .`, or by \
             standing elsewhere"
        );
        Err(Failure::new(Exit::USAGE, text))
    }

    /// Its directory.
    pub(crate) fn dir(&self) -> &Path {
        match &self.dir {
            Some(dir) => dir,
            None if inspect(".").exists() => Path::new("."),
            None => Path::new(DEFAULT),
        }
    }

    /// Whether somebody said which one.
    pub(crate) fn is_given(&self) -> bool {
        self.dir.is_some()
    }

    /// The session, which is there.
    pub(crate) fn inspect(&self) -> Result<Inspect, Failure> {
        let session = inspect(self.dir());
        if session.exists() {
            return Ok(session);
        }
        let dir = self.shown();
        let text = format!("there is no session in `{dir}`; name its directory with `-s DIR`, or in {ENV}");
        Err(Failure::new(Exit::USAGE, text))
    }

    /// What the session says now.
    pub(crate) async fn look(&self) -> Result<Inspection, Failure> {
        self.inspect()?.look().await.map_err(|error| self.failed(&error))
    }

    /// The directory, fit to be shown.
    pub(crate) fn shown(&self) -> String {
        text::clean(&self.dir().display().to_string(), 400)
    }

    /// A command about this session, as a person can type it here.
    pub(crate) fn command(&self, command: &str) -> String {
        let (name, rest) = command.split_once(' ').unwrap_or((command, ""));
        let dir = self.named().map(|dir| format!("-s {}", text::shell(&dir)));
        let words = ["durable", name, dir.as_deref().unwrap_or_default(), rest];
        words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
    }

    /// The letter of this session for whoever reads it here.
    pub(crate) fn letter(&self, session: &Inspection) -> Handoff {
        self.typed_here(session.handoff())
    }

    /// A letter of this session, whose commands are to be typed here.
    pub(crate) fn typed_here(&self, letter: Handoff) -> Handoff {
        letter.typed_here(self.named().as_deref())
    }

    /// The directory, where a command that is typed here would not find it by itself.
    pub(crate) fn named(&self) -> Option<String> {
        let dir = self.dir.as_ref()?;
        let is_known = env::var_os(ENV).is_some_and(|known| Path::new(&known) == dir);
        (!is_known).then(|| dir.display().to_string())
    }

    /// Why the library did not do it, and what to type.
    pub(crate) fn failed(&self, error: &Error) -> Failure {
        let (exit, text) = (error.outcome().into(), self.in_commands(&error.to_string()));
        let next = match () {
            () if error.is_damaged() => self.command("doctor"),
            () if error.is_locked() => self.command("status"),
            () => return Failure::new(exit, text),
        };
        if text.contains(&next) {
            Failure::new(exit, text)
        } else {
            Failure::new(exit, format!("{text}; here: `{next}`"))
        }
    }

    /// A text of the library for whoever types commands: it names those where it names calls of its own.
    pub(crate) fn in_commands(&self, text: &str) -> String {
        let code = |command: &str| format!("`{}`", self.command(command));
        let elsewhere = format!("; {}", way_out::ELSEWHERE);
        let words = format!("{}, {} or {}", code("resolve"), code("decide"), code("cancel"));
        [
            (&*elsewhere, String::new()),
            (way_out::RESOLVE, code("resolve KEY")),
            (way_out::POST, words),
            (way_out::ADOPT, code("adopt --by WHO --because WHY")),
            (way_out::DOCTOR, code("doctor")),
            (GOAL_BOTH, "`--goal`".to_owned()),
            (way_out::GOAL, "`--goal`".to_owned()),
        ]
        .into_iter()
        .fold(unplaced(text), |text, (call, command)| text.replace(call, &command))
    }
}

/// Both ways in which a goal is given, where a text names them side by side.
const GOAL_BOTH: &str = "`--goal` on the command line, `Session::builder(..).goal(\"..\")`";

/// The text without the places in our own source that it names.
fn unplaced(text: &str) -> String {
    let mut text = text.to_owned();
    for begin in [" (durable-cli/src/", ", durable-cli/src/"] {
        while let Some(from) = text.find(begin) {
            let Some(end) = text[from..].find(')') else { break };
            let closing = if begin.starts_with(" (") { end } else { end - 1 };
            text.replace_range(from..=from + closing, "");
        }
    }
    text
}
