//! From the model to tokens.

mod companion;
mod fallback;
mod inputs;
mod outline;
mod outside;
mod paths;
mod step;
mod text;
mod workflow;

pub(crate) use fallback::fallback;
pub(crate) use outline::outline;
pub(crate) use outside::outside;
pub(crate) use workflow::workflow;
