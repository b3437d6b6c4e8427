//! What an expression is taken apart into when it becomes a step.

use quote::ToTokens;
use syn::token::Paren;
use syn::{BinOp, Expr, ExprParen, Pat, Type};

use super::{attrs, slot};

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
    if let Expr::Path(path) = value
        && let Some(ident) = path.path.get_ident()
        && slot::slot_in(ident).is_some()
    {
        let (paren_token, expr) = (Paren(ident.span()), Box::new(value.clone()));
        *value = Expr::Paren(ExprParen { attrs: Vec::new(), paren_token, expr });
    }
}

/// Attributes beside ours (`#[allow(..)]`, `#[cfg(..)]`) stay where they were written, on what now stands there.
pub(super) fn move_attributes(from: &mut Expr, to: &mut Expr) {
    if let (Some(from), Some(to)) = (attrs::of_expr(from), attrs::of_expr(to)) {
        to.append(from);
    }
}

pub(super) fn split_question(expr: Expr) -> (Expr, Option<syn::Token![?]>) {
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
