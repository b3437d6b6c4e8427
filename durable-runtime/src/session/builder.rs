//! Settings of a session.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::commit::Settings;
use super::trim::TRIM_AFTER;
use super::values::MAX_VALUE;
use super::{Session, Waits, boot, mission, secrets};
use crate::clock::{Clock, SystemClock};
use crate::core::record::Adopt;
use crate::core::secrets::Secrets;
use crate::error::{Error, Kind};
use crate::outcome::Outcome;
use crate::store::Store;
use crate::store::files::{Durability, FilesStore, is_begun};

/// Settings of a session that is not open yet. Made by [`Session::builder`].
pub struct SessionBuilder {
    dir: PathBuf,
    pub(super) durability: Durability,
    store: Option<Arc<dyn Store>>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) identity: Option<String>,
    pub(super) goal: Option<String>,
    /// Where the goal is read from.
    mission: Option<PathBuf>,
    pub(super) settings: Settings,
    /// What is written nowhere.
    pub(super) secrets: Secrets,
    /// Who vouches for a session that was moved or restored.
    pub(super) adopt: Option<Adopt>,
    /// Whether the directory may be on a file system of another machine.
    network: bool,
    /// Whether an iteration that is awake goes on.
    pub(super) goes_on: bool,
    /// Whether it is opened only with a goal.
    pub(super) needs_goal: bool,
    /// Whether the work of others is refused.
    pub(super) own_work: bool,
    /// Whether a goal was given, and not only found in the directory.
    pub(super) is_goal_given: bool,
    /// The process that says it is running the session; `None` for this one.
    pub(super) pid: Option<u32>,
}

impl SessionBuilder {
    pub(super) fn new(dir: &Path) -> Self {
        Self {
            dir: dir.to_owned(),
            durability: Durability::PowerSafe,
            store: None,
            clock: Arc::new(SystemClock),
            identity: None,
            goal: None,
            mission: None,
            settings: Settings {
                speaks: None,
                crash_limit: None,
                max_value: MAX_VALUE,
                trim_after: TRIM_AFTER,
                waits: Waits::Hold,
                is_simulated: false,
            },
            secrets: Secrets::new(),
            adopt: None,
            network: false,
            goes_on: false,
            needs_goal: false,
            own_work: false,
            is_goal_given: false,
            pid: None,
        }
    }

    /// Who the session is, as its handoff shows it. Kept from the last boot if it is not given; `agent` at first.
    #[must_use]
    pub fn identity(mut self, identity: impl Into<String>) -> Self {
        self.identity = Some(identity.into());
        self
    }

    /// What the session is for. Needed where the workflows have no `goal` of their own; kept from the last boot if it
    /// is not given.
    #[must_use]
    pub fn goal(mut self, goal: impl Into<String>) -> Self {
        self.goal = Some(goal.into());
        self
    }

