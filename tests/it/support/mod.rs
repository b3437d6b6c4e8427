//! Victims, trials and the checks that stand after each.

mod checks;
mod random;
mod trial;
mod victim;

pub(crate) use random::Random;
pub(crate) use trial::Trial;
pub(crate) use victim::{End, Victim};
