//! The arguments of `#[decision]` and `#[sleep]`, and the call that stands behind them.

use syn::spanned::Spanned;
use syn::{Attribute, Expr, ExprMethodCall};

use super::args::{Args, attribute_args};
use super::{former, values};
use crate::diag::Errors;
use crate::model::{Kind, StepArgs};

const SLEEP: &[&str] = &["key", "formerly", "title"];
pub(super) const DECISION: &[&str] = &["key", "formerly", "title", "ask", "shows", "expires", "on_expiry"];

/// Reads the arguments of a sleep; what cannot be read is reported and left out.
pub(super) fn sleep_args(attr: &Attribute, errors: &mut Errors) -> StepArgs {
    wait_args(Kind::Sleep, attr, SLEEP, errors).0
}

/// The same of a decision.
pub(super) fn decision_args(attr: &Attribute, errors: &mut Errors) -> StepArgs {
    let (mut step, args) = wait_args(Kind::Decision, attr, DECISION, errors);
    let Some(mut args) = args else { return step };
    step.in_doubt = args.take("ask").and_then(|arg| values::plain_string(&arg, "ask = \"finance\"", errors));
    step.shows = args.take("shows").and_then(|arg| values::expression(arg, "shows = invoices.len()", errors));
    let expires = args.has("expires");
    step.expires = args.take("expires").and_then(|arg| values::length(&arg, "expires = \"24h\"", errors));
    let on_expiry = args.take("on_expiry");
    if let (Some(arg), false) = (&on_expiry, expires) {
        errors.at(
            arg.name.span(),
            "`on_expiry` is what counts when the time for an answer is over: add `expires = \"24h\"`, or take it out",
        );
    }
    step.on_expiry =
        on_expiry.and_then(|arg| values::expression(arg, "on_expiry = \"nobody answered in time\"", errors));
    step
}

fn wait_args(kind: Kind, attr: &Attribute, known: &[&str], errors: &mut Errors) -> (StepArgs, Option<Args>) {
    let mut step = StepArgs::none(kind, attr.path().span());
    let Some(tokens) = attribute_args(attr, errors) else { return (step, None) };
    let name = kind.attribute();
    let mut args = Args::parse(tokens, &format!("`#[{name}]`"), known, errors);
    match args.take("key") {
        Some(key) => {
            let why = "`as` names the key of a step, for the token in it, and nothing is sent here: take it out";
            step.key = values::unnamed_key(&key, why, errors);
        }
        None if args.has("key") => {}
        None => errors.at(step.attr, no_key(kind)),
    }
    if let Some(arg) = args.take("formerly") {
        step.formerly = former::formerly(&arg, step.key.as_ref(), errors);
    }
    step.title = args.take("title").and_then(|arg| values::text(&arg, "title = \"cool down\"", errors));
    (step, Some(args))
}

fn no_key(kind: Kind) -> String {
    let name = kind.attribute();
    let example = if kind == Kind::Sleep { "cool-down/{round}" } else { "send/{report.id}" };
    format!("a wait needs a key, by which it is known for ever: write `#[{name}(key = \"{example}\")]`")
}

/// `session.sleep(length).await`: the call, without its `.await`.
pub(crate) fn awaited_call(expr: &Expr) -> Option<&ExprMethodCall> {
    match expr {
        Expr::Group(group) => awaited_call(&group.expr),
        Expr::Paren(paren) => awaited_call(&paren.expr),
        Expr::Await(wait) => method_call(&wait.base),
        _ => None,
    }
}

fn method_call(expr: &Expr) -> Option<&ExprMethodCall> {
    match expr {
        Expr::Group(group) => method_call(&group.expr),
        Expr::Paren(paren) => method_call(&paren.expr),
        Expr::MethodCall(call) => Some(call),
        _ => None,
    }
}