    /// Reads the goal from this file when the session is opened, if none is given here: its first paragraph that is no
    /// heading. Without this, a file `mission.md` in the session's directory is read, if somebody has left one there.
    ///
    /// A goal that is read is recorded like one that is given. The file has at most 64 KiB, and the goal 1,000 bytes; one that
    /// is missing, cannot be read or says nothing is refused.
    #[must_use]
    pub fn mission_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.mission = Some(path.into());
        self
    }

    /// Goes on with the iteration that is awake, instead of counting another: for one piece of work that is done by many
    /// processes, one after another, such as the commands of a script. All but the first open the session so, and
    /// [leave](Session::leave) it awake; the last one [closes](Session::close) it. Whatever else a boot does is done by each
    /// of them. A session that is new, or was closed, begins an iteration as ever.
    ///
    /// ```
    /// use durable_runtime::Session;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), durable_runtime::Error> {
    /// # let dir = tempfile::tempdir().expect("a directory for the example");
    /// # let dir = dir.path().join("session");
    /// Session::open(&dir).await?.leave().await?;
    /// let session = Session::builder(&dir).go_on().open().await?;
    /// assert_eq!(session.iteration(), 1);
    /// session.close().await?;
    /// assert_eq!(Session::builder(&dir).go_on().open().await?.iteration(), 2);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn go_on(mut self) -> Self {
        self.goes_on = true;
        self
    }

    /// Tells whoever started the process of a wait when it begins, on standard error, as [`run`](Self::run) does; each line begins
    /// with this.
    #[must_use]
    pub fn tell_of_waits(mut self, beginning: &'static str) -> Self {
        self.settings.speaks = Some(beginning);
        self
    }

    /// Refuses a session of which no goal is known, be it given here, in a mission file, or in an earlier start, before
    /// anything is changed. Without this it opens, and refuses the first step that has no goal of its own.
    #[must_use]
    pub fn require_goal(mut self) -> Self {
        self.needs_goal = true;
        self
    }

    /// Refuses a session that is the work of others, before anything is changed: one in which a workflow has run, or whose
    /// recorded goal is another than the one that is given here. For a script, which finds the session of its directory
    /// whosever it is.
    #[must_use]
    pub fn own_work(mut self) -> Self {
        self.own_work = true;
        self
    }

    /// What an acknowledged step survives. The default is [`Durability::PowerSafe`].
    #[must_use]
    pub fn durability(mut self, durability: Durability) -> Self {
        self.durability = durability;
        self
    }

    /// How large a value may be, in bytes as it is stored: 256 MiB if nothing is said. A step whose result is larger is
    /// done and never runs again, but its result could not be stored: a person can supply one, see
    /// [`Session::resolve`].
    #[must_use]
    pub fn max_value(mut self, bytes: usize) -> Self {
        self.settings.max_value = bytes;
        self
    }

    /// How many steps of finished runs the log holds before they are left out of it; 10,000 if nothing is said. They must also
    /// be at least as many as the steps that stay. [`Session::trim`] does it at once.
    #[must_use]
    pub fn trim_after(mut self, steps: u64) -> Self {
        self.settings.trim_after = steps.max(1);
        self
    }

    /// The clock that waits are measured by. The default is the machine's.
    #[must_use]
    pub fn clock(mut self, clock: impl Clock) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    /// After how many ends of its process in a row, all in the middle of one step, that step is left to a person. Such ends
    /// are no failures: they do not count as attempts. Without this a step is tried again after every one of them, as its
    /// proof allows.
    #[must_use]
    pub fn crash_limit(mut self, ends: std::num::NonZeroU32) -> Self {
        self.settings.crash_limit = Some(ends.get());
        self
    }

    /// What counts as a secret, and is written nowhere. The default is [`Secrets::new`].
    #[must_use]
    pub fn secrets(mut self, secrets: Secrets) -> Self {
        self.secrets = secrets;
        self
    }

    /// What the process does while a step waits. The default is [`Waits::Hold`].
    #[must_use]
    pub fn waits(mut self, waits: Waits) -> Self {
        self.settings.waits = waits;
        self
    }

    /// Lets the directory be on a file system of another machine (NFS, SMB). Such a system may grant one lock to two machines,
    /// and call durable what is not: without this it is refused.
    #[must_use]
    pub fn allow_network_file_system(mut self) -> Self {
        self.network = true;
        self
    }

    /// Keeps the session in `store` instead of the directory.
    #[must_use]
    pub fn store(mut self, store: impl Store) -> Self {
        self.store = Some(Arc::new(store));
        self
    }

    pub(super) fn adopting(mut self, adopt: Adopt) -> Self {
        self.adopt = Some(adopt);
        self
    }

    /// Boots it as a process of this number, on a machine that has no number: what is written is the same everywhere.
    #[cfg(any(test, feature = "testing"))]
    pub(crate) fn with_process(mut self, pid: u32) -> Self {
        self.pid = Some(pid);
        self.settings.is_simulated = true;
        self
    }

    /// Boots the session.
    ///
    /// # Errors
    ///
    /// See [`Session::open`].
    ///
    /// # Crash safety
    ///
    /// See [`Session::open`].
    pub async fn open(mut self) -> Result<Session, Error> {
        // Before the mission file, which nobody has to read there.
        if self.store.is_none()
            && let Some(source) = FilesStore::new(self.dir.clone()).denied()
        {
            return Err(Kind::Open { place: self.dir.display().to_string(), source }.into());
        }
        self.is_goal_given = self.goal.is_some() || self.mission.is_some();
        self.goal = match (self.goal.take(), &self.mission) {
            (Some(goal), _) => Some(goal),
            (None, Some(path)) => Some(mission::named(path)?),
            // Elsewhere than in a directory nobody leaves a file.
            (None, None) if self.store.is_none() => mission::left_in(&self.dir)?,
            (None, None) => None,
        };
        // Without a goal not even the directory is made.
        if self.needs_goal && self.goal.is_none() && self.store.is_none() && !is_begun(&self.dir) {
            return Err(Kind::NoGoalYet { place: self.dir.display().to_string() }.into());
        }
        self.secrets = self.known_secrets();
        let adopt = self.adopt.iter_mut().flat_map(|Adopt { by, because }| [by, because]);
        for words in self.goal.iter_mut().chain(&mut self.identity).chain(adopt) {
            *words = self.secrets.redact(words).into_owned();
        }
        let store = self.store.take().unwrap_or_else(|| {
            let files = FilesStore::new(self.dir.clone()).durability(self.durability);
            let files = if self.network { files.allow_network_file_system() } else { files };
            let files = if self.adopt.is_some() { files.adopt_moved() } else { files };
            Arc::new(files) as Arc<dyn Store>
        });
        boot::boot(store, &self).await
    }

    /// What counts as a secret in this process.
    pub(crate) fn known_secrets(&self) -> Secrets {
        secrets::known_here(self.secrets.clone())
    }

    /// Boots the session, does `work`, writes the final handoff and ends dormant: the whole life of a process. When the
    /// work stops, the handoff is printed to standard error, and behind it the outcome and the error; a wait is told of when it
    /// begins.
    ///
    /// For the work see [`durable_runtime::run`](crate::run()): a workflow, or an `async` closure.
    ///
    /// # Crash safety
    ///
    /// See [`Session::open`] and [`Session::close`].
    pub async fn run<T, E>(mut self, work: impl AsyncFnOnce(&Session) -> Result<T, E>) -> Outcome
    where
        E: std::fmt::Display,
    {
        self.settings.speaks = Some("");
        crate::run::life(self, work).await
    }
}

impl std::fmt::Debug for SessionBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SessionBuilder")
            .field("dir", &self.dir)
            .field("identity", &self.identity)
            .field("goal", &self.goal)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "the files are looked at as anybody can")]
mod tests;
