//! From tokens to the model. A mistake inside one argument is reported here; mistakes between arguments in `check`.

mod args;
mod function;
mod inputs;
mod signature;
mod step;
mod values;
mod workflow;

pub(crate) use function::function;
pub(crate) use signature::signature;
pub(crate) use step::step_args;
pub(crate) use workflow::workflow_args;
