//! From tokens to the model. A mistake inside one argument is reported here; mistakes between arguments in `check`.

mod args;
mod body;
mod errors;
mod fillers;
mod foreign;
mod former;
mod function;
mod inputs;
mod lending;
mod marks;
mod methods;
mod receiver;
mod retry;
mod run;
mod signature;
mod step;
mod values;
mod waits;
mod workflow;

pub(crate) use body::{ends_in_a_future, take as body};
pub(crate) use function::function;
pub(crate) use methods::{methods, place_in, take_workflow};
pub(crate) use receiver::{rename_in_args, rename_in_steps};
pub(crate) use signature::{never_a_result, signature, simple_name, speaks_of_self};
pub(crate) use step::step_args;
pub(crate) use values::peel;
pub(crate) use waits::awaited_call;
pub(crate) use workflow::workflow_args;
