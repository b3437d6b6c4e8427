//! What a step must not do beside giving a value: a step that is replayed does nothing else.

use std::collections::{BTreeMap, BTreeSet};
use std::mem;

use proc_macro2::Ident;
use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::{Expr, ExprAssign, ExprAwait, ExprBinary, ExprCall, ExprMethodCall, ExprReference, ExprTry};
use syn::{Item, ItemFn, Macro, PatIdent, UnOp};

use super::{changing, data, resources};
use crate::diag::Errors;
use crate::model::{Body, Kind, Session, Signature, Step};
use crate::names::{mentions, root};
use crate::walk::{arguments, assigns, input_of};

pub(super) fn check(
    function: &ItemFn,
    signature: Option<&Signature>,
    body: &Body,
    steps: &[Step],
    errors: &mut Errors,
) {
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
    let names = data::names(function, signature, &resources::names(function, signature), &body.block);
    for step in steps.iter().filter(|step| step.args.kind != Kind::Run && !step.holds_another) {
        let mut own = Bound(BTreeSet::new());
        own.visit_expr(&step.expr);
        let others = |names: &BTreeSet<String>| names.difference(&own.0).cloned().collect();
        let mut effects = Effects {
            variables: others(&declared.0),
            data: others(&names.plain),
            mutable: others(&names.mutable),
            borrows: others(&names.borrows),
            deep: others(&names.deep),
            options: others(&names.options),
            closures: &names.closures,
            own: own.0,
            receiver: changed_receiver(function, body),
            answers: step.question.is_some() || step.args.records_errors.is_some(),
            session,
            step,
            errors,
        };
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
    /// Those that can be changed, and those by which another can.
    mutable: BTreeSet<String>,
    borrows: BTreeSet<String>,
    /// Those whose parts are data, those that are an `Option`, and the closures that change a variable.
    deep: BTreeSet<String>,
    options: BTreeSet<String>,
    closures: &'a BTreeMap<String, String>,
    own: BTreeSet<String>,
    /// What `self` is called, where its fields can be changed.
    receiver: Option<String>,
    /// Whether the next call may fail, or is awaited, as none of plain data is.
    answers: bool,
    session: Option<&'a Ident>,
    step: &'a Step,
    errors: &'a mut Errors,
}

impl Effects<'_> {
    fn changes(&mut self, place: &Expr) {
        match place {
            Expr::Tuple(tuple) => tuple.elems.iter().for_each(|place| self.changes(place)),
            Expr::Array(array) => array.elems.iter().for_each(|place| self.changes(place)),
            Expr::Paren(inner) => self.changes(&inner.expr),
            // Behind a `*` it may be anybody's, such as a guard's.
            Expr::Unary(unary) if matches!(unary.op, UnOp::Deref(_)) => {
                if let Some(name) = root(place).filter(|name| self.borrows.contains(name)) {
                    self.report(place, &name);
                }
            }
            place => {
                let variable = root(place).filter(|name| self.variables.contains(name));
                if let Some(name) = variable.or_else(|| self.field(place)) {
                    self.report(place, &name);
                }
            }
        }
    }

    /// `self.items` of that or a part of it, which is the workflow's own. What a field of it holds may be anybody's, such as a
    /// guard's or a client's.
    fn field(&self, place: &Expr) -> Option<String> {
        match place {
            Expr::Index(index) => self.field(&index.expr),
            Expr::Paren(inner) => self.field(&inner.expr),
            Expr::Group(inner) => self.field(&inner.expr),
            Expr::Field(field) => {
                let Expr::Path(base) = &*field.base else { return None };
                let is_own = self.receiver.as_ref().is_some_and(|name| base.path.is_ident(name));
                is_own.then(|| format!("self.{}", field.member.to_token_stream()))
            }
            _ => None,
        }
    }

    fn report(&mut self, place: &Expr, name: &str) {
        self.errors.on(
            place,
            format!("`{name}` is changed in a step, and a step that is replayed changes nothing: let the step give the value, and change `{name}` with it behind the step"),
        );
    }

    /// A call on a place that changes it. What a call gives that may fail, or is awaited, is no data's: a client answers.
    fn calls(&mut self, call: &ExprMethodCall, answers: bool) {
        let field = self.field(&call.receiver);
        let is_field = field.is_some();
        let Some(name) = field.or_else(|| root(&call.receiver)) else { return };
        let (method, arguments) = (call.method.to_string(), call.args.len());
        let takes = method == "take" && arguments == 0 && self.options.contains(&name);
        let changes_data = takes || self.data.contains(&name) && changing::changes(&method, arguments);
        let is_ours = is_field || self.mutable.contains(&name) || self.borrows.contains(&name);
        if !changes_data && (answers || !is_ours || !changing::changes_any(&method, arguments)) {
            return;
        }
        let client = match (is_field, changes_data) {
            (true, _) => format!("; where it is a client, bind it above the step, `let client = &mut {name};`"),
            (false, true) => String::new(),
            (false, false) => "; a client or a connection is a `#[resource]`".to_owned(),
        };
        match changing::takes(&method) {
            true => self.errors.on(
                &call.receiver,
                format!("`{name}` is changed in a step, and a step that is replayed changes nothing: call `{method}` before the step, and use in it what that gave{client}"),
            ),
            false => self.errors.on(
                &call.receiver,
                format!("`{name}` is changed in a step, and a step that is replayed changes nothing: let the step give the value, and change `{name}` with it behind the step{client}"),
            ),
        }
    }

    /// `std::mem::take(&mut names)`: whatever that is, it is changed.
    fn moves(&mut self, call: &ExprCall) -> bool {
        let places: Vec<&Expr> = call.args.iter().filter_map(lent).collect();
        let is_ours = |name: &String| self.mutable.contains(name) || self.data.contains(name);
        let ours = places.iter().filter_map(|place| {
            let name = root(place).filter(is_ours).or_else(|| self.field(place))?;
            Some((*place, name))
        });
        let ours: Vec<(&Expr, String)> = ours.collect();
        ours.iter().for_each(|(place, name)| self.report(place, name));
        !ours.is_empty()
    }

    fn lends(&mut self, reference: &ExprReference) {
        let place = whole(&reference.expr);
        let Some(name) = root(place).filter(|name| self.is_data(place, name)) else { return };
        self.errors.on(
            reference,
            format!("`{name}` is lent to a step that can change it, and a step that is replayed changes nothing: make it in the step, and let the step give it"),
        );
    }

    /// Whether a place that begins with a name is plain data, as far as is known.
    fn is_data(&self, place: &Expr, name: &str) -> bool {
        match place {
            Expr::Index(index) => self.deep.contains(name) && is_field(&index.expr),
            Expr::Unary(inner) => self.borrows.contains(name) && self.data.contains(name) && is_field(&inner.expr),
            Expr::Field(field) if !self.data.contains(name) => {
                let part = format!("{name}.{}", field.member.to_token_stream());
                matches!(&*field.base, Expr::Path(_)) && !self.own.contains(name) && self.deep.contains(&part)
            }
            place => is_field(place) && self.data.contains(name),
        }
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

/// What `self` is called in the body of a method that can change it.
fn changed_receiver(function: &ItemFn, body: &Body) -> Option<String> {
    let receiver = function.sig.receiver()?;
    let renamed = body.receiver.as_ref().map(ToString::to_string);
    mentions(receiver.to_token_stream(), &["mut"]).then(|| renamed.unwrap_or_else(|| "self".to_owned()))
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

/// What `&mut place` lends.
fn lent(argument: &Expr) -> Option<&Expr> {
    match argument {
        Expr::Reference(reference) => reference.mutability.map(|_| &*reference.expr),
        Expr::Group(group) => lent(&group.expr),
        _ => None,
    }
}

/// `mem::take`, `std::mem::swap`, and the same by their own names.
fn is_of_mem(function: &Expr) -> bool {
    let Expr::Path(path) = function else { return false };
    let mut names = path.path.segments.iter().rev().map(|segment| &segment.ident);
    names.next().is_some_and(|name| ["replace", "swap", "take"].iter().any(|known| name == known))
        && names.next().is_none_or(|module| module == "mem")
}

/// A name, or a field of one.
fn is_field(place: &Expr) -> bool {
    match place {
        Expr::Path(_) => true,
        Expr::Field(field) => is_field(&field.base),
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
    fn visit_expr(&mut self, node: &'ast Expr) {
        self.answers &=
            matches!(node, Expr::Await(_) | Expr::Group(_) | Expr::MethodCall(_) | Expr::Paren(_) | Expr::Try(_));
        visit::visit_expr(self, node);
    }

    fn visit_expr_await(&mut self, node: &'ast ExprAwait) {
        self.answers = true;
        visit::visit_expr_await(self, node);
    }

    fn visit_expr_try(&mut self, node: &'ast ExprTry) {
        self.answers = true;
        visit::visit_expr_try(self, node);
    }

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
        let changed =
            root(&node.func).filter(|name| !self.own.contains(name)).and_then(|name| self.closures.get(&name));
        if let Some(name) = changed {
            self.report(&node.func, name);
        }
        // What is lent to it is reported once.
        if !(is_of_mem(&node.func) && self.moves(node)) {
            visit::visit_expr_call(self, node);
        }
    }

    fn visit_expr_method_call(&mut self, node: &'ast ExprMethodCall) {
        let answers = mem::take(&mut self.answers);
        self.passes(&node.args);
        self.calls(node, answers);
        visit::visit_expr_method_call(self, node);
    }

    fn visit_expr_reference(&mut self, node: &'ast ExprReference) {
        if node.mutability.is_some() {
            self.lends(node);
        }
        visit::visit_expr_reference(self, node);
    }

    fn visit_macro(&mut self, mac: &'ast Macro) {
        let writes = mac.path.segments.last().is_some_and(|last| last.ident == "write" || last.ident == "writeln");
        let into = arguments(mac.tokens.clone()).filter(|_| writes).and_then(|arguments| arguments.into_iter().next());
        if let Some(place) = into.filter(is_field)
            && let Some(name) = root(&place).filter(|name| self.data.contains(name)).or_else(|| self.field(&place))
        {
            self.report(&place, &name);
        }
        self.answers = false;
        input_of(mac).visit(self);
    }

    fn visit_item(&mut self, _: &'ast Item) {}
}
