//! The parameters: inputs, which are recorded, and resources, which each process brings anew.

use proc_macro2::Ident;
use quote::ToTokens;
use syn::{Attribute, Meta, Pat, Type};

use super::signature::{simple_name, typed};
use crate::diag::Errors;
use crate::model::{Input, Session};
use crate::names::{self, mentions};

/// A parameter, `#[resource]` already taken out of the signature.
pub(super) struct Param {
    index: usize,
    attrs: Vec<Attribute>,
    pub(super) pat: Pat,
    pub(super) ty: Type,
    is_resource: bool,
}

impl Param {
    /// Whether its type names `Session`. One that is marked as a resource is some other session.
    pub(super) fn is_session(&self) -> bool {
        !self.is_resource && mentions(self.ty.to_token_stream(), &["Session"])
    }

    pub(super) fn name(&self) -> Option<Ident> {
        simple_name(&self.pat)
    }
}

/// Reads the parameters and takes their `#[resource]` out of the signature.
pub(super) fn params(sig: &mut syn::Signature, errors: &mut Errors) -> Vec<Param> {
    if let Some(syn::FnArg::Receiver(receiver)) = sig.inputs.first_mut() {
        take_resource(&mut receiver.attrs, errors);
    }
    typed(&mut sig.inputs)
        .map(|(index, param)| Param {
            index,
            is_resource: take_resource(&mut param.attrs, errors),
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
        Some(Session::Given(_)) => false,
        None => param.is_session(),
    };
    params
        .into_iter()
        .filter(|param| !param.is_resource && !is_the_session(param))
        .map(|param| input(param, errors))
        .collect()
}

fn input(param: Param, errors: &mut Errors) -> Input {
    if let Type::Reference(reference) = &param.ty
        && reference.mutability.is_some()
    {
        errors.on(
            &param.ty,
            "an input is recorded when the run starts and read back when it resumes, so it cannot be changed from here: take it by value or by `&`, or mark the parameter `#[resource]` if each process brings its own",
        );
    }
    let name = recorded_name(&param);
    Input { index: param.index, attrs: param.attrs, name, pat: param.pat, ty: param.ty }
}

/// The names that the pattern binds; the place of the parameter, where it binds none.
fn recorded_name(param: &Param) -> String {
    let names = names::bound(&param.pat);
    if names.is_empty() { format!("parameter {}", param.index + 1) } else { names.join(",") }
}

fn take_resource(attrs: &mut Vec<Attribute>, errors: &mut Errors) -> bool {
    let before = attrs.len();
    attrs.retain(|attr| {
        let is_resource = attr.path().segments.last().is_some_and(|segment| segment.ident == "resource");
        if is_resource && !matches!(attr.meta, Meta::Path(_)) {
            errors.on(attr, "`#[resource]` takes no arguments");
        }
        !is_resource
    });
    attrs.len() < before
}
