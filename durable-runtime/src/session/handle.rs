//! The handle that users hold.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use uuid::Uuid;

use super::boot_report::BootReport;
use super::builder::SessionBuilder;
use super::commit::{Commit, Shared};
use super::live::Live;
use super::run::listed;
use super::surroundings;
use crate::core::evolution;
use crate::core::handoff::{Handoff, Inventory};
use crate::core::progress::Progress;
use crate::core::record::{Dormant, Event};
use crate::core::start::{Effect, Place};
use crate::error::{Error, Kind, StopText};
use crate::outcome::Outcome;
use crate::store::StoreError;

/// A session: the place where workflows keep what they know.
///
/// A handle, cheap to clone. One *start* is one boot of a session, from open to the drop of its last handle; until then
/// no other process can open it.
///
/// # Examples
///
/// ```
/// use durable_runtime::prelude::*;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), durable_runtime::Error> {
/// # let dir = tempfile::tempdir().expect("a directory for the example");
/// # let dir = dir.path().join("session");
/// let session = Session::open(&dir).await?;
/// assert_eq!(session.iteration(), 1);
/// session.close().await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Session {
    pub(crate) shared: Arc<Shared>,
    /// The run that this handle belongs to; empty outside any workflow.
    pub(crate) scope: Arc<str>,
    /// Dropped with the last handle.
    hold: Arc<Hold>,
}

/// Gives the session up with its last handle.
struct Hold(Arc<Shared>);

impl Drop for Hold {
    fn drop(&mut self) {
        self.0.hush();
        self.0.store.release();
    }
}

impl Session {
    /// Opens the session in the directory `dir`, or begins one there.
    ///
    /// # Errors
    ///
    /// Fails if another process holds it, if something acknowledged can no longer be read, or if the disk refuses. Then
    /// every byte is as it was.
    ///
    /// # Crash safety
    ///
    /// A kill at any moment leaves a session that opens again. Nothing that is read here is believed before it is
    /// durable.
    pub async fn open(dir: impl AsRef<Path>) -> Result<Self, Error> {
        Self::builder(dir).open().await
    }

    /// Settings for a session in the directory `dir`.
    pub fn builder(dir: impl AsRef<Path>) -> SessionBuilder {
        SessionBuilder::new(dir.as_ref())
    }

    pub(super) fn new(shared: Arc<Shared>) -> Self {
        let hold = Arc::new(Hold(Arc::clone(&shared)));
        Self { shared, scope: "".into(), hold }
    }

    /// The same session, seen from inside a run.
    pub(super) fn inside(&self, run: &str) -> Self {
        Self { shared: Arc::clone(&self.shared), scope: run.into(), hold: Arc::clone(&self.hold) }
    }

    /// Id of the session: the same for its whole life.
    pub fn id(&self) -> Uuid {
        self.shared.live().state.session
    }

    /// How often the session was booted, this boot included, but without those that [went on](SessionBuilder::go_on).
    pub fn iteration(&self) -> u64 {
        self.shared.live().state.iteration
    }

    /// What the boot found: what the last session left, what of it was amiss, and what is in doubt.
    pub fn boot_report(&self) -> &BootReport {
        &self.shared.boot_report
    }

    /// The handoff as it stands now, made from the log.
    pub fn handoff(&self) -> Handoff {
        Handoff::of(&self.shared.live().state)
    }

    /// The goal, the last completed action, the running result, the next action, and what must never be done again: what a
    /// checkpoint takes stock of, as it stands now. `state.json` has the same.
    pub fn inventory(&self) -> Inventory {
        Inventory::of(&self.shared.live().state)
    }

    /// How far the run of this full key has come, step by step; `None` if the session has no such run.
    pub fn progress(&self, run: &str) -> Option<Progress> {
        Progress::of(&self.shared.live().state, run)
    }

    /// Ends the session in order: the final handoff, then dormant. Handles that are left can start nothing more.
    ///
    /// # Errors
    ///
    /// Fails if the disk refuses. Nothing acknowledged is lost by that.
    ///
    /// # Crash safety
    ///
    /// A session that is dropped or killed instead of closed loses nothing; its next boot only finds it still awake.
    pub async fn close(self) -> Result<(), Error> {
        self.shared.live().start.closed = true;
        self.shared.push(Dormant {});
        self.commit(Commit::Closed).await.map_err(|source| self.not_written(source))
    }

