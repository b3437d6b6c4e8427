//! The error of an effect that its own step drops: what failed would be recorded as done.

use quote::ToTokens;
use syn::{Block, Expr, ExprCall, ExprIf, Pat, Stmt};

use super::swallowed::{plain, wrapped_in};
use super::unawaited::is_unused;
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

/// Only what is all that a step does, or a call that gets the key, in the one statement that has it, is certainly the effect.
pub(super) fn dropped(step: &Step) -> Option<Dropped<'_>> {
    if step.args.kind != Kind::SideEffect {
        return None;
    }
    match block_of(&step.expr) {
        Some(block) => all_of(block).or_else(|| with_key(step, block)),
        None => match plain(&step.expr) {
            Expr::Call(call) => Some(Dropped { call: awaited(given_away(call)?)?, by_type: true }),
            _ => None,
        },
    }
}

/// `{ let _ = call().await; 1 }`
fn all_of(block: &Block) -> Option<Dropped<'_>> {
    let (stmt, end) = block.stmts.split_first()?;
    let does_nothing = |stmt: &Stmt| matches!(stmt, Stmt::Expr(end, _) if is_value(end));
    dropped_by(stmt, block).filter(|_| end.iter().all(does_nothing))
}

fn with_key<'e>(step: &Step, block: &'e Block) -> Option<Dropped<'e>> {
    let key = step.args.binding.as_ref()?.to_string();
    let of_key = |tokens: &dyn ToTokens| mentions(tokens.to_token_stream(), &[&key]);
    let mut with_key = block.stmts.iter().filter(|stmt| of_key(stmt));
    let (Some(stmt), None) = (with_key.next(), with_key.next()) else { return None };
    dropped_by(stmt, block).filter(|dropped| of_key(dropped.call))
}

/// `1`, `Ok(())`
fn is_value(end: &Expr) -> bool {
    match plain(end) {
        Expr::Lit(_) | Expr::Path(_) => true,
        Expr::Tuple(tuple) => tuple.elems.iter().all(is_value),
        end => wrapped_in(end, "Ok").or(wrapped_in(end, "Some")).is_some_and(is_value),
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
fn dropped_by<'e>(stmt: &'e Stmt, block: &Block) -> Option<Dropped<'e>> {
    let (call, by_type) = match stmt {
        Stmt::Local(local) if is_unused(&local.pat, block) => (&*local.init.as_ref()?.expr, true),
        Stmt::Expr(expr, end) => match plain(expr) {
            Expr::MethodCall(call) if end.is_some() && call.method == "ok" => (&*call.receiver, false),
            Expr::If(question) => (only_told(question)?, false),
            Expr::Call(call) => (given_away(call)?, true),
            _ => return None,
        },
        _ => return None,
    };
    Some(Dropped { call: awaited(call)?, by_type })
}

/// `value` of `drop(value)` and `std::mem::drop(value)`.
pub(super) fn given_away(call: &ExprCall) -> Option<&Expr> {
    let Expr::Path(path) = plain(&call.func) else { return None };
    let mut names = path.path.segments.iter().rev().map(|segment| &segment.ident);
    let is_drop = names.next().is_some_and(|name| name == "drop" || name == "forget");
    let is_drop = is_drop && names.next().is_none_or(|module| module == "mem");
    call.args.first().filter(|_| is_drop)
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
