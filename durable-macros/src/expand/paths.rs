//! The paths into the runtime. No other file knows where they lead.

use std::cell::RefCell;

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::Path;

use crate::span;

thread_local! {
    /// What `crate = ..` says of the workflow that is being expanded. One thread expands one workflow at a time.
    static ROOT: RefCell<Option<TokenStream>> = const { RefCell::new(None) };
}

/// Expands with another path for the library.
pub(super) fn under<T>(root: Option<&Path>, expand: impl FnOnce() -> T) -> T {
    let outer = ROOT.replace(root.map(ToTokens::to_token_stream));
    let expanded = expand();
    ROOT.set(outer);
    expanded
}

/// The module that the expansion calls, at the user's token. Only the path's beginning stands there. The rest stands where
/// the library is named, so that the compiler says once, and not at each use, that it is not to be found.
pub(super) fn private(at: Span) -> TokenStream {
    let root = public(at);
    let end = root.clone().into_iter().last().map_or_else(Span::mixed_site, |last| last.span());
    let module = Ident::new("__private", span::generated(end));
    quote! {#root::#module}
}

/// Something in it, at the whole of what the user wrote.
pub(super) fn at(written: &impl ToTokens, name: &str) -> TokenStream {
    let (first, last) = span::ends(written);
    let (root, name) = (private(span::generated(first)), Ident::new(name, span::generated(last)));
    quote! {#root::#name}
}

/// The crate itself. A path that the user gave keeps its meaning.
pub(super) fn public(at: Span) -> TokenStream {
    let given = ROOT.with_borrow(Clone::clone);
    let root = given.unwrap_or_else(|| quote_spanned! {Span::mixed_site()=> ::durable_runtime});
    let (first, rest) = split(root.into_iter().collect());
    let first = match first.first() {
        // It means the same in every context.
        Some(TokenTree::Punct(_)) => span::respan(first.into_iter().collect(), at),
        _ => span::moved(first.into_iter().collect(), at),
    };
    first.into_iter().chain(rest).collect()
}

/// The first segment, or the `::` before it, and what follows.
fn split(mut path: Vec<TokenTree>) -> (Vec<TokenTree>, Vec<TokenTree>) {
    let colons = path.iter().take_while(|token| matches!(token, TokenTree::Punct(_))).count();
    let rest = path.split_off(colons.max(1).min(path.len()));
    (path, rest)
}
