//! What stands where in a body, and what is around it there.

use std::mem;

use syn::visit_mut::{self, VisitMut};
use syn::{
    Arm, Attribute, Block, Expr, ExprAsync, ExprBlock, ExprBreak, ExprCall, ExprClosure, ExprConst, ExprForLoop,
    ExprLoop, ExprMethodCall, ExprParen, ExprRepeat, ExprReturn, ExprWhile, FieldValue, GenericArgument, Item,
    Lifetime, Local, Macro, ReturnType, Stmt, Type,
};

use super::endings::{ends_in_result, gives_result};
use super::exprs::{declared_type, hoist_over_assignment, own_braces, own_parentheses, parenthesize};
use super::steps::{Context, Walker};
use super::{attrs, exprs, items, positions, tasks, varying};
use crate::model::ScopeKind;

impl VisitMut for Walker<'_> {
    fn visit_stmt_mut(&mut self, stmt: &mut Stmt) {
        if let Stmt::Macro(mac) = stmt
            && mac.attrs.iter().any(attrs::marks)
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
        self.names_future(local);
        let mut taken = attrs::take_from_expr(&mut local.attrs);
        // Before its value, too, a step has the type that the `let` declares.
        if let Some(init) = local.init.as_mut().filter(|_| taken.is_empty()) {
            taken = attrs::of_expr(&mut init.expr).map(attrs::take_from_expr).unwrap_or_default();
        }
        if let Some((kind, attr)) = self.only(taken) {
            match &mut local.init {
                Some(init) => self.step(kind, &attr, &mut init.expr, declared_type(&local.pat)),
                None => {
                    self.turn_down(&attr, positions::ON_EMPTY_LET);
                    local.init = Some(exprs::no_value());
                }
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
        let callee = self.callee.take();
        let outer = mem::replace(&mut self.handed_to, callee);
        self.scoped(ScopeKind::Closure, varying, |walker| {
            walker.returning(|walker| {
                let is_unsaid = matches!(node.output, ReturnType::Default) && !gives_result(&node.body);
                walker.ending(is_unsaid, |walker| {
                    walker.within(context, |walker| visit_mut::visit_expr_closure_mut(walker, node));
                });
            });
        });
        self.handed_to = outer;
    }

    fn visit_expr_async_mut(&mut self, node: &mut ExprAsync) {
        let context = self.awaits();
        self.returning(|walker| {
            walker.ending(!ends_in_result(&node.block), |walker| {
                walker.within(context, |walker| visit_mut::visit_expr_async_mut(walker, node));
            });
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
        let callee = if let Expr::Path(path) = &*node.func { path.path.segments.last() } else { None };
        let callee = callee.map(|last| last.ident.to_string());
        self.handed_over(is_spawn, |walker| {
            walker.visit_expr_mut(&mut node.func);
            node.args.iter_mut().for_each(|argument| walker.argument(callee.as_deref(), argument));
        });
    }

    fn visit_expr_method_call_mut(&mut self, node: &mut ExprMethodCall) {
        let is_spawn = self.has_tasks && tasks::spawns(&node.method);
        let callee = node.method.to_string();
        self.handed_over(is_spawn, |walker| {
            walker.visit_expr_mut(&mut node.receiver);
            node.turbofish.iter_mut().for_each(|types| walker.visit_angle_bracketed_generic_arguments_mut(types));
            node.args.iter_mut().for_each(|argument| walker.argument(Some(&callee), argument));
        });
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
        self.refuse_race(mac);
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
