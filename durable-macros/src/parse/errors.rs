//! `errors = "recorded"` of a step, and `errors = "later"` of a run.

use proc_macro2::Span;

use super::args::Arg;
use super::values;
use crate::diag::Errors;

/// The place of the argument, if it says that errors are recorded.
pub(super) fn records_errors(arg: &Arg, errors: &mut Errors) -> Option<Span> {
    let word = values::string(arg, "errors = \"recorded\"", errors)?;
    let mistake = match word.value().as_str() {
        "recorded" => return Some(arg.name.span()),
        "later" => "`errors = \"later\"` belongs to a whole run, on `#[run]`: the errors of a step are `\"recorded\"`, or leave by `?`".to_owned(),
        other => format!("`errors` takes one word, \"recorded\", and not \"{other}\": with it an error is the step's value; without it an error leaves by `?`"),
    };
    errors.at(word.span(), mistake);
    None
}

/// The place of the argument, if it says that the errors of a run are for later.
pub(super) fn later(arg: &Arg, errors: &mut Errors) -> Option<Span> {
    let word = values::string(arg, "errors = \"later\"", errors)?;
    let mistake = match word.value().as_str() {
        "later" => return Some(arg.name.span()),
        "recorded" => "`errors = \"recorded\"` belongs to a step: a run has no error for its result; with `\"later\"` one that fails does not stop the run around it, or let the error leave by `?`".to_owned(),
        other => format!("`errors` of a run takes one word, \"later\", and not \"{other}\": with it the value is an `Option`, `None` where the run has failed and is tried again by the next start; without it an error leaves by `?`"),
    };
    errors.at(word.span(), mistake);
    None
}
