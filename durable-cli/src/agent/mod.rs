//! What an agent with a shell says of its own work: one iteration, from `boot` to `end`, in many commands.

pub(crate) mod boot;
pub(crate) mod budget;
pub(crate) mod checkpoint;
pub(crate) mod end;
pub(crate) mod note;
pub(crate) mod opening;
