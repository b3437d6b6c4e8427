//! The parameters: inputs, which are recorded, and resources, which each process brings anew.

use proc_macro2::Ident;
use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::{Attribute, Expr, ExprAwait, ExprClosure, ExprPath, ExprReturn, ExprTry, Pat, Type, TypeParamBound};

use super::lending::lending;
use super::marks::{self, Marks, says_something};
use super::signature::{simple_name, typed};
use crate::diag::Errors;
use crate::model::{Input, InputDefault, Session};
use crate::names::{self, mentions};
use crate::walk::mentions_step;

/// A parameter, its marks already taken out of the signature.
pub(super) struct Param {
    index: usize,
    attrs: Vec<Attribute>,
    pub(super) pat: Pat,
    pub(super) ty: Type,
    marks: Marks,
}

impl Param {
    /// Whether its type names `Session`. One that is marked as a resource is some other session.
    pub(super) fn is_session(&self) -> bool {
        !self.marks.is_resource && self.names_session()
    }

    pub(super) fn is_session_as_resource(&self) -> bool {
        self.marks.is_resource && self.names_session()
    }

    fn names_session(&self) -> bool {
        mentions(self.ty.to_token_stream(), &["Session"])
    }

    pub(super) fn name(&self) -> Option<Ident> {
        simple_name(&self.pat)
    }
}

/// Reads the parameters and takes their `#[resource]` and `#[input(..)]` out of the signature.
pub(super) fn params(sig: &mut syn::Signature, errors: &mut Errors) -> Vec<Param> {
    if let Some(syn::FnArg::Receiver(receiver)) = sig.inputs.first_mut() {
        let marks = marks::take(&mut receiver.attrs, errors);
        if let Some(input) = marks.input.filter(says_something) {
            errors.on(&input, "`self` is not recorded, so it has no default: take `#[input(..)]` out");
        }
        if marks.is_resource {
            errors.at(receiver.self_token.span, "`self` is never recorded: take `#[resource]` out");
        }
    }
    typed(&mut sig.inputs)
        .map(|(index, param)| Param {
            index,
            marks: marks::take(&mut param.attrs, errors),
            attrs: param.attrs.clone(),
            pat: (*param.pat).clone(),
            ty: (*param.ty).clone(),
        })
        .collect()
}

/// The parameters that are recorded.
pub(super) fn inputs(params: Vec<Param>, session: Option<&Session>, errors: &mut Errors) -> Vec<Input> {
    let is_the_session = |param: &Param| match session {
        Some(Session::Parameter { name, .. }) => param.name().as_ref() == Some(name),
        // Where the type has another name: `session: &Durable`.
        Some(Session::Given(given)) => {
            let is_given = |name: Ident| matches!(given, Expr::Path(path) if path.path.is_ident(&name));
            param.name().is_some_and(is_given)
        }
        None => param.is_session(),
    };
    let (sessions, others): (Vec<_>, Vec<_>) = params.into_iter().partition(is_the_session);
    // What says nothing is said of itself.
    for input in sessions.iter().filter_map(|param| param.marks.input.as_ref()).filter(|input| says_something(input)) {
        errors.on(input, "the session is not recorded, so it has no default: take `#[input(..)]` out");
    }
    let names: Vec<String> = sessions.iter().chain(&others).flat_map(|param| names::bound(&param.pat)).collect();
    let inputs: Vec<Input> =
        others.into_iter().filter(|param| !param.marks.is_resource).map(|param| input(param, errors)).collect();
    for input in &inputs {
        refuse_dependent_default(input, &names, errors);
    }
    inputs
}

fn input(param: Param, errors: &mut Errors) -> Input {
    let name = recorded_name(&param);
    let mutable = matches!(&param.ty, Type::Reference(reference) if reference.mutability.is_some());
    if mutable {
        errors.on(
            &param.ty,
            "an input is recorded when the run starts and read back when it resumes, so it cannot be changed from here: take it by value or by `&`, or mark the parameter `#[resource]` if each process brings its own",
        );
    }
    refuse_behaviour(&param, errors);
    let lending = lending(&param.ty, errors);
    let (cfgs, attrs) = param.attrs.into_iter().partition(|attr| attr.path().is_ident("cfg"));
    let default = param.marks.default;
    Input { index: param.index, cfgs, attrs, name, pat: param.pat, ty: param.ty, lending, default }
}

