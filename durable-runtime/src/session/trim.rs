//! When the log is shrunk: as soon as finished runs have left more in it than everything else.

use std::sync::Arc;

use super::commit::{Commit, Shared};
use super::{Session, checkpoint};
use crate::core::record::By;
use crate::error::Error;
use crate::store::StoreError;

/// How many steps of finished runs the log holds before it is shrunk, if nobody says otherwise.
pub(super) const TRIM_AFTER: u64 = 10_000;

impl Session {
    /// Leaves out of the log what no longer matters: the steps of finished runs. Their results stay, and so does every key
    /// that was ever reserved, the newest boot and a checkpoint that is made now. Gives whether there was anything to leave out.
    ///
    /// It happens by itself at the end of a run and at a boot, once it is worth while: see
    /// [`SessionBuilder::trim_after`](crate::SessionBuilder::trim_after). A log that has lost records stays as it is.
    ///
    /// # Errors
    ///
    /// Fails if the disk refuses. Nothing is lost by that.
    ///
    /// # Crash safety
    ///
    /// What is kept is durable, read back and found to say the same before anything is left out. A crash leaves the old log
    /// or the new one.
    pub async fn trim(&self) -> Result<bool, Error> {
        let now = self.shared.clock.now();
        {
            let mut live = self.shared.live();
            let stock = checkpoint::because(&live.state, "the log is to be shrunk".to_owned(), By::default());
            live.push(now, stock);
        }
        self.commit(Commit::Told).await.map_err(|source| self.not_written(source))?;
        self.shrink().await.map_err(|source| self.not_written(source))
    }

    /// Shrinks the log if it is worth while. That it cannot be shrunk is no reason to stop.
    pub(super) async fn trim_if_due(&self) {
        if !self.shared.is_trim_due() {
            return;
        }
        match self.shrink().await {
            Ok(done) => tracing::debug!(done, place = self.shared.store.place(), "the log was looked through"),
            Err(error) => {
                self.shared.live().give_up_trimming();
                tracing::warn!(%error, place = self.shared.store.place(), "the log stays as long as it is; it is unharmed");
            }
        }
    }

    /// A task of its own, so that a future that is dropped leaves nothing half done.
    async fn shrink(&self) -> Result<bool, StoreError> {
        let handle = self.clone();
        let gone = |gone| StoreError::io("shrink the log", std::io::Error::other(gone));
        tokio::spawn(async move { handle.shared.shrink().await }).await.unwrap_or_else(|error| Err(gone(error)))
    }
}

impl Shared {
    fn is_trim_due(self: &Arc<Self>) -> bool {
        let live = self.live();
        let kept = live.state.steps.count() as u64;
        live.may_trim() && live.state.closed >= self.settings.trim_after.max(kept)
    }
}
