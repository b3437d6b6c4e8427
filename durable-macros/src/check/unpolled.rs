//! Futures that a body drops, where only the type of a value says whether it is one: none of what is in them ever happens.

use std::mem;

use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{Attribute, Block, Expr, ExprAsync, ExprCall, ExprClosure, Item, Local, Macro, Pat, Path, Stmt};

use super::ignored::given_away;
use super::swallowed::plain;
use super::unawaited::{has_steps, is_unused};
use crate::expand;
use crate::model::Session;
use crate::names::{mentions, root};
use crate::walk::input_of;

/// Has the compiler ask for the types of what may be one. The value of any other call may have a type that is known only
/// further down, and to ask for it would be an error.
pub(crate) fn forgotten_futures(session: &Session, body: &mut Block, path: Option<&Path>) {
    let session = match session {
        Session::Parameter { name, .. } => Some(name.to_string()),
        Session::Given(given) => root(given),
    };
    let mut forgotten = Forgotten { whole: body.clone(), session: session.unwrap_or_default(), path };
    forgotten.visit_block_mut(body);
}

struct Forgotten<'a> {
    /// The body, which shows the names that are used.
    whole: Block,
    session: String,
    path: Option<&'a Path>,
}

impl Forgotten<'_> {
    fn ask(&self, value: &mut Expr) {
        let attrs = attrs_of(value).map(mem::take).unwrap_or_default();
        *value = expand::asked_of_type(value, "forgotten", self.path);
        // The compiler takes none on what is only a part of an expression.
        attrs_of(value).into_iter().for_each(|place| place.clone_from(&attrs));
    }

    /// A workflow that is called, or steps that something makes futures of.
    fn may_be_one(&self, value: &Expr) -> bool {
        let gets_session = || mentions(value.to_token_stream(), &[&self.session]);
        makes(value) && (holds_future(value) || gets_session())
    }
}

impl VisitMut for Forgotten<'_> {
    fn visit_stmt_mut(&mut self, stmt: &mut Stmt) {
        visit_mut::visit_stmt_mut(self, stmt);
        // Of a future itself the compiler warns, and not of several.
        if let Stmt::Expr(value, Some(_)) = stmt
            && makes(value)
            && holds_future(value)
        {
            self.ask(value);
        }
    }

    fn visit_local_mut(&mut self, local: &mut Local) {
        visit_mut::visit_local_mut(self, local);
        if let Some(init) = local.init.as_mut().filter(|init| self.may_be_one(&init.expr))
            && matches!(local.pat, Pat::Wild(_) | Pat::Ident(_))
            && is_unused(&local.pat, &self.whole)
        {
            self.ask(&mut init.expr);
        }
    }

    fn visit_expr_call_mut(&mut self, call: &mut ExprCall) {
        visit_mut::visit_expr_call_mut(self, call);
        if given_away(call).is_some_and(|value| self.may_be_one(value)) {
            call.args.iter_mut().for_each(|value| self.ask(value));
        }
    }

    fn visit_item_mut(&mut self, _: &mut Item) {}
}

/// Whether it is a call whose value nobody waits for. What is spawned runs by itself.
fn makes(value: &Expr) -> bool {
    match plain(value) {
        Expr::Call(call) => given_away(call).is_none() && !says_spawn(&call.func),
        Expr::MethodCall(call) => !says_spawn(&call.method),
        Expr::Macro(_) | Expr::Array(_) => true,
        _ => false,
    }
}

fn says_spawn(name: &impl ToTokens) -> bool {
    name.to_token_stream().to_string().contains("spawn")
}

fn attrs_of(expr: &mut Expr) -> Option<&mut Vec<Attribute>> {
    match expr {
        Expr::Call(call) => Some(&mut call.attrs),
        Expr::MethodCall(call) => Some(&mut call.attrs),
        Expr::Match(asked) => Some(&mut asked.attrs),
        _ => None,
    }
}

/// Whether steps are in a future that something in it makes.
fn holds_future(value: &Expr) -> bool {
    let mut futures = Futures(false);
    futures.visit_expr(value);
    futures.0
}

struct Futures(bool);

impl<'ast> Visit<'ast> for Futures {
    fn visit_expr_async(&mut self, node: &'ast ExprAsync) {
        self.0 |= has_steps(&node.block);
    }

    fn visit_expr_closure(&mut self, node: &'ast ExprClosure) {
        match node.asyncness {
            Some(_) => self.0 |= has_steps(&node.body),
            None => visit::visit_expr_closure(self, node),
        }
    }

    fn visit_macro(&mut self, mac: &'ast Macro) {
        input_of(mac).visit(self);
    }
}
