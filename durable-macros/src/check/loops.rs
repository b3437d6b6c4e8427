//! A step in a loop or closure runs many times, so each of them must put something that differs into its key.

use std::collections::BTreeSet;

use crate::diag::Errors;
use crate::model::{Kind, Scope, ScopeKind, Step, Text};

/// A key with a name that was refused is a mistake already.
pub(super) fn check(steps: &[Step], refused: &BTreeSet<String>, errors: &mut Errors) {
    for step in steps {
        // One mistake for each step: a former key is judged where the present one is right. A run that is one of many now
        // may have been the only one, without a name: the first that is reached goes on with it.
        let former =
            step.args.formerly.iter().filter(|key| step.args.kind != Kind::Run || key.roots().next().is_some());
        let keys = step.args.key.iter().chain(former);
        let mut right = keys.filter(|key| !key.roots().any(|name| refused.contains(name)));
        if let Some((key, at)) = right.find_map(|key| Some((key, unchanging(step, key)?))) {
            let is_outer = at + 1 < step.scopes.len();
            let mut text = describe(step.args.kind, key, &step.scopes[at], is_outer);
            if may_be_tried_again(step) && step.scopes[at].kind != ScopeKind::Closure {
                text.push_str("; if this is the same effect again after an error, write `retry(attempts = 3)` into the attribute instead of the loop");
            }
            errors.at(key.literal.span(), text);
        }
    }
}

/// The innermost loop or closure around a step that puts nothing into a key of it.
fn unchanging(step: &Step, key: &Text) -> Option<usize> {
    step.scopes.iter().rposition(|scope| !key.roots().any(|name| scope.varying.contains(name)))
}

/// Its error is a value, and such a loop seldom means another effect.
fn may_be_tried_again(step: &Step) -> bool {
    step.args.records_errors.is_some() && step.args.kind != Kind::Run && step.args.retry.is_none()
}

fn describe(kind: Kind, key: &Text, scope: &Scope, is_outer: bool) -> String {
    let place = format!("{} {}", if is_outer { "an outer" } else { "a" }, scope.kind.describe());
    let runs = match kind {
        Kind::Run => "this run is entered",
        Kind::SideEffect | Kind::Read | Kind::Decision | Kind::Sleep => "this step runs",
    };
    let names: Vec<String> = key.roots().map(|name| format!("`{name}`")).collect();
    if names.is_empty() {
        return format!(
            "{runs} in {place}, but its key is the same every time: put in what differs, `{{item.id}}`, or, where the order never changes, a counter, \"{}/{{n}}\"",
            key.literal.value()
        );
    }
    format!(
        "{runs} in {place}, but its key uses only {}, which nothing there binds or changes: put in what differs as well, `{{item.id}}`, or, where the order never changes, a counter",
        names.join(" and ")
    )
}
