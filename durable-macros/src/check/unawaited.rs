//! An `async` block that is bound to a name which nothing uses: it never runs, and neither do its steps.

use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::{Block, Expr, ExprAsync, ExprCall, Local, Pat};

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
    fn refuse(&mut self, block: &ExprAsync) {
        self.errors.on(
            &block.async_token,
            "nobody awaits this block, so its steps are never reached: write `.await` behind it, or take it out",
        );
    }
}

impl<'ast> Visit<'ast> for Unawaited<'_> {
    fn visit_local(&mut self, node: &'ast Local) {
        if let Some(block) = node.init.as_ref().and_then(|init| with_steps(&init.expr))
            && is_unused(&node.pat, self.block)
        {
            self.refuse(block);
        }
        visit::visit_local(self, node);
    }

    fn visit_expr_call(&mut self, node: &'ast ExprCall) {
        if let Some(block) = given_away(node).and_then(with_steps) {
            self.refuse(block);
        }
        visit::visit_expr_call(self, node);
    }
}

/// An `async` block that holds steps.
fn with_steps(value: &Expr) -> Option<&ExprAsync> {
    let Expr::Async(block) = plain(value) else { return None };
    (!slots_in(block.block.to_token_stream()).is_empty()).then_some(block)
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
