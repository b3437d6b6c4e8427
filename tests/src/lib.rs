//! What the tests need to kill real processes: a world that outlives them, workflows that act on it, what a victim is
//! told, and what a session leaves on disk, read as anybody can who has the files.

pub mod files;
pub mod fixtures;
pub mod hostile;
pub mod lab;
pub mod orders;
pub mod sequence;
pub mod stage;
pub mod warnings;
pub mod workflows;
pub mod world;
