//! The walk over a body, and what becomes of a step that it comes to.

use std::collections::BTreeSet;
use std::mem;
use std::rc::Rc;

use proc_macro2::Ident;
use quote::ToTokens;
use syn::visit_mut::VisitMut;
use syn::{Attribute, Block, Expr, ItemFn, Type};

use super::exprs::{assigns, move_attributes, peel, split_question};
use super::{attrs, misspelt, positions, slot, tasks, varying};
use crate::diag::Errors;
use crate::model::{Kind, Scope, Step};
use crate::parse::step_args;
use crate::span;

/// What a walk has found.
pub(crate) struct Walked {
    /// In source order.
    pub(crate) steps: Vec<Step>,
    /// The names of keys whose attributes were refused.
    pub(crate) orphans: Vec<Ident>,
}

/// Takes the steps out of a body. What cannot be a step is reported and stripped.
pub(crate) fn steps(function: &mut ItemFn, body: &mut Block, errors: &mut Errors) -> Walked {
    let mutable = varying::mutable_names(function, body);
    let mut walker = Walker {
        errors,
        steps: Vec::new(),
        orphans: Vec::new(),
        scopes: Vec::new(),
        contexts: Vec::new(),
        in_step: false,
        holds_another: false,
        in_macro: false,
        is_conditional: false,
        cfgs: Vec::new(),
        labels: Vec::new(),
        returns_to: 0,
        ends_unsaid: false,
        mutable,
        futures: BTreeSet::new(),
        has_tasks: tasks::are_held(function, body),
        is_spawned: false,
        callee: None,
        handed_to: None,
    };
    walker.visit_attributes_mut(&mut function.attrs);
    walker.visit_signature_mut(&mut function.sig);
    walker.visit_block_mut(body);
    Walked { steps: walker.steps, orphans: walker.orphans }
}

/// Whether a step attribute stands anywhere among the tokens.
pub(crate) fn mentions_step(tokens: &impl ToTokens) -> bool {
    attrs::among(tokens.to_token_stream())
}

pub(super) struct Walker<'a> {
    pub(super) errors: &'a mut Errors,
    steps: Vec<Step>,
    orphans: Vec<Ident>,
    /// The loops and closures around the present place.
    pub(super) scopes: Vec<Rc<Scope>>,
    /// The closures and `async` blocks around it.
    pub(super) contexts: Vec<Context>,
    in_step: bool,
    /// Whether a step was found in the present one.
    holds_another: bool,
    pub(super) in_macro: bool,
    /// Whether a `cfg` stands in the input of the macro around the present place, which may leave parts of it out.
    pub(super) is_conditional: bool,
    /// The `#[cfg(..)]` around the present place.
    pub(super) cfgs: Vec<String>,
    /// The labels around it, each with the number of scopes outside what it names.
    pub(super) labels: Vec<(String, usize)>,
    /// The number of scopes outside what a `return` leaves.
    pub(super) returns_to: usize,
    /// Whether it is not evident that the closure or `async` block around it ends in a `Result`.
    pub(super) ends_unsaid: bool,
    /// Names declared `mut` anywhere in the function.
    pub(super) mutable: BTreeSet<String>,
    /// Names of futures that hold a step and were not awaited.
    pub(super) futures: BTreeSet<String>,
    /// Whether a method may be one that spawns.
    pub(super) has_tasks: bool,
    /// Whether the present place is an argument of what spawns.
    pub(super) is_spawned: bool,
    /// What the present place is an argument of, and what the closure around it is.
    pub(super) callee: Option<String>,
    pub(super) handed_to: Option<String>,
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Context {
    Awaits,
    SyncClosure,
    /// What is spawned.
    Task,
    /// What is computed when it is compiled: a `const` block, the length of an array.
    Constant,
}

impl Walker<'_> {
    /// Makes a step of `expr` and leaves its slot.
    pub(super) fn step(&mut self, kind: Kind, attr: &Attribute, expr: &mut Expr, ty: Option<Type>) {
        if self.in_step {
            self.holds_another = true;
            self.turn_down(attr, positions::IN_STEP);
            return self.visit_expr_mut(expr);
        }
        let is_constant = self.contexts.last() == Some(&Context::Constant);
        let refusal = match attrs::kind_of(attr) {
            _ if is_constant => Some(positions::IN_CONSTANT),
            // What it stands before instead is said of it as a whole.
            Some(kind) if kind.waits() && !mentions_step(expr) => None,
            _ => positions::refusal(peel(expr)),
        };
        if let Some(reason) = refusal {
            self.turn_down(attr, reason);
            return self.visit_expr_mut(expr);
        }
        let cannot_await = self.contexts.last() == Some(&Context::SyncClosure);
        if self.contexts.contains(&Context::Task) {
            self.errors.on(attr, positions::IN_TASK);
        } else if cannot_await {
            self.errors.on(attr, positions::in_sync_closure(self.handed_to.as_deref()));
        }
        (self.in_step, self.holds_another) = (true, false);
        self.visit_expr_mut(expr);
        self.in_step = false;

        let (start, _) = span::ends(expr);
        let mut taken = mem::replace(expr, slot::slot(self.steps.len(), start));
        move_attributes(&mut taken, expr);
        let (expr, question) = split_question(taken);
        let args = match attrs::kind_of(attr) {
            Some(kind) => step_args(kind, attr, self.errors),
            None => misspelt::refuse(misspelt::meant_before(kind, &expr), attr, self.errors),
        };
        self.steps.push(Step {
            args,
            expr,
            question,
            ty,
            scopes: self.scopes.clone(),
            nested: !self.contexts.is_empty(),
            leaves_unsaid: self.ends_unsaid,
            cannot_await,
            cfgs: self.cfgs.clone(),
            holds_another: self.holds_another,
            in_macro: self.in_macro && !self.is_conditional,
        });
    }

    /// The one attribute that makes a step; others beside it are mistakes.
    pub(super) fn only(&mut self, mut taken: Vec<(Kind, Attribute)>) -> Option<(Kind, Attribute)> {
        for (_, attr) in taken.drain(1.min(taken.len())..) {
            self.turn_down(&attr, positions::TWICE);
        }
        let (kind, attr) = taken.pop()?;
        if positions::is_inner(&attr) {
            self.turn_down(&attr, positions::INNER);
            return None;
        }
        Some((kind, attr))
    }

    pub(super) fn refuse(&mut self, attrs: &mut Vec<Attribute>, reason: &str) {
        for (_, attr) in attrs::take(attrs) {
            self.turn_down(&attr, if positions::is_inner(&attr) { positions::INNER } else { reason });
        }
    }

    /// Refuses an attribute. The name that it gives its key is still known, so that no use of it is a second mistake.
    pub(super) fn turn_down(&mut self, attr: &Attribute, reason: &str) {
        self.errors.on(attr, reason);
        let kind = attrs::kind_of(attr).unwrap_or(Kind::Read);
        self.orphans.extend(step_args(kind, attr, &mut Errors::default()).binding);
    }

    /// An attribute before an operand marks that operand alone, which is seldom what it looks like.
    pub(super) fn refuse_operands(&mut self, expr: &mut Expr) {
        let operands: Vec<&mut Expr> = match expr {
            Expr::Binary(binary) if !assigns(binary.op) => vec![&mut binary.left, &mut binary.right],
            Expr::Cast(cast) => vec![&mut cast.expr],
            Expr::Range(range) => range.start.iter_mut().map(|start| &mut **start).collect(),
            _ => return,
        };
        for attributes in operands.into_iter().filter_map(attrs::of_expr) {
            self.refuse(attributes, positions::ON_OPERAND);
        }
    }
}