    /// Leaves the session awake: everything that it has recorded is durable, and its handoff and `state.json` say it. Another
    /// process [goes on](SessionBuilder::go_on) with the same iteration. Handles that are left can start nothing more.
    ///
    /// # Errors
    ///
    /// Fails if the disk refuses. Nothing acknowledged is lost by that.
    ///
    /// # Crash safety
    ///
    /// See [`close`](Self::close).
    pub async fn leave(self) -> Result<(), Error> {
        {
            let now = self.shared.clock.now();
            let mut live = self.shared.live();
            live.start.closed = true;
            live.push_replayed(now);
        }
        self.commit(Commit::Closed).await.map_err(|source| self.not_written(source))
    }

    /// Whether anything may be started in the run that this handle belongs to.
    pub(crate) fn admits(&self, live: &Live, here: &str) -> Result<(), Error> {
        let (here, run) = (here.to_owned(), self.scope.to_string());
        if let Some(stop) = live.start.stop_of(&run) {
            return Err(Kind::Stopped { here, run, stop: StopText(stop.clone()) }.into());
        }
        if live.start.closed {
            return Err(Kind::Closed { here }.into());
        }
        if live.state.is_finished(&run) { Err(Kind::Finished { here, run }.into()) } else { Ok(()) }
    }

    /// Refuses what would go on from a run that is for later.
    pub(super) fn is_complete(&self, live: &Live, here: &str, at: Place) -> Result<(), Error> {
        match live.start.postponed(&self.scope) {
            Some(stop) => Err(Kind::AfterLater { here: here.to_owned(), at, stop: StopText(stop.clone()) }.into()),
            None => Ok(()),
        }
    }

    /// Refuses what is reached inside the expression of a step: that is not run again on a replay, and would not be
    /// reached.
    pub(super) fn is_outside_effects(&self, live: &Live, here: &str, at: Place) -> Result<(), Error> {
        match surroundings::effect_around(self, &live.start) {
            Some(Effect { key: outer, place }) => {
                Err(Kind::InEffect { here: here.to_owned(), at, outer, place }.into())
            }
            None => Ok(()),
        }
    }

    /// Refuses something new while a run is recorded that the code no longer calls, and nothing has reached: it may be what
    /// that did, under another key.
    pub(super) fn leaves_nothing(&self, live: &Live, here: &str, at: Place) -> Result<(), Error> {
        match live.start.missed(&self.scope) {
            Some((run, known)) => Err(live.uncalled(here, at, run, known).into()),
            None => Ok(()),
        }
    }

    /// Refuses another new key of a template whose recorded keys an earlier start has missed. Those of plain calls have none: they
    /// count as one.
    pub(super) fn is_not_anew(&self, live: &Live, here: &str, shape: &str, at: Place) -> Result<(), Error> {
        let missed = evolution::missed(&live.state, &live.start, &self.scope, shape);
        let Some(first) = missed.first() else { return Ok(()) };
        let (alike, shape) = match shape.is_empty() {
            true => ("of a step that is written by hand like this one", evolution::own(first).to_owned()),
            false => ("of the same template", shape.to_owned()),
        };
        let (here, run, keys) = (here.to_owned(), self.scope.to_string(), listed(missed.iter()));
        Err(Kind::KeyAnew { here, at, run, keys, alike, shape }.into())
    }

    pub(crate) async fn commit(&self, promise: Commit) -> Result<(), StoreError> {
        Shared::commit(self, promise).await
    }

    /// Makes a record and sees it durable and told.
    pub(crate) async fn tell(&self, event: impl Into<Event>) -> Result<(), Error> {
        self.shared.push(event);
        self.told().await
    }

    /// Sees everything up to now durable and told.
    pub(super) async fn told(&self) -> Result<(), Error> {
        self.commit(Commit::Told).await.map_err(|source| self.not_written(source))
    }

    /// How a process that worked on this session should say it ended.
    pub(crate) fn outcome(&self, failed: bool) -> Outcome {
        let live = self.shared.live();
        match live.start.worst() {
            Some(cause) => cause.into(),
            None if failed => Outcome::Stopped,
            None => live.state.standing(live.start.is_idle()).map_or(Outcome::Finished, Outcome::from),
        }
    }

    pub(crate) fn not_written(&self, source: StoreError) -> Error {
        Kind::NotWritten { place: self.shared.store.place(), source }.into()
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("place", &self.shared.store.place()).field("scope", &self.scope).finish()
    }
}
