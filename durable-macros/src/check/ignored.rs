//! The error of an effect that its own step drops: what failed would be recorded as done.

use quote::ToTokens;
use syn::{Block, Expr, ExprIf, Pat, Stmt};

use super::swallowed::plain;
use crate::diag::Errors;
use crate::model::{Kind, Step};
use crate::names::mentions;

/// Macros that leave where they stand.
const LEAVE: &[&str] = &["bail", "ensure", "panic", "todo", "unimplemented", "unreachable", "whatever"];

pub(super) fn check(steps: &[Step], errors: &mut Errors) {
    for Dropped { call, .. } in steps.iter().filter_map(dropped).filter(|dropped| !dropped.by_type) {
        errors.on(call, "whether this effect has failed is dropped here, and the step would be recorded as done: write `?` behind the call, or let the step end with it");
    }
}

/// A call whose value a statement drops.
pub(super) struct Dropped<'e> {
    pub(super) call: &'e Expr,
    /// Whether only its type says that it can fail.
    pub(super) by_type: bool,
}

/// Only a call that gets the key, in the one statement that has it, is certainly the effect.
pub(super) fn dropped(step: &Step) -> Option<Dropped<'_>> {
    let key = step.args.binding.as_ref().filter(|_| step.args.kind == Kind::SideEffect)?.to_string();
    let of_key = |tokens: &dyn ToTokens| mentions(tokens.to_token_stream(), &[&key]);
    let mut with_key = block_of(&step.expr)?.stmts.iter().filter(|stmt| of_key(stmt));
    let (Some(stmt), None) = (with_key.next(), with_key.next()) else { return None };
    dropped_by(stmt).filter(|dropped| of_key(dropped.call))
}

/// The block that a step is.
fn block_of(expr: &Expr) -> Option<&Block> {
    match plain(expr) {
        Expr::Block(block) => Some(&block.block),
        Expr::Await(wait) => match plain(&wait.base) {
            Expr::Async(block) => Some(&block.block),
            _ => None,
        },
        _ => None,
    }
}

/// What is awaited in a statement that drops what it gives: `let _ = call().await;`, `call().await.ok();`.
fn dropped_by(stmt: &Stmt) -> Option<Dropped<'_>> {
    let (call, by_type) = match stmt {
        Stmt::Local(local) if matches!(local.pat, Pat::Wild(_)) => (&*local.init.as_ref()?.expr, true),
        Stmt::Expr(expr, end) => match plain(expr) {
            Expr::MethodCall(call) if end.is_some() && call.method == "ok" => (&*call.receiver, false),
            Expr::Call(call) if matches!(plain(&call.func), Expr::Path(path) if path.path.is_ident("drop")) => {
                (call.args.first()?, true)
            }
            Expr::If(question) => (only_told(question)?, false),
            _ => return None,
        },
        _ => return None,
    };
    Some(Dropped { call: awaited(call)?, by_type })
}

/// `if let Err(error) = call().await { warn!("{error}") }`
fn only_told(question: &ExprIf) -> Option<&Expr> {
    let Expr::Let(condition) = plain(&question.cond) else { return None };
    let Pat::TupleStruct(of) = &*condition.pat else { return None };
    let tells = |stmt: &Stmt| match stmt {
        Stmt::Macro(told) => !mentions(told.mac.path.to_token_stream(), LEAVE),
        Stmt::Expr(Expr::Macro(told), _) => !mentions(told.mac.path.to_token_stream(), LEAVE),
        _ => false,
    };
    let is_told =
        of.path.is_ident("Err") && question.else_branch.is_none() && question.then_branch.stmts.iter().all(tells);
    is_told.then_some(&*condition.expr)
}

fn awaited(expr: &Expr) -> Option<&Expr> {
    Some(plain(expr)).filter(|expr| matches!(expr, Expr::Await(_)))
}
