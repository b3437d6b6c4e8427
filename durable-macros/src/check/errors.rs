//! An error is a value or leaves by `?`, never both.

use crate::diag::Errors;
use crate::model::Step;

pub(super) fn check(steps: &[Step], errors: &mut Errors) {
    for step in steps {
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
