//! `async` blocks and closures that are left by an error and evidently give `()`, which holds none. The compiler would say
//! it of the step, and once more of the `?` behind it.

use proc_macro2::Span;
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{
    Block, Expr, ExprAsync, ExprClosure, ExprPath, ExprReturn, ExprTry, GenericArgument, Item, Macro, PathArguments,
    ReturnType, Stmt, Type,
};

use super::exprs::{assigns, peel};
use super::macros::in_parts;
use super::{arguments, slot_in};
use crate::diag::Errors;
use crate::model::Step;
use crate::shown::shown;

/// Macros that come to an end, and give `()`.
const ENDING: &[&str] = &["assert", "assert_eq", "assert_ne", "debug", "eprintln", "info", "print", "println", "trace"];

/// Refuses such blocks, and ends them with `end`, so that nothing else is wrong with them.
pub(crate) fn endings(returns: &Type, end: &Expr, body: &mut Block, steps: &mut [Step], errors: &mut Errors) {
    let mut endings = Endings { text: text(returns), end, in_step: false, errors };
    endings.visit_block_mut(body);
    endings.in_step = true;
    steps.iter_mut().for_each(|step| endings.visit_expr_mut(&mut step.expr));
}

fn text(returns: &Type) -> String {
    let end = ok(returns);
    format!(
        "gives `()`, which holds no error, and is left by one: end it with `{end}`, and write `?` where it is awaited"
    )
}

/// `Ok(())` with the error of a workflow.
fn ok(returns: &Type) -> String {
    // An alias may hold any error.
    let unknown = || "Ok::<_, YourError>(())".to_owned();
    let Type::Path(path) = returns else { return unknown() };
    let arguments = path.path.segments.last().map(|last| &last.arguments);
    let error = match arguments {
        Some(PathArguments::AngleBracketed(of)) => of.args.iter().nth(1),
        _ => None,
    };
    match error {
        Some(GenericArgument::Type(error)) => format!("Ok::<_, {}>(())", shown(error)),
        _ if path.path.segments.iter().any(|segment| segment.ident == "anyhow") => "anyhow::Ok(())".to_owned(),
        _ => unknown(),
    }
}

struct Endings<'a> {
    text: String,
    end: &'a Expr,
    in_step: bool,
    errors: &'a mut Errors,
}

impl Endings<'_> {
    fn judge(&mut self, what: &str, at: Span, block: &mut Block) {
        let mut exits = Exits::default();
        exits.visit_block(block);
        let is_left = exits.step || self.in_step && exits.question;
        let is_nothing = exits.returns_nothing || block.stmts.last().is_some_and(gives_nothing);
        if is_left && !exits.returns && is_nothing {
            self.errors.at(at, format!("this {what} {}", self.text));
            End(self.end).visit_block_mut(block);
            if let Some(Stmt::Expr(_, semi)) = block.stmts.last_mut() {
                semi.get_or_insert_with(Default::default);
            }
            block.stmts.push(Stmt::Expr(self.end.clone(), None));
        }
    }
}

impl VisitMut for Endings<'_> {
    fn visit_expr_async_mut(&mut self, node: &mut ExprAsync) {
        visit_mut::visit_expr_async_mut(self, node);
        self.judge("block", node.async_token.span, &mut node.block);
    }

    fn visit_expr_closure_mut(&mut self, node: &mut ExprClosure) {
        visit_mut::visit_expr_closure_mut(self, node);
        if let (Some(word), ReturnType::Default, Expr::Block(body)) = (&node.asyncness, &node.output, &mut *node.body) {
            self.judge("closure", word.span, &mut body.block);
        }
    }

    fn visit_macro_mut(&mut self, mac: &mut Macro) {
        let before = self.errors.count();
        let rewritten = match arguments(mac.tokens.clone()) {
            Some(mut arguments) => {
                arguments.iter_mut().for_each(|argument| self.visit_expr_mut(argument));
                quote::ToTokens::into_token_stream(arguments)
            }
            None => in_parts(mac.tokens.clone(), &mut |expr| self.visit_expr_mut(expr)),
        };
        if self.errors.count() > before {
            mac.tokens = rewritten;
        }
    }

    fn visit_item_mut(&mut self, _: &mut Item) {}
}

/// Gives each bare `return` of a block the value that the block is ended with.
struct End<'a>(&'a Expr);

