//! The name of a key stands for nothing else in its step: in `as order` beside an `order`, what the call sends would be the
//! key, and where it takes either, without a word.

use syn::visit::{self, Visit};
use syn::{
    Arm, Block, Expr, ExprClosure, ExprForLoop, ExprIf, ExprLet, ExprPath, ExprWhile, FnArg, Item, ItemFn, Local, Macro,
};

use crate::diag::Errors;
use crate::model::{Body, Step};
use crate::names::bound;
use crate::walk::{arguments, slot_in, slots_in};

/// Whether there is such a name.
pub(super) fn check(function: &ItemFn, body: &Body, steps: &[Step], errors: &mut Errors) -> bool {
    let before = errors.count();
    let mut names = Names { known: Vec::new(), steps, errors };
    for param in &function.sig.inputs {
        if let FnArg::Typed(param) = param {
            names.known.extend(bound(&param.pat));
        }
    }
    names.visit_block(&body.block);
    errors.count() > before
}

struct Names<'a> {
    /// What is bound at the present place, outermost first.
    known: Vec<String>,
    steps: &'a [Step],
    errors: &'a mut Errors,
}

impl Names<'_> {
    fn step(&mut self, index: usize) {
        let Some(name) = self.steps.get(index).and_then(|step| step.args.binding.as_ref()) else { return };
        if self.known.iter().any(|known| name == known) {
            self.errors.at(
                name.span(),
                format!("`{name}` is something else already, and in this step it would be the key: give the key a name of its own, `as {name}_key`"),
            );
        }
    }

    /// Walks what ends with all that is bound in it.
    fn scoped(&mut self, walk: impl FnOnce(&mut Self)) {
        let outer = self.known.len();
        walk(self);
        self.known.truncate(outer);
    }
}

impl<'ast> Visit<'ast> for Names<'_> {
    fn visit_expr_path(&mut self, node: &'ast ExprPath) {
        if let Some(index) = node.path.get_ident().and_then(slot_in) {
            self.step(index);
        }
    }

    fn visit_block(&mut self, node: &'ast Block) {
        self.scoped(|names| visit::visit_block(names, node));
    }

    fn visit_local(&mut self, node: &'ast Local) {
        visit::visit_local(self, node);
        self.known.extend(bound(&node.pat));
    }

    fn visit_expr_let(&mut self, node: &'ast ExprLet) {
        self.visit_expr(&node.expr);
        self.known.extend(bound(&node.pat));
    }

    fn visit_expr_if(&mut self, node: &'ast ExprIf) {
        self.scoped(|names| {
            names.visit_expr(&node.cond);
            names.visit_block(&node.then_branch);
        });
        node.else_branch.iter().for_each(|(_, otherwise): &(_, Box<Expr>)| self.visit_expr(otherwise));
    }

    fn visit_expr_while(&mut self, node: &'ast ExprWhile) {
        self.scoped(|names| visit::visit_expr_while(names, node));
    }

    fn visit_expr_for_loop(&mut self, node: &'ast ExprForLoop) {
        self.visit_expr(&node.expr);
        self.scoped(|names| {
            names.known.extend(bound(&node.pat));
            names.visit_block(&node.body);
        });
    }

    fn visit_expr_closure(&mut self, node: &'ast ExprClosure) {
        self.scoped(|names| {
            names.known.extend(node.inputs.iter().flat_map(bound));
            names.visit_expr(&node.body);
        });
    }

    fn visit_arm(&mut self, node: &'ast Arm) {
        self.scoped(|names| {
            names.known.extend(bound(&node.pat));
            visit::visit_arm(names, node);
        });
    }

    fn visit_macro(&mut self, mac: &'ast Macro) {
        match arguments(mac.tokens.clone()) {
            Some(arguments) => arguments.iter().for_each(|argument| self.visit_expr(argument)),
            None => slots_in(mac.tokens.clone()).into_iter().for_each(|index| self.step(index)),
        }
    }

    /// An item sees nothing of what is around it.
    fn visit_item(&mut self, _: &'ast Item) {}
}
