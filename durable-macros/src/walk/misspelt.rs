//! Step attributes under a name that is none of ours.

use syn::{Attribute, Expr, ExprMethodCall, Path};

use super::exprs::peel;
use super::unkeyed::waits_for;
use crate::diag::Errors;
use crate::model::{Kind, StepArgs};
use crate::parse::step_args;
use crate::suggest;

/// What others call a kind of step, without `_`.
const NAMES: &[(Kind, &str)] = &[
    (Kind::SideEffect, "action activity effect sideeffect step task"),
    (Kind::Read, "cached fetch get load memo memoize pure query recorded"),
    (Kind::Run, "call child enter subworkflow workflow"),
    (Kind::Decision, "approval approve ask await confirm decide question signal"),
    (Kind::Sleep, "delay pause sleepuntil sleepfor timer wait"),
];

/// The kind that an attribute with this path was meant to mark, as far as its name tells.
pub(super) fn meant(path: &Path) -> Kind {
    named(path).unwrap_or(Kind::Read)
}

/// Whether an attribute before an expression says no more than its name, and that is nearly one of ours, or what others
/// call a step. None of the language that can stand there is.
pub(super) fn is_meant(path: &Path) -> bool {
    path.get_ident().is_some() && named(path).is_some()
}

fn named(path: &Path) -> Option<Kind> {
    let name = path.segments.last()?.ident.to_string().to_lowercase();
    let plain = name.replace('_', "");
    let synonym = NAMES.iter().find(|(_, names)| names.split(' ').any(|other| other == plain));
    let nearest = || {
        let near = suggest::nearest(&name, &Kind::ALL.map(Kind::attribute))?;
        Kind::ALL.into_iter().find(|kind| kind.attribute() == near)
    };
    synonym.map(|(kind, _)| *kind).or_else(nearest)
}

/// The kind that the attribute of this expression was meant to mark: what waits shows it, whatever its name is.
pub(super) fn meant_before(kind: Kind, expr: &Expr) -> Kind {
    let waits = wait_in(expr).and_then(|call| waits_for(&call.method));
    match waits {
        Some(waits) => waits,
        None if kind.waits() => Kind::Read,
        None => kind,
    }
}

fn wait_in(expr: &Expr) -> Option<&ExprMethodCall> {
    match peel(expr) {
        Expr::Try(question) => wait_in(&question.expr),
        Expr::Await(wait) => wait_in(&wait.base),
        Expr::MethodCall(call) => waits_for(&call.method).is_some().then_some(call),
        _ => None,
    }
}

/// Refuses the attribute. Whatever else it says is no mistake beside that.
pub(super) fn refuse(kind: Kind, attr: &Attribute, errors: &mut Errors) -> StepArgs {
    let meant = match named(attr.path()).is_some() || kind.waits() {
        true => format!("did you mean `#[{}(..)]`?", kind.attribute()),
        false => "write `#[side_effect(..)]`, `#[read(..)]` or `#[run(..)]`".to_owned(),
    };
    let text = format!("a step is known by the name of its attribute, and under another it would be missed: {meant}");
    errors.on(attr.path(), text);
    let args = step_args(kind, attr, &mut Errors::default());
    let kind = if kind == Kind::SideEffect { Kind::Read } else { kind };
    let StepArgs { key, binding, records_errors, later, .. } = args;
    StepArgs { key, binding, records_errors, later, ..StepArgs::none(kind, attr.bracket_token.span.join()) }
}
