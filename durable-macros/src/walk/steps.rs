//! The walk over a body.

use std::collections::BTreeSet;
use std::mem;
use std::rc::Rc;

use quote::ToTokens;
use syn::visit_mut::{self, VisitMut};
use syn::{
    Arm, Attribute, BinOp, Block, Expr, ExprAsync, ExprBreak, ExprCall, ExprClosure, ExprConst, ExprForLoop, ExprLoop,
    ExprMethodCall, ExprRepeat, ExprReturn, ExprWhile, FieldValue, GenericArgument, Item, ItemFn, Local, Macro, Pat,
    Stmt, Type,
};

use super::{attrs, items, positions, slot, tasks, varying};
use crate::diag::Errors;
use crate::model::{Kind, Scope, ScopeKind, Step};
use crate::parse::step_args;
use crate::span;

/// Takes the steps out of a body, in source order. What cannot be a step is reported and stripped.
pub(crate) fn steps(function: &mut ItemFn, body: &mut Block, errors: &mut Errors) -> Vec<Step> {
    let mutable = varying::mutable_names(function, body);
    let mut walker = Walker {
        errors,
        steps: Vec::new(),
        scopes: Vec::new(),
        contexts: Vec::new(),
        in_step: false,
        holds_another: false,
        in_macro: false,
        cfgs: Vec::new(),
        mutable,
        has_tasks: tasks::are_held(function, body),
        is_spawned: false,
    };
    walker.visit_attributes_mut(&mut function.attrs);
    walker.visit_signature_mut(&mut function.sig);
    walker.visit_block_mut(body);
    walker.steps
}

/// Whether a step attribute stands anywhere among the tokens.
pub(crate) fn mentions_step(tokens: &impl ToTokens) -> bool {
    attrs::among(tokens.to_token_stream())
}

