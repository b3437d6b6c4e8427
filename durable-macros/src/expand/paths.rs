//! The paths into the runtime. No other file knows where they lead, so that a renamed crate needs one change.

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;

/// The module that the expansion calls, at the user's token.
pub(super) fn private(at: Span) -> TokenStream {
    let root = public(at);
    quote_spanned! {at=> #root::__private}
}

/// The crate itself.
pub(super) fn public(at: Span) -> TokenStream {
    quote_spanned! {at=> ::durable_runtime}
}
