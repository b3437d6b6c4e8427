//! What is around the present place, while what stands there is walked.

use std::collections::BTreeSet;
use std::mem;
use std::rc::Rc;

use syn::visit_mut::VisitMut;
use syn::{Expr, Label};

use super::steps::{Context, Walker};
use crate::model::{Scope, ScopeKind};

impl Walker<'_> {
    pub(super) fn scoped(&mut self, kind: ScopeKind, varying: BTreeSet<String>, walk: impl FnOnce(&mut Self)) {
        self.scopes.push(Rc::new(Scope { kind, varying }));
        walk(self);
        self.scopes.pop();
    }

    pub(super) fn configured(&mut self, cfgs: Vec<String>, walk: impl FnOnce(&mut Self)) {
        let outer = self.cfgs.len();
        self.cfgs.extend(cfgs);
        walk(self);
        self.cfgs.truncate(outer);
    }

    /// Walks a loop or a block that a `break` can name.
    pub(super) fn labelled(&mut self, label: Option<&Label>, walk: impl FnOnce(&mut Self)) {
        let outer = self.labels.len();
        self.labels.extend(label.map(|label| (label.name.ident.to_string(), self.scopes.len())));
        walk(self);
        self.labels.truncate(outer);
    }

    /// Walks a value that leaves the scopes behind the first `kept`, and so is computed once.
    pub(super) fn leaving(&mut self, kept: usize, walk: impl FnOnce(&mut Self)) {
        let left = self.scopes.split_off(kept.min(self.scopes.len()));
        walk(self);
        self.scopes.extend(left);
    }

    /// Walks the body of a closure or an `async` block, which is what a `return` in it leaves.
    pub(super) fn returning(&mut self, walk: impl FnOnce(&mut Self)) {
        let outer = mem::replace(&mut self.returns_to, self.scopes.len());
        walk(self);
        self.returns_to = outer;
    }

    pub(super) fn within(&mut self, context: Context, walk: impl FnOnce(&mut Self)) {
        self.contexts.push(context);
        walk(self);
        self.contexts.pop();
    }

    /// Walks the same, where it may not be evident that it ends in a `Result`.
    pub(super) fn ending(&mut self, is_unsaid: bool, walk: impl FnOnce(&mut Self)) {
        let outer = mem::replace(&mut self.ends_unsaid, is_unsaid);
        walk(self);
        self.ends_unsaid = outer;
    }

    /// What an `async` block is at the present place.
    pub(super) fn awaits(&self) -> Context {
        if self.is_spawned { Context::Task } else { Context::Awaits }
    }

    /// Walks what is handed to a function or a method.
    pub(super) fn argument(&mut self, callee: Option<&str>, argument: &mut Expr) {
        // Anything but the closure itself is what that is an argument of no more.
        self.callee = callee.filter(|_| matches!(argument, Expr::Closure(_))).map(str::to_owned);
        self.visit_expr_mut(argument);
        self.callee = None;
    }

    pub(super) fn handed_over(&mut self, is_spawn: bool, walk: impl FnOnce(&mut Self)) {
        let outer = self.is_spawned;
        self.is_spawned |= is_spawn;
        walk(self);
        self.is_spawned = outer;
    }
}
