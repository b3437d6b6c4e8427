//! Many sessions under one root, each taken up where it was left.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::{Session, SessionBuilder, Waits, panic};
use crate::error::{Error, Kind};
use crate::helpers::each;
use crate::outcome::Outcome;
use crate::store::StoreError;
use crate::store::files::sessions_under;

/// How many sessions are open at the same time if nothing is said.
const AT_ONCE: usize = 16;

/// Takes up every session whose directory stands under `root`. What each does is said with [`run`](RecoverAll::run).
///
/// # Examples
///
/// ```
/// use durable_runtime::prelude::*;
/// use durable_runtime::{Error, Outcome, recover_all};
///
/// #[durable_workflow(goal = "greet")]
/// async fn greet(session: &Session) -> Result<String, Error> {
///     #[read(key = "greeting")]
///     let greeting = "hello".to_owned();
///     Ok(greeting)
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Error> {
/// # let dir = tempfile::tempdir().expect("a directory for the example");
/// # let root = dir.path();
/// # for name in ["a", "b"] { Session::open(root.join(name)).await?; }
/// let recovered = recover_all(root).run(async |session| greet(session).await).await?;
/// for session in &recovered.sessions {
///     println!("{}: {:?}", session.dir.display(), session.outcome);
/// }
/// if let Some(due) = recovered.due() {
///     println!("nothing more can be done before {due:?}");
/// }
/// # assert!(recovered.sessions.iter().all(|session| session.outcome == Outcome::Finished));
/// # Ok(())
/// # }
/// ```
pub fn recover_all(root: impl AsRef<Path>) -> RecoverAll {
    RecoverAll { root: root.as_ref().to_owned(), at_once: AT_ONCE, setup: Box::new(|builder| builder) }
}

/// Many sessions that are not taken up yet. Made by [`recover_all`].
#[must_use = "nothing is taken up until it is said what is done with each session"]
pub struct RecoverAll {
    root: PathBuf,
    at_once: usize,
    setup: Box<dyn Fn(SessionBuilder) -> SessionBuilder + Send + Sync>,
}

/// What became of the sessions.
#[derive(Debug)]
#[non_exhaustive]
pub struct RecoveredAll {
    /// Each session, in the order of the names.
    pub sessions: Vec<RecoveredOne>,
}

/// What became of one session.
#[derive(Debug)]
#[non_exhaustive]
pub struct RecoveredOne {
    /// Its directory.
    pub dir: PathBuf,
    /// How it ended, as the exit code of a process of its own would say.
    pub outcome: Outcome,
    /// The error, if it ended with one.
    pub error: Option<String>,
    /// The instant before which starting it again does nothing, if it waits for one.
    pub due: Option<SystemTime>,
}

impl RecoverAll {
    /// How many sessions are open at the same time: 16 if nothing is said.
    pub fn at_once(mut self, sessions: usize) -> Self {
        self.at_once = sessions;
        self
    }

    /// Settings of each session. Waits end a session here instead of holding the place of another, unless it is said otherwise.
    pub fn each(mut self, setup: impl Fn(SessionBuilder) -> SessionBuilder + Send + Sync + 'static) -> Self {
        self.setup = Box::new(setup);
        self
    }

    /// Opens each session once, does `work` with it, and closes it. What becomes of one stops no other: one that is damaged, held
    /// by another process, or fails is told of in the result. It makes one round and no second: see [`RecoveredAll::due`] for when
    /// the next is worth while.
    ///
    /// # Errors
    ///
    /// Fails if the root cannot be listed.
    ///
    /// # Crash safety
    ///
    /// Each session is as safe as alone: see [`Session::open`].
    pub async fn run<T, E: std::fmt::Display>(
        self,
        work: impl AsyncFn(&Session) -> Result<T, E>,
    ) -> Result<RecoveredAll, Error> {
        let place = self.root.display().to_string();
        let root = self.root.clone();
        let listed = tokio::task::spawn_blocking(move || sessions_under(&root)).await.map_err(std::io::Error::other);
        let unlisted = |error| Kind::Open { place, source: StoreError::io("list the sessions", error) };
        let dirs = listed.flatten().map_err(unlisted)?;
        let (setup, work) = (&self.setup, &work);
        let sessions = each(dirs, self.at_once, async |dir| {
            let builder = setup(Session::builder(&dir).waits(Waits::Exit));
            Ok::<_, Error>(one(dir, builder, work).await)
        });
        Ok(RecoveredAll { sessions: sessions.await? })
    }
}

async fn one<T, E: std::fmt::Display>(
    dir: PathBuf,
    builder: SessionBuilder,
    work: &impl AsyncFn(&Session) -> Result<T, E>,
) -> RecoveredOne {
    let session = match builder.open().await {
        Ok(session) => session,
        Err(error) => {
            let (outcome, error) = (error.outcome(), Some(error.to_string()));
            tracing::warn!(dir = %dir.display(), ?outcome, "session not taken up");
            return RecoveredOne { dir, outcome, error, due: None };
        }
    };
    let error = work(&session).await.err().map(|error| panic::told(&error));
    let outcome = session.outcome(error.is_some());
    let now = session.shared.clock.now();
    let due = session.shared.live().state.wakes_after(now).min().map(SystemTime::from);
    match session.close().await {
        Ok(()) => RecoveredOne { dir, outcome, error, due },
        Err(unclosed) => {
            let outcome = if outcome == Outcome::Finished { unclosed.outcome() } else { outcome };
            RecoveredOne { dir, outcome, error: error.or_else(|| Some(unclosed.to_string())), due }
        }
    }
}

impl RecoveredAll {
    /// The first instant at which a session goes on that waits for one. Sleep until then, and make another round; sessions that
    /// wait for a person go on whenever that has spoken.
    pub fn due(&self) -> Option<SystemTime> {
        self.sessions.iter().filter_map(|session| session.due).min()
    }
}

impl std::fmt::Debug for RecoverAll {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RecoverAll").field("root", &self.root).field("at_once", &self.at_once).finish_non_exhaustive()
    }
}
