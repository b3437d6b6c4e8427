//! What a step must not do beside giving a value: a step that is replayed does nothing else.

use std::collections::BTreeSet;

use proc_macro2::Ident;
use syn::visit::{self, Visit};
use syn::{Expr, ExprAssign, ExprBinary, ExprCall, ExprMethodCall, ExprReference, Item, Macro, PatIdent, UnOp};

use super::data;
use crate::diag::Errors;
use crate::model::{Body, Kind, Session, Signature, Step};
use crate::names::root;
use crate::walk::{assigns, input_of};

pub(super) fn check(signature: Option<&Signature>, body: &Body, steps: &[Step], errors: &mut Errors) {
    let mut declared = Bound(BTreeSet::new());
    declared.visit_block(&body.block);
    let session = signature.and_then(|signature| match &signature.session {
        // A name that is declared again may be anything by then.
        Session::Parameter { name, .. } if !declared.0.contains(&name.to_string()) => Some(name),
        _ => None,
    });
    if let Some(signature) = signature {
        signature.inputs.iter().for_each(|input| declared.visit_pat(&input.pat));
    }
    let data = data::names(signature, &body.block);
    for step in steps.iter().filter(|step| step.args.kind != Kind::Run && !step.holds_another) {
        let mut own = Bound(BTreeSet::new());
        own.visit_expr(&step.expr);
        let others = |names: &BTreeSet<String>| names.difference(&own.0).cloned().collect();
        let mut effects =
            Effects { variables: others(&declared.0), data: others(&data), own: own.0, session, step, errors };
        effects.visit_expr(&step.expr);
    }
}

/// The names that something declares, in the input of its macros too.
struct Bound(BTreeSet<String>);

impl<'ast> Visit<'ast> for Bound {
    fn visit_pat_ident(&mut self, pat: &'ast PatIdent) {
        self.0.insert(pat.ident.to_string());
        visit::visit_pat_ident(self, pat);
    }

    fn visit_macro(&mut self, mac: &'ast Macro) {
        input_of(mac).visit(self);
    }
}

struct Effects<'a> {
    /// The variables of the workflow that the step sees, and those of them that hold plain data.
    variables: BTreeSet<String>,
    data: BTreeSet<String>,
    own: BTreeSet<String>,
    session: Option<&'a Ident>,
    step: &'a Step,
    errors: &'a mut Errors,
}

impl Effects<'_> {
    fn changes(&mut self, place: &Expr) {
        match place {
            Expr::Tuple(tuple) => tuple.elems.iter().for_each(|place| self.changes(place)),
            Expr::Array(array) => array.elems.iter().for_each(|place| self.changes(place)),
            // Behind a `*` or a field of `self` it may be anybody's, such as a guard's.
            Expr::Unary(unary) if matches!(unary.op, UnOp::Deref(_)) => {}
            place => {
                if let Some(name) = root(place).filter(|name| self.variables.contains(name)) {
                    self.report(place, &name);
                }
            }
        }
    }

    fn report(&mut self, place: &Expr, name: &str) {
        self.errors.on(
            place,
            format!("`{name}` is changed in a step, and a step that is replayed changes nothing: let the step give the value, and change `{name}` with it behind the step"),
        );
    }

    fn lends(&mut self, reference: &ExprReference) {
        let place = whole(&reference.expr);
        let Some(name) = root(place).filter(|name| matches!(place, Expr::Path(_)) && self.data.contains(name)) else {
            return;
        };
        self.errors.on(
            reference,
            format!("`{name}` is lent to a step that can change it, and a step that is replayed changes nothing: make it in the step, and let the step give it"),
        );
    }

    fn passes<'e>(&mut self, arguments: impl IntoIterator<Item = &'e Expr>) {
        let Some(session) = self.session.map(ToString::to_string) else { return };
        let is_key = self.step.args.binding.as_ref().is_some_and(|name| *name == session);
        // What a wait stands before is judged as a whole.
        if is_key || self.step.args.kind.waits() || self.own.contains(&session) {
            return;
        }
        for argument in arguments.into_iter().filter(|argument| is_handle(argument, &session)) {
            let attribute = self.step.args.kind.attribute();
            self.errors.on(
                argument,
                format!("a workflow that is called in a step would be steps in a step: where this calls one, write `#[run(key = \"..\")]` instead of `#[{attribute}]`; whatever else needs the session, call it outside the step"),
            );
        }
    }
}

/// `session`, `&session`, `session.clone()`, `Arc::clone(&session)`.
fn is_handle(argument: &Expr, session: &str) -> bool {
    match argument {
        Expr::Path(path) => path.path.is_ident(session),
        Expr::Reference(reference) => is_handle(&reference.expr, session),
        Expr::Group(group) => is_handle(&group.expr, session),
        Expr::MethodCall(call) => call.method == "clone" && is_handle(&call.receiver, session),
        _ => false,
    }
}

/// `buffer` of `buffer[..]`.
fn whole(place: &Expr) -> &Expr {
    match place {
        Expr::Index(index) if matches!(&*index.index, Expr::Range(_)) => &index.expr,
        other => other,
    }
}

impl<'ast> Visit<'ast> for Effects<'_> {
    fn visit_expr_assign(&mut self, node: &'ast ExprAssign) {
        self.changes(&node.left);
        visit::visit_expr_assign(self, node);
    }

    fn visit_expr_binary(&mut self, node: &'ast ExprBinary) {
        if assigns(node.op) {
            self.changes(&node.left);
        }
        visit::visit_expr_binary(self, node);
    }

    fn visit_expr_call(&mut self, node: &'ast ExprCall) {
        self.passes(&node.args);
        visit::visit_expr_call(self, node);
    }

    fn visit_expr_method_call(&mut self, node: &'ast ExprMethodCall) {
        self.passes(&node.args);
        if let Some(name) = root(&node.receiver).filter(|name| self.data.contains(name))
            && data::changes(&node.method.to_string())
        {
            self.report(&node.receiver, &name);
        }
        visit::visit_expr_method_call(self, node);
    }

    fn visit_expr_reference(&mut self, node: &'ast ExprReference) {
        if node.mutability.is_some() {
            self.lends(node);
        }
        visit::visit_expr_reference(self, node);
    }

    fn visit_macro(&mut self, mac: &'ast Macro) {
        input_of(mac).visit(self);
    }

    fn visit_item(&mut self, _: &'ast Item) {}
}
