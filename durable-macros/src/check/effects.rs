//! What a step must not do beside giving a value: a step that is replayed does nothing else.

use std::collections::BTreeSet;

use proc_macro2::Ident;
use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};
use syn::{Expr, ExprAssign, ExprBinary, ExprCall, ExprMethodCall, Item, Macro, PatIdent, Token, UnOp};

use crate::diag::Errors;
use crate::model::{Body, Kind, Session, Signature, Step};
use crate::names::root;
use crate::walk::{arguments, assigns};

pub(super) fn check(signature: Option<&Signature>, body: &Body, steps: &[Step], errors: &mut Errors) {
    let mut declared = Bound(BTreeSet::new());
    declared.visit_block(&body.block);
    let session = signature.and_then(|signature| match &signature.session {
        // A name that is declared again may be anything by then.
        Session::Parameter { name, .. } if !declared.0.contains(&name.to_string()) => Some(name),
        _ => None,
    });
    for step in steps.iter().filter(|step| step.args.kind != Kind::Run && !step.holds_another) {
        let mut own = Bound(BTreeSet::new());
        own.visit_expr(&step.expr);
        let mut effects = Effects { own: own.0, session, step, errors };
        effects.visit_expr(&step.expr);
    }
}

/// The names that the step itself declares.
struct Bound(BTreeSet<String>);

impl<'ast> Visit<'ast> for Bound {
    fn visit_pat_ident(&mut self, pat: &'ast PatIdent) {
        self.0.insert(pat.ident.to_string());
        visit::visit_pat_ident(self, pat);
    }
}

struct Effects<'a> {
    own: BTreeSet<String>,
    session: Option<&'a Ident>,
    step: &'a Step,
    errors: &'a mut Errors,
}

impl Effects<'_> {
    fn changes(&mut self, place: &Expr) {
        // Behind a `*` or a field of `self` it may be anybody's, such as a guard's.
        let is_variable = !matches!(place, Expr::Unary(unary) if matches!(unary.op, UnOp::Deref(_)));
        let Some(name) = root(place).filter(|name| is_variable && name != "self" && !self.own.contains(name)) else {
            return;
        };
        self.errors.on(
            place,
            format!("`{name}` is changed in a step, and a step that is replayed changes nothing: let the step give the value, and change `{name}` with it behind the step"),
        );
    }

    fn passes<'e>(&mut self, arguments: impl IntoIterator<Item = &'e Expr>) {
        let Some(session) = self.session.map(ToString::to_string) else { return };
        if self.own.contains(&session) {
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
        visit::visit_expr_method_call(self, node);
    }

    fn visit_macro(&mut self, mac: &'ast Macro) {
        let arguments: Punctuated<Expr, Token![,]> = arguments(mac.tokens.clone()).unwrap_or_default();
        arguments.iter().for_each(|argument| self.visit_expr(argument));
    }

    fn visit_item(&mut self, _: &'ast Item) {}
}
