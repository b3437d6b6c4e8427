//! Templates as arguments: their pieces, and their holes filled.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Expr, LitStr};

use super::paths;
use crate::key::{Hole, hole_expr};
use crate::model::Text;
use crate::span;

/// The two arguments that make a key: `&["pay/", ""], &[hole(&id)]`.
pub(super) fn key(text: &Text) -> TokenStream {
    let at = span::generated(text.literal.span());
    let root = paths::private(at);
    let (pieces, holes) = (pieces(text), holes(text));
    let holes = holes.map(|(hole, value)| match &hole.spec {
        None => quote_spanned! {at=> #root::hole(&#value)},
        Some(spec) => {
            let formatted = formatted(spec, &value, at);
            quote_spanned! {at=> #root::hole_as(&#value, #formatted)}
        }
    });
    quote_spanned! {at=> #pieces, &[#(#holes),*]}
}

/// `former(&["pay/", ""], &[hole(&id)])`.
pub(super) fn former(text: &Text) -> TokenStream {
    let at = span::generated(text.literal.span());
    let (root, key) = (paths::private(at), key(text));
    quote_spanned! {at=> #root::former(#key)}
}

/// `Text::new(&["pay ", ""], &[&payee])`.
pub(super) fn text(text: &Text) -> TokenStream {
    let at = span::generated(text.literal.span());
    let root = paths::private(at);
    let (pieces, holes) = (pieces(text), holes(text));
    let holes = holes.map(|(hole, value)| match &hole.spec {
        None => quote_spanned! {at=> &#value},
        Some(spec) => {
            let formatted = formatted(spec, &value, at);
            quote_spanned! {at=> &#formatted}
        }
    });
    quote_spanned! {at=> #root::Text::new(#pieces, &[#(#holes),*])}
}

/// A value, or the absence of one.
pub(super) fn option(value: Option<TokenStream>, at: Span) -> TokenStream {
    match value {
        Some(value) => quote_spanned! {at=> ::core::option::Option::Some(#value)},
        None => quote_spanned! {at=> ::core::option::Option::None},
    }
}

/// The values of the holes, as tokens that a `&` may stand before.
pub(super) fn holes(text: &Text) -> impl Iterator<Item = (&Hole, TokenStream)> {
    text.template.holes.iter().filter_map(|hole| {
        let value = hole_expr(hole, text.literal.span()).ok()?;
        Some((hole, operand(&value)))
    })
}

fn pieces(text: &Text) -> TokenStream {
    let pieces = text.template.pieces.iter().map(|piece| LitStr::new(piece, text.literal.span()));
    quote! {&[#(#pieces),*]}
}

fn formatted(spec: &str, value: &TokenStream, at: Span) -> TokenStream {
    let format = LitStr::new(&format!("{{:{spec}}}"), at);
    quote_spanned! {at=> ::core::format_args!(#format, #value)}
}

/// An expression that a `&` may stand before.
pub(super) fn operand(value: &Expr) -> TokenStream {
    match value {
        Expr::Path(_) | Expr::Field(_) | Expr::MethodCall(_) | Expr::Call(_) | Expr::Index(_) => quote! {#value},
        Expr::Tuple(_) | Expr::Array(_) | Expr::Paren(_) | Expr::Reference(_) | Expr::Lit(_) => quote! {#value},
        other => quote! {(#other)},
    }
}
