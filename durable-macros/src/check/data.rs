//! Variables that evidently hold plain data, so that whatever a step changes of them is lost where it is replayed. A client
//! or a connection may be changed by its calls, and is none of these.

use std::collections::BTreeSet;

use syn::visit::{self, Visit};
use syn::{Block, Expr, ExprCall, ExprForLoop, ExprMethodCall, GenericArgument, Local, Macro, Pat, PatIdent};
use syn::{PathArguments, Type};

use super::changing;
use crate::model::Signature;
use crate::names::{bound, root};
use crate::walk::{input_of, slot_in};

/// Types of the standard library that own their data.
const TYPES: &[&str] =
    &["String", "Vec", "VecDeque", "HashMap", "HashSet", "BTreeMap", "BTreeSet", "BinaryHeap", "bool", "char"];

/// Methods that give data whatever they are called on, and those that give what they are called on once more.
const MAKE_DATA: &[&str] = &["bytes", "chars", "collect", "into_iter", "iter", "to_string", "to_vec"];
const KEEP: &[&str] = &["as_mut", "clone", "cloned", "copied", "enumerate", "peekable", "rev", "to_owned", "unwrap"];

/// What is known of the names of a workflow, wherever they are declared.
pub(super) struct Names {
    /// Those that stand for plain data.
    pub(super) plain: BTreeSet<String>,
    /// Those that are declared `mut`, and are not evidently a resource or a part of one.
    pub(super) mutable: BTreeSet<String>,
    /// Those that borrow one of either, to change it.
    pub(super) borrows: BTreeSet<String>,
}

/// `resources` are the parameters that are not recorded.
pub(super) fn names(signature: Option<&Signature>, resources: &BTreeSet<String>, block: &Block) -> Names {
    let mut data = Data { resources: resources.clone(), ..Data::default() };
    for input in signature.iter().flat_map(|signature| &signature.inputs) {
        data.plain.extend(bound(&input.pat));
        data.mutable.extend(mutable(&input.pat));
    }
    data.visit_block(block);
    let apart = |names: &BTreeSet<String>, from: &BTreeSet<String>| names.difference(from).cloned().collect();
    Names {
        plain: apart(&data.plain, &data.others),
        mutable: apart(&data.mutable, &data.resources),
        borrows: apart(&data.borrows, &data.resources),
    }
}

/// The names that a pattern declares `mut`.
fn mutable(pat: &Pat) -> Vec<String> {
    struct Mutable(Vec<String>);
    impl<'ast> Visit<'ast> for Mutable {
        fn visit_pat_ident(&mut self, node: &'ast PatIdent) {
            self.0.extend(node.mutability.map(|_| node.ident.to_string()));
            visit::visit_pat_ident(self, node);
        }
    }
    let mut names = Mutable(Vec::new());
    names.visit_pat(pat);
    names.0
}

