//! A call whose run is named at the call: the user's expression once and in its place, polled under that name.

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};

use super::{paths, step, text};
use crate::model::Step;
use crate::span;
use crate::walk::Exits;

/// The call in this start, as a block: from the key of its run to what it comes to. Its `async` block is there to be
/// polled: every poll says the name.
pub(super) fn life(run: &Step, index: usize, fails: bool) -> TokenStream {
    let at = span::generated(span::ends(&run.expr).0);
    let root = paths::private(at);
    let reached = step::reached(run, index, at);
    let title = text::option(run.args.title.as_ref().map(text::text), at);
    let (expr, question) = (&run.expr, &run.question);
    let call = match Exits::of(expr).questions.is_empty() || run.args.later.is_some() {
        true => quote_spanned! {at=> async { #expr }},
        false => {
            let whole = quote! {#expr #question};
            quote_spanned! {at=> __durable_returns.caught(async { ::core::result::Result::Ok(#whole) })}
        }
    };
    let poll = Ident::new(
        match (run.args.later, fails) {
            (Some(_), _) => "call_later",
            (None, true) => "try_call",
            (None, false) => "call",
        },
        at,
    );
    quote_spanned! {at=> {
        let __durable_key = #reached;
        let __durable_title = #title;
        let __durable_call = ::core::pin::pin!(#call);
        #root::Run::#poll(__durable_run, &__durable_key, __durable_title, __durable_call).await
    }}
}
