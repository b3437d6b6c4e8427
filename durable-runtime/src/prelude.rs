//! Everything a workflow needs: `use durable_runtime::prelude::*;`.

pub use crate::approval::Approval;
pub use crate::core::key::{KeyPart, StepKey};
pub use crate::core::step_error::StepError;
pub use crate::session::Session;
pub use crate::verdict::Verdict;
pub use durable_runtime_macros::{
    decision, durable_methods, durable_workflow, outline, read, run, side_effect, sleep, workflows,
};
