//! `#[sleep]` and `#[decision]` stand before one call of the session, and nothing else: what they wait for is in it.

use syn::visit::{self, Visit};
use syn::{Expr, ExprMethodCall, Macro};

use crate::diag::Errors;
use crate::model::{Kind, Step};
use crate::parse::awaited_call;
use crate::shown::shown;
use crate::walk::{Exits, bare, input_of, is_term, mentions_step, waits_for};

pub(super) fn check(steps: &[Step], errors: &mut Errors) {
    for step in steps {
        let form = match step.args.kind {
            Kind::Sleep => Form { methods: &["sleep", "sleep_until"], arguments: 1, example: SLEEP },
            Kind::Decision => Form { methods: &["decide"], arguments: 0, example: DECISION },
            Kind::SideEffect | Kind::Read | Kind::Run => continue,
        };
        form.judge(step, errors);
        values(step, errors);
    }
}

const SLEEP: &str = "`session.sleep(length).await?` or `session.sleep_until(instant).await?`";
const DECISION: &str = "`session.decide().await?`";

/// How the call is written.
struct Form {
    methods: &'static [&'static str],
    arguments: usize,
    example: &'static str,
}

impl Form {
    fn judge(&self, step: &Step, errors: &mut Errors) {
        let (name, example) = (step.args.kind.attribute(), self.example);
        let Some(call) = awaited_call(&step.expr) else {
            let text = match &step.expr {
                Expr::MethodCall(call) if self.is_one_of(call) && step.nested => {
                    let key = key(step);
                    format!(
                        "a wait is awaited: write {example}; where a macro awaits it, take the attribute out and write `{}.key(\"{key}\")`",
                        shown(call)
                    )
                }
                Expr::MethodCall(call) if self.is_one_of(call) => format!("a wait is awaited: write {example}"),
                other => match first_wait(other, step.args.kind) {
                    Some(wait) => around(step, &wait),
                    None => format!("`#[{name}]` stands before one call of the session: write {example}"),
                },
            };
            return errors.on(&step.expr, text);
        };
        if let Some(other) = waits_for(&call.method).filter(|other| *other != step.args.kind) {
            let (call, other) = (shown(call), other.attribute());
            let key = key(step);
            errors.at(
                step.args.attr,
                format!(
                    "`{call}` stands under `#[{other}]`, and not under `#[{name}]`: write `#[{other}(key = \"{key}\")]`"
                ),
            );
        } else if is_term(&call.method) && waits_for(&bare(call).method).is_some() {
            let (wait, term) = (shown(&bare(call)), &call.method);
            errors.on(&call.method, format!("what is said of this wait is said in its attribute, `#[{name}(..)]`: write `{wait}.await?`, without the `.{term}(..)`"));
        } else if !self.is_one_of(call) {
            errors
                .at(call.method.span(), format!("`#[{name}]` stands before one call of the session: write {example}"));
        } else if call.args.len() == self.arguments && step.question.is_none() {
            errors.on(&step.expr, format!("a run that stops here goes no further, which `?` says: write {example}"));
        }
    }

    fn is_one_of(&self, call: &ExprMethodCall) -> bool {
        self.methods.iter().any(|method| call.method == method)
    }
}

/// What to write where the wait is only a part of what the attribute stands before.
fn around(step: &Step, wait: &ExprMethodCall) -> String {
    let (name, key, wait) = (step.args.kind.attribute(), key(step), shown(wait));
    let text = format!("`#[{name}]` stands before the call of the session alone: write");
    match step.args.kind {
        Kind::Decision => {
            format!("{text} before this `#[{name}(key = \"{key}\")] let agreed = {wait}.await?;`, and `agreed` here")
        }
        _ => format!("{text} `#[{name}(key = \"{key}\")] {wait}.await?;`"),
    }
}

/// The first call in an expression that waits as this kind does.
fn first_wait(expr: &Expr, kind: Kind) -> Option<ExprMethodCall> {
    let mut first = First { kind, found: None };
    first.visit_expr(expr);
    first.found
}

struct First {
    kind: Kind,
    found: Option<ExprMethodCall>,
}

impl<'ast> Visit<'ast> for First {
    fn visit_expr_method_call(&mut self, node: &'ast ExprMethodCall) {
        if self.found.is_none() && waits_for(&node.method) == Some(self.kind) {
            self.found = Some(node.clone());
        }
        visit::visit_expr_method_call(self, node);
    }

    fn visit_macro(&mut self, mac: &'ast Macro) {
        input_of(mac).visit(self);
    }
}

fn key(step: &Step) -> String {
    step.args.key.as_ref().map_or_else(|| "..".to_owned(), |key| key.literal.value())
}

/// What is shown, and what counts when nobody answers, is only looked at.
fn values(step: &Step, errors: &mut Errors) {
    for (name, expr) in [("shows", &step.args.shows), ("on_expiry", &step.args.on_expiry)] {
        let Some(expr) = expr else { continue };
        for (span, word) in Exits::of(expr).jumps {
            errors
                .at(span, format!("`{word}` would leave the decision before it is asked for: let `{name}` be a value"));
        }
        if mentions_step(expr) {
            errors.on(
                expr,
                format!("`{name}` is a value, and a step in it would be one of its own: bind it with a `let` before"),
            );
        }
    }
}
