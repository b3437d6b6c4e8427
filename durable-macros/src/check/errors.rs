//! An error is a value or leaves by `?`, never both.

use syn::Expr;

use crate::diag::Errors;
use crate::model::{Kind, Step};
use crate::parse::peel;

pub(super) fn check(steps: &[Step], errors: &mut Errors) {
    for step in steps {
        inside(step, errors);
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
