//! The function: it enters its run, and drives its body in it.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::{AttrStyle, Attribute, LitStr};

use super::{editor, in_macro, inputs, instance, meta, paths, send, step, text, warning};
use crate::model::{Session, Workflow};
use crate::span;
use crate::walk::{put_body, splice};

/// A function, and the constant that belongs beside it.
pub(crate) struct Expanded {
    pub(crate) function: TokenStream,
    pub(crate) constant: Option<TokenStream>,
}

impl Expanded {
    /// The function stands first, so that an editor finds its place whatever comes beside it.
    pub(crate) fn beside_each_other(self) -> TokenStream {
        let Self { function, constant } = self;
        quote! {#function #constant}
    }
}

/// The function and what stands beside it.
pub(crate) fn workflow(workflow: &Workflow) -> Expanded {
    paths::under(workflow.args.root.as_ref(), || {
        let (constant, declare) = meta::declare(workflow);
        Expanded { function: function(workflow, &declare), constant }
    })
}

fn function(workflow: &Workflow, declare: &TokenStream) -> TokenStream {
    let function = &workflow.function;
    let (outer, inner): (Vec<&Attribute>, _) =
        function.attrs.iter().partition(|attr| matches!(attr.style, AttrStyle::Outer));
    let mut sig = function.sig.clone();
    sig.inputs = inputs::parameters(workflow).into_iter().collect();
    let (vis, enter, drive) = (&function.vis, enter(workflow), drive(workflow));
    let stmts = function.block.stmts.iter().map(ToTokens::to_token_stream).collect();
    let names = editor::uses(&workflow.names);
    let warnings = workflow.findings.iter().map(warning::warning);
    let body = put_body(stmts, &quote! {#names #(#warnings)* #declare #enter #drive});
    quote! {
        #(#outer)*
        #vis #sig {
            #(#inner)*
            #body
        }
    }
}

/// Enters the run, in two statements: what its key borrows must not live across the `await`.
fn enter(workflow: &Workflow) -> TokenStream {
    let at = span::generated(workflow.function.sig.ident.span());
    let root = paths::private(at);
    let returns = &workflow.signature.returns;
    let at_type = span::generated(span::ends(returns).0);
    let root_at_type = paths::private(at_type);
    let bind = inputs::bind_for_key(workflow);
    let record = inputs::record(workflow);
    let new = Ident::new(if workflow.args.inputs_recorded { "not_compared" } else { "new" }, at);
    let instance = instance::instance(workflow, at);
    let mutable = (!workflow.signature.inputs.is_empty()).then(|| quote_spanned! {at=> mut});
    let has_cfg = workflow.signature.inputs.iter().any(|input| !input.cfgs.is_empty());
    let unused = has_cfg.then(|| quote_spanned! {at=> #[allow(unused_mut)]});
    let goal = text::option(workflow.args.goal.as_ref().map(text::text), at);
    let ((bind_session, session), key) = (session(workflow), key(workflow));
    let enter = match workflow.args.formerly.as_slice() {
        [] => quote_spanned! {at=> #root::enter(#session, __durable_meta, #key, __durable_goal, __durable_inputs)},
        former => {
            let former = former.iter().map(text::former);
            quote_spanned! {at=>
                #root::enter_formerly(#session, __durable_meta, #root::former(#key), &[#(#former),*], __durable_goal, __durable_inputs)
            }
        }
    };
    let make_returns = paths::at(returns, "returns");
    let declare_returns = quote_spanned! {at_type=>
        let __durable_returns = &#root_at_type::returned::<#returns>().is_result().made_by(#make_returns);
    };
    quote_spanned! {at=>
        #declare_returns
        #unused let #mutable __durable_inputs = #root::Inputs::#new()#instance;
        #record
        #bind
        let __durable_goal = #goal;
        #bind_session
        let __durable_entry = #enter;
        let __durable_run = match __durable_entry.await {
            ::core::result::Result::Ok(run) => run,
            ::core::result::Result::Err(error) => return __durable_returns.fail(error),
        };
        let __durable_run = &__durable_run;
    }
}

/// A statement that keeps what `session = ..` makes until the run is entered, and the session.
fn session(workflow: &Workflow) -> (Option<TokenStream>, TokenStream) {
    match &workflow.signature.session {
        Session::Parameter { name, .. } => (None, quote_spanned! {span::generated(name.span())=> &#name}),
        Session::Given(expr) => {
            let at = span::generated(span::ends(expr).0);
            let session = Ident::new("__durable_session", at);
            (Some(quote_spanned! {at=> let #session = &(#expr);}), session.to_token_stream())
        }
    }
}

/// The key of the run; without one, the name of the function.
fn key(workflow: &Workflow) -> TokenStream {
    let name = &workflow.function.sig.ident;
    match &workflow.args.key {
        Some(key) => text::key(key),
        None => {
            let name = LitStr::new(&name.unraw().to_string(), name.span());
            quote! {&[#name], &[]}
        }
    }
}

/// The body, in a box: moved into another function, it would make the future around it twice as big, and `pin!` is `unsafe`
/// to clippy, which would warn of each type with such a method that can be read.
fn drive(workflow: &Workflow) -> TokenStream {
    let at = span::generated(workflow.function.sig.ident.span());
    let root = paths::private(at);
    let returns = &workflow.signature.returns;
    let at_type = span::generated(span::ends(returns).0);
    let return_type = quote_spanned! {at_type=>
        if false {
            return __durable_returns.any();
        }
    };
    let restore = inputs::restore(workflow);
    let around = step::Around { returns, steps: workflow.steps.len(), timeout: workflow.args.timeout };
    let stmts = workflow.body.block.stmts.iter().map(ToTokens::to_token_stream).collect();
    let stmts = splice(stmts, &|index| match workflow.steps.get(index) {
        Some(step) => step::step(step, index, around),
        None => TokenStream::new(),
    });
    // Braces of our own, at the place of the user's: these are needed where theirs would be called needless.
    let braces = span::generated(workflow.body.block.brace_token.span.join());
    let body = quote_spanned! {braces=> { #stmts }};
    let send::Threads { types, of_steps, of_body } = send::threads(workflow);
    let in_macros = workflow.steps.iter().enumerate().filter_map(|(index, step)| in_macro::declare(step, index));
    quote_spanned! {at=>
        #types
        let mut __durable_body = {
            let __durable_body = async move { #return_type #of_steps #(#in_macros)* #restore #body };
            #of_body
            #root::boxed(__durable_body)
        };
        #root::drive(__durable_run, __durable_returns, __durable_body.as_mut()).await
    }
}
