//! The place in the body that a step was taken from.

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use syn::{Expr, parse_quote};

const PREFIX: &str = "__durable_slot_";
const BODY: &str = "__durable_body";

/// The expression that stands for the body.
pub(crate) fn body_slot(span: Span) -> Expr {
    let ident = Ident::new(BODY, span);
    parse_quote!(#ident)
}

/// The tokens with `body` in the place that it was taken from.
pub(crate) fn put_body(tokens: TokenStream, body: &TokenStream) -> TokenStream {
    replace(tokens, &|ident| (ident == BODY).then(|| body.clone()))
}

/// The expression that stands for step `index`.
pub(crate) fn slot(index: usize, span: Span) -> Expr {
    let ident = Ident::new(&format!("{PREFIX}{index}"), span);
    parse_quote!(#ident)
}

/// The step that an identifier stands for.
pub(crate) fn slot_in(ident: &Ident) -> Option<usize> {
    ident.to_string().strip_prefix(PREFIX)?.parse().ok()
}

/// The steps whose slots are among the tokens, in source order.
pub(crate) fn slots_in(tokens: TokenStream) -> Vec<usize> {
    let slots = tokens.into_iter().flat_map(|token| match token {
        TokenTree::Ident(ident) => slot_in(&ident).into_iter().collect(),
        TokenTree::Group(group) => slots_in(group.stream()),
        _ => Vec::new(),
    });
    slots.collect()
}

/// The tokens with `fill(index)` in the place of each slot.
pub(crate) fn splice(tokens: TokenStream, fill: &dyn Fn(usize) -> TokenStream) -> TokenStream {
    replace(tokens, &|ident| slot_in(ident).map(fill))
}

/// The tokens with other tokens in the place of some names.
pub(crate) fn replace(tokens: TokenStream, with: &dyn Fn(&Ident) -> Option<TokenStream>) -> TokenStream {
    let replaced = tokens.into_iter().map(|token| match token {
        TokenTree::Ident(ident) => with(&ident).unwrap_or_else(|| TokenTree::from(ident).into()),
        TokenTree::Group(group) => {
            let mut inner = Group::new(group.delimiter(), replace(group.stream(), with));
            inner.set_span(group.span());
            TokenTree::from(inner).into()
        }
        other => TokenStream::from(other),
    });
    replaced.collect()
}
