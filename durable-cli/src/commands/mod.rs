//! The commands, one file each: what it is given, and what it does.

pub(crate) mod adopt;
pub(crate) mod completions;
pub(crate) mod doctor;
pub(crate) mod man;
