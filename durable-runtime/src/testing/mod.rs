//! What tests need to look behind a session: a disk that counts, a clock that waits for nobody, and the kill lab.
//!
//! Only with the feature `testing`.

mod clock;
mod effects;
#[cfg(feature = "testing-http")]
pub mod http;
mod lab;
mod life;
mod machine;
mod real;
mod story;

pub use clock::ManualClock;
pub use effects::{Effects, NoAnswer};
#[cfg(feature = "testing-http")]
pub use http::{HttpRequest, HttpService, HttpWorld};
pub use lab::{KillLab, LabVerdict, Report, Table};
pub use life::Sessions;
#[doc(hidden)]
pub use real::Ground;
pub use real::RealReport;

#[cfg(feature = "testing")]
pub use crate::store::files::{Access, Call, CountingDisk, Disk, Guard, Identity, Operation, RealDisk};
