//! `classify = ..`: who says what the error of a step proves.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Expr, Pat};

use super::paths;
use crate::parse::peel;
use crate::span;

/// Asks about the outcome of an attempt. A name or a closure is checked as it is, and what is computed by what it came to.
pub(super) fn outcome(classify: &Expr, at: Span) -> TokenStream {
    let method = match peel(classify) {
        Expr::Path(_) | Expr::Closure(_) => Ident::new("classify", at),
        _ => Ident::new("classify_by", at),
    };
    let classifier = classifier(classify);
    quote_spanned! {at=> __durable_slot.#method(&__durable_out, #classifier);}
}

/// Whoever says it. A call without arguments may be one of a function that was to be named.
pub(super) fn classifier(classify: &Expr) -> TokenStream {
    let call = match peel(classify) {
        Expr::Call(call) if call.args.is_empty() => call,
        _ => return quote! {#classify},
    };
    let (first, last) = span::ends(&call.func);
    let (at, make) = (span::generated(first), &call.func);
    let (root, made) = (paths::private(at), Ident::new("__durable_made", span::generated(last)));
    quote_spanned! {at=> {
        use #root::{Makes as _, Named as _};
        (#make).#made()
    }}
}

/// Whether the type of the error stands in it: a closure may leave it open.
pub(super) fn says_its_error(classify: &Expr) -> bool {
    match classify {
        Expr::Closure(closure) => matches!(closure.inputs.first(), Some(Pat::Type(_))),
        _ => true,
    }
}
