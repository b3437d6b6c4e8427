//! Which session is meant, and how it is named in a command that a person may type next.

use std::env;
use std::path::{Path, PathBuf};

use clap::Args;
use durable_runtime::core::text;
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

const ENV: &str = "DURABLE_SESSION";

/// Where a session stands if nobody says otherwise.
const DEFAULT: &str = "session";

impl SessionArg {
    /// The session in this directory.
    pub(crate) fn at(dir: impl Into<PathBuf>) -> Self {
        Self { dir: Some(dir.into()) }
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
        session.handoff().typed_here(self.named().as_deref())
    }

    /// The directory, where a command that is typed here would not find it by itself.
    fn named(&self) -> Option<String> {
        let dir = self.dir.as_ref()?;
        let is_known = env::var_os(ENV).is_some_and(|known| Path::new(&known) == dir);
        (!is_known).then(|| dir.display().to_string())
    }

    /// Why the library did not do it, and what to type.
    pub(crate) fn failed(&self, error: &Error) -> Failure {
        let next = match () {
            () if error.is_moved() => self.command("adopt --by WHO --because WHY"),
            () if error.is_damaged() => self.command("doctor"),
            () if error.is_locked() => self.command("status"),
            () => return Failure::new(error.outcome().into(), error.to_string()),
        };
        Failure::new(error.outcome().into(), format!("{error}; here: `{next}`"))
    }
}
