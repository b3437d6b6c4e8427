//! What stands in a hole, as an expression whose tokens carry the span of the literal.

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use syn::Expr;

use super::Hole;
use crate::span;
use crate::walk::mentions_step;

/// The expression of a hole. Its identifiers resolve where the literal was written, also through `macro_rules!`.
pub(crate) fn hole_expr(hole: &Hole, literal: Span) -> syn::Result<Expr> {
    let parsed = syn::parse_str::<Expr>(&hole.expr).map_err(|_| not_a_value(hole, literal))?;
    if mentions_step(&parsed) {
        let text =
            "a hole is filled with a value, and a step in it would be one of its own: bind it with a `let` before";
        return Err(syn::Error::new(literal, text));
    }
    let tokens = members(span::respan(quote::quote!(#parsed), literal), span::generated(literal));
    syn::parse2(tokens).map_err(|_| not_a_value(hole, literal))
}

/// The same hole as it is written outside a text: there a name that is a word of the language is raw, `r#type`.
pub(crate) fn spelled(hole: &str) -> String {
    let is_expr = |text: &str| syn::parse_str::<Expr>(text).is_ok();
    let raw: Vec<String> = hole.split('.').map(raw).collect();
    let raw = raw.join(".");
    if !is_expr(hole) && is_expr(&raw) { raw } else { hole.to_owned() }
}

fn raw(name: &str) -> String {
    let is_never_raw = matches!(name, "self" | "super" | "crate" | "_");
    let is_word = is_name(name) && !is_never_raw && syn::parse_str::<Ident>(name).is_err();
    if is_word { format!("r#{name}") } else { name.to_owned() }
}

/// The names of fields and methods at a place of their own: what the compiler would write instead of a mistyped one must
/// not take the place of the whole literal.
fn members(tokens: TokenStream, at: Span) -> TokenStream {
    let mut after_dot = false;
    let placed = tokens.into_iter().map(|mut token| {
        match &mut token {
            TokenTree::Ident(member) if after_dot => member.set_span(at),
            TokenTree::Group(group) => {
                let span = group.span();
                *group = Group::new(group.delimiter(), members(group.stream(), at));
                group.set_span(span);
            }
            _ => {}
        }
        after_dot = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '.');
        token
    });
    placed.collect()
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
