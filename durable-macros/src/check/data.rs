//! Variables that evidently hold plain data, so that whatever a step changes of them is lost where it is replayed. A client
//! or a connection may be changed by its calls, and is none of these.

use std::collections::{BTreeMap, BTreeSet};

use quote::{ToTokens, quote};
use syn::visit::{self, Visit};
use syn::{
    Block, Expr, ExprAssign, ExprBinary, ExprCall, ExprForLoop, ExprLet, ExprMatch, ExprMethodCall, FnArg, ItemFn,
};
use syn::{Local, Macro, Pat, PatIdent, Type};

use super::changing;
use super::types::{is_deep_type, is_last, is_of_plain_type, is_plain_type};
use crate::model::Signature;
use crate::names::{bound, bound_in, root};
use crate::walk::{assigns, input_of, slot_in};

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
    /// Those whose elements are plain data too, and the fields that are, `cart.names`.
    pub(super) deep: BTreeSet<String>,
    /// Those that are an `Option`.
    pub(super) options: BTreeSet<String>,
    /// Closures that change a variable of the workflow, with its name.
    pub(super) closures: BTreeMap<String, String>,
}

/// `resources` are the parameters that are not recorded.
pub(super) fn names(
    function: &ItemFn,
    signature: Option<&Signature>,
    resources: &BTreeSet<String>,
    block: &Block,
) -> Names {
    let mut data = Data { resources: resources.clone(), ..Data::default() };
    for input in signature.iter().flat_map(|signature| &signature.inputs) {
        data.plain.extend(bound(&input.pat));
        data.deep.extend(bound(&input.pat));
        data.mutable.extend(declared(&input.pat, false));
    }
    data.visit_block(block);
    let lent = lent(function).filter(|name| resources.contains(name) && !data.others.contains(name));
    let lent: Vec<String> = lent.collect();
    let apart = |names: &BTreeSet<String>, from: &BTreeSet<String>| -> BTreeSet<String> {
        names.difference(from).cloned().collect()
    };
    let (mut plain, mut borrows) = (apart(&data.plain, &data.others), apart(&data.borrows, &data.resources));
    plain.extend(lent.iter().cloned());
    borrows.extend(lent);
    let (mutable, deep) = (apart(&data.mutable, &data.resources), apart(&data.deep, &data.others));
    Names { plain, mutable, borrows, deep, options: data.options, closures: data.closures }
}

/// The parameters that lend plain data to the workflow, to be changed: `total: &mut u64`.
fn lent(function: &ItemFn) -> impl Iterator<Item = String> {
    let lends = |ty: &Type| matches!(ty, Type::Reference(of) if of.mutability.is_some() && is_plain_type(&of.elem));
    function.sig.inputs.iter().flat_map(move |parameter| match parameter {
        FnArg::Typed(typed) if lends(&typed.ty) => bound(&typed.pat),
        _ => Vec::new(),
    })
}

/// The names that a pattern declares `mut`, or `ref mut`.
fn declared(pat: &Pat, is_ref: bool) -> Vec<String> {
    struct Declared(Vec<String>, bool);
    impl<'ast> Visit<'ast> for Declared {
        fn visit_pat_ident(&mut self, node: &'ast PatIdent) {
            if node.mutability.is_some() && node.by_ref.is_some() == self.1 {
                self.0.push(node.ident.to_string());
            }
            visit::visit_pat_ident(self, node);
        }
    }
    let mut names = Declared(Vec::new(), is_ref);
    names.visit_pat(pat);
    names.0
}

#[derive(Default)]
struct Data {
    plain: BTreeSet<String>,
    others: BTreeSet<String>,
    mutable: BTreeSet<String>,
    borrows: BTreeSet<String>,
    deep: BTreeSet<String>,
    options: BTreeSet<String>,
    closures: BTreeMap<String, String>,
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

    /// What is matched with a pattern, in an `if let` or an arm.
    fn matched(&mut self, pat: &Pat, value: &Expr) {
        self.visit_pat(pat);
        match self.is_borrowed(value) {
            true => self.borrows.extend(bound(pat)),
            false if self.is_ours(value) => self.borrows.extend(declared(pat, true)),
            false => {}
        }
    }

    /// What is known of a variable beside that it is plain.
    fn note(&mut self, pat: &Pat, value: &Expr) {
        let (pat, ty) = match pat {
            Pat::Type(typed) => (&*typed.pat, Some(&*typed.ty)),
            pat => (pat, None),
        };
        let Pat::Ident(variable) = pat else { return };
        let name = variable.ident.to_string();
        if self.is_deep(value) || ty.is_some_and(is_deep_type) {
            self.deep.insert(name.clone());
        }
        if is_option(value) || ty.is_some_and(|ty| matches!(ty, Type::Path(path) if is_last(&path.path, "Option"))) {
            self.options.insert(name.clone());
        }
        match value {
            Expr::Struct(made) => {
                let plain = made.fields.iter().filter(|field| self.is_plain(&field.expr));
                let plain = plain.map(|field| format!("{name}.{}", field.member.to_token_stream()));
                self.deep.extend(plain.collect::<Vec<_>>());
            }
            Expr::Closure(closure) if variable.mutability.is_some() => {
                let mut changes = Changes { data: self, own: bound_in(value), found: None };
                changes.visit_expr(&closure.body);
                let found = changes.found;
                self.closures.extend(found.map(|found| (name, found)));
            }
            _ => {}
        }
    }

