//! A run is named where it is entered, and it is entered when its call is awaited.

use quote::ToTokens;

use crate::diag::Errors;
use crate::model::{Kind, Step};
use crate::names::{holds_macro, mentions};

pub(super) fn check(steps: &[Step], errors: &mut Errors) {
    for run in steps.iter().filter(|step| step.args.kind == Kind::Run) {
        let call = run.expr.to_token_stream();
        if !mentions(call.clone(), &["await"]) && !holds_macro(call) {
            errors.at(
                run.args.attr,
                "nothing is awaited here, so no run is entered: put `#[run(..)]` on the call of a workflow together with its `.await`",
            );
        }
    }
}
