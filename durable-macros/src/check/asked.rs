//! What `verify` and `refetch` answer: an answer that nobody gave proves nothing, and is taken for a proof.

use quote::ToTokens;
use syn::{Arm, Block, Expr, ExprIf, ExprMatch, ExprMethodCall, Pat, Stmt};

use super::swallowed::{Outcomes, Taken, plain, values_of, wrapped_in};
use crate::diag::Errors;
use crate::model::Step;
use crate::names::mentions;

/// Methods that make a `Result` again of what was left of one.
const LET_OUT: &[&str] = &["context", "expect", "ok_or", "ok_or_else", "unwrap"];

pub(super) fn check(steps: &[Step], errors: &mut Errors) {
    for step in steps {
        for (name, asked) in [("verify", &step.args.verify), ("refetch", &step.args.refetch)] {
            let Some(asked) = asked else { continue };
            for Silenced { at, written, .. } in silenced(step, asked).iter().filter(|it| it.by_type.is_none()) {
                errors.on(
                    at,
                    format!("an error of `{name}` proves nothing, and {written} would make an answer of it: let it out, for a `Result` is an answer too, or give `Verdict::Unknown(error.to_string())`"),
                );
            }
        }
    }
}

/// What takes the error off, and how it is written.
pub(super) struct Silenced<'e> {
    at: &'e dyn ToTokens,
    written: String,
    /// What it is taken off, where only its type says whether it has one.
    pub(super) by_type: Option<&'e Expr>,
}

impl<'e> Silenced<'e> {
    fn in_branch(at: &'e Expr, branch: &str) -> Self {
        Self { at, written: branch.to_owned(), by_type: None }
    }
}

pub(super) fn silenced<'e>(step: &Step, asked: &'e Expr) -> Vec<Silenced<'e>> {
    let outcomes = Outcomes::of(asked, step.args.binding.as_ref());
    let mut branches = Vec::new();
    branches_of(asked, &mut branches);
    let mut found = Vec::new();
    for branch in branches {
        match branch {
            Expr::Match(question) if outcomes.is_one(&question.expr) => {
                found.extend(absent_arms(question).map(|arm| Silenced::in_branch(&arm.body, "this arm")));
            }
            Expr::If(question) => {
                found.extend(absent_else(question, &outcomes).map(|end| Silenced::in_branch(end, "this `else`")));
            }
            _ => {}
        }
    }
    let mut values = Vec::new();
    values_of(asked, &mut values);
    for value in values {
        found.extend(taken_off(value, &outcomes));
    }
    found
}

/// The branches that an expression ends in, outermost first.
fn branches_of<'e>(expr: &'e Expr, found: &mut Vec<&'e Expr>) {
    let mut end_of = |block: &'e Block| {
        if let Some(Stmt::Expr(end, None)) = block.stmts.last() {
            branches_of(end, found);
        }
    };
    match plain(expr) {
        Expr::Block(block) => end_of(&block.block),
        Expr::Await(wait) => {
            if let Expr::Async(block) = plain(&wait.base) {
                end_of(&block.block);
            }
        }
        branch @ Expr::If(question) => {
            end_of(&question.then_branch);
            question.else_branch.iter().for_each(|(_, otherwise)| branches_of(otherwise, found));
            found.push(branch);
        }
        branch @ Expr::Match(question) => {
            question.arms.iter().for_each(|arm| branches_of(&arm.body, found));
            found.push(branch);
        }
        _ => {}
    }
}

/// `Err(_) => None`, and `_ => None` where no arm above it has taken every error.
fn absent_arms(question: &ExprMatch) -> impl Iterator<Item = &Arm> {
    let is_result = question.arms.iter().any(|arm| is_variant(&arm.pat, "Ok") || is_variant(&arm.pat, "Err"));
    let taken = question.arms.iter().position(|arm| takes_every_error(&arm.pat));
    let arm = taken.filter(|_| is_result).map(|at| &question.arms[at]);
    arm.filter(|arm| is_settled(&arm.body)).into_iter()
}

