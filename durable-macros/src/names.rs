//! Names in patterns, places and tokens.

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Expr, Macro, Pat, PatIdent};

/// The names that a pattern binds.
pub(crate) fn bound(pat: &Pat) -> Vec<String> {
    let mut names = Bound(Vec::new());
    names.visit_pat(pat);
    names.0
}

/// The names that an expression binds, wherever in it.
pub(crate) fn bound_in(expr: &Expr) -> Vec<String> {
    let mut names = Bound(Vec::new());
    names.visit_expr(expr);
    names.0
}

/// The name that a place begins with: `order` of `order.items[0].id`.
pub(crate) fn root(place: &Expr) -> Option<String> {
    match place {
        Expr::Path(path) => path.path.get_ident().map(ToString::to_string),
        Expr::Field(field) => root(&field.base),
        Expr::Index(index) => root(&index.expr),
        Expr::Paren(inner) => root(&inner.expr),
        Expr::Group(inner) => root(&inner.expr),
        Expr::Reference(inner) => root(&inner.expr),
        Expr::Unary(inner) => root(&inner.expr),
        _ => None,
    }
}

/// Whether any of `names` is among the tokens.
pub(crate) fn mentions(tokens: TokenStream, names: &[&str]) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => names.iter().any(|name| ident == name),
        TokenTree::Group(group) => mentions(group.stream(), names),
        _ => false,
    })
}

struct Bound(Vec<String>);

impl<'ast> Visit<'ast> for Bound {
    fn visit_pat_ident(&mut self, pat: &'ast PatIdent) {
        self.0.push(pat.ident.to_string());
        visit::visit_pat_ident(self, pat);
    }

    /// Any name in the input of a macro may be one that it binds.
    fn visit_macro(&mut self, mac: &'ast Macro) {
        self.0.extend(idents(mac.tokens.clone()));
    }
}

/// The names among the tokens.
pub(crate) fn idents(tokens: TokenStream) -> Vec<String> {
    let idents = tokens.into_iter().flat_map(|token| match token {
        TokenTree::Ident(ident) => vec![ident.to_string()],
        TokenTree::Group(group) => idents(group.stream()),
        TokenTree::Punct(_) | TokenTree::Literal(_) => Vec::new(),
    });
    idents.collect()
}

/// Whether there may be more than can be seen.
pub(crate) fn holds_macro(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Punct(punct) => punct.as_char() == '!',
        TokenTree::Group(group) => holds_macro(group.stream()),
        _ => false,
    })
}