#[derive(Default)]
struct Data {
    plain: BTreeSet<String>,
    others: BTreeSet<String>,
    mutable: BTreeSet<String>,
    borrows: BTreeSet<String>,
    /// The names of resources, and of what their calls gave.
    resources: BTreeSet<String>,
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
            (pat, Some(value)) if self.is_borrowed(value) => self.borrow(pat, value),
            (pat, Some(value)) if self.is_plain(value) => self.plain.extend(bound(pat)),
            (pat, Some(value)) if self.is_of_resource(value) => {
                self.resources.extend(bound(pat));
                self.others.extend(bound(pat));
            }
            (pat, _) => self.others.extend(bound(pat)),
        }
    }

    /// Names through which what is borrowed is changed: plain where the whole is; an element of it may be a client.
    fn borrow(&mut self, pat: &Pat, of: &Expr) {
        self.borrows.extend(bound(pat));
        match self.is_plain(of) {
            true => self.plain.extend(bound(pat)),
            false => self.others.extend(bound(pat)),
        }
    }

    /// `&mut total`, `list.iter_mut()`, `map.entry(key).or_insert(0)`, of a variable that is no resource.
    fn is_borrowed(&self, value: &Expr) -> bool {
        let is_ours = |place: &Expr| {
            let name = origin(place);
            name.is_some_and(|name| {
                !self.resources.contains(&name) && (self.plain.contains(&name) || self.mutable.contains(&name))
            })
        };
        match value {
            Expr::Reference(reference) => reference.mutability.is_some() && is_ours(&reference.expr),
            Expr::Group(group) => self.is_borrowed(&group.expr),
            Expr::MethodCall(call) if KEEP.iter().any(|method| call.method == method) => {
                self.is_borrowed(&call.receiver)
            }
            Expr::MethodCall(call) => changing::lends(&call.method.to_string()) && is_ours(&call.receiver),
            _ => false,
        }
    }

    /// What a resource is, holds, or gives.
    fn is_of_resource(&self, value: &Expr) -> bool {
        origin(value).is_some_and(|name| name == "self" || self.resources.contains(&name))
    }

    fn is_plain(&self, value: &Expr) -> bool {
        match value {
            Expr::Lit(_) | Expr::Repeat(_) => true,
            Expr::Group(group) => self.is_plain(&group.expr),
            Expr::Reference(reference) => self.is_plain(&reference.expr),
            Expr::Tuple(tuple) => tuple.elems.iter().all(|value| self.is_plain(value)),
            Expr::Array(array) => array.elems.iter().all(|value| self.is_plain(value)),
            Expr::Macro(mac) => mac.mac.path.is_ident("vec") || mac.mac.path.is_ident("format"),
            Expr::Call(call) => self.makes_data(call),
            Expr::MethodCall(call) => self.gives_data(call),
            Expr::Path(path) => path.path.get_ident().is_some_and(|name| {
                // What a step gave was read from a record.
                slot_in(name).is_some() || self.knows(&name.to_string())
            }),
            Expr::Field(_) => root(value).is_some_and(|name| self.knows(&name)),
            _ => false,
        }
    }

    fn knows(&self, name: &str) -> bool {
        self.plain.contains(name) && !self.others.contains(name)
    }

    fn makes_data(&self, call: &ExprCall) -> bool {
        let Expr::Path(path) = &*call.func else { return false };
        let wraps = ["Some", "Ok", "Reverse"].iter().any(|name| path.path.is_ident(name));
        is_of_plain_type(&path.path) || wraps && call.args.iter().all(|value| self.is_plain(value))
    }

    fn gives_data(&self, call: &ExprMethodCall) -> bool {
        MAKE_DATA.iter().any(|method| call.method == method)
            || KEEP.iter().any(|method| call.method == method) && self.is_plain(&call.receiver)
    }
}

/// The name that a value comes from: `pool` of `pool.acquire().await?`.
fn origin(value: &Expr) -> Option<String> {
    match value {
        Expr::MethodCall(call) => origin(&call.receiver),
        Expr::Await(wait) => origin(&wait.base),
        Expr::Try(question) => origin(&question.expr),
        Expr::Reference(reference) => origin(&reference.expr),
        Expr::Group(group) => origin(&group.expr),
        Expr::Paren(paren) => origin(&paren.expr),
        Expr::Field(field) => origin(&field.base),
        place => root(place),
    }
}

impl<'ast> Visit<'ast> for Data {
    fn visit_local(&mut self, node: &'ast Local) {
        self.bind(&node.pat, node.init.as_ref().map(|init| &*init.expr));
        self.mutable.extend(mutable(&node.pat));
        let Some(init) = &node.init else { return };
        self.visit_expr(&init.expr);
        init.diverge.iter().for_each(|(_, diverge)| self.visit_expr(diverge));
    }

    fn visit_expr_for_loop(&mut self, node: &'ast ExprForLoop) {
        self.visit_expr(&node.expr);
        match self.is_borrowed(&node.expr) {
            true => {
                self.borrows.extend(bound(&node.pat));
                self.others.extend(bound(&node.pat));
            }
            false => self.visit_pat(&node.pat),
        }
        self.visit_block(&node.body);
    }

    fn visit_macro(&mut self, mac: &'ast Macro) {
        input_of(mac).visit(self);
    }

    fn visit_pat_ident(&mut self, node: &'ast PatIdent) {
        self.mutable.extend(node.mutability.map(|_| node.ident.to_string()));
        self.others.insert(node.ident.to_string());
        visit::visit_pat_ident(self, node);
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
