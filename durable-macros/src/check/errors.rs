//! An error is a value or leaves by `?`, never both.

use syn::Expr;

use crate::diag::Errors;
use crate::model::{Kind, Step};
use crate::parse::peel;

pub(super) fn check(steps: &[Step], errors: &mut Errors) {
    for step in steps {
        inside(step, errors);
        swallowed(step, errors);
        if let (Some(span), Some(_)) = (step.args.later, step.question) {
            errors.at(
                span,
                "with `errors = \"later\"` a failed run gives `None` and the next start tries it again, and the `?` behind the call would let its error leave all the same: take out the `?`, or take this out",
            );
        }
        if let (Some(span), Some(_)) = (step.args.records_errors, step.question) {
            errors.at(
                span,
                "with `errors = \"recorded\"` an error is the step's value, and the `?` behind the step would let it leave all the same: take out the `?` and look at the value, or take this out and an error stops the run",
            );
        }
    }
}

/// Methods that leave nothing of an error, or nothing that tells it from a value.
const SWALLOW: &[&str] = &["is_err", "is_ok", "ok", "unwrap_or", "unwrap_or_default", "unwrap_or_else"];

/// `call().await.is_ok()`: a failed effect would be recorded as one that came to this.
fn swallowed(step: &Step, errors: &mut Errors) {
    let Expr::MethodCall(call) = peel(&step.expr) else { return };
    let is_effect = step.args.kind == Kind::SideEffect && step.question.is_none();
    if !is_effect || !SWALLOW.iter().any(|method| call.method == method) {
        return;
    }
    if let Expr::Await(_) = peel(&call.receiver) {
        let method = &call.method;
        let arguments = if call.args.is_empty() { "" } else { ".." };
        errors.on(
            &call.method,
            format!("an effect that failed, or may have happened, would be recorded here as a value: write `errors = \"recorded\"` into the attribute, which has it verified first, and `.{method}({arguments})` behind the step, on what that gives"),
        );
    }
}

/// `#[read(..)] Ok(call().await?)`: a `Result` again, where the value in it is the step.
fn inside(step: &Step, errors: &mut Errors) {
    let args = &step.args;
    let has_value = matches!(args.kind, Kind::SideEffect | Kind::Read);
    let keeps_error = step.question.is_some() || args.records_errors.is_some();
    let Expr::Call(call) = peel(&step.expr) else { return };
    if let (Expr::Path(path), true, false) = (&*call.func, has_value, keeps_error)
        && path.path.is_ident("Ok")
    {
        let kind = args.kind.attribute();
        errors.at(
            args.attr,
            format!("the step is what stands in `Ok(..)`: put the attribute inside, `Ok(#[{kind}(..)] call().await?)`"),
        );
    }
}
