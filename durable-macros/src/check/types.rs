//! Types that evidently are plain data.

use syn::{GenericArgument, Path, PathArguments, Type};

/// Types of the standard library that own their data.
const TYPES: &[&str] =
    &["String", "Vec", "VecDeque", "HashMap", "HashSet", "BTreeMap", "BTreeSet", "BinaryHeap", "bool", "char"];

pub(super) fn is_last(path: &Path, name: &str) -> bool {
    path.segments.last().is_some_and(|last| last.ident == name)
}

/// `Vec<u32>`, `[u32; 4]`
pub(super) fn is_deep_type(ty: &Type) -> bool {
    match ty {
        Type::Path(path) => path.path.segments.last().is_some_and(|last| match &last.arguments {
            PathArguments::AngleBracketed(of) => {
                is_plain_type(ty)
                    && of.args.iter().all(|of| matches!(of, GenericArgument::Type(of) if is_plain_type(of)))
            }
            _ => false,
        }),
        Type::Array(array) => is_plain_type(&array.elem),
        _ => false,
    }
}

/// `Vec::with_capacity`, `std::collections::HashMap::<K, V>::new`.
pub(super) fn is_of_plain_type(path: &Path) -> bool {
    path.segments.iter().rev().nth(1).is_some_and(|ty| is_listed(&ty.ident.to_string()))
}

pub(super) fn is_plain_type(ty: &Type) -> bool {
    match ty {
        Type::Path(path) => path.path.segments.last().is_some_and(|last| match &last.arguments {
            PathArguments::AngleBracketed(of) if last.ident == "Option" => {
                of.args.iter().all(|of| matches!(of, GenericArgument::Type(of) if is_plain_type(of)))
            }
            _ => is_listed(&last.ident.to_string()),
        }),
        Type::Array(array) => is_plain_type(&array.elem),
        Type::Tuple(tuple) => tuple.elems.iter().all(is_plain_type),
        _ => false,
    }
}

fn is_listed(name: &str) -> bool {
    let is_number = name.starts_with(['u', 'i', 'f']) && name[1..].parse::<u8>().is_ok();
    TYPES.contains(&name) || is_number || matches!(name, "usize" | "isize")
}
