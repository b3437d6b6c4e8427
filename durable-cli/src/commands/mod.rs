//! The commands, one file each: what it is given, and what it does.

pub(crate) mod adopt;
pub(crate) mod audit;
pub(crate) mod cancel;
pub(crate) mod completions;
pub(crate) mod decide;
pub(crate) mod doctor;
pub(crate) mod handoff;
pub(crate) mod journal;
pub(crate) mod keys;
pub(crate) mod man;
pub(crate) mod outline;
pub(crate) mod resolve;
pub(crate) mod show;
pub(crate) mod status;
pub(crate) mod trim;
pub(crate) mod watch;
