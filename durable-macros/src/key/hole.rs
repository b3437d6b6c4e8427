//! What stands in a hole, as an expression whose tokens carry the span of the literal.

use proc_macro2::Span;
use syn::Expr;

use super::Hole;
use crate::span;

/// The expression of a hole. Its identifiers resolve where the literal was written, also through `macro_rules!`.
pub(crate) fn hole_expr(hole: &Hole, literal: Span) -> syn::Result<Expr> {
    let parsed = syn::parse_str::<Expr>(&hole.expr).map_err(|_| not_a_value(hole, literal))?;
    syn::parse2(span::respan(quote::quote!(#parsed), literal)).map_err(|_| not_a_value(hole, literal))
}

/// Whether an expression is a name or a field of one, `invoice.id.0`: all that a key may hold.
pub(crate) fn is_place(expr: &Expr) -> bool {
    match expr {
        Expr::Path(path) => path.path.get_ident().is_some(),
        Expr::Field(field) => is_place(&field.base),
        _ => false,
    }
}

/// The name that a hole begins with: `invoice` of `invoice.id`.
pub(crate) fn root(hole: &Hole) -> &str {
    hole.expr.split('.').next().unwrap_or_default().trim()
}

/// Whether a text looks like a variable: a constant or a path does not.
pub(crate) fn is_name(text: &str) -> bool {
    let is_first = |c: char| c == '_' || c.is_lowercase();
    text.starts_with(is_first) && text.chars().all(|c| c == '_' || c.is_alphanumeric())
}

fn not_a_value(hole: &Hole, literal: Span) -> syn::Error {
    syn::Error::new(
        literal,
        format!("`{{{}}}` is not an expression: write a value's name, `{{invoice.id}}`", hole.expr),
    )
}
