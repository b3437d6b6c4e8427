//! Victims, trials and the checks that stand after each.

mod checks;
pub(crate) mod compiler;
mod random;
mod trial;
mod victim;

pub(crate) use random::Random;
pub(crate) use trial::Trial;
pub(crate) use victim::{End, Victim};
