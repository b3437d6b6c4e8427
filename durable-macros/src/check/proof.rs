//! What happens to a step in doubt must be said: somebody or something has to know.

use syn::visit::Visit;
use syn::{Expr, ExprLit, ExprPath, Lit, Macro, Stmt};

use super::swallowed::{plain, wrapped_in};
use crate::diag::Errors;
use crate::key::is_name;
use crate::model::{Idempotent, Kind, Step, StepArgs};
use crate::names;
use crate::parse::peel;
use crate::walk::Exits;

/// What is said of attempts that cannot be.
fn attempts(step: &Step, errors: &mut Errors) {
    let StepArgs { verify, idempotent, classify, retry, within, records_errors, .. } = &step.args;
    let fails = records_errors.is_some() || step.question.is_some() || !Exits::of(&step.expr).questions.is_empty();
    if let (None, Some((span, _))) = (idempotent, within) {
        errors.at(*span, "`within` is how long a receiver remembers the token of an `idempotent` step: add `idempotent`, or take it out");
    }
    if let (Some(classify), false) = (classify, fails) {
        errors.on(classify, "`classify` says what the error of a step proves, and this step has none: write `?` behind it, or take `classify` out");
    }
    if let (Some(retry), false, None) = (retry, fails, &step.args.timeout) {
        errors.at(retry.span, "`retry` tries again what has failed, and this step cannot fail: write `?` behind it, give it a `timeout`, or take `retry` out");
    }
    let is_asked_of = step.args.kind == Kind::SideEffect && step.args.in_doubt.is_some();
    if let (Some(retry), true, None, None, None) = (retry, is_asked_of, verify, idempotent, classify) {
        errors.at(retry.span, "`retry` tries again what did not happen, and here nothing says of an error that it proves this, so each is asked about: add `classify = BankError::classify`, or `verify`, or take `retry` out");
    }
}

pub(super) fn check(steps: &[Step], errors: &mut Errors) {
    for step in steps {
        attempts(step, errors);
        refetches(step, errors);
        quoted(step, errors);
    }
    for step in steps.iter().filter(|step| step.args.kind == Kind::SideEffect) {
        let StepArgs { verify, idempotent, settle, answers_doubt, .. } = &step.args;
        match (verify, idempotent) {
            (None, None) if !answers_doubt => errors.at(
                step.args.attr,
                "a side effect says how a crash in its middle is cleared up: name the key and add `key = \"..\" as pay, verify = bank.find(pay.token()).await` to ask whether it happened, `idempotent` if the receiver drops repeats, or `in_doubt = \"treasury\"` to ask a person",
            ),
            (Some(_), Some(both)) => errors.at(
                both.span,
                "a step is either verified or repeated: keep `verify`, or `idempotent` if the receiver drops repeats",
            ),
            (None, Some(idempotent)) => without_token(step, idempotent, errors),
            _ => {}
        }
        if let Some(verify) = verify.as_ref().filter(|verify| is_function(verify)) {
            errors.on(verify, "`verify` is what looks whether it happened, and not a function that would: write the call itself, `verify = bank.find(pay.token()).await`, with `key = \"..\" as pay`");
        }
        if let Some(verify) = verify.as_ref().filter(|verify| asks_nobody(verify)) {
            errors.on(verify, "this `verify` asks nobody, and what it says proves nothing: ask whoever would know, `verify = bank.find(pay.token()).await`, with `key = \"..\" as pay`, or write `in_doubt = \"treasury\"` to ask a person");
        }
        if let (None, Some((span, _))) = (verify, settle) {
            errors.at(*span, "`settle` is how long `verify` may still miss an effect that is on its way: add `verify`, or take it out");
        }
    }
}

