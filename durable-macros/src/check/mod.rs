//! Mistakes that no single argument shows. Each check reports all it finds; none stops another.

mod asked;
mod borrowed;
mod by_type;
mod changing;
mod data;
mod dropped;
mod effects;
mod errors;
mod exits;
mod forgotten;
mod hoarded;
mod ignored;
mod keys;
mod loops;
mod names;
mod nondet;
mod own;
mod proof;
mod resources;
mod runs;
mod shadows;
mod sources;
mod swallowed;
mod types;
mod unawaited;
mod unpolled;
mod waits;

pub(crate) use by_type::lost_errors;
pub(crate) use changing::changes_any;
pub(crate) use nondet::nondeterminism;
pub(crate) use proof::asks_nobody;
pub(crate) use runs::enters;
pub(crate) use unpolled::forgotten_futures;

use proc_macro2::Ident;
use syn::ItemFn;

use crate::diag::Errors;
use crate::model::{Body, Signature, Step, WorkflowArgs};

pub(crate) fn workflow(
    function: &ItemFn,
    signature: Option<&Signature>,
    body: &Body,
    args: &WorkflowArgs,
    steps: &[Step],
    errors: &mut Errors,
) -> Checked {
    let mut refused = names::check(function, body, args, steps, errors);
    refused.extend(own::check(function, body, steps, errors));
    keys::check(args, steps, errors);
    resources::check(function, signature, body, args, steps, errors);
    loops::check(steps, &refused, errors);
    proof::check(steps, errors);
    runs::check(steps, errors);
    waits::check(steps, errors);
    let is_ambiguous = shadows::check(function, body, steps, errors);
    borrowed::check(steps, errors);
    dropped::check(&body.block, steps, errors);
    unawaited::check(&body.block, errors);
    exits::check(steps, errors);
    errors::check(steps, errors);
    swallowed::check(steps, errors);
    ignored::check(steps, errors);
    asked::check(steps, errors);
    effects::check(function, signature, body, steps, errors);
    let forgotten = forgotten::check(function, body, steps, errors);
    Checked { is_ambiguous, forgotten }
}

/// What the mistakes leave to be said of a body.
pub(crate) struct Checked {
    /// Whether a name in it stands for two things, so that no type in it is certain.
    pub(crate) is_ambiguous: bool,
    /// The names of keys that were not given to them.
    pub(crate) forgotten: Vec<Ident>,
}
