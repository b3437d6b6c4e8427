//! What tests need to look behind a session: a disk that counts, and a clock that waits for nobody.
//!
//! Only with the feature `testing`.

mod clock;

pub use clock::ManualClock;

#[cfg(feature = "testing")]
pub use crate::store::files::{Call, CountingDisk, Disk, Guard, Identity, Operation, RealDisk};