impl VisitMut for End<'_> {
    fn visit_expr_return_mut(&mut self, node: &mut ExprReturn) {
        node.expr.get_or_insert_with(|| Box::new(self.0.clone()));
    }

    fn visit_expr_async_mut(&mut self, _: &mut ExprAsync) {}
    fn visit_expr_closure_mut(&mut self, _: &mut ExprClosure) {}
    fn visit_item_mut(&mut self, _: &mut Item) {}
}

/// Whether a block ends without a value, and comes to its end: what a call gives is not known, and may be `!`.
fn gives_nothing(last: &Stmt) -> bool {
    match last {
        Stmt::Local(_) => true,
        Stmt::Macro(mac) => ends(&mac.mac),
        Stmt::Expr(expr, Some(_)) => matches!(peel(expr), Expr::Try(_)) || is_slot(peel(expr)) || is_nothing(expr),
        Stmt::Expr(expr, None) => is_nothing(expr),
        Stmt::Item(_) => false,
    }
}

/// Whether a block ends in what is evidently a `Result`.
pub(super) fn ends_in_result(block: &Block) -> bool {
    matches!(block.stmts.last(), Some(Stmt::Expr(last, None)) if gives_result(last))
}

/// Whether an expression is evidently a `Result`.
pub(super) fn gives_result(expr: &Expr) -> bool {
    match peel(expr) {
        Expr::Call(call) => {
            let is = |name| matches!(&*call.func, Expr::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == name));
            is("Ok") || is("Err")
        }
        Expr::Return(left) => left.expr.as_ref().is_some_and(|value| gives_result(value)),
        Expr::Block(inner) => ends_in_result(&inner.block),
        Expr::If(branch) => {
            let otherwise = branch.else_branch.as_ref();
            ends_in_result(&branch.then_branch) || otherwise.is_some_and(|(_, otherwise)| gives_result(otherwise))
        }
        Expr::Match(choice) => choice.arms.iter().any(|arm| gives_result(&arm.body)),
        _ => false,
    }
}

/// Whether an expression is evidently `()`.
fn is_nothing(expr: &Expr) -> bool {
    let block = |block: &Block| block.stmts.last().is_none_or(gives_nothing);
    match peel(expr) {
        Expr::Assign(_) | Expr::ForLoop(_) | Expr::While(_) => true,
        Expr::Binary(binary) => assigns(binary.op),
        Expr::Tuple(tuple) => tuple.elems.is_empty(),
        Expr::Macro(mac) => ends(&mac.mac),
        Expr::Call(call) => matches!(&*call.func, Expr::Path(path) if path.path.is_ident("drop")),
        Expr::Block(inner) => inner.label.is_none() && block(&inner.block),
        Expr::If(branch) => {
            let otherwise = branch.else_branch.as_ref();
            otherwise.is_none_or(|(_, otherwise)| block(&branch.then_branch) && is_nothing(otherwise))
        }
        Expr::Match(choice) => !choice.arms.is_empty() && choice.arms.iter().all(|arm| is_nothing(&arm.body)),
        _ => false,
    }
}

fn is_slot(expr: &Expr) -> bool {
    matches!(expr, Expr::Path(path) if path.path.get_ident().and_then(slot_in).is_some())
}

fn ends(mac: &Macro) -> bool {
    mac.path.segments.last().is_some_and(|last| ENDING.iter().any(|name| last.ident == name))
}

/// What leaves a block itself.
#[derive(Default)]
struct Exits {
    step: bool,
    question: bool,
    /// By a `return` with a value.
    returns: bool,
    returns_nothing: bool,
}

impl<'ast> Visit<'ast> for Exits {
    fn visit_expr_path(&mut self, node: &'ast ExprPath) {
        self.step |= node.path.get_ident().and_then(slot_in).is_some();
    }

    fn visit_expr_try(&mut self, node: &'ast ExprTry) {
        self.question = true;
        visit::visit_expr_try(self, node);
    }

    fn visit_expr_return(&mut self, node: &'ast ExprReturn) {
        self.returns |= node.expr.is_some();
        self.returns_nothing |= node.expr.is_none();
        visit::visit_expr_return(self, node);
    }

    fn visit_macro(&mut self, mac: &'ast Macro) {
        match arguments(mac.tokens.clone()) {
            Some(arguments) => arguments.iter().for_each(|argument| self.visit_expr(argument)),
            // There may be a `return` in it.
            None => self.returns |= crate::names::mentions(mac.tokens.clone(), &["return"]),
        }
    }

    fn visit_expr_async(&mut self, _: &'ast ExprAsync) {}
    fn visit_expr_closure(&mut self, _: &'ast ExprClosure) {}
    fn visit_item(&mut self, _: &'ast Item) {}
}