/// `if let Ok(Some(found)) = bank.find(pay).await { .. } else { None }`
fn absent_else<'e>(question: &'e ExprIf, outcomes: &Outcomes) -> Option<&'e Expr> {
    let Expr::Let(condition) = plain(&question.cond) else { return None };
    let (_, otherwise) = question.else_branch.as_ref()?;
    let is_asked = is_variant(&condition.pat, "Ok") && outcomes.is_one(&condition.expr);
    (is_asked && is_settled(otherwise)).then_some(&**otherwise)
}

fn takes_every_error(pat: &Pat) -> bool {
    match pat {
        Pat::Wild(_) => true,
        Pat::Ident(name) => name.subpat.is_none(),
        Pat::Or(either) => either.cases.iter().any(takes_every_error),
        Pat::Paren(inner) => takes_every_error(&inner.pat),
        Pat::TupleStruct(of) if is_variant(pat, "Err") => {
            of.elems.iter().all(|inner| matches!(inner, Pat::Wild(_) | Pat::Ident(_) | Pat::Rest(_)))
        }
        _ => false,
    }
}

fn is_variant(pat: &Pat, name: &str) -> bool {
    match pat {
        Pat::TupleStruct(of) => of.path.segments.last().is_some_and(|last| last.ident == name),
        Pat::Or(either) => either.cases.iter().any(|pat| is_variant(pat, name)),
        Pat::Paren(inner) => is_variant(&inner.pat, name),
        Pat::Guard(guarded) => is_variant(&guarded.pat, name),
        _ => false,
    }
}

/// What a value takes the error off with, if nothing behind it lets an error out again.
fn taken_off<'e>(value: &'e Expr, outcomes: &Outcomes) -> Option<Silenced<'e>> {
    let Taken { at, written, by_type } = outcomes.taken_off(value)?;
    let mut calls = chain(value);
    let last = calls.iter().position(|call| call.method == at).map_or(calls.len(), |at| at + 1);
    calls.truncate(last);
    let lets_out = |call: &&ExprMethodCall| {
        let is_told = mentions(call.args.to_token_stream(), &["Err", "Unknown"]);
        is_told || LET_OUT.iter().any(|name| call.method == name)
    };
    let is_answer = calls.last().is_none_or(|call| call.method != at || answers(call));
    (is_answer && !calls.iter().any(lets_out)).then(|| Silenced {
        at: calls.last().map_or(value as &dyn ToTokens, |call| &call.method),
        written: format!("`{written}`"),
        by_type,
    })
}

/// The calls that a value ends in, the last one first.
fn chain(value: &Expr) -> Vec<&ExprMethodCall> {
    let mut calls = Vec::new();
    let mut value = plain(value);
    loop {
        value = match value {
            Expr::MethodCall(call) => {
                calls.push(call);
                plain(&call.receiver)
            }
            Expr::Try(question) => plain(&question.expr),
            _ => return calls,
        };
    }
}

/// Whether it makes of an error what is an answer.
fn answers(call: &ExprMethodCall) -> bool {
    let Some(first) = call.args.first().map(plain) else { return true };
    match (call.method.to_string().as_str(), first) {
        ("map_or_else" | "or_else" | "unwrap_or_else", Expr::Closure(closure)) => is_settled(&closure.body),
        ("unwrap_or_else", _) => mentions(first.to_token_stream(), &["default"]),
        ("map_or" | "unwrap_or", first) => is_settled(first),
        ("is_ok_and" | "is_err_and", _) => true,
        _ => false,
    }
}

/// `None`, `false`, `Verdict::DidNotHappen`, and what gives it at the end of a block.
fn is_settled(value: &Expr) -> bool {
    match plain(value) {
        Expr::Lit(literal) => matches!(literal.lit, syn::Lit::Bool(_)),
        Expr::Path(path) => {
            path.path.segments.last().is_some_and(|last| last.ident == "None" || last.ident == "DidNotHappen")
        }
        Expr::Call(_) => wrapped_in(value, "Ok").is_some_and(is_settled),
        Expr::Block(block) => matches!(block.block.stmts.last(), Some(Stmt::Expr(end, None)) if is_settled(end)),
        _ => false,
    }
}