/// What other attributes take as a text, and this one as it is.
fn quoted(step: &Step, errors: &mut Errors) {
    let StepArgs { verify, classify, refetch, .. } = &step.args;
    for (name, value) in [("verify", verify), ("classify", classify), ("refetch", refetch)] {
        if let Some(Expr::Lit(ExprLit { lit: Lit::Str(text), .. })) = value.as_ref().map(peel) {
            let bare = text.value();
            errors.at(
                text.span(),
                format!(
                    "`{name}` takes the expression itself and no text: write it without the quotes, `{name} = {bare}`"
                ),
            );
        }
    }
}

/// What is said of a result that is not kept.
fn refetches(step: &Step, errors: &mut Errors) {
    let Some(refetch) = &step.args.refetch else { return };
    if is_function(refetch) {
        errors.on(refetch, "`refetch` is what gives the result again, and not a function that would: write the call itself, `refetch = vault.find(pay.token()).await`, with `key = \"..\" as pay`");
    }
    if let Some(allowed) = step.args.allows_secrets {
        errors.at(allowed, "`refetch` gets a result again that is not kept, since it holds a secret, and with `secrets = \"allow\"` every result is kept: take one of the two out");
    }
}

/// `|key| bank.find(key)`, `Bank::find`.
fn is_function(verify: &Expr) -> bool {
    match peel(verify) {
        Expr::Closure(_) => true,
        Expr::Path(path) => {
            let last = path.path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
            path.path.segments.len() > 1 && is_name(&last)
        }
        _ => false,
    }
}

/// `None`, `true`, `Verdict::DidNotHappen`, and blocks that hold nothing else.
pub(crate) fn asks_nobody(verify: &Expr) -> bool {
    match plain(verify) {
        Expr::Lit(literal) => matches!(literal.lit, Lit::Bool(_)),
        Expr::Path(path) => {
            let last = path.path.segments.last();
            last.is_some_and(|last| last.ident == "None" || last.ident == "DidNotHappen")
        }
        Expr::Call(_) => wrapped_in(verify, "Ok").is_some_and(asks_nobody),
        Expr::Block(block) => matches!(&*block.block.stmts, [Stmt::Expr(end, None)] if asks_nobody(end)),
        Expr::Await(wait) => match plain(&wait.base) {
            Expr::Async(block) => matches!(&*block.block.stmts, [Stmt::Expr(end, None)] if asks_nobody(end)),
            _ => false,
        },
        _ => false,
    }
}

/// A receiver drops a repeat because it carries the same token, or for a reason that only the author knows.
fn without_token(step: &Step, idempotent: &Idempotent, errors: &mut Errors) {
    let uses_key = step.args.binding.as_ref().is_some_and(|name| uses(&step.expr, &name.to_string()));
    if idempotent.why.is_some() || uses_key {
        return;
    }
    match &step.args.binding {
        Some(name) => errors.at(
            idempotent.span,
            format!("nothing shows the receiver that a repeat is one, for `{name}` is not in the call: send `{name}.token()` with it, or say why repeats do no harm, `idempotent = \"by part number\"`"),
        ),
        None => errors.at(
            idempotent.span,
            "nothing shows the receiver that a repeat is one: name the key, `key = \"..\" as pay`, and send `pay.token()` with the call, or say why repeats do no harm, `idempotent = \"by part number\"`",
        ),
    }
}

/// Whether an expression uses a variable. The name of a method or a field is not one.
fn uses(expr: &Expr, name: &str) -> bool {
    let mut uses = Uses { name, found: false };
    uses.visit_expr(expr);
    uses.found
}

struct Uses<'a> {
    name: &'a str,
    found: bool,
}

impl<'ast> Visit<'ast> for Uses<'_> {
    fn visit_expr_path(&mut self, node: &'ast ExprPath) {
        self.found |= node.path.is_ident(self.name);
    }

    /// A format string may hold it as well: `{pay}`.
    fn visit_macro(&mut self, mac: &'ast Macro) {
        let text = mac.tokens.to_string();
        self.found |= names::mentions(mac.tokens.clone(), &[self.name]) || text.contains(&format!("{{{}", self.name));
    }
}
