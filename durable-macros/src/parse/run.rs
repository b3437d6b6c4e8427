//! The arguments of `#[run]`.

use syn::Attribute;
use syn::spanned::Spanned;

use super::args::{Args, attribute_args};
use super::errors::later;
use super::{former, values};
use crate::diag::Errors;
use crate::model::{Kind, StepArgs};

pub(super) const RUN: &[&str] = &["key", "formerly", "title", "errors"];

/// Reads the arguments; what cannot be read is reported and left out.
pub(super) fn run_args(attr: &Attribute, errors: &mut Errors) -> StepArgs {
    let mut run = StepArgs::none(Kind::Run, attr.path().span());
    let Some(tokens) = attribute_args(attr, errors) else { return run };
    let mut args = Args::parse(tokens, "`#[run]`", RUN, errors);
    match args.take("key") {
        Some(key) => {
            let why = "`as` names the key of a step, for the token in it, and a run has no token: take it out";
            run.key = values::unnamed_key(&key, why, errors);
        }
        None if args.has("key") => {}
        None => errors.at(run.attr, "`#[run]` names the run that a call enters: write `#[run(key = \"welcome/{user.id}\")]`, or take the attribute out, and the run has the key of its own workflow"),
    }
    if let Some(arg) = args.take("formerly") {
        run.formerly = former::formerly(&arg, run.key.as_ref(), errors);
    }
    run.later = args.take("errors").and_then(|arg| later(&arg, errors));
    run.title = args.take("title").and_then(|arg| values::text(&arg, "title = \"welcome {user.name}\"", errors));
    run
}
