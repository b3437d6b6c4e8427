//! What of an input can be lent to the body: an input is read back as a value that owns all its parts.

use proc_macro2::Span;
use quote::ToTokens;
use syn::visit::Visit;
use syn::visit_mut::{self, VisitMut};
use syn::{GenericArgument, PathArguments, Type, TypeFnPtr, TypeImplTrait, TypeReference, TypeTraitObject};

use crate::diag::Errors;
use crate::model::{Holds, Lending};
use crate::names::mentions;

/// How an input of this type is lent; what cannot be is reported at its `&`.
pub(super) fn lending(ty: &Type, errors: &mut Errors) -> Lending {
    let (is_reference, inner) = match peel(ty) {
        Type::Reference(reference) => (true, peel(&reference.elem)),
        owned => (false, owned),
    };
    let holds = holds(inner, is_reference);
    if holds == Holds::Value || holds == Holds::Array {
        refuse_references(inner, ty, errors);
    }
    Lending { is_reference, holds }
}

/// Refuses what a workflow gives if it borrows: it is recorded, and a later start reads it back.
pub(super) fn refuse_borrowed_result(returns: &Type, errors: &mut Errors) {
    let Type::Path(path) = peel(returns) else { return };
    let Some(last) = path.path.segments.last() else { return };
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return };
    let Some(GenericArgument::Type(value)) = arguments.args.first() else { return };
    // What has one parameter and is no future is an alias: `io::Result<&str>`, `Done<&str>`.
    if last.ident != "Result" && (arguments.args.len() > 1 || mentions(value.to_token_stream(), &["dyn"])) {
        return;
    }
    let Some(at) = first_reference(value) else { return };
    let owned = text(&match peel(value) {
        Type::Reference(reference) => owner(&reference.elem),
        value => owned(value),
    });
    errors.at(
        at,
        format!("what a workflow gives is recorded and read back by a later start, so it cannot hold this `&`: own the parts, `{owned}`"),
    );
}

fn holds(ty: &Type, is_reference: bool) -> Holds {
    let element = match ty {
        Type::Slice(slice) if is_reference => Some((&*slice.elem, Holds::Slice)),
        Type::Array(_) => return Holds::Array,
        ty => container(ty),
    };
    match element {
        Some((element, holds)) if refers_to_value(element) => holds,
        _ => Holds::Value,
    }
}

/// The type in `Option<..>` or `Vec<..>`.
fn container(ty: &Type) -> Option<(&Type, Holds)> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last()?;
    let holds = match &last.ident {
        name if name == "Option" => Holds::Option,
        name if name == "Vec" => Holds::Vec,
        _ => return None,
    };
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    match arguments.args.first()? {
        GenericArgument::Type(element) => Some((peel(element), holds)),
        _ => None,
    }
}

/// Whether it is a `&` to something without references in it.
fn refers_to_value(ty: &Type) -> bool {
    matches!(peel(ty), Type::Reference(reference) if reference.mutability.is_none() && first_reference(&reference.elem).is_none())
}

fn refuse_references(inner: &Type, ty: &Type, errors: &mut Errors) {
    let Some(at) = first_reference(inner) else { return };
    let owned = text(&owned(ty));
    errors.at(
        at,
        format!("an input is read back as a value of its own, so it cannot hold this `&`: own the parts, `{owned}`, or mark the parameter `#[resource]` if each process brings its own"),
    );
}

/// The first `&` in a type, where it is data.
fn first_reference(ty: &Type) -> Option<Span> {
    let mut found = References(None);
    found.visit_type(ty);
    found.0
}

struct References(Option<Span>);

impl<'ast> Visit<'ast> for References {
    fn visit_type_reference(&mut self, reference: &'ast TypeReference) {
        self.0.get_or_insert(reference.and_token.spans[0]);
    }

