//! After a mistake: the errors, and beside them the function as it was written, so that no other error follows from it.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::{ItemFn, ReturnType, Token};

use super::{companion, paths};
use crate::diag::Errors;
use crate::model::{Step, WorkflowArgs};
use crate::names::mentions;
use crate::span;
use crate::walk::splice;

/// The errors and the function, its steps without their attributes.
pub(crate) fn fallback(mut function: ItemFn, steps: &[Step], is_method: bool, errors: &Errors) -> TokenStream {
    let errors = errors.to_compile_errors();
    let body = body(&function, steps);
    // So that a workflow that forgot its `async` has one error, and not one more for each `await` in it.
    let awaits = mentions(body.clone(), &["await"]) && !mentions(function.sig.output.to_token_stream(), &["Pin"]);
    if function.sig.asyncness.is_none() && awaits {
        function.sig.asyncness = Some(Token![async](function.sig.fn_token.span));
    }
    function.block.stmts.clear();
    let meta = companion::meta(&function, &WorkflowArgs::default(), &[]);
    let companion = (!is_method).then(|| companion::companion(&function, &meta));
    let (attrs, vis, sig) = (&function.attrs, &function.vis, &function.sig);
    quote! {
        #errors
        #companion
        #[allow(unused, unreachable_code, clippy::all)]
        #(#attrs)*
        #vis #sig #body
    }
}

/// The body as it was written; where the return type was forgotten, each `?` in it would be one more error.
fn body(function: &ItemFn, steps: &[Step]) -> TokenStream {
    match &function.sig.output {
        ReturnType::Default => quote! {{ ::core::unreachable!() }},
        ReturnType::Type(..) => splice(function.block.to_token_stream(), &|index| plain(index, steps)),
    }
}

/// A step's expression as it would stand without the attribute.
fn plain(index: usize, steps: &[Step]) -> TokenStream {
    let Some(step) = steps.get(index) else { return TokenStream::new() };
    let (expr, question) = (&step.expr, &step.question);
    let Some(name) = &step.args.binding else { return quote! {#expr #question} };
    let at = span::generated(name.span());
    let root = paths::public(at);
    quote_spanned! {at=> { let #name: &#root::StepKey = ::core::unreachable!(); #expr #question }}
}
