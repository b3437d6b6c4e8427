//! After a mistake: the errors, and beside them the function as it was written, so that no other error follows from it.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::{ItemFn, Token};

use super::{companion, paths};
use crate::diag::Errors;
use crate::model::{Step, WorkflowArgs};
use crate::names::mentions;
use crate::span;
use crate::walk::splice;

/// The errors and the function, its steps without their attributes.
pub(crate) fn fallback(mut function: ItemFn, steps: &[Step], is_method: bool, errors: &Errors) -> TokenStream {
    let errors = errors.to_compile_errors();
    // So that a workflow that forgot its `async` has one error and not one more for each `await` in it.
    if function.sig.asyncness.is_none() && mentions(function.block.to_token_stream(), &["await"]) {
        function.sig.asyncness = Some(Token![async](function.sig.fn_token.span));
    }
    let plain = splice(function.to_token_stream(), &|index| {
        steps.get(index).map(|step| plain(step, steps)).unwrap_or_default()
    });
    function.block.stmts.clear();
    let meta = companion::meta(&function, &WorkflowArgs::default(), &[]);
    let companion = (!is_method).then(|| companion::companion(&function, &meta));
    quote! {
        #errors
        #companion
        #[allow(unused, unreachable_code, clippy::all)]
        #plain
    }
}

/// A step's expression as it would stand without the attribute.
fn plain(step: &Step, steps: &[Step]) -> TokenStream {
    let expr = splice(step.expr.to_token_stream(), &|index| {
        steps.get(index).map(|step| plain(step, steps)).unwrap_or_default()
    });
    let question = &step.question;
    let Some(name) = &step.args.binding else { return quote! {#expr #question} };
    let at = span::generated(name.span());
    let root = paths::public(at);
    quote_spanned! {at=> { let #name: &#root::StepKey = ::core::unreachable!(); #expr #question }}
}