pub(super) struct Walker<'a> {
    pub(super) errors: &'a mut Errors,
    steps: Vec<Step>,
    /// The loops and closures around the present place.
    scopes: Vec<Rc<Scope>>,
    /// The closures and `async` blocks around it.
    contexts: Vec<Context>,
    in_step: bool,
    /// Whether a step was found in the present one.
    holds_another: bool,
    in_macro: bool,
    /// The `#[cfg(..)]` of the statements around the present place.
    cfgs: Vec<String>,
    /// Names declared `mut` anywhere in the function.
    mutable: BTreeSet<String>,
    /// Whether a method may be one that spawns.
    has_tasks: bool,
    /// Whether the present place is an argument of what spawns.
    is_spawned: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Context {
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
            self.errors.on(attr, positions::IN_STEP);
            return self.visit_expr_mut(expr);
        }
        let is_constant = self.contexts.last() == Some(&Context::Constant);
        let refusal = if is_constant { Some(positions::IN_CONSTANT) } else { positions::refusal(peel(expr)) };
        if let Some(reason) = refusal {
            self.errors.on(attr, reason);
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
        self.steps.push(Step {
            args: step_args(kind, attr, self.errors),
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
            self.errors.on(&attr, positions::TWICE);
        }
        let (kind, attr) = taken.pop()?;
        if positions::is_inner(&attr) {
            self.errors.on(&attr, positions::INNER);
            return None;
        }
        Some((kind, attr))
    }

    fn refuse(&mut self, attrs: &mut Vec<Attribute>, reason: &str) {
        for (_, attr) in attrs::take(attrs) {
            self.errors.on(&attr, if positions::is_inner(&attr) { positions::INNER } else { reason });
        }
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

    fn scoped(&mut self, kind: ScopeKind, varying: BTreeSet<String>, walk: impl FnOnce(&mut Self)) {
        self.scopes.push(Rc::new(Scope { kind, varying }));
        walk(self);
        self.scopes.pop();
    }

    /// What an `async` block is at the present place.
    fn awaits(&self) -> Context {
        if self.is_spawned { Context::Task } else { Context::Awaits }
    }

    fn handed_over(&mut self, is_spawn: bool, walk: impl FnOnce(&mut Self)) {
        let outer = self.is_spawned;
        self.is_spawned |= is_spawn;
        walk(self);
        self.is_spawned = outer;
    }

    fn within(&mut self, context: Context, walk: impl FnOnce(&mut Self)) {
        self.contexts.push(context);
        walk(self);
        self.contexts.pop();
    }
}

impl VisitMut for Walker<'_> {
    fn visit_stmt_mut(&mut self, stmt: &mut Stmt) {
        if let Stmt::Macro(mac) = stmt
            && mac.attrs.iter().any(|attr| attrs::kind_of(attr).is_some())
        {
            let expr = syn::ExprMacro { attrs: mem::take(&mut mac.attrs), mac: mac.mac.clone() };
            *stmt = Stmt::Expr(Expr::Macro(expr), mac.semi_token);
        }
        let outer = self.cfgs.len();
        self.cfgs.extend(attrs::cfgs(stmt));
        visit_mut::visit_stmt_mut(self, stmt);
        self.cfgs.truncate(outer);
    }

    fn visit_local_mut(&mut self, local: &mut Local) {
        let mut taken = attrs::take(&mut local.attrs);
        // Before its value, too, a step has the type that the `let` declares.
        if let Some(init) = local.init.as_mut().filter(|_| taken.is_empty()) {
            taken = attrs::of_expr(&mut init.expr).map(attrs::take).unwrap_or_default();
        }
        if let Some((kind, attr)) = self.only(taken) {
            match &mut local.init {
                Some(init) => self.step(kind, &attr, &mut init.expr, declared_type(&local.pat)),
                None => self.errors.on(&attr, positions::ON_EMPTY_LET),
            }
        }
        visit_mut::visit_local_mut(self, local);
    }

    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        hoist_over_assignment(expr);
        self.refuse_operands(expr);
        let taken = attrs::of_expr(expr).map(attrs::take).unwrap_or_default();
        match self.only(taken) {
            Some((kind, attr)) => self.step(kind, &attr, expr, None),
            None => visit_mut::visit_expr_mut(self, expr),
        }
    }

    fn visit_expr_for_loop_mut(&mut self, node: &mut ExprForLoop) {
        self.visit_expr_mut(&mut node.expr);
        let varying = varying::in_for(node, &self.mutable);
        self.scoped(ScopeKind::For, varying, |walker| walker.visit_block_mut(&mut node.body));
    }

    fn visit_expr_while_mut(&mut self, node: &mut ExprWhile) {
        let varying = varying::in_while(node, &self.mutable);
        self.scoped(ScopeKind::While, varying, |walker| visit_mut::visit_expr_while_mut(walker, node));
    }

    fn visit_expr_loop_mut(&mut self, node: &mut ExprLoop) {
        let varying = varying::in_loop(node, &self.mutable);
        self.scoped(ScopeKind::Loop, varying, |walker| visit_mut::visit_expr_loop_mut(walker, node));
    }

    fn visit_expr_closure_mut(&mut self, node: &mut ExprClosure) {
        let varying = varying::in_closure(node, &self.mutable);
        let context = if node.asyncness.is_some() { self.awaits() } else { Context::SyncClosure };
        self.scoped(ScopeKind::Closure, varying, |walker| {
            walker.within(context, |walker| visit_mut::visit_expr_closure_mut(walker, node));
        });
    }

    fn visit_expr_async_mut(&mut self, node: &mut ExprAsync) {
        self.within(self.awaits(), |walker| visit_mut::visit_expr_async_mut(walker, node));
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
        if !attrs::among(mac.tokens.clone()) {
            return;
        }
        let tokens = mem::take(&mut mac.tokens);
        // What the macro puts around its input is not known, such as an `async` block: a step in it leaves by `?`.
        let outer = mem::replace(&mut self.in_macro, true);
        mac.tokens = match self.contexts.last() {
            Some(Context::SyncClosure | Context::Constant) => self.macro_input(tokens),
            _ => {
                self.contexts.push(Context::Awaits);
                let rewritten = self.macro_input(tokens);
                self.contexts.pop();
                rewritten
            }
        };
        self.in_macro = outer;
        if !outer {
            // A macro may drop what it does not know, and the step would be gone without a word.
            for unread in attrs::all_among(mac.tokens.clone()) {
                self.errors.at(unread.span(), positions::HIDDEN_IN_MACRO);
            }
        }
    }

    /// The value that leaves a loop is computed once.
    fn visit_expr_break_mut(&mut self, node: &mut ExprBreak) {
        let is_loop = self.scopes.last().is_some_and(|scope| scope.kind != ScopeKind::Closure);
        let left = (node.label.is_none() && is_loop).then(|| self.scopes.pop()).flatten();
        visit_mut::visit_expr_break_mut(self, node);
        self.scopes.extend(left);
    }

    /// So is the value that leaves the function.
    fn visit_expr_return_mut(&mut self, node: &mut ExprReturn) {
        let closure = self.scopes.iter().rposition(|scope| scope.kind == ScopeKind::Closure);
        let left = self.scopes.split_off(closure.map_or(0, |at| at + 1));
        visit_mut::visit_expr_return_mut(self, node);
        self.scopes.extend(left);
    }

    fn visit_arm_mut(&mut self, arm: &mut Arm) {
        self.refuse(&mut arm.attrs, positions::ON_ARM);
        visit_mut::visit_arm_mut(self, arm);
    }

    fn visit_field_value_mut(&mut self, field: &mut FieldValue) {
        self.refuse(&mut field.attrs, positions::ON_FIELD);
        visit_mut::visit_field_value_mut(self, field);
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

/// `#[side_effect] x = call()` marks `x` for `syn`; the step is the right side.
fn hoist_over_assignment(expr: &mut Expr) {
    let (left, right) = match expr {
        Expr::Assign(assign) => (&mut assign.left, &mut assign.right),
        Expr::Binary(binary) if assigns(binary.op) => (&mut binary.left, &mut binary.right),
        _ => return,
    };
    if let (Some(left), Some(right)) = (attrs::of_expr(left), attrs::of_expr(right)) {
        right.splice(0..0, attrs::take(left).into_iter().map(|(_, attr)| attr));
    }
}

pub(crate) fn assigns(op: BinOp) -> bool {
    op.to_token_stream().to_string().ends_with('=')
        && !matches!(op, BinOp::Eq(_) | BinOp::Ne(_) | BinOp::Le(_) | BinOp::Ge(_))
}

/// Attributes beside ours (`#[allow(..)]`, `#[cfg(..)]`) stay where they were written, on what now stands there.
fn move_attributes(from: &mut Expr, to: &mut Expr) {
    if let (Some(from), Some(to)) = (attrs::of_expr(from), attrs::of_expr(to)) {
        to.append(from);
    }
}

fn split_question(expr: Expr) -> (Expr, Option<syn::Token![?]>) {
    match expr {
        Expr::Group(group) => split_question(*group.expr),
        Expr::Try(question) => (*question.expr, Some(question.question_token)),
        other => (other, None),
    }
}

fn peel(expr: &Expr) -> &Expr {
    match expr {
        Expr::Group(group) => peel(&group.expr),
        Expr::Paren(paren) => peel(&paren.expr),
        other => other,
    }
}

fn declared_type(pat: &Pat) -> Option<Type> {
    match pat {
        Pat::Type(typed) => Some((*typed.ty).clone()),
        _ => None,
    }
}
