//! Waits to which no attribute gives a key. Such a call is no future, and the compiler would propose to take out its
//! `.await`.

use std::collections::BTreeMap;
use std::mem;

use proc_macro2::Ident;
use quote::ToTokens;
use syn::visit_mut::{self, VisitMut};
use syn::{
    Block, Expr, ExprCall, ExprClosure, ExprForLoop, ExprMethodCall, ExprWhile, Item, Local, Macro, Pat, Path, Stmt,
    parse_quote,
};

use super::advice::{self, Advice, Stands};
use super::exprs::peel;
use super::handles::Handles;
use super::macros::in_parts;
use super::{arguments, branches, tasks};
use crate::diag::Errors;
use crate::expand;
use crate::model::{Kind, Session, Step, StepArgs};
use crate::names::bound;
use crate::parse::awaited_call;
use crate::shown::shown;

/// Functions that await what they are given.
const AWAITING: &[&str] = &["pin", "join", "join3", "join4", "try_join", "try_join3", "try_join4", "select"];
/// What is said of a wait behind its key.
const TERMS: &[&str] = &["key", "title", "ask", "shows", "expires", "on_expiry"];

/// What a call of a session with this name waits for.
pub(crate) fn waits_for(method: &Ident) -> Option<Kind> {
    match method.to_string().as_str() {
        "sleep" | "sleep_until" => Some(Kind::Sleep),
        "decide" => Some(Kind::Decision),
        _ => None,
    }
}

/// Refuses each wait without a key, and gives it an empty one, so that nothing else is wrong with it.
pub(crate) fn unkeyed_waits(
    session: &Session,
    root: Option<&Path>,
    body: &mut Block,
    steps: &mut [Step],
    errors: &mut Errors,
) {
    let session = Handles::of(session, body, steps);
    let advice = Advice::beside(steps);
    let (held, in_step, in_task, is_told) = (BTreeMap::new(), false, false, false);
    let mut waits = Waits { session, root, errors, advice, held, in_step, in_task, is_told, found: 0 };
    waits.visit_block_mut(body);
    for step in steps.iter_mut().filter(|step| !step.args.kind.waits()) {
        waits.in_step(step);
    }
}

struct Waits<'a> {
    session: Handles,
    root: Option<&'a Path>,
    errors: &'a mut Errors,
    advice: Advice,
    /// The waits that have a name and no key yet.
    held: BTreeMap<String, ExprMethodCall>,
    /// Whether a step is around it.
    in_step: bool,
    /// Whether it is spawned.
    in_task: bool,
    /// Whether another mistake says enough.
    is_told: bool,
    /// How many were refused.
    found: usize,
}

