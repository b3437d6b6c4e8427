//! The error of an effect that its own step drops: what failed would be recorded as done.

use quote::ToTokens;
use syn::{Block, Expr, ExprIf, Pat, Stmt};

use super::swallowed::plain;
use crate::diag::Errors;
use crate::model::{Kind, Step};
use crate::names::mentions;

/// Macros that leave where they stand.
const LEAVE: &[&str] = &["bail", "ensure", "panic", "todo", "unimplemented", "unreachable", "whatever"];

/// Only a call that gets the key, in the one statement that has it, is certainly the effect.
pub(super) fn check(steps: &[Step], errors: &mut Errors) {
    for step in steps.iter().filter(|step| step.args.kind == Kind::SideEffect) {
        let (Some(key), Some(block)) = (&step.args.binding, block_of(&step.expr)) else { continue };
        let key = key.to_string();
        let of_key = |tokens: &dyn ToTokens| mentions(tokens.to_token_stream(), &[&key]);
        let mut with_key = block.stmts.iter().filter(|stmt| of_key(stmt));
        let (Some(stmt), None) = (with_key.next(), with_key.next()) else { continue };
        if let Some(call) = dropped(stmt).filter(|call| of_key(call)) {
            errors.on(call, "whether this effect has failed is dropped here, and the step would be recorded as done: write `?` behind the call, or let the step end with it");
        }
    }
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
fn dropped(stmt: &Stmt) -> Option<&Expr> {
    match stmt {
        Stmt::Local(local) if matches!(local.pat, Pat::Wild(_)) => awaited(&local.init.as_ref()?.expr),
        Stmt::Expr(expr, end) => match plain(expr) {
            Expr::MethodCall(call) if end.is_some() && call.method == "ok" => awaited(&call.receiver),
            Expr::Call(call) if matches!(plain(&call.func), Expr::Path(path) if path.path.is_ident("drop")) => {
                awaited(call.args.first()?)
            }
            Expr::If(question) => only_told(question),
            _ => None,
        },
        _ => None,
    }
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
    awaited(&condition.expr).filter(|_| is_told)
}

fn awaited(expr: &Expr) -> Option<&Expr> {
    Some(plain(expr)).filter(|expr| matches!(expr, Expr::Await(_)))
}
