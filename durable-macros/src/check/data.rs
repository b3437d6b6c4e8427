//! Variables that evidently hold plain data, so that whatever a step changes of them is lost where it is replayed. A client
//! or a connection may be changed by its calls, and is none of these.

use std::collections::BTreeSet;

use syn::visit::{self, Visit};
use syn::{Block, Expr, GenericArgument, Local, Pat, PatIdent, PathArguments, Type};

use crate::model::Signature;
use crate::names::bound;
use crate::walk::slot_in;

/// Types of the standard library that own their data.
const TYPES: &[&str] =
    &["String", "Vec", "VecDeque", "HashMap", "HashSet", "BTreeMap", "BTreeSet", "BinaryHeap", "bool", "char"];

/// What the methods of those types that change them begin with.
const CHANGING: &[&str] = &[
    "append",
    "clear",
    "dedup",
    "drain",
    "entry",
    "extend",
    "fill",
    "get_or_insert",
    "insert",
    "pop",
    "push",
    "remove",
    "resize",
    "retain",
    "reverse",
    "rotate",
    "sort",
    "split_off",
    "swap",
    "take",
    "truncate",
];

/// The names of a workflow that stand for plain data wherever they are declared.
pub(super) fn names(signature: Option<&Signature>, block: &Block) -> BTreeSet<String> {
    let mut data = Data::default();
    for input in signature.iter().flat_map(|signature| &signature.inputs) {
        data.plain.extend(bound(&input.pat));
    }
    data.visit_block(block);
    data.plain.difference(&data.others).cloned().collect()
}

/// Whether a method of plain data changes it.
pub(super) fn changes(method: &str) -> bool {
    method.ends_with("_mut") || CHANGING.iter().any(|start| method.starts_with(start))
}

#[derive(Default)]
struct Data {
    plain: BTreeSet<String>,
    others: BTreeSet<String>,
}

impl Data {
    fn bind(&mut self, pat: &Pat, value: Option<&Expr>) {
        match (pat, value) {
            (Pat::Type(typed), value) => match is_plain_type(&typed.ty) {
                true => self.plain.extend(bound(pat)),
                false => self.bind(&typed.pat, value),
            },
            (Pat::Tuple(names), Some(Expr::Tuple(values))) if names.elems.len() == values.elems.len() => {
                names.elems.iter().zip(&values.elems).for_each(|(name, value)| self.bind(name, Some(value)));
            }
            (pat, Some(value)) if is_plain(value) => self.plain.extend(bound(pat)),
            (pat, _) => self.others.extend(bound(pat)),
        }
    }
}

impl<'ast> Visit<'ast> for Data {
    fn visit_local(&mut self, node: &'ast Local) {
        self.bind(&node.pat, node.init.as_ref().map(|init| &*init.expr));
        let Some(init) = &node.init else { return };
        self.visit_expr(&init.expr);
        init.diverge.iter().for_each(|(_, diverge)| self.visit_expr(diverge));
    }

    fn visit_pat_ident(&mut self, node: &'ast PatIdent) {
        self.others.insert(node.ident.to_string());
        visit::visit_pat_ident(self, node);
    }
}

fn is_plain(value: &Expr) -> bool {
    match value {
        Expr::Lit(_) | Expr::Repeat(_) => true,
        Expr::Group(group) => is_plain(&group.expr),
        Expr::Tuple(tuple) => tuple.elems.iter().all(is_plain),
        Expr::Array(array) => array.elems.iter().all(is_plain),
        Expr::Macro(mac) => mac.mac.path.is_ident("vec") || mac.mac.path.is_ident("format"),
        Expr::Call(call) => matches!(&*call.func, Expr::Path(path) if is_of_plain_type(&path.path)),
        // What a step gave was read from a record.
        Expr::Path(path) => path.path.get_ident().is_some_and(|name| slot_in(name).is_some()),
        _ => false,
    }
}

/// `Vec::with_capacity`, `std::collections::HashMap::<K, V>::new`.
fn is_of_plain_type(path: &syn::Path) -> bool {
    path.segments.iter().rev().nth(1).is_some_and(|ty| is_listed(&ty.ident.to_string()))
}

fn is_plain_type(ty: &Type) -> bool {
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
