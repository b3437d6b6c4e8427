//! A sleep or a decision: the user's call once and in its place, which says what is waited for, and what the attribute
//! says of it.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Expr, Path, parse_quote_spanned};

use super::step::reached;
use super::{meta, paths, text};
use crate::model::{Kind, Step};
use crate::names::mentions;
use crate::parse::awaited_call;
use crate::span;
use crate::walk::waits_for;

/// The wait in this start, as a block: from its key to what it comes to. What the arguments borrow is given back before
/// anything is awaited.
pub(super) fn life(step: &Step, index: usize) -> TokenStream {
    let at = span::generated(span::ends(&step.expr).0);
    let root = paths::private(at);
    let reached = reached(step, index, at);
    let title = text::option(step.args.title.as_ref().map(text::text), at);
    let reach = Ident::new(if step.args.kind == Kind::Sleep { "sleep" } else { "decide" }, at);
    let (call, terms, ty) = (call(step), terms(step, at), decided(step));
    quote_spanned! {at=> {
        let __durable_key = #reached;
        let __durable_title = #title;
        let __durable_wait #ty = #root::Run::#reach(__durable_run, &__durable_key, __durable_title, #call);
        #terms
        __durable_wait.await
    }}
}

/// What a wait would give, in a function that does not compile for another reason.
pub(super) fn plain(step: &Step) -> TokenStream {
    let at = span::generated(span::ends(&step.expr).0);
    let root = paths::private(at);
    let (expr, question) = (&step.expr, &step.question);
    let call = awaited_call(expr).and_then(|call| Some((call, waits_for(&call.method)?)));
    match (call, question) {
        (Some((call, kind)), Some(_)) => {
            let waits = Ident::new(if kind == Kind::Sleep { "slept" } else { "decided" }, at);
            quote_spanned! {at=> #root::#waits(#call)}
        }
        // Awaited further on, as it was meant to be.
        (None, question) if is_wait(expr) => {
            let wait = with_a_key(expr);
            let awaited = question.map(|question| quote_spanned! {at=> .await #question});
            quote_spanned! {at=> #wait #awaited}
        }
        // What has no key is no future: as it stands it would be one more mistake.
        _ if mentions(expr.to_token_stream(), &METHODS) => quote_spanned! {at=> { ::core::unreachable!() }},
        _ => quote! {#expr #question},
    }
}

/// A wait to which no key was given, with one: what is not ours stays as it is.
pub(crate) fn keyed(wait: &Expr, root: Option<&Path>) -> Expr {
    paths::under(root, || with_a_key(wait))
}

fn with_a_key(wait: &Expr) -> Expr {
    let at = span::generated(span::ends(wait).0);
    let private = paths::private(at);
    parse_quote_spanned! {at=> ({ use #private::Keyed as _; #wait.key("") }) }
}

/// Whether it is a call that waits, and is not awaited.
fn is_wait(expr: &Expr) -> bool {
    matches!(expr, Expr::MethodCall(call) if waits_for(&call.method).is_some())
}

/// The calls of a session that wait.
const METHODS: [&str; 3] = ["sleep", "sleep_until", "decide"];

/// What is decided, where the `let` says it, so that it is not taken from what counts when nobody answers.
fn decided(step: &Step) -> Option<TokenStream> {
    let ty = step.ty.as_ref().filter(|_| step.args.on_expiry.is_some())?;
    let root = paths::private(span::generated(span::ends(ty).0));
    Some(quote! {: #root::Decide<#ty>})
}

fn call(step: &Step) -> TokenStream {
    awaited_call(&step.expr).map_or_else(TokenStream::new, ToTokens::to_token_stream)
}

fn terms(step: &Step, at: Span) -> TokenStream {
    let shows = step.args.shows.as_ref().map(|shown| {
        let (at, shown) = (span::generated(span::ends(shown).0), text::operand(shown));
        let root = paths::private(at);
        quote_spanned! {at=> let __durable_wait = __durable_wait.shows(#root::shown(&#shown));}
    });
    let expires = step.args.expires.map(|(span, length)| {
        let length = meta::duration(span, length);
        quote_spanned! {at=> let __durable_wait = __durable_wait.expires(#length);}
    });
    let on_expiry = step.args.on_expiry.as_ref().map(|value| {
        let at = span::generated(span::ends(value).0);
        quote_spanned! {at=> let __durable_wait = __durable_wait.on_expiry(#value);}
    });
    quote_spanned! {at=> #shows #expires #on_expiry}
}
