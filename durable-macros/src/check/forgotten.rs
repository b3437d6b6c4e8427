//! A key that is used by a name which was not given to it: `pay.token()` without `as pay`.

use std::collections::BTreeSet;

use proc_macro2::Ident;
use syn::visit::{self, Visit};
use syn::{Expr, ExprCall, ExprMethodCall, FnArg, ItemFn, Macro, PatIdent};

use crate::diag::Errors;
use crate::model::{Body, Kind, Step};
use crate::names::idents;
use crate::walk::input_of;

/// What only a key has.
const OF_KEYS: &[&str] = &["token", "reserved_at"];

/// Gives the names, so that no other use of them is a mistake as well.
pub(super) fn check(function: &ItemFn, body: &Body, steps: &[Step], errors: &mut Errors) -> Vec<Ident> {
    let mut declared = Declared::default();
    for param in &function.sig.inputs {
        if let FnArg::Typed(param) = param {
            declared.visit_pat(&param.pat);
        }
    }
    declared.visit_block(&body.block);
    steps.iter().for_each(|step| declared.visit_expr(&step.expr));
    declared.0.extend(steps.iter().filter_map(|step| Some(step.args.binding.as_ref()?.to_string())));
    let mut forgotten: Vec<Ident> = Vec::new();
    let unnamed = steps.iter().filter(|step| step.args.binding.is_none() && step.args.kind == Kind::SideEffect);
    for step in unnamed {
        // Whoever is asked gets the key, and by which name it is written there the key itself suggests.
        let word = step.args.key.as_ref().map(|key| first_word(&key.literal.value()).to_owned());
        let mut keys = Keys { found: Vec::new(), bare: word };
        step.args.asked().for_each(|expr| keys.visit_expr(expr));
        keys.bare = None;
        keys.visit_expr(&step.expr);
        let Some(name) = keys.found.into_iter().find(|name| !declared.0.contains(&name.to_string())) else { continue };
        let key = step.args.key.as_ref().map_or_else(|| "..".to_owned(), |key| key.literal.value());
        errors.at(name.span(), format!("`{name}` names nothing here: if it is the key of this step, give it that name, `key = {key:?} as {name}`"));
        forgotten.push(name);
    }
    forgotten
}

/// The names that a function declares.
#[derive(Default)]
struct Declared(BTreeSet<String>);

impl<'ast> Visit<'ast> for Declared {
    fn visit_pat_ident(&mut self, node: &'ast PatIdent) {
        self.0.insert(node.ident.to_string());
        visit::visit_pat_ident(self, node);
    }

    /// Any name in the input of a macro may be one that it binds.
    fn visit_macro(&mut self, mac: &'ast Macro) {
        self.0.extend(idents(mac.tokens.clone()));
    }
}

/// The names that are used as keys, in source order.
struct Keys {
    found: Vec<Ident>,
    /// The name that is one even without a method of a key.
    bare: Option<String>,
}

/// `pay` of `pay/{id}`.
fn first_word(key: &str) -> &str {
    key.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default()
}

impl Keys {
    fn arguments<'e>(&mut self, given: impl IntoIterator<Item = &'e Expr>) {
        let names = given.into_iter().filter_map(|argument| match argument {
            Expr::Path(path) => path.path.get_ident(),
            _ => None,
        });
        let is_bare = |name: &&Ident| self.bare.as_ref().is_some_and(|bare| *name == bare);
        let found: Vec<Ident> = names.filter(is_bare).cloned().collect();
        self.found.extend(found);
    }
}

impl<'ast> Visit<'ast> for Keys {
    fn visit_expr_method_call(&mut self, node: &'ast ExprMethodCall) {
        if let (Expr::Path(path), true) = (&*node.receiver, OF_KEYS.iter().any(|method| node.method == method)) {
            let variable =
                path.path.get_ident().filter(|name| crate::key::is_name(&name.to_string()) && *name != "self");
            self.found.extend(variable.cloned());
        }
        self.arguments(&node.args);
        visit::visit_expr_method_call(self, node);
    }

    fn visit_expr_call(&mut self, node: &'ast ExprCall) {
        self.arguments(&node.args);
        visit::visit_expr_call(self, node);
    }

    fn visit_macro(&mut self, mac: &'ast Macro) {
        input_of(mac).visit(self);
    }
}