impl Waits<'_> {
    /// A wait under the attribute of another step, or somewhere in such a step.
    fn in_step(&mut self, step: &mut Step) {
        let whole = awaited_call(&step.expr).map(bare).filter(|call| self.session.waits(call));
        let whole = whole.or_else(|| self.session.wait(&step.expr));
        if let Some((kind, call)) = whole.and_then(|call| Some((waits_for(&call.method)?, call))) {
            return self.under_another(kind, &call, step);
        }
        (self.in_step, self.is_told) = (true, step.holds_another);
        self.visit_expr_mut(&mut step.expr);
        step.args.verify.iter_mut().chain(&mut step.args.refetch).for_each(|asked| self.visit_expr_mut(asked));
        (self.in_step, self.is_told) = (false, false);
    }

    fn under_another(&mut self, kind: Kind, call: &ExprMethodCall, step: &mut Step) {
        let (attribute, other) = (kind.attribute(), step.args.kind.attribute());
        let what = if kind == Kind::Sleep { "an instant" } else { "a person" };
        let key =
            step.args.key.as_ref().map_or_else(|| advice::default_key(kind).to_owned(), |key| key.literal.value());
        self.errors.on(
            &call,
            format!("`{}` waits for {what}, which `#[{attribute}]` records: write `#[{attribute}(key = \"{key}\")]` instead of `#[{other}(..)]`", shown(call)),
        );
        let wait = expand::keyed(&parse_quote!(#call), self.root);
        step.expr = parse_quote!(#wait.await);
        // Whatever else that attribute says is no mistake beside this.
        let read = StepArgs::none(Kind::Read, step.args.attr);
        step.args = StepArgs { key: step.args.key.take(), binding: step.args.binding.take(), ..read };
    }

    /// The wait that an expression is, or names.
    fn call(&self, expr: &Expr) -> Option<ExprMethodCall> {
        match peel(expr) {
            Expr::Path(path) => self.held.get(&path.path.get_ident()?.to_string()).cloned(),
            other => self.session.wait(other),
        }
    }

    /// Refuses the wait that is awaited here, or that `?` stands behind.
    fn refuse(&mut self, expr: &mut Expr) {
        let Some(call) = self.call(expr) else { return };
        self.tell(&call, expr);
        self.found += 1;
        *expr = expand::keyed(expr, self.root);
    }

    fn tell(&mut self, call: &ExprMethodCall, at: &impl ToTokens) {
        let Some(kind) = waits_for(&call.method).filter(|_| !self.is_told) else { return };
        let text = match (self.in_step, self.in_task) {
            (true, _) => self.advice.in_step(kind, call),
            (false, true) => advice::IN_TASK.to_owned(),
            (false, false) => self.advice.elsewhere(kind, call),
        };
        self.errors.on(at, text);
    }

    /// A wait by hand in a step, and a key by hand that is no template.
    fn by_hand(&mut self, call: &ExprMethodCall) {
        let wait = self.session.wait(&call.receiver).filter(|_| call.method == "key");
        // The one that `refuse` gave.
        let is_refused = call.args.first().is_some_and(|key| matches!(key, Expr::Lit(lit) if shown(lit) == "\"\""));
        match &wait {
            Some(_) if is_refused => {}
            Some(wait) if self.in_step => self.tell(wait, call),
            _ => {
                let is_step = ["side_effect", "read"].iter().any(|name| call.method == name);
                if let (true, Some(key)) =
                    (wait.is_some() || is_step && self.session.are(&call.receiver), call.args.first())
                    && let Some(text) = advice::filled(&call.method, key)
                {
                    self.errors.on(key, text);
                }
            }
        }
    }

    /// `session.sleep(day).title("..").key("..")`: only what has a key takes more.
    fn key_behind_terms(&mut self, call: &mut ExprMethodCall) {
        let Expr::MethodCall(terms) = peel(&call.receiver) else { return };
        let wait = bare(terms);
        if call.method == "key" && is_term(&terms.method) && self.session.waits(&wait) {
            let text = format!(
                "a wait is given its key before anything else: write `{}.key({})`, and the rest behind it",
                shown(&wait),
                shown(&call.args)
            );
            self.errors.on(call, text);
            *call.receiver = Expr::MethodCall(wait);
        }
    }

    /// `session.sleep(day).fuse()`: a wait without a key has one method, which gives it one.
    fn before_a_method(&mut self, call: &mut ExprMethodCall) {
        if call.method != "key" && self.session.wait(&call.receiver).is_some() {
            self.standing(Stands::Awaited { fuses: false }, |waits| waits.refuse(&mut call.receiver));
        }
    }

    fn argument(&mut self, expr: &mut Expr) {
        if self.advice.is_awaited() {
            match expr {
                Expr::Assign(branch) => self.refuse(&mut branch.right),
                _ => self.refuse(expr),
            }
        }
        let outer = mem::replace(&mut self.advice.stands, Stands::Within);
        self.visit_expr_mut(expr);
        self.advice.stands = outer;
    }

    fn standing(&mut self, stands: Stands, walk: impl FnOnce(&mut Self)) {
        let outer = mem::replace(&mut self.advice.stands, stands);
        walk(self);
        self.advice.stands = outer;
    }

    /// Walks what is run once for each value of these.
    fn turning<'p>(&mut self, pats: impl IntoIterator<Item = &'p Pat>, walk: impl FnOnce(&mut Self)) {
        let outer = self.advice.turns.len();
        let name = pats.into_iter().flat_map(bound).find(|name| !name.starts_with('_'));
        self.advice.turns.extend(name);
        walk(self);
        self.advice.turns.truncate(outer);
    }
}

impl VisitMut for Waits<'_> {
    fn visit_local_mut(&mut self, local: &mut Local) {
        let init = local.init.as_ref();
        if let (Pat::Ident(name), Some(call)) = (&local.pat, init.and_then(|init| self.session.wait(&init.expr)))
            && self.session.is_bound_once(&name.ident)
        {
            self.held.insert(name.ident.to_string(), call);
        }
        let stands = Stands::of_local(local);
        self.standing(stands, |waits| visit_mut::visit_local_mut(waits, local));
    }

    fn visit_stmt_mut(&mut self, stmt: &mut Stmt) {
        let stands = Stands::of_statement(stmt);
        self.standing(stands, |waits| visit_mut::visit_stmt_mut(waits, stmt));
    }

    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        match expr {
            Expr::Await(wait) => self.refuse(&mut wait.base),
            Expr::Try(question) if self.session.wait(&question.expr).is_some() => {
                self.refuse(&mut question.expr);
                let wait = &question.expr;
                question.expr = parse_quote!(#wait.await);
            }
            Expr::MethodCall(call) => {
                self.by_hand(call);
                self.key_behind_terms(call);
                self.before_a_method(call);
            }
            _ => {}
        }
        visit_mut::visit_expr_mut(self, expr);
    }

    fn visit_expr_call_mut(&mut self, node: &mut ExprCall) {
        let name = match &*node.func {
            Expr::Path(path) => path.path.segments.last().map(|last| last.ident.to_string()),
            _ => None,
        };
        let name = name.unwrap_or_default();
        if AWAITING.contains(&name.as_str()) {
            self.standing(Stands::Awaited { fuses: false }, |waits| {
                node.args.iter_mut().for_each(|argument| waits.refuse(argument));
            });
        } else if name == "timeout" || name == "timeout_at" {
            self.standing(Stands::Within, |waits| node.args.iter_mut().for_each(|argument| waits.refuse(argument)));
        }
        let outer = self.in_task;
        self.in_task |= tasks::is_spawn(&node.func);
        visit_mut::visit_expr_call_mut(self, node);
        self.in_task = outer;
    }

    fn visit_expr_for_loop_mut(&mut self, node: &mut ExprForLoop) {
        self.visit_expr_mut(&mut node.expr);
        self.turning([&*node.pat], |waits| waits.visit_block_mut(&mut node.body));
    }

    fn visit_expr_while_mut(&mut self, node: &mut ExprWhile) {
        self.visit_expr_mut(&mut node.cond);
        let pat = if let Expr::Let(cond) = &*node.cond { Some(&*cond.pat) } else { None };
        self.turning(pat, |waits| waits.visit_block_mut(&mut node.body));
    }

    fn visit_expr_closure_mut(&mut self, node: &mut ExprClosure) {
        self.turning(&node.inputs, |waits| {
            waits.standing(Stands::Within, |waits| waits.visit_expr_mut(&mut node.body))
        });
    }

    fn visit_macro_mut(&mut self, mac: &mut Macro) {
        let before = self.found;
        let stands = match branches::awaits(&mac.path, &mac.tokens) {
            true => Stands::Awaited { fuses: branches::is_of_futures(&mac.path) },
            false => Stands::Within,
        };
        let hidden = self.session.hide(mac.tokens.clone());
        let outer = mem::replace(&mut self.advice.stands, stands);
        let rewritten = match arguments(mac.tokens.clone()) {
            Some(mut arguments) => {
                arguments.iter_mut().for_each(|argument| self.argument(argument));
                arguments.into_token_stream()
            }
            None => in_parts(mac.tokens.clone(), &mut |expr| self.argument(expr)),
        };
        self.advice.stands = outer;
        self.session.show(hidden);
        if self.found > before {
            mac.tokens = rewritten;
        }
    }

    /// An item has a session of its own, if it has one.
    fn visit_item_mut(&mut self, _: &mut Item) {}
}

/// The call itself, without what is said of it.
pub(crate) fn bare(call: &ExprMethodCall) -> ExprMethodCall {
    match peel(&call.receiver) {
        Expr::MethodCall(inner) if is_term(&call.method) => bare(inner),
        _ => call.clone(),
    }
}

/// Whether a method says something of a wait.
pub(crate) fn is_term(method: &Ident) -> bool {
    TERMS.iter().any(|term| method == term)
}
