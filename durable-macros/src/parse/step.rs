//! The arguments of a step.

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{Attribute, Expr, ExprLit, Lit};

use super::args::{Arg, Args, attribute_args};
use super::errors::records_errors;
use super::retry::retry;
use super::run::run_args;
use super::waits::{decision_args, sleep_args};
use super::{former, values};
use crate::diag::Errors;
use crate::model::{Idempotent, Kind, StepArgs};

pub(super) const SIDE_EFFECT: &[&str] = &[
    "key",
    "formerly",
    "title",
    "verify",
    "idempotent",
    "in_doubt",
    "settle",
    "cleanup",
    "args",
    "classify",
    "retry",
    "timeout",
    "within",
    "errors",
    "refetch",
    "secrets",
];
pub(super) const READ: &[&str] =
    &["key", "formerly", "title", "args", "classify", "retry", "timeout", "errors", "secrets"];
/// The arguments that say what becomes of a doubt.
const ANSWERS: &[&str] = &["verify", "idempotent", "in_doubt"];

/// Reads the arguments of a step; what cannot be read is reported and left out.
pub(crate) fn step_args(kind: Kind, attr: &Attribute, errors: &mut Errors) -> StepArgs {
    let (owner, known) = match kind {
        Kind::SideEffect => ("`#[side_effect]`", SIDE_EFFECT),
        Kind::Read => ("`#[read]`", READ),
        Kind::Run => return run_args(attr, errors),
        Kind::Decision => return decision_args(attr, errors),
        Kind::Sleep => return sleep_args(attr, errors),
    };
    let mut step = StepArgs::none(kind, attr.path().span());
    let Some(tokens) = attribute_args(attr, errors) else {
        return StepArgs { answers_doubt: true, ..step };
    };
    let mut args = Args::parse(tokens, owner, known, errors);
    step.answers_doubt = ANSWERS.iter().any(|name| args.has(name));
    match args.take("key") {
        Some(key) => (step.key, step.binding) = values::named_key(&key, errors),
        None if args.has("key") => {}
        None => errors.at(step.attr, no_key(kind)),
    }
    step.cleanup = args.take("cleanup").is_some_and(|arg| values::flag(&arg, errors));
    if let Some(arg) = args.take("formerly") {
        step.formerly = former::formerly(&arg, step.key.as_ref(), errors);
    }
    step.title = args.take("title").and_then(|arg| values::text(&arg, "title = \"pay {invoice.payee}\"", errors));
    step.verify =
        args.take("verify").and_then(|arg| values::expression(arg, "verify = bank.find(pay.token()).await", errors));
    step.refetch =
        args.take("refetch").and_then(|arg| values::expression(arg, "refetch = vault.find(pay.token()).await", errors));
    step.allows_secrets = args.take("secrets").and_then(|arg| allows_secrets(&arg, errors));
    step.idempotent = args.take("idempotent").and_then(|arg| idempotent(&arg, errors));
    step.in_doubt = args.take("in_doubt").and_then(|arg| values::plain_string(&arg, "in_doubt = \"treasury\"", errors));
    step.settle = args.take("settle").and_then(|arg| values::duration(&arg, "settle = \"10s\"", errors));
    step.given =
        args.take("args").and_then(|arg| values::expression(arg, "args = (&invoice.payee, invoice.amount)", errors));
    step.classify =
        args.take("classify").and_then(|arg| values::expression(arg, "classify = BankError::classify", errors));
    step.retry = args.take("retry").and_then(|arg| retry(&arg, errors));
    step.timeout = args.take("timeout").and_then(|arg| values::length(&arg, "timeout = \"30s\"", errors));
    step.within = args.take("within").and_then(|arg| values::length(&arg, "within = \"24h\"", errors));
    step.records_errors = args.take("errors").and_then(|arg| records_errors(&arg, errors));
    step
}

/// The place of the argument, if it says that secrets are written.
pub(super) fn allows_secrets(arg: &Arg, errors: &mut Errors) -> Option<Span> {
    let word = values::string(arg, "secrets = \"allow\"", errors)?;
    if word.value() != "allow" {
        errors.on(
            &word,
            "`secrets` takes one word: write `secrets = \"allow\"` if what looks like a secret here is none, or may be written into the files of the session; without it a key or an input that holds one is refused, and a result is not kept",
        );
    }
    Some(arg.name.span())
}

fn no_key(kind: Kind) -> String {
    let name = kind.attribute();
    format!("a step needs a key, by which it is known for ever: write `#[{name}(key = \"pay/{{invoice.id}}\", ..)]`")
}

fn idempotent(arg: &Arg, errors: &mut Errors) -> Option<Idempotent> {
    let why = match (&arg.value, &arg.unfinished) {
        (None, None) => None,
        (None, Some(_)) => {
            arg.refuse("`idempotent` stands alone, or says why: write `idempotent = \"by part number\"`", errors);
            return None;
        }
        (Some(Expr::Lit(ExprLit { lit: Lit::Bool(says), .. })), _) => {
            let mistake = match says.value {
                true => "`idempotent` stands alone: write it without the `= true`",
                false => {
                    "`idempotent` says that the receiver drops repeats, and no step says the contrary: take it out"
                }
            };
            arg.refuse(mistake, errors);
            return None;
        }
        (Some(_), _) => Some(values::string(arg, "idempotent = \"by part number\"", errors)?),
    };
    Some(Idempotent { span: arg.name.span(), why })
}
