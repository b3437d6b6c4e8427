//! The shell around the core: boots, obeys what the core decides, and talks to a store and a clock.

mod adopt;
mod attempt;
mod audit;
mod began;
mod boot;
mod boot_report;
mod budget;
mod builder;
mod call;
mod cancel;
mod checkpoint;
mod codec;
mod commit;
mod doctor;
mod doubt;
mod enter;
mod failed;
mod handle;
mod inbox;
mod inputs;
mod inspect;
mod live;
mod machine;
mod memory;
mod mission;
mod noted;
mod pace;
mod panic;
mod plain;
mod plan;
mod post;
mod proof;
mod recorded;
mod recover_all;
mod refused;
mod resolve;
mod retitled;
mod returns;
mod run;
mod said;
mod secrets;
mod slot;
mod surroundings;
mod trim;
mod values;
mod waits;

#[cfg(test)]
mod tests;

pub use adopt::adopt;
pub use audit::audit;
pub use began::Began;
pub use boot_report::BootReport;
pub use builder::SessionBuilder;
pub use cancel::Cancel;
pub use codec::Codec;
pub use doctor::{Diagnosis, doctor};
pub use handle::Session;
pub use inputs::{Given, Inputs};
pub use inspect::{Inspect, Inspection, inspect, sessions};
pub use memory::Memory;
pub use pace::Pace;
pub use plain::{Read, SideEffect};
pub use post::post;
pub use proof::{Asks, Prove, Proven, Unasked, Unproven};
pub use recover_all::{RecoverAll, RecoveredAll, RecoveredOne, recover_all};
pub use resolve::{Answer, Post, Reply, Resolve, Word};
pub use returns::Returns;
pub use run::{Former, Run};
pub use slot::Slot;
pub use waits::{Decide, DecideNeedsKey, IntoDecision, Sleep, SleepNeedsKey, Waits};

pub(crate) use enter::{Asked, enter};
#[cfg(any(test, feature = "testing"))]
pub(crate) use post::leave;
pub(crate) use run::{Reached, drive};
