//! Durable workflows: annotate an ordinary `async fn`, kill it anywhere, start it again, and no side effect happens
//! twice.
//!
//! What is known is replayed, what is in doubt is verified, and what nobody can verify stops and asks.
//!
//! ```
//! use durable_runtime::prelude::*;
//! # struct Bank;
//! # impl Bank {
//! #     async fn transfer(&self, token: impl ToString, to: &str) -> Result<u64, std::io::Error> {
//! #         Ok((token.to_string().len() + to.len()) as u64)
//! #     }
//! #     async fn find(&self, _token: impl ToString) -> Result<Option<u64>, std::io::Error> { Ok(None) }
//! # }
//! # #[derive(Debug)] struct PayError(String);
//! # impl<E: std::error::Error> From<E> for PayError { fn from(error: E) -> Self { Self(error.to_string()) } }
//! # impl std::fmt::Display for PayError {
//! #     fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { f.write_str(&self.0) }
//! # }
//!
//! #[durable_workflow(goal = "pay {names.len()} people", invariants = ["nobody is paid twice"])]
//! async fn payroll(session: &Session, #[resource] bank: &Bank, names: &[String]) -> Result<u64, PayError> {
//!     let mut total = 0;
//!     for name in names {
//!         #[side_effect(
//!             key = "pay/{name}" as pay,
//!             title = "pay {name}",
//!             verify = bank.find(pay.token()).await,
//!             settle = "10s",
//!         )]
//!         let paid = bank.transfer(pay.token(), name).await?;
//!         total += paid;
//!     }
//!     Ok(total)
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! # let dir = tempfile::tempdir().expect("a directory for the example");
//! # let (dir, bank, names) = (dir.path().join("session"), Bank, ["Ada".to_owned(), "Grace".to_owned()]);
//! let outcome = durable_runtime::run(&dir, async |session| payroll(session, &bank, &names).await).await;
//! # assert_eq!(outcome.code(), 0);
//! # }
//! ```
//!
//! # What is guaranteed
//!
//! | kind | runs | after a crash in the middle |
//! |---|---|---|
//! | `#[side_effect(verify = ..)]` | again only after proof of absence | asks `verify`: happened, and its value is the result; did not happen, and it runs; unknown, and it stops and asks a person |
//! | `#[side_effect(idempotent)]` | at least once, always with the same token | runs again with that token; the receiver drops the repeat |
//! | `#[side_effect(in_doubt = "who")]` | at most once | stops and asks `who` |
//! | `#[read]` | at least once, its result recorded once | runs again, so reads and computations only |
//! | `#[decision]` | answered once | keeps waiting for a person; an answer is never used up |
//! | `#[sleep]` | wakes once, never before the recorded instant | sleeps the rest |
//!
//! A step gives the value that was stored, on the first run too: floats bit for bit, also those that are no number;
//! `Option`s in one another; maps with keys of any kind; bytes at a third more than their number. A value that cannot be
//! stored is found out after the effect: its step is done, never runs again, and a person supplies the value.
//! `docs/values.md` in the repository is the table of what survives.
//!
//! What no engine can promise: a request that is already on its way may land late, so a "no" counts only after `settle`
//! (30 seconds if a step does not say otherwise). A receiver forgets tokens, so `idempotent` is as good as its memory.
//! And a verifier that lies is believed.
//!
//! # Features
//!
//! None is on by default.
//!
//! - `testing`: the kill lab, and clocks and disks for tests; `testing-http` adds a server for workflows that talk HTTP.
//! - `anyhow`, `reqwest`: ready classifiers of these errors, in [`classify`].
//! - `chrono`, `jiff`, `time`: their civil dates in keys.
//!
//! # Where to go on
//!
//! - [`durable_workflow`], [`side_effect`], [`read`], [`decision`], [`sleep`] and [`run`](macro@run): every argument of the attributes.
//! - [`Session`]: the directory in which a workflow keeps what it knows; [`run`](fn@run): the whole life of a process.
//! - [`Error`] and [`Outcome`]: how it stops, and what to do then; [`Session::resolve`]: how a person ends a doubt.
//! - [`inspect`](fn@inspect): looking at a session that another process holds.
//! - [`Session::answer`] and [`post`]: how a person decides; [`Waits`]: what a process does meanwhile.

#[doc(hidden)]
#[path = "private/mod.rs"]
pub mod __private;
mod approval;
mod broken;
pub mod classify;
pub mod clock;
pub mod core;
mod env_ref;
mod error;
mod helpers;
mod outcome;
pub mod prelude;
mod run;
mod session;
pub mod store;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod verdict;

use __private as private;

#[cfg(feature = "__broken")]
#[doc(hidden)]
pub use self::broken::Broken;

pub use self::approval::Approval;
pub use self::core::audit::{Audit, AuditLine, AuditVerdict};
pub use self::core::budget::Budget;
pub use self::core::failure::{Failure, FailureKind};
pub use self::core::handoff::{Handoff, Inventory};
pub use self::core::key::{KeyPart, StepKey};
pub use self::core::life::{KeyLife, Stands};
pub use self::core::memory::Artifact;
pub use self::core::outline::{Outline, OutlineStep};
pub use self::core::pace::{Turn, Why};
pub use self::core::progress::{Progress, StepProgress};
pub use self::core::research::{Research, Researched};
pub use self::core::secrets::Secrets;
pub use self::core::standing::Standing;
pub use self::core::step_error::StepError;
pub use self::core::workflows::Workflows;
pub use self::env_ref::EnvRef;
pub use self::error::Error;
pub use self::helpers::each;
pub use self::outcome::Outcome;
pub use self::run::run;
pub use self::session::{
    Answer, Asks, Began, BootReport, Cancel, Decide, DecideNeedsKey, Diagnosis, Inspect, Inspection, IntoDecision,
    Memory, Pace, Post, Prove, Proven, Read, RecoverAll, RecoveredAll, RecoveredOne, Reply, Resolve, Session,
    SessionBuilder, SideEffect, Sleep, SleepNeedsKey, Unasked, Unproven, Waits, Word, adopt, audit, doctor, inspect,
    post, recover_all, sessions,
};
pub use self::store::LentLock;
pub use self::store::files::{Durability, Finding, Holder, Remedy};
pub use self::verdict::{IntoVerdict, Verdict};
pub use durable_runtime_macros::{
    decision, durable_methods, durable_workflow, outline, read, run, side_effect, sleep, workflows,
};
