//! Mistakes that no single argument shows. Each check reports all it finds; none stops another.

mod errors;
mod exits;
mod keys;
mod loops;
mod names;
mod nondet;
mod proof;
mod runs;
mod sources;

pub(crate) use nondet::nondeterminism;

use syn::ItemFn;

use crate::diag::Errors;
use crate::model::{Body, Step, WorkflowArgs};

pub(crate) fn workflow(function: &ItemFn, body: &Body, args: &WorkflowArgs, steps: &[Step], errors: &mut Errors) {
    names::check(function, body, args, steps, errors);
    keys::check(steps, errors);
    loops::check(steps, errors);
    proof::check(steps, errors);
    runs::check(steps, errors);
    exits::check(steps, errors);
    errors::check(steps, errors);
}
