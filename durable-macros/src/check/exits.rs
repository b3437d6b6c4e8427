//! A step ends with its value: leaving it half-way would leave its effect without a record.

use syn::Expr;

use crate::diag::Errors;
use crate::model::{Kind, Step};
use crate::parse::awaited_call;
use crate::walk::{Exits, mentions_step};

pub(super) fn check(steps: &[Step], errors: &mut Errors) {
    for step in steps {
        // What a wait stands before is judged as a whole.
        let is_judged = step.args.kind.waits() && awaited_call(&step.expr).is_none();
        for (span, word) in Exits::of(&step.expr).jumps.into_iter().filter(|_| !is_judged) {
            let text = match step.args.kind {
                Kind::Run => {
                    format!("`{word}` would leave this call half-way: let it end with a value, and `{word}` after it")
                }
                Kind::Decision | Kind::Sleep => {
                    format!("`{word}` would leave before the wait begins: let what it waits for be a value")
                }
                Kind::SideEffect | Kind::Read => format!(
                    "`{word}` would leave this step with its effect unrecorded: let the step end with a value, and `{word}` after it"
                ),
            };
            errors.at(span, text);
        }
        step.args.verify.iter().for_each(|verify| only_looks("verify", verify, errors));
        step.args.refetch.iter().for_each(|refetch| only_looks("refetch", refetch, errors));
    }
}

/// What is asked about a step ends with what it found.
fn only_looks(name: &str, asked: &Expr, errors: &mut Errors) {
    for (span, word) in Exits::of(asked).jumps {
        errors.at(
            span,
            format!("`{word}` would leave this step before it has its result: let `{name}` end with what it found"),
        );
    }
    if mentions_step(asked) {
        errors.on(
            asked,
            format!("`{name}` only looks: a step in it would be an effect of its own; ask with a plain call"),
        );
    }
}
