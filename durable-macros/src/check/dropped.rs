//! A `Result` that a statement drops. The compiler would warn of it, at the attribute of the whole workflow.

use syn::visit::{self, Visit};
use syn::{Block, Expr, Stmt};

use super::enters;
use crate::diag::Errors;
use crate::model::{Kind, Step};
use crate::walk::slot_in;

pub(super) fn check(block: &Block, steps: &[Step], errors: &mut Errors) {
    Dropped { steps, errors }.visit_block(block);
}

struct Dropped<'a> {
    steps: &'a [Step],
    errors: &'a mut Errors,
}

impl<'ast> Visit<'ast> for Dropped<'_> {
    fn visit_stmt(&mut self, stmt: &'ast Stmt) {
        if let Stmt::Expr(Expr::Path(path), Some(_)) = stmt
            && let Some(step) = path.path.get_ident().and_then(slot_in).and_then(|index| self.steps.get(index))
            && let Some(text) = why(step)
        {
            self.errors.on(&step.expr, text);
        }
        visit::visit_stmt(self, stmt);
    }
}

fn why(step: &Step) -> Option<&'static str> {
    let args = &step.args;
    match args.kind {
        _ if step.question.is_some() || args.later.is_some() => None,
        // That no run is entered is said already.
        Kind::Run if !enters(&step.expr) => None,
        Kind::Run => Some(
            "whether this run has failed is dropped here: write `?` behind it, `errors = \"later\"` into its attribute, or `let _ = ..` where it does not matter",
        ),
        _ if args.records_errors.is_some() => Some(
            "the error that `errors = \"recorded\"` records is dropped here: bind what the step gives, `let paid = ..`, or write `let _ = ..` where it does not matter",
        ),
        _ => None,
    }
}
