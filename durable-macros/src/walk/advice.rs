//! What to write for a wait without a key, where it stands.

use std::collections::BTreeSet;

use proc_macro2::Ident;
use syn::{Expr, ExprLit, ExprMethodCall, Lit, Local, Stmt};

use super::exprs::peel;
use crate::model::{Kind, Step};
use crate::names::bound;
use crate::parse::awaited_call;
use crate::shown::shown;

pub(super) const IN_TASK: &str = "a spawned task goes on without its workflow, so no wait can stand in it: wait for it here, `tokio::join!(one, other)`, where each side may have waits of its own";
/// The longest example that is still one.
const LONGEST: usize = 90;

/// Where a wait stands.
pub(super) enum Stands {
    /// As a statement of its own.
    Alone,
    /// As the value of a `let`: what that binds, as it is written, and its name.
    Bound(String, String),
    /// In an expression that goes on with what it gives.
    Within,
    /// Where a macro or a function awaits it; the macros of `futures` ask for more than a future.
    Awaited { fuses: bool },
}

pub(super) struct Advice {
    pub(super) stands: Stands,
    /// The names that the loops and closures around it bind.
    pub(super) turns: Vec<String>,
    /// The keys that are taken.
    keys: BTreeSet<String>,
}

impl Stands {
    /// `let send: Approval` of a `let` whose value is a wait alone, and the name in it.
    pub(super) fn of_local(local: &Local) -> Self {
        let is_alone = local.init.as_ref().is_some_and(|init| init.diverge.is_none() && is_wait(&init.expr));
        match &bound(&local.pat)[..] {
            [name] if is_alone => Self::Bound(format!("let {}", shown(&local.pat)), name.clone()),
            _ => Self::Within,
        }
    }

    /// What a block ends with is what it gives.
    pub(super) fn of_statement(stmt: &Stmt) -> Self {
        match stmt {
            Stmt::Expr(expr, Some(_)) if is_wait(expr) => Self::Alone,
            Stmt::Expr(expr @ Expr::Try(_), None) if is_wait(expr) => Self::Alone,
            _ => Self::Within,
        }
    }
}

impl Advice {
    pub(super) fn beside(steps: &[Step]) -> Self {
        let keys = steps.iter().filter_map(|step| Some(step.args.key.as_ref()?.literal.value())).collect();
        Self { stands: Stands::Within, turns: Vec::new(), keys }
    }

    pub(super) fn is_awaited(&self) -> bool {
        matches!(self.stands, Stands::Awaited { .. })
    }

    pub(super) fn elsewhere(&mut self, kind: Kind, call: &ExprMethodCall) -> String {
        let (example, is_before) = self.example(kind, call);
        let before = if is_before { " before this" } else { "" };
        let here = if is_before && kind == Kind::Decision { ", and `agreed` here" } else { "" };
        format!("a wait needs a key, by which the next start knows it: write{before} `{example}`{here}")
    }

    pub(super) fn in_step(&mut self, kind: Kind, call: &ExprMethodCall) -> String {
        if self.is_awaited() {
            self.stands = Stands::Within;
        }
        let (example, _) = self.example(kind, call);
        format!("a wait is a step of its own, and cannot stand in another: write it before this one, `{example}`")
    }

    /// The example, and whether it stands before what the wait stands in.
    fn example(&mut self, kind: Kind, call: &ExprMethodCall) -> (String, bool) {
        let (attribute, key, wait) = (kind.attribute(), self.key(kind), wait(call));
        let step = |binding: &str| format!("#[{attribute}(key = \"{key}\")] {binding}{wait}.await?;");
        match &self.stands {
            Stands::Alone => (step(""), false),
            Stands::Bound(written, _) => (step(&format!("{written} = ")), false),
            Stands::Within if kind == Kind::Sleep => (step(""), true),
            Stands::Within if call.turbofish.is_some() => (step("let agreed = "), true),
            Stands::Within => (step("let agreed: TYPE = "), true),
            Stands::Awaited { fuses } => {
                let key = if self.turns.is_empty() { format!("\"{key}\"") } else { format!("format!(\"{key}\")") };
                let fuse = if *fuses { ".fuse()" } else { "" };
                (format!("{wait}.key({key}){fuse}"), false)
            }
        }
    }

    /// A key that nothing else has.
    fn key(&mut self, kind: Kind) -> String {
        let name = match &self.stands {
            Stands::Bound(_, name) => Some(name.trim_matches('_')).filter(|name| !name.is_empty()),
            _ => None,
        };
        let name = name.unwrap_or_else(|| default_key(kind));
        let turns: String = self.turns.iter().map(|name| format!("/{{{name}}}")).collect();
        let numbered = (2..).map(|number| format!("{name}-{number}{turns}"));
        let mut keys = std::iter::once(format!("{name}{turns}")).chain(numbered);
        let key = keys.find(|key| !self.keys.contains(key)).unwrap_or_default();
        self.keys.insert(key.clone());
        key
    }
}

/// What is wrong with a key by hand that is written as if something filled it.
pub(super) fn filled(method: &Ident, key: &Expr) -> Option<String> {
    let Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) = peel(key) else { return None };
    let value = text.value().replace("{{", "").replace("}}", "");
    let hole = value.split_once('{').map(|(_, rest)| rest).filter(|rest| rest.contains('}'))?;
    let is_name = hole.starts_with(|first: char| first.is_alphanumeric() || first == '_' || first == '}');
    let written = text.value();
    is_name.then(|| {
        format!("`{method}(..)` takes the key as it stands, and nothing is put into its braces: write `.{method}(format!({written:?}))`")
    })
}

/// The key of a wait that has no name of its own.
pub(super) fn default_key(kind: Kind) -> &'static str {
    if kind == Kind::Sleep { "cool-down" } else { "agree" }
}

fn wait(call: &ExprMethodCall) -> String {
    match shown(call).replace("(* ", "(*") {
        long if long.len() > LONGEST => format!("{}.{}(..)", shown(&call.receiver), call.method),
        whole => whole,
    }
}

/// Whether it awaits a call, and does nothing else.
fn is_wait(value: &Expr) -> bool {
    match peel(value) {
        Expr::Try(question) => is_wait(&question.expr) || matches!(peel(&question.expr), Expr::MethodCall(_)),
        Expr::Await(wait) => matches!(peel(&wait.base), Expr::Path(_) | Expr::Call(_)) || awaited_call(value).is_some(),
        _ => false,
    }
}
