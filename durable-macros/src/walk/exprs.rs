//! What an expression is taken apart into when it becomes a step.

use proc_macro2::Span;
use quote::ToTokens;
use syn::token::{Brace, Paren};
use syn::{BinOp, Block, Expr, ExprParen, LocalInit, Pat, Stmt, Token, Type, parse_quote};

use super::{attrs, slot};
use crate::span;

/// `#[side_effect] x = call()` marks `x` for `syn`; the step is the right side.
pub(super) fn hoist_over_assignment(expr: &mut Expr) {
    let (left, right) = match expr {
        Expr::Assign(assign) => (&mut assign.left, &mut assign.right),
        Expr::Binary(binary) if assigns(binary.op) => (&mut binary.left, &mut binary.right),
        _ => return,
    };
    if let (Some(left), Some(right)) = (attrs::of_expr(left), attrs::of_expr(right)) {
        right.splice(0..0, attrs::take(left).into_iter().map(|(_, attr)| attr));
    }
}

pub(crate) fn assigns(op: BinOp) -> bool {
    op.to_token_stream().to_string().ends_with('=')
        && !matches!(op, BinOp::Eq(_) | BinOp::Ne(_) | BinOp::Le(_) | BinOp::Ge(_))
}

/// A slot becomes a `match`, which may not stand bare before `else`.
pub(super) fn parenthesize(value: &mut Expr) {
    if let Some(span) = slot_at(value) {
        let (paren_token, expr) = (Paren(span), Box::new(value.clone()));
        *value = Expr::Paren(ExprParen { attrs: Vec::new(), paren_token, expr });
    }
}

/// Parentheses around a step alone are ours. As the user's they would be reported as not needed, and `cargo fix` takes out
/// all that stands in front of the expression in them: the attribute, and with it the step.
pub(super) fn own_parentheses(node: &mut ExprParen) {
    if slot_at(&node.expr).is_some() {
        node.paren_token = Paren(span::generated(node.paren_token.span.join()));
    }
}

/// The same of braces.
pub(super) fn own_braces(block: &mut Block) {
    if let [Stmt::Expr(value, None)] = &block.stmts[..]
        && slot_at(value).is_some()
    {
        block.brace_token = Brace(span::generated(block.brace_token.span.join()));
    }
}

/// Where the slot is that an expression is.
fn slot_at(value: &Expr) -> Option<Span> {
    let Expr::Path(path) = value else { return None };
    let ident = path.path.get_ident()?;
    slot::slot_in(ident).map(|_| ident.span())
}

/// The value of a `let` that should have had one: of the type that it is used as.
pub(super) fn no_value() -> LocalInit {
    let expr = Box::new(parse_quote!(::core::unreachable!()));
    LocalInit { eq_token: <Token![=]>::default(), expr, diverge: None }
}

/// Attributes beside ours (`#[allow(..)]`, `#[cfg(..)]`) stay where they were written, on what now stands there.
pub(super) fn move_attributes(from: &mut Expr, to: &mut Expr) {
    if let (Some(from), Some(to)) = (attrs::of_expr(from), attrs::of_expr(to)) {
        to.append(from);
    }
}

pub(super) fn split_question(expr: Expr) -> (Expr, Option<Token![?]>) {
    match expr {
        Expr::Group(group) => split_question(*group.expr),
        Expr::Try(question) => (*question.expr, Some(question.question_token)),
        other => (other, None),
    }
}

pub(super) fn peel(expr: &Expr) -> &Expr {
    match expr {
        Expr::Group(group) => peel(&group.expr),
        Expr::Paren(paren) => peel(&paren.expr),
        other => other,
    }
}

pub(super) fn declared_type(pat: &Pat) -> Option<Type> {
    match pat {
        Pat::Type(typed) => Some((*typed.ty).clone()),
        _ => None,
    }
}
