//! Durable workflows: annotate an ordinary `async fn`, kill it anywhere, start it again, and no side effect happens
//! twice.

#[doc(hidden)]
#[path = "private/mod.rs"]
pub mod __private;
pub mod clock;
pub mod core;
mod error;
mod outcome;
pub mod prelude;
mod run;
mod session;
pub mod store;
#[cfg(feature = "testing")]
pub mod testing;
mod verdict;

use __private as private;

pub use self::core::handoff::Handoff;
pub use self::core::key::{KeyPart, StepKey};
pub use self::core::outline::{Outline, OutlineStep};
pub use self::error::Error;
pub use self::outcome::Outcome;
pub use self::run::run;
pub use self::session::{Answer, Resolve, Session, SessionBuilder};
pub use self::store::files::Durability;
pub use self::verdict::{IntoVerdict, Verdict};
pub use durable_runtime_macros::{durable_workflow, outline, read, side_effect};
