//! With what code a run began.

use std::time::SystemTime;

use super::Session;
use super::surroundings::Around;
use crate::error::{Error, Kind};

/// How a run began: the same on every resume, whatever code goes on with it. Given by [`Session::began_at`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Began {
    /// The `version` of the workflow that began it; 1 if it had none.
    pub version: u32,
    /// When it began.
    pub at: SystemTime,
}

impl Session {
    /// How the run began whose body this is: for code that must treat older runs otherwise.
    ///
    /// Raise the `version` of a workflow when its steps change in a way that a run in the middle of them cannot follow,
    /// and keep the old way for the runs that began with it.
    ///
    /// # Errors
    ///
    /// Fails outside any workflow.
    ///
    /// # Examples
    ///
    /// ```
    /// use durable_runtime::prelude::*;
    /// # use durable_runtime::Error;
    /// # async fn call(_: &str) -> Result<u32, Error> { Ok(1) }
    ///
    /// #[durable_workflow(goal = "pay", version = 2)]
    /// async fn pay(session: &Session) -> Result<u32, Error> {
    ///     if session.began_at()?.version < 2 {
    ///         #[side_effect(key = "cheque", in_doubt = "treasury")]
    ///         let paid = call("by cheque").await?;
    ///         return Ok(paid);
    ///     }
    ///     #[side_effect(key = "transfer", in_doubt = "treasury")]
    ///     let paid = call("by transfer").await?;
    ///     Ok(paid)
    /// }
    /// ```
    pub fn began_at(&self) -> Result<Began, Error> {
        let around = Around::of(self);
        let live = self.shared.live();
        let run = live.state.runs.get(&*around.session.scope).ok_or(Kind::NoRun { asked: "began_at" })?;
        Ok(Began { version: run.version, at: run.began_at.into() })
    }
}
