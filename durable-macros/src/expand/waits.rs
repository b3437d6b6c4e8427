//! A sleep or a decision: the user's call once and in its place, which says what is waited for, and what the attribute
//! says of it.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote_spanned};

use super::{meta, paths, text};
use crate::model::{Kind, Step};
use crate::parse::awaited_call;
use crate::span;

/// The wait in this start, as a block: from its key to what it comes to. What the arguments borrow is given back before
/// anything is awaited.
pub(super) fn life(step: &Step, index: usize) -> TokenStream {
    let at = span::generated(span::ends(&step.expr).0);
    let root = paths::private(at);
    let key = step.args.key.as_ref().map(text::key);
    let title = text::option(step.args.title.as_ref().map(text::text), at);
    let reach = Ident::new(if step.args.kind == Kind::Sleep { "sleep" } else { "decide" }, at);
    let (call, terms) = (call(step), terms(step, at));
    quote_spanned! {at=> {
        let __durable_key = __durable_run.key(&__durable_meta.steps[#index], #key);
        let __durable_title = #title;
        let __durable_wait = #root::Run::#reach(__durable_run, &__durable_key, __durable_title, #call);
        #terms
        __durable_wait.await
    }}
}

/// What a wait would give, in a function that does not compile for another reason.
pub(super) fn plain(step: &Step) -> TokenStream {
    let at = span::generated(span::ends(&step.expr).0);
    let root = paths::private(at);
    let waits = Ident::new(if step.args.kind == Kind::Sleep { "slept" } else { "decided" }, at);
    match (awaited_call(&step.expr), &step.question) {
        (Some(call), Some(_)) => quote_spanned! {at=> #root::#waits(#call)},
        _ => quote_spanned! {at=> ::core::unreachable!()},
    }
}

fn call(step: &Step) -> TokenStream {
    awaited_call(&step.expr).map_or_else(TokenStream::new, ToTokens::to_token_stream)
}

fn terms(step: &Step, at: Span) -> TokenStream {
    let shows = step.args.shows.as_ref().map(|shown| {
        let at = span::generated(span::ends(shown).0);
        quote_spanned! {at=> let __durable_wait = __durable_wait.shows(&#shown);}
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
