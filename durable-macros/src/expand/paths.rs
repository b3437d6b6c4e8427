//! The paths into the runtime. No other file knows where they lead.

use std::cell::RefCell;

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};
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

/// The module that the expansion calls, at the user's token.
pub(super) fn private(at: Span) -> TokenStream {
    let root = public(at);
    quote_spanned! {at=> #root::__private}
}

/// The crate itself. A path that the user gave keeps its meaning and is only moved to `at`.
pub(super) fn public(at: Span) -> TokenStream {
    let given = ROOT.with_borrow(|root| root.clone().map(|root| span::moved(root, at)));
    given.unwrap_or_else(|| quote_spanned! {at=> ::durable_runtime})
}
