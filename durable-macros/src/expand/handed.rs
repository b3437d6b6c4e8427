//! Futures that the compiler cannot follow far enough to say whether they are `Send`: what makes them is handed to a
//! function that takes it for any lifetime. Asked all the same, it says that an "implementation of `Send` is not general
//! enough", of code that is in order as long as nobody spawns it.

use std::collections::BTreeSet;

use syn::visit::{self, Visit};
use syn::{Expr, ExprCall, ExprMethodCall, ExprPath, Item, Local, Macro};

use crate::model::Workflow;
use crate::names::bound;
use crate::walk::input_of;

/// Functions that are handed `async` closures and let the compiler follow them.
const FOLLOWED: &[&str] = &["each"];

/// Methods of a stream that hold the futures which its closure makes.
const BUFFERS: &[&str] = &["buffered", "buffer_unordered", "try_buffered", "try_buffer_unordered"];

/// Whether a workflow hands on what makes such futures.
pub(super) fn is_handed_on(workflow: &Workflow) -> bool {
    let mut handed = Handed::default();
    handed.visit_block(&workflow.body.block);
    workflow.steps.iter().for_each(|step| handed.visit_expr(&step.expr));
    handed.found || handed.passed.iter().any(|name| handed.closures.contains(name))
}

#[derive(Default)]
struct Handed {
    found: bool,
    /// The names of `async` closures.
    closures: BTreeSet<String>,
    /// The names that are arguments.
    passed: Vec<String>,
}

impl Handed {
    fn arguments<'e>(&mut self, arguments: impl Iterator<Item = &'e Expr>) {
        for argument in arguments {
            match bare(argument) {
                Expr::Closure(closure) => self.found |= closure.asyncness.is_some(),
                Expr::Path(path) => self.passed.extend(path.path.get_ident().map(ToString::to_string)),
                _ => {}
            }
        }
    }
}

impl<'ast> Visit<'ast> for Handed {
    fn visit_local(&mut self, node: &'ast Local) {
        if let Some(init) = &node.init
            && matches!(bare(&init.expr), Expr::Closure(closure) if closure.asyncness.is_some())
        {
            self.closures.extend(bound(&node.pat));
        }
        visit::visit_local(self, node);
    }

    fn visit_expr_call(&mut self, node: &'ast ExprCall) {
        if !matches!(&*node.func, Expr::Path(path) if is_followed(path)) {
            self.arguments(node.args.iter());
        }
        visit::visit_expr_call(self, node);
    }

    fn visit_expr_method_call(&mut self, node: &'ast ExprMethodCall) {
        self.found |= BUFFERS.iter().any(|method| node.method == method);
        self.arguments(node.args.iter());
        visit::visit_expr_method_call(self, node);
    }

    fn visit_macro(&mut self, mac: &'ast Macro) {
        input_of(mac).visit(self);
    }

    fn visit_item(&mut self, _: &'ast Item) {}
}

fn is_followed(function: &ExprPath) -> bool {
    function.path.segments.last().is_some_and(|last| FOLLOWED.iter().any(|followed| last.ident == followed))
}

fn bare(expr: &Expr) -> &Expr {
    match expr {
        Expr::Group(group) => bare(&group.expr),
        Expr::Paren(paren) => bare(&paren.expr),
        Expr::Reference(reference) => bare(&reference.expr),
        other => other,
    }
}
