//! What a step gives is there behind it, and none of its arguments can use it.

use std::collections::{BTreeMap, BTreeSet};

use syn::visit::{self, Visit};
use syn::{Expr, ExprPath, FnArg, ItemFn, Local, Macro, PatIdent};

use crate::diag::Errors;
use crate::model::{Body, Step};
use crate::names::{bound, bound_in, idents};
use crate::parse::peel;
use crate::walk::{arguments, slot_in};

/// Gives the names that were refused.
pub(super) fn check(function: &ItemFn, body: &Body, steps: &[Step], errors: &mut Errors) -> BTreeSet<String> {
    let mut lets = Lets::default();
    for param in &function.sig.inputs {
        if let FnArg::Typed(param) = param {
            lets.visit_pat(&param.pat);
        }
    }
    lets.visit_block(&body.block);
    steps.iter().for_each(|step| lets.visit_expr(&step.expr));
    let mut refused = BTreeSet::new();
    for (index, names) in &lets.of_steps {
        let Some(step) = steps.get(*index) else { continue };
        // A name that stands for something else as well may be that, such as the key.
        let is_key = |name: &String| step.args.binding.as_ref().is_some_and(|key| key == name);
        let own = |name: &String| names.contains(name) && lets.declared.get(name) == Some(&1) && !is_key(name);
        refused.extend(judge(step, own, errors));
    }
    refused
}

fn judge(step: &Step, own: impl Fn(&String) -> bool, errors: &mut Errors) -> Vec<String> {
    let text = |name: &str, argument: &str| {
        format!(
            "`{name}` is what this step gives, and its `{argument}` is needed before: name an input, or what was bound above the step"
        )
    };
    let mut refused = Vec::new();
    for (argument, of) in [("key", &step.args.key), ("title", &step.args.title)] {
        let Some(of) = of else { continue };
        if let Some(name) = of.roots().map(str::to_owned).find(&own) {
            errors.at(of.literal.span(), text(&name, argument));
            refused.push(name);
        }
    }
    for (argument, of) in [("args", &step.args.given), ("verify", &step.args.verify)] {
        let Some(of) = of else { continue };
        let mut used = Used(Vec::new());
        used.visit_expr(of);
        // What it binds itself may have the same name.
        let inner = bound_in(of);
        let is_own = |name: String| own(&name) && !inner.contains(&name);
        if let Some(path) =
            used.0.iter().find(|path| path.path.get_ident().is_some_and(|name| is_own(name.to_string())))
        {
            errors.on(path, text(&path.path.segments[0].ident.to_string(), argument));
        }
    }
    refused
}

#[derive(Default)]
struct Lets {
    /// The names that the `let` of each step binds.
    of_steps: BTreeMap<usize, Vec<String>>,
    /// How often each name is declared.
    declared: BTreeMap<String, usize>,
}

impl<'ast> Visit<'ast> for Lets {
    fn visit_local(&mut self, node: &'ast Local) {
        if let Some(init) = &node.init
            && let Expr::Path(path) = peel(&init.expr)
            && let Some(index) = path.path.get_ident().and_then(slot_in)
        {
            self.of_steps.insert(index, bound(&node.pat));
        }
        visit::visit_local(self, node);
    }

    fn visit_pat_ident(&mut self, node: &'ast PatIdent) {
        *self.declared.entry(node.ident.to_string()).or_default() += 1;
        visit::visit_pat_ident(self, node);
    }

    /// Any name in the input of a macro may be one that it binds, if that is no list of values.
    fn visit_macro(&mut self, mac: &'ast Macro) {
        if arguments(mac.tokens.clone()).is_some() {
            return;
        }
        idents(mac.tokens.clone()).into_iter().for_each(|name| *self.declared.entry(name).or_default() += 2);
    }
}

/// The names that an expression uses, in source order.
struct Used<'ast>(Vec<&'ast ExprPath>);

impl<'ast> Visit<'ast> for Used<'ast> {
    fn visit_expr_path(&mut self, node: &'ast ExprPath) {
        self.0.push(node);
    }
}
