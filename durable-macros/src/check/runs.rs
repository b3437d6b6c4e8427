//! A run is named where it is entered, and it is entered when its call is awaited.

use quote::ToTokens;
use syn::Expr;

use crate::diag::Errors;
use crate::model::{Kind, Step};
use crate::names::{holds_macro, mentions};

/// Whether a call is awaited, as far as can be seen.
pub(crate) fn enters(call: &Expr) -> bool {
    mentions(call.to_token_stream(), &["await"]) || holds_macro(call.to_token_stream())
}

pub(super) fn check(steps: &[Step], errors: &mut Errors) {
    for run in steps.iter().filter(|step| step.args.kind == Kind::Run) {
        if !enters(&run.expr) {
            errors.at(
                run.args.attr,
                "nothing is awaited here, so no run is entered: put `#[run(..)]` on the call of a workflow together with its `.await`",
            );
        }
    }
}
