//! A workflow that cannot move between threads says so at its own name, and not where somebody spawns it far away.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote_spanned};
use syn::{FnArg, GenericParam};

use super::paths;
use crate::model::Workflow;
use crate::names::mentions;
use crate::span;

/// At the name of the function, the wish that the body named `__durable_body` be `Send`.
pub(super) fn wanted(workflow: &Workflow) -> Option<TokenStream> {
    if workflow.args.local || !is_decidable(workflow) {
        return None;
    }
    let at = span::generated(workflow.function.sig.ident.span());
    let root = paths::private(at);
    Some(quote_spanned! {at=> #root::send_unless_local(&__durable_body);})
}

/// Whether it can be said here. A type parameter may be `Send` or not, and so may `Self`. And a workflow that calls
/// itself, in a box, cannot ask what it is made of while that is being found out.
fn is_decidable(workflow: &Workflow) -> bool {
    let (sig, body) = (&workflow.function.sig, &workflow.body.block);
    let is_concrete = |arg: &FnArg| !mentions(arg.to_token_stream(), &["impl"]);
    let (own_name, steps) = (sig.ident.to_string(), workflow.steps.iter().map(|step| step.expr.to_token_stream()));
    let may_recur = [body.to_token_stream()].into_iter().chain(steps).any(|code| mentions(code, &["pin", &own_name]));
    sig.asyncness.is_some()
        && !workflow.signature.speaks_of_self
        && sig.generics.params.iter().all(|param| matches!(param, GenericParam::Lifetime(_)))
        && sig.inputs.iter().all(is_concrete)
        && !may_recur
}