    // What these take and give is not in the value; that they are no data, the compiler says.
    fn visit_type_fn_ptr(&mut self, _: &'ast TypeFnPtr) {}
    fn visit_type_trait_object(&mut self, _: &'ast TypeTraitObject) {}
    fn visit_type_impl_trait(&mut self, _: &'ast TypeImplTrait) {}
}

/// The type with every part owned, but for a `&` in front of it all.
fn owned(ty: &Type) -> Type {
    let mut owned = ty.clone();
    match &mut owned {
        Type::Reference(reference) => Owned.visit_type_mut(&mut reference.elem),
        value => Owned.visit_type_mut(value),
    }
    owned
}

struct Owned;

impl VisitMut for Owned {
    fn visit_type_mut(&mut self, ty: &mut Type) {
        if let Type::Reference(reference) = ty {
            *ty = owner(&reference.elem);
        }
        visit_mut::visit_type_mut(self, ty);
    }
}

/// What owns the value of a reference.
fn owner(ty: &Type) -> Type {
    match ty {
        Type::Slice(slice) => {
            let element = &slice.elem;
            syn::parse_quote!(Vec<#element>)
        }
        Type::Path(path) if path.path.is_ident("str") => syn::parse_quote!(String),
        Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "Path") => {
            syn::parse_quote!(PathBuf)
        }
        other => other.clone(),
    }
}

/// A type as one writes it.
fn text(ty: &Type) -> String {
    let mut text = ty.to_token_stream().to_string();
    for (spaced, plain) in
        [(" :: ", "::"), (" <", "<"), ("< ", "<"), (" >", ">"), (" ,", ","), ("& ", "&"), (" ;", ";")]
    {
        text = text.replace(spaced, plain);
    }
    text
}

/// Takes off parentheses, and the invisible delimiters that `macro_rules!` puts around its fragments.
fn peel(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => peel(&group.elem),
        Type::Paren(paren) => peel(&paren.elem),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lent(ty: &str) -> Result<Lending, String> {
        let mut errors = Errors::default();
        let lending = lending(&syn::parse_str(ty).unwrap(), &mut errors);
        if errors.is_empty() { Ok(lending) } else { Err(errors.to_compile_errors().to_string()) }
    }

    #[test]
    fn one_reference_behind_a_known_container_is_lent() {
        for (ty, is_reference, holds) in [
            ("u32", false, Holds::Value),
            ("Cow<'_, str>", false, Holds::Value),
            ("Box<dyn Fn(&str)>", false, Holds::Value),
            ("&str", true, Holds::Value),
            ("&[Invoice]", true, Holds::Value),
            ("&Option<Invoice>", true, Holds::Value),
            ("[u8; N]", false, Holds::Array),
            ("&[u8; 64]", true, Holds::Array),
            ("Option<&T>", false, Holds::Option),
            ("std::option::Option<&[T]>", false, Holds::Option),
            ("&Option<&str>", true, Holds::Option),
            ("Vec<&str>", false, Holds::Vec),
            ("&Vec<&'a T>", true, Holds::Vec),
            ("&[&str]", true, Holds::Slice),
        ] {
            assert_eq!(lent(ty), Ok(Lending { is_reference, holds }), "{ty}");
        }
    }

    #[test]
    fn what_borrows_deeper_is_told_how_to_own() {
        for (ty, owned) in [
            ("HashMap<&str, u32>", "HashMap<String, u32>"),
            ("(&str, u8)", "(String, u8)"),
            ("Vec<Option<&str>>", "Vec<Option<String>>"),
            ("Option<&[&Path]>", "Option<Vec<PathBuf>>"),
            ("&[(&'a str, &Invoice)]", "&[(String, Invoice)]"),
            ("[&str; 2]", "[String; 2]"),
            ("&&str", "&String"),
            ("Option<&mut T>", "Option<T>"),
        ] {
            let error = lent(ty).unwrap_err();
            assert!(error.contains(&format!("own the parts, `{owned}`,")), "{ty}: {error}");
        }
    }
}
