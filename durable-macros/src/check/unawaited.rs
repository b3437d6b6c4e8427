//! An `async` block or a closure that is bound to a name which nothing uses: it never runs, and neither do its steps.

use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::{Block, Expr, ExprCall, Local, Pat};

use super::ignored::given_away;
use super::swallowed::plain;
use crate::diag::Errors;
use crate::names::idents;
use crate::walk::slots_in;

pub(super) fn check(block: &Block, errors: &mut Errors) {
    Unawaited { block, errors }.visit_block(block);
}

struct Unawaited<'a> {
    block: &'a Block,
    errors: &'a mut Errors,
}

impl Unawaited<'_> {
    /// Refuses what holds steps and is dropped.
    fn dropped(&mut self, value: &Expr) {
        match plain(value) {
            Expr::Async(block) if has_steps(&block.block) => self.errors.on(
                &block.async_token,
                "nobody awaits this block, so its steps are never reached: write `.await` behind it, or take it out",
            ),
            Expr::Closure(closure) if has_steps(&closure.body) => self.errors.on(
                &closure.inputs_begin,
                "nobody calls this closure, so its steps are never reached: call it, with `.await` behind it, or take it out",
            ),
            _ => {}
        }
    }
}

impl<'ast> Visit<'ast> for Unawaited<'_> {
    fn visit_local(&mut self, node: &'ast Local) {
        if let Some(init) = node.init.as_ref().filter(|_| is_unused(&node.pat, self.block)) {
            self.dropped(&init.expr);
        }
        visit::visit_local(self, node);
    }

    fn visit_expr_call(&mut self, node: &'ast ExprCall) {
        if let Some(value) = given_away(node) {
            self.dropped(value);
        }
        visit::visit_expr_call(self, node);
    }
}

pub(super) fn has_steps(code: &impl ToTokens) -> bool {
    !slots_in(code.to_token_stream()).is_empty()
}

/// `_`, or `_paid` that is named nowhere else in the block. Of other names the compiler says so.
pub(super) fn is_unused(pat: &Pat, block: &Block) -> bool {
    match pat {
        Pat::Wild(_) => true,
        Pat::Type(typed) => is_unused(&typed.pat, block),
        Pat::Ident(name) => {
            let name = name.ident.to_string();
            let is_named = |other: &String| *other == name;
            name.starts_with('_') && idents(block.to_token_stream()).iter().filter(|name| is_named(name)).count() == 1
        }
        _ => false,
    }
}
