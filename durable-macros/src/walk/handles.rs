//! What the session of a workflow is called in its body.

use std::collections::BTreeSet;

use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::{Block, Expr, ExprMethodCall, Item, Local, Macro, Pat, PatIdent};

use super::{input_of, unkeyed::waits_for};
use crate::model::{Session, Step};

/// The names of a session, and the expression that `session = ..` says.
pub(super) struct Handles {
    names: BTreeSet<String>,
    given: Option<String>,
}

impl Handles {
    /// A name that something else has as well may be anything.
    pub(super) fn of(session: &Session, body: &Block, steps: &[Step]) -> Self {
        let (names, given) = match session {
            Session::Parameter { name, .. } => (BTreeSet::from([name.to_string()]), None),
            Session::Given(expr) => (BTreeSet::new(), Some(text(expr))),
        };
        let mut bindings = Bindings { handles: Self { names, given }, others: BTreeSet::new() };
        bindings.visit_block(body);
        steps.iter().for_each(|step| bindings.visit_expr(&step.expr));
        let Bindings { mut handles, others } = bindings;
        handles.names.retain(|name| !others.contains(name));
        handles
    }

    /// Whether a call of the session waits: `session.sleep(day)`.
    pub(super) fn waits(&self, call: &ExprMethodCall) -> bool {
        waits_for(&call.method).is_some() && self.are(&call.receiver)
    }

    /// `session`, `&session`, `session.clone()`, `Arc::clone(&session)`, and what `session = ..` says.
    fn are(&self, expr: &Expr) -> bool {
        if self.given.as_ref().is_some_and(|given| *given == text(expr)) {
            return true;
        }
        match expr {
            Expr::Path(path) => path.path.get_ident().is_some_and(|name| self.names.contains(&name.to_string())),
            Expr::Reference(reference) => self.are(&reference.expr),
            Expr::Group(group) => self.are(&group.expr),
            Expr::Paren(paren) => self.are(&paren.expr),
            Expr::MethodCall(call) => call.method == "clone" && call.args.is_empty() && self.are(&call.receiver),
            Expr::Call(call) => {
                let clones = matches!(&*call.func, Expr::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "clone"));
                clones && call.args.len() == 1 && call.args.iter().all(|of| self.are(of))
            }
            _ => false,
        }
    }
}

struct Bindings {
    handles: Handles,
    others: BTreeSet<String>,
}

impl<'ast> Visit<'ast> for Bindings {
    fn visit_local(&mut self, local: &'ast Local) {
        let value = local.init.as_ref().filter(|init| self.handles.are(&init.expr));
        match (&local.pat, value) {
            (Pat::Ident(name), Some(_)) => drop(self.handles.names.insert(name.ident.to_string())),
            _ => visit::visit_local(self, local),
        }
    }

    fn visit_pat_ident(&mut self, pat: &'ast PatIdent) {
        self.others.insert(pat.ident.to_string());
        visit::visit_pat_ident(self, pat);
    }

    fn visit_macro(&mut self, mac: &'ast Macro) {
        input_of(mac).visit(self);
    }

    fn visit_item(&mut self, _: &'ast Item) {}
}

fn text(expr: &Expr) -> String {
    match expr {
        Expr::Reference(reference) => text(&reference.expr),
        other => other.to_token_stream().to_string(),
    }
}