/// The names that the pattern binds; the place of the parameter, where it binds none.
fn recorded_name(param: &Param) -> String {
    let names = names::bound(&param.pat);
    if names.is_empty() { format!("parameter {}", param.index + 1) } else { names.join(",") }
}

/// Refuses `&dyn Trait`, and `impl Trait` where the trait says what a value does and not what it is.
fn refuse_behaviour(param: &Param, errors: &mut Errors) {
    let ty = match &param.ty {
        Type::Reference(reference) => &*reference.elem,
        ty => ty,
    };
    if let Type::TraitObject(_) = ty {
        errors.on(&param.ty, "a `dyn` value cannot be read back, so it is no input: mark the parameter `#[resource]`");
    }
    let Type::ImplTrait(hidden) = ty else { return };
    if param.marks.default.is_some() {
        errors.on(
            &param.ty,
            "an input with a default needs a type that can be named: write the type instead of `impl ..`",
        );
        return;
    }
    let instead = hidden.bounds.iter().find_map(|bound| match bound {
        TypeParamBound::Trait(bound) => bound.path.segments.last().and_then(|last| data_instead_of(&last.ident)),
        _ => None,
    });
    if let Some(instead) = instead
        && !mentions(hidden.to_token_stream(), &["Serialize"])
    {
        errors.on(
            &param.ty,
            format!("an input is recorded, so it is data: {instead}, or mark the parameter `#[resource]` if each process brings its own"),
        );
    }
}

/// What to take instead of something that is known only by what it does.
fn data_instead_of(behaviour: &Ident) -> Option<&'static str> {
    Some(match behaviour.to_string().as_str() {
        "IntoIterator" | "Iterator" | "ExactSizeIterator" | "DoubleEndedIterator" | "Stream" => {
            "take a list, `&[T]` or `Vec<T>`, and let the caller collect it"
        }
        "Into" | "AsRef" | "Borrow" | "ToString" | "Display" | "Deref" => {
            "take the type that it is turned into, such as `&str` or `String`, and let the caller turn it"
        }
        "Fn" | "FnMut" | "FnOnce" | "AsyncFn" | "AsyncFnMut" | "AsyncFnOnce" | "Future" | "IntoFuture" => {
            "take what the call would give"
        }
        _ => return None,
    })
}

/// The default of a parameter is for a run that was begun without it: it stands for itself.
fn refuse_dependent_default(input: &Input, names: &[String], errors: &mut Errors) {
    let Some(InputDefault::Given(value)) = &input.default else { return };
    if mentions_step(value) {
        errors.on(value, "a default is the same for every run, so no step can stand in it: write a value, or take an `Option` and decide in the body");
        return;
    }
    let mut uses = Uses { names, found: None };
    uses.visit_expr(value);
    if let Some(what) = uses.found {
        errors.on(value, format!("a default is the same for every run, so it cannot use {what}: write a value, or take an `Option` and decide in the body"));
    }
}

/// Finds what an expression uses of the function around it: the first of `names`, or a way out of it.
struct Uses<'a> {
    names: &'a [String],
    found: Option<String>,
}

impl Uses<'_> {
    fn find(&mut self, what: &str) {
        self.found.get_or_insert_with(|| format!("`{what}`"));
    }
}

impl<'ast> Visit<'ast> for Uses<'_> {
    fn visit_expr_path(&mut self, path: &'ast ExprPath) {
        if let Some(name) = self.names.iter().find(|name| path.path.is_ident(name.as_str())) {
            self.find(name);
        }
    }

    fn visit_expr_await(&mut self, node: &'ast ExprAwait) {
        visit::visit_expr_await(self, node);
        self.find(".await");
    }

    fn visit_expr_try(&mut self, node: &'ast ExprTry) {
        visit::visit_expr_try(self, node);
        self.find("?");
    }

    fn visit_expr_return(&mut self, _: &'ast ExprReturn) {
        self.find("return");
    }

    // What leaves a closure stays in the value.
    fn visit_expr_closure(&mut self, _: &'ast ExprClosure) {}
}
