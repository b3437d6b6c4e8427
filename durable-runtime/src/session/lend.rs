//! Programs that act for a session, and hold it as long as they run.

use super::Session;
use crate::error::{Error, Kind};
use crate::store::LentLock;

impl Session {
    /// Lets every program inherit the session's lock that this process starts while what is given is kept. The session is
    /// held, then, until the last of them has ended, whatever becomes of this process: nobody else opens it, verifies what
    /// they were to do, or does it again while one of them may still be doing it.
    ///
    /// For an effect that is a program of its own. Without this its process may be killed, and the effect live on: Rust's
    /// library opens every file so that no program inherits it. What those programs start inherits the lock too, a daemon
    /// also. Once you know how the effect has ended, [`LentLock::take_back`] lets the session go with this process in spite
    /// of them.
    ///
    /// ```no_run
    /// # #![allow(clippy::disallowed_methods)]
    /// use durable_runtime::{Error, Session};
    ///
    /// # async fn upload(session: &Session) -> Result<(), Box<dyn std::error::Error>> {
    /// session
    ///     .side_effect("upload")
    ///     .in_doubt("operator")
    ///     .run(|key| async move {
    ///         let lent = session.lend_lock()?;
    ///         let status = std::process::Command::new("./upload").env("TOKEN", key.token().to_string()).status();
    ///         if status.is_ok_and(|status| status.success()) {
    ///             lent.take_back();
    ///             return Ok(());
    ///         }
    ///         Err(std::io::Error::other("the upload has failed").into())
    ///     })
    ///     .await
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if the system refuses another descriptor, and for a session that is not kept in files: start nothing then.
    pub fn lend_lock(&self) -> Result<LentLock, Error> {
        let store = &self.shared.store;
        store.lend().map_err(|source| Kind::NotLent { place: store.place(), source }.into())
    }
}
