//! What a step gives is read back by another process, which has nothing to borrow it from. Where its `let` says the type it
//! is told here; else the compiler finds out, and of a value behind a `?` it speaks of lifetimes.

use syn::{GenericArgument, PathArguments, Type};

use crate::diag::Errors;
use crate::model::{Kind, Step};

pub(super) fn check(steps: &[Step], errors: &mut Errors) {
    for step in steps.iter().filter(|step| matches!(step.args.kind, Kind::SideEffect | Kind::Read)) {
        if let Some(ty) = step.ty.as_ref().and_then(borrowed) {
            errors.on(
                ty,
                "this step's value is borrowed, and another process has nothing to borrow it from: write `.to_owned()` behind the step, which makes a `String` of a `&str` and a `Vec<T>` of a `&[T]`",
            );
        }
    }
}

/// The reference that a type is, or holds in an `Option`.
fn borrowed(ty: &Type) -> Option<&Type> {
    match ty {
        Type::Group(group) => borrowed(&group.elem),
        Type::Paren(paren) => borrowed(&paren.elem),
        Type::Reference(_) => Some(ty),
        Type::Path(path) => {
            let last = path.path.segments.last().filter(|last| last.ident == "Option")?;
            let PathArguments::AngleBracketed(of) = &last.arguments else { return None };
            of.args.iter().find_map(|of| match of {
                GenericArgument::Type(of) => borrowed(of),
                _ => None,
            })
        }
        _ => None,
    }
}
