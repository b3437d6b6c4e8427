//! The walk over a body.

use std::collections::BTreeSet;
use std::mem;
use std::rc::Rc;

use proc_macro2::Ident;
use quote::ToTokens;
use syn::visit_mut::{self, VisitMut};
use syn::{
    Arm, Attribute, Block, Expr, ExprAsync, ExprBlock, ExprBreak, ExprCall, ExprClosure, ExprConst, ExprForLoop,
    ExprLoop, ExprMethodCall, ExprParen, ExprRepeat, ExprReturn, ExprWhile, FieldValue, GenericArgument, Item, ItemFn,
    Lifetime, Local, Macro, Stmt, Type,
};

use super::exprs::{
    assigns, declared_type, hoist_over_assignment, move_attributes, own_braces, own_parentheses, parenthesize, peel,
    split_question,
};
use super::{attrs, items, misspelt, positions, slot, tasks, varying};
use crate::diag::Errors;
use crate::model::{Kind, Scope, ScopeKind, Step};
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
        cfgs: Vec::new(),
        labels: Vec::new(),
        returns_to: 0,
        mutable,
        has_tasks: tasks::are_held(function, body),
        is_spawned: false,
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
    /// The `#[cfg(..)]` around the present place.
    pub(super) cfgs: Vec<String>,
    /// The labels around it, each with the number of scopes outside what it names.
    pub(super) labels: Vec<(String, usize)>,
    /// The number of scopes outside what a `return` leaves.
    pub(super) returns_to: usize,
    /// Names declared `mut` anywhere in the function.
    mutable: BTreeSet<String>,
    /// Whether a method may be one that spawns.
    has_tasks: bool,
    /// Whether the present place is an argument of what spawns.
    pub(super) is_spawned: bool,
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
    fn step(&mut self, kind: Kind, attr: &Attribute, expr: &mut Expr, ty: Option<Type>) {
        if self.in_step {
            self.holds_another = true;
            self.turn_down(attr, positions::IN_STEP);
            return self.visit_expr_mut(expr);
        }
        let is_constant = self.contexts.last() == Some(&Context::Constant);
        let refusal = if is_constant { Some(positions::IN_CONSTANT) } else { positions::refusal(peel(expr)) };
        if let Some(reason) = refusal {
            self.turn_down(attr, reason);
            return self.visit_expr_mut(expr);
        }
        let cannot_await = self.contexts.last() == Some(&Context::SyncClosure);
        if self.contexts.contains(&Context::Task) {
            self.errors.on(attr, positions::IN_TASK);
        } else if cannot_await {
            self.errors.on(attr, positions::IN_SYNC_CLOSURE);
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
            cannot_await,
            cfgs: self.cfgs.clone(),
            holds_another: self.holds_another,
        });
    }

    /// The one attribute that makes a step; others beside it are mistakes.
    fn only(&mut self, mut taken: Vec<(Kind, Attribute)>) -> Option<(Kind, Attribute)> {
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

    fn refuse(&mut self, attrs: &mut Vec<Attribute>, reason: &str) {
        for (_, attr) in attrs::take(attrs) {
            self.turn_down(&attr, if positions::is_inner(&attr) { positions::INNER } else { reason });
        }
    }

    /// Refuses an attribute. The name that it gives its key is still known, so that no use of it is a second mistake.
    fn turn_down(&mut self, attr: &Attribute, reason: &str) {
        self.errors.on(attr, reason);
        let kind = attrs::kind_of(attr).unwrap_or(Kind::Read);
        self.orphans.extend(step_args(kind, attr, &mut Errors::default()).binding);
    }

    /// An attribute before an operand marks that operand alone, which is seldom what it looks like.
    fn refuse_operands(&mut self, expr: &mut Expr) {
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

impl VisitMut for Walker<'_> {
    fn visit_stmt_mut(&mut self, stmt: &mut Stmt) {
        if let Stmt::Macro(mac) = stmt
            && mac.attrs.iter().any(|attr| attrs::kind_of(attr).is_some() || attrs::is_renamed(attr))
        {
            let expr = syn::ExprMacro { attrs: mem::take(&mut mac.attrs), mac: mac.mac.clone() };
            *stmt = Stmt::Expr(Expr::Macro(expr), mac.semi_token);
        }
        let cfgs = match stmt {
            Stmt::Local(local) => attrs::cfgs(&local.attrs),
            Stmt::Macro(mac) => attrs::cfgs(&mac.attrs),
            Stmt::Expr(..) | Stmt::Item(_) => Vec::new(),
        };
        self.configured(cfgs, |walker| visit_mut::visit_stmt_mut(walker, stmt));
    }

    fn visit_local_mut(&mut self, local: &mut Local) {
        let mut taken = attrs::take_from_expr(&mut local.attrs);
        // Before its value, too, a step has the type that the `let` declares.
        if let Some(init) = local.init.as_mut().filter(|_| taken.is_empty()) {
            taken = attrs::of_expr(&mut init.expr).map(attrs::take_from_expr).unwrap_or_default();
        }
        if let Some((kind, attr)) = self.only(taken) {
            match &mut local.init {
                Some(init) => self.step(kind, &attr, &mut init.expr, declared_type(&local.pat)),
                None => self.turn_down(&attr, positions::ON_EMPTY_LET),
            }
        }
        visit_mut::visit_local_mut(self, local);
        if let Some(init) = &mut local.init
            && init.diverge.is_some()
        {
            parenthesize(&mut init.expr);
        }
    }

    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        let cfgs = attrs::of_expr(expr).map(|attrs| attrs::cfgs(attrs)).unwrap_or_default();
        hoist_over_assignment(expr);
        self.refuse_operands(expr);
        let taken = attrs::of_expr(expr).map(attrs::take_from_expr).unwrap_or_default();
        let step = self.only(taken);
        self.configured(cfgs, |walker| match step {
            Some((kind, attr)) => walker.step(kind, &attr, expr, None),
            None => visit_mut::visit_expr_mut(walker, expr),
        });
    }

    fn visit_expr_for_loop_mut(&mut self, node: &mut ExprForLoop) {
        self.visit_expr_mut(&mut node.expr);
        let varying = varying::in_for(node, &self.mutable);
        let label = node.label.clone();
        self.labelled(label.as_ref(), |walker| {
            walker.scoped(ScopeKind::For, varying, |walker| walker.visit_block_mut(&mut node.body));
        });
    }

    fn visit_expr_while_mut(&mut self, node: &mut ExprWhile) {
        let varying = varying::in_while(node, &self.mutable);
        let label = node.label.clone();
        self.labelled(label.as_ref(), |walker| {
            walker.scoped(ScopeKind::While, varying, |walker| visit_mut::visit_expr_while_mut(walker, node));
        });
    }

    fn visit_expr_loop_mut(&mut self, node: &mut ExprLoop) {
        let varying = varying::in_loop(node, &self.mutable);
        let label = node.label.clone();
        self.labelled(label.as_ref(), |walker| {
            walker.scoped(ScopeKind::Loop, varying, |walker| visit_mut::visit_expr_loop_mut(walker, node));
        });
    }

    fn visit_expr_block_mut(&mut self, node: &mut ExprBlock) {
        let label = node.label.clone();
        self.labelled(label.as_ref(), |walker| visit_mut::visit_expr_block_mut(walker, node));
    }

    fn visit_expr_closure_mut(&mut self, node: &mut ExprClosure) {
        let varying = varying::in_closure(node, &self.mutable);
        let context = if node.asyncness.is_some() { self.awaits() } else { Context::SyncClosure };
        self.scoped(ScopeKind::Closure, varying, |walker| {
            walker.returning(|walker| {
                walker.within(context, |walker| visit_mut::visit_expr_closure_mut(walker, node));
            });
        });
    }

    fn visit_expr_async_mut(&mut self, node: &mut ExprAsync) {
        let context = self.awaits();
        self.returning(|walker| {
            walker.within(context, |walker| visit_mut::visit_expr_async_mut(walker, node));
        });
    }

    fn visit_expr_paren_mut(&mut self, node: &mut ExprParen) {
        visit_mut::visit_expr_paren_mut(self, node);
        own_parentheses(node);
    }

    fn visit_block_mut(&mut self, node: &mut Block) {
        visit_mut::visit_block_mut(self, node);
        own_braces(node);
    }

    fn visit_expr_call_mut(&mut self, node: &mut ExprCall) {
        let is_spawn = tasks::is_spawn(&node.func);
        self.handed_over(is_spawn, |walker| visit_mut::visit_expr_call_mut(walker, node));
    }

    fn visit_expr_method_call_mut(&mut self, node: &mut ExprMethodCall) {
        let is_spawn = self.has_tasks && tasks::spawns(&node.method);
        self.handed_over(is_spawn, |walker| visit_mut::visit_expr_method_call_mut(walker, node));
    }

    fn visit_expr_const_mut(&mut self, node: &mut ExprConst) {
        self.within(Context::Constant, |walker| visit_mut::visit_expr_const_mut(walker, node));
    }

    fn visit_expr_repeat_mut(&mut self, node: &mut ExprRepeat) {
        self.visit_attributes_mut(&mut node.attrs);
        self.visit_expr_mut(&mut node.expr);
        self.within(Context::Constant, |walker| walker.visit_expr_mut(&mut node.len));
    }

    fn visit_type_mut(&mut self, node: &mut Type) {
        self.within(Context::Constant, |walker| visit_mut::visit_type_mut(walker, node));
    }

    fn visit_generic_argument_mut(&mut self, node: &mut GenericArgument) {
        self.within(Context::Constant, |walker| visit_mut::visit_generic_argument_mut(walker, node));
    }

    fn visit_macro_mut(&mut self, mac: &mut Macro) {
        if attrs::among(mac.tokens.clone()) {
            self.macro_with_steps(mac);
        }
    }

    fn visit_expr_break_mut(&mut self, node: &mut ExprBreak) {
        let named = |name: &Lifetime| self.labels.iter().rev().find(|(label, _)| name.ident == label);
        let kept = match &node.label {
            Some(label) => named(label).map_or(self.scopes.len(), |(_, outside)| *outside),
            // Outside a loop it is a mistake of another kind.
            None => self.scopes.len().saturating_sub(1).max(self.returns_to),
        };
        self.leaving(kept, |walker| visit_mut::visit_expr_break_mut(walker, node));
    }

    fn visit_expr_return_mut(&mut self, node: &mut ExprReturn) {
        self.leaving(self.returns_to, |walker| visit_mut::visit_expr_return_mut(walker, node));
    }

    fn visit_arm_mut(&mut self, arm: &mut Arm) {
        self.refuse(&mut arm.attrs, positions::ON_ARM);
        self.configured(attrs::cfgs(&arm.attrs), |walker| visit_mut::visit_arm_mut(walker, arm));
    }

    fn visit_field_value_mut(&mut self, field: &mut FieldValue) {
        self.refuse(&mut field.attrs, positions::ON_FIELD);
        self.configured(attrs::cfgs(&field.attrs), |walker| visit_mut::visit_field_value_mut(walker, field));
    }

    fn visit_item_mut(&mut self, item: &mut Item) {
        items::strip(item, self.errors);
    }

    /// Whatever no rule above has taken stands where no step can be.
    fn visit_attributes_mut(&mut self, attributes: &mut Vec<Attribute>) {
        self.refuse(attributes, positions::ELSEWHERE);
        items::refuse_hidden(attributes, self.errors);
        attributes.retain(|attr| {
            let is_renamed = attrs::is_renamed(attr);
            if is_renamed {
                self.errors.on(attr.path(), positions::RENAMED);
            }
            !is_renamed
        });
    }
}
