//! What was tried to make an effect happen twice, or to make a run choose another path, and must not.

mod answers;
mod drops;
mod errors;
mod lost;
mod refusals;
mod runs;
mod siblings;
mod surroundings;
mod swallowed;
mod torn;
mod values;
mod world;
