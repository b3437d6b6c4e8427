//! The types in a signature that may be parameters of the `impl` block around it, of which nobody knows what they are. What
//! the function declares itself is none of them, and nothing that has arguments is.

use std::mem;

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote_spanned;
use syn::visit::{self, Visit};
use syn::{FnArg, GenericArgument, GenericParam, Signature, Type, TypePath};

/// Types that everybody knows.
const KNOWN: &[&str] = &["String", "Session"];

/// What a signature names.
pub(super) enum Signed {
    Types(Vec<Named>),
    /// Among them is one that may be a constant.
    OrConstants,
}

/// A type, and whether it stands in the arguments of another: of one that is not there the compiler says the same each time
/// only where it stands alike.
pub(super) struct Named {
    name: Ident,
    is_argument: bool,
}

pub(super) fn in_signature(sig: &Signature) -> Signed {
    let mut found = Found { sig, types: Vec::new(), is_argument: false, constants: false };
    // Of a parameter that is not always there its type may not be either.
    sig.inputs.iter().filter(|input| !is_conditional(input)).for_each(|input| found.visit_fn_arg(input));
    found.visit_return_type(&sig.output);
    match found.constants {
        true => Signed::OrConstants,
        false => Signed::Types(found.types),
    }
}

/// `fn(Bank) -> fn(Month)`.
pub(super) fn one_after_the_other(types: &[Named], at: Span) -> TokenStream {
    types.iter().rev().fold(quote_spanned! {at=> ()}, |rest, Named { name, is_argument }| match is_argument {
        true => quote_spanned! {at=> fn(::core::marker::PhantomData<#name>) -> #rest},
        false => quote_spanned! {at=> fn(#name) -> #rest},
    })
}

fn is_conditional(input: &FnArg) -> bool {
    match input {
        FnArg::Typed(param) => param.attrs.iter().any(|attr| attr.path().is_ident("cfg")),
        FnArg::Receiver(_) => true,
    }
}

struct Found<'a> {
    sig: &'a Signature,
    types: Vec<Named>,
    is_argument: bool,
    constants: bool,
}

impl Found<'_> {
    fn is_own(&self, name: &Ident) -> bool {
        self.sig.generics.params.iter().any(|param| match param {
            GenericParam::Type(param) => param.ident == *name,
            GenericParam::Const(param) => param.ident == *name,
            GenericParam::Lifetime(_) => false,
        })
    }

    /// A name alone, that of a type as it is written.
    fn candidate<'t>(&self, ty: &'t TypePath) -> Option<&'t Ident> {
        let name = ty.path.get_ident().filter(|_| ty.qself.is_none())?;
        let text = name.to_string();
        let may_be_param = text.starts_with(char::is_uppercase) && !KNOWN.contains(&text.as_str());
        (may_be_param && !self.is_own(name)).then_some(name)
    }
}

impl<'ast> Visit<'ast> for Found<'_> {
    fn visit_type_path(&mut self, node: &'ast TypePath) {
        if let Some(name) = self.candidate(node)
            && self.types.iter().all(|known| known.name != *name)
        {
            self.types.push(Named { name: name.clone(), is_argument: self.is_argument });
        }
        visit::visit_type_path(self, node);
    }

    fn visit_generic_argument(&mut self, node: &'ast GenericArgument) {
        match node {
            GenericArgument::Type(Type::Path(path)) if self.candidate(path).is_some_and(is_like_a_constant) => {
                self.constants = true;
            }
            _ => {
                let outer = mem::replace(&mut self.is_argument, true);
                visit::visit_generic_argument(self, node);
                self.is_argument = outer;
            }
        }
    }
}

/// `N`, or `ROWS`.
fn is_like_a_constant(name: &Ident) -> bool {
    !name.to_string().contains(char::is_lowercase)
}