    /// `&mut total`, `list.iter_mut()`, `map.entry(key).or_insert(0)`, of a variable that is no resource; and what borrows
    /// one already, since a pattern lends its parts.
    fn is_borrowed(&self, value: &Expr) -> bool {
        match value {
            Expr::Path(path) => path.path.get_ident().is_some_and(|name| self.lends(&name.to_string())),
            Expr::Reference(reference) => reference.mutability.is_some() && self.is_ours(&reference.expr),
            Expr::Group(group) => self.is_borrowed(&group.expr),
            Expr::Paren(paren) => self.is_borrowed(&paren.expr),
            Expr::Try(question) => self.is_borrowed(&question.expr),
            Expr::MethodCall(call) if call.method == "as_mut" || call.method == "as_deref_mut" => {
                self.is_ours(&call.receiver) || self.is_borrowed(&call.receiver)
            }
            Expr::MethodCall(call) if KEEP.iter().any(|method| call.method == method) => {
                self.is_borrowed(&call.receiver)
            }
            Expr::MethodCall(call) if changing::passes_on(&call.method.to_string()) => {
                // What a resource lends beside it may be a client.
                self.is_borrowed(&call.receiver) && !call.args.iter().any(|other| self.is_of_resource(other))
            }
            Expr::MethodCall(call) => changing::lends(&call.method.to_string()) && self.is_ours(&call.receiver),
            _ => false,
        }
    }

    fn lends(&self, name: &str) -> bool {
        self.borrows.contains(name) && !self.resources.contains(name)
    }

    fn is_ours(&self, place: &Expr) -> bool {
        let is_variable = |name: &str| self.plain.contains(name) || self.mutable.contains(name);
        origin(place).is_some_and(|name| self.lends(&name) || is_variable(&name) && !self.resources.contains(&name))
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

    /// Whether what it holds is plain data as well.
    fn is_deep(&self, value: &Expr) -> bool {
        match value {
            Expr::Group(group) => self.is_deep(&group.expr),
            Expr::Repeat(repeat) => self.is_plain(&repeat.expr),
            Expr::Array(array) => !array.elems.is_empty() && array.elems.iter().all(|value| self.is_plain(value)),
            Expr::Macro(mac) if mac.mac.path.is_ident("vec") => {
                let tokens = &mac.mac.tokens;
                syn::parse2::<Expr>(quote!([#tokens])).is_ok_and(|list| self.is_deep(&list))
            }
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
        self.mutable.extend(declared(&node.pat, false));
        let Some(init) = &node.init else { return };
        self.note(&node.pat, &init.expr);
        if self.is_ours(&init.expr) {
            self.borrows.extend(declared(&node.pat, true));
        }
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

    fn visit_expr_let(&mut self, node: &'ast ExprLet) {
        self.visit_expr(&node.expr);
        self.matched(&node.pat, &node.expr);
    }

    fn visit_expr_match(&mut self, node: &'ast ExprMatch) {
        self.visit_expr(&node.expr);
        for arm in &node.arms {
            self.matched(&arm.pat, &node.expr);
            self.visit_expr(&arm.body);
        }
    }

    fn visit_macro(&mut self, mac: &'ast Macro) {
        input_of(mac).visit(self);
    }

    fn visit_pat_ident(&mut self, node: &'ast PatIdent) {
        let is_variable = node.mutability.is_some() && node.by_ref.is_none();
        self.mutable.extend(is_variable.then(|| node.ident.to_string()));
        self.others.insert(node.ident.to_string());
        visit::visit_pat_ident(self, node);
    }
}

/// Finds a variable of ours that a closure changes.
struct Changes<'a> {
    data: &'a Data,
    /// What the closure binds itself.
    own: Vec<String>,
    found: Option<String>,
}

impl Changes<'_> {
    fn note(&mut self, place: &Expr, of: impl Fn(&Data, &str) -> bool) {
        let is_ours = |name: &String| !self.own.contains(name) && !self.data.resources.contains(name);
        let name = root(place).filter(is_ours).filter(|name| of(self.data, name));
        self.found = self.found.take().or(name);
    }
}

impl<'ast> Visit<'ast> for Changes<'_> {
    fn visit_expr_assign(&mut self, node: &'ast ExprAssign) {
        self.note(&node.left, |data, name| data.mutable.contains(name) || data.borrows.contains(name));
        visit::visit_expr_assign(self, node);
    }

    fn visit_expr_binary(&mut self, node: &'ast ExprBinary) {
        if assigns(node.op) {
            self.note(&node.left, |data, name| data.mutable.contains(name) || data.borrows.contains(name));
        }
        visit::visit_expr_binary(self, node);
    }

    fn visit_expr_method_call(&mut self, node: &'ast ExprMethodCall) {
        if changing::changes(&node.method.to_string(), node.args.len()) {
            self.note(&node.receiver, |data, name| data.knows(name));
        }
        visit::visit_expr_method_call(self, node);
    }
}

/// `Some(order)`, `None`
fn is_option(value: &Expr) -> bool {
    match value {
        Expr::Call(call) => matches!(&*call.func, Expr::Path(path) if path.path.is_ident("Some")),
        Expr::Path(path) => is_last(&path.path, "None"),
        _ => false,
    }
}
