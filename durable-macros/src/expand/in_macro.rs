//! A step in the input of a macro takes a name that the body declares, so that one which the macro drops is missed.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote_spanned;

use super::paths;
use crate::model::Step;
use crate::span;

/// In the body, before everything else.
pub(super) fn declare(step: &Step, index: usize) -> Option<TokenStream> {
    let (at, root, name) = parts(step, index)?;
    Some(quote_spanned! {at=> let #name = #root::expands(0);})
}

/// In the step.
pub(super) fn take(step: &Step, index: usize) -> Option<TokenStream> {
    let (at, root, name) = parts(step, index)?;
    Some(quote_spanned! {at=> #root::expanded(&#name);})
}

fn parts(step: &Step, index: usize) -> Option<(Span, TokenStream, Ident)> {
    let at = span::generated(step.args.key.as_ref().map_or(step.args.attr, |key| key.literal.span()));
    (step.in_macro && step.cfgs.is_empty())
        .then(|| (at, paths::private(at), Ident::new(&format!("__durable_expands_{index}"), at)))
}
