//! Which names may have another value each time a loop or closure comes round. A key that uses none of them is the
//! same every time. In doubt a name counts as varying: what slips through is refused at run time, as a key used twice.

use std::collections::BTreeSet;

use syn::visit::{self, Visit};
use syn::{
    Block, Expr, ExprAssign, ExprAwait, ExprBinary, ExprCall, ExprClosure, ExprForLoop, ExprLet, ExprLoop, ExprMacro,
    ExprMatch, ExprMethodCall, ExprPath, ExprReference, ExprWhile, FnArg, Item, ItemFn, Local, Macro, Pat, PatIdent,
    Type,
};

use super::arguments;
use crate::check::changes_any;
use crate::names::{bound, idents, root};

/// Methods that give the same value for the same receiver and arguments.
const PURE: &[&str] = &[
    "as_deref",
    "as_ref",
    "as_slice",
    "as_str",
    "borrow",
    "bytes",
    "chars",
    "chunks",
    "clone",
    "cloned",
    "collect",
    "contains",
    "copied",
    "enumerate",
    "filter",
    "into",
    "into_iter",
    "is_empty",
    "iter",
    "keys",
    "len",
    "lines",
    "map",
    "rev",
    "skip",
    "split",
    "step_by",
    "take",
    "to_owned",
    "to_string",
    "to_vec",
    "trim",
    "values",
    "windows",
    "zip",
];

/// Macros that change nothing of what they are given.
const KNOWN: &[&str] = &[
    "assert",
    "assert_eq",
    "assert_ne",
    "debug",
    "error",
    "eprintln",
    "format",
    "info",
    "join",
    "matches",
    "print",
    "println",
    "trace",
    "try_join",
    "vec",
    "warn",
    "write",
    "writeln",
];

/// The names declared `mut` in a function, and its `&mut` parameters: a call of any method may change these. Of other
/// names, such as one that `&mut map` binds, the method says so.
pub(super) fn mutable_names(function: &ItemFn, body: &Block) -> BTreeSet<String> {
    let mut mutable = Mutable(BTreeSet::from(["self".to_owned()]));
    mutable.visit_item_fn(function);
    mutable.visit_block(body);
    for arg in &function.sig.inputs {
        if let FnArg::Typed(param) = arg
            && matches!(&*param.ty, Type::Reference(reference) if reference.mutability.is_some())
        {
            mutable.0.extend(bound(&param.pat));
        }
    }
    mutable.0
}

pub(super) fn in_for(node: &ExprForLoop, mutable: &BTreeSet<String>) -> BTreeSet<String> {
    fixpoint(bound(&node.pat), mutable, |varying| varying.visit_block(&node.body))
}

pub(super) fn in_while(node: &ExprWhile, mutable: &BTreeSet<String>) -> BTreeSet<String> {
    let mut patterns = Patterns(Vec::new());
    patterns.visit_expr(&node.cond);
    fixpoint(patterns.0, mutable, |varying| varying.visit_expr_while(node))
}

pub(super) fn in_loop(node: &ExprLoop, mutable: &BTreeSet<String>) -> BTreeSet<String> {
    fixpoint(Vec::new(), mutable, |varying| varying.visit_block(&node.body))
}

pub(super) fn in_closure(node: &ExprClosure, mutable: &BTreeSet<String>) -> BTreeSet<String> {
    fixpoint(node.inputs.iter().flat_map(bound).collect(), mutable, |varying| varying.visit_expr(&node.body))
}

/// A name may vary because of one that is declared later, so the walk is repeated until it finds nothing new.
fn fixpoint(names: Vec<String>, mutable: &BTreeSet<String>, walk: impl Fn(&mut Varying<'_>)) -> BTreeSet<String> {
    let mut varying = Varying { names: names.into_iter().collect(), mutable };
    loop {
        let before = varying.names.len();
        walk(&mut varying);
        if varying.names.len() == before {
            return varying.names;
        }
    }
}

struct Mutable(BTreeSet<String>);

impl<'ast> Visit<'ast> for Mutable {
    fn visit_pat_ident(&mut self, pat: &'ast PatIdent) {
        if pat.mutability.is_some() {
            self.0.insert(pat.ident.to_string());
        }
        visit::visit_pat_ident(self, pat);
    }
}

/// The names that the patterns of a `while let` bind.
struct Patterns(Vec<String>);

impl<'ast> Visit<'ast> for Patterns {
    fn visit_expr_let(&mut self, node: &'ast ExprLet) {
        self.0.extend(bound(&node.pat));
    }
}

struct Varying<'a> {
    names: BTreeSet<String>,
    mutable: &'a BTreeSet<String>,
}

impl Varying<'_> {
    fn bind_if_varying(&mut self, pat: &Pat, value: &Expr) {
        if self.depends(value) {
            self.names.extend(bound(pat));
        }
    }

    fn depends(&self, expr: &Expr) -> bool {
        let mut depends = Depends { names: &self.names, found: false };
        depends.visit_expr(expr);
        depends.found
    }
}

impl<'ast> Visit<'ast> for Varying<'_> {
    fn visit_local(&mut self, node: &'ast Local) {
        visit::visit_local(self, node);
        if let Some(init) = &node.init {
            self.bind_if_varying(&node.pat, &init.expr);
        }
    }

    fn visit_expr_let(&mut self, node: &'ast ExprLet) {
        visit::visit_expr_let(self, node);
        self.bind_if_varying(&node.pat, &node.expr);
    }

    fn visit_expr_for_loop(&mut self, node: &'ast ExprForLoop) {
        self.bind_if_varying(&node.pat, &node.expr);
        visit::visit_expr_for_loop(self, node);
    }

    fn visit_expr_match(&mut self, node: &'ast ExprMatch) {
        node.arms.iter().for_each(|arm| self.bind_if_varying(&arm.pat, &node.expr));
        visit::visit_expr_match(self, node);
    }

    fn visit_expr_closure(&mut self, node: &'ast ExprClosure) {
        self.names.extend(node.inputs.iter().flat_map(bound));
        visit::visit_expr_closure(self, node);
    }

    fn visit_expr_assign(&mut self, node: &'ast ExprAssign) {
        self.names.extend(roots(&node.left));
        visit::visit_expr_assign(self, node);
    }

    fn visit_expr_binary(&mut self, node: &'ast ExprBinary) {
        if super::exprs::assigns(node.op) {
            self.names.extend(root(&node.left));
        }
        visit::visit_expr_binary(self, node);
    }

    fn visit_expr_reference(&mut self, node: &'ast ExprReference) {
        if node.mutability.is_some() {
            self.names.extend(root(&node.expr));
        }
        visit::visit_expr_reference(self, node);
    }

    fn visit_expr_method_call(&mut self, node: &'ast ExprMethodCall) {
        let changes = changes_any(&node.method.to_string(), node.args.len());
        let receiver = root(&node.receiver).filter(|name| changes || self.mutable.contains(name));
        if !PURE.iter().any(|method| node.method == method) {
            self.names.extend(receiver);
        }
        self.visit_expr(&node.receiver);
        let same_elements = !self.depends(&node.receiver);
        for argument in &node.args {
            match argument {
                // `list.iter().map(|item| ..)` gives the same items each time if `list` does.
                Expr::Closure(closure) if same_elements => self.visit_expr(&closure.body),
                other => self.visit_expr(other),
            }
        }
    }

    fn visit_macro(&mut self, mac: &'ast Macro) {
        let is_known = mac.path.segments.last().is_some_and(|last| KNOWN.iter().any(|known| last.ident == known));
        match arguments(mac.tokens.clone()) {
            Some(arguments) if is_known => arguments.iter().for_each(|argument| self.visit_expr(argument)),
            // Any name in it may be one that it binds or changes, as the patterns of `select!` do.
            _ => self.names.extend(idents(mac.tokens.clone())),
        }
    }

    fn visit_item(&mut self, _: &'ast Item) {}
}

/// The names that an assignment changes: several in `(a, b) = ..`.
fn roots(place: &Expr) -> Vec<String> {
    match place {
        Expr::Tuple(tuple) => tuple.elems.iter().flat_map(roots).collect(),
        Expr::Array(array) => array.elems.iter().flat_map(roots).collect(),
        other => root(other).into_iter().collect(),
    }
}

/// Whether a value may differ each time: it uses a varying name, or asks something that may answer differently.
struct Depends<'a> {
    names: &'a BTreeSet<String>,
    found: bool,
}

impl<'ast> Visit<'ast> for Depends<'_> {
    fn visit_expr_path(&mut self, node: &'ast ExprPath) {
        self.found |= node.path.get_ident().is_some_and(|name| self.names.contains(&name.to_string()));
    }

    fn visit_expr_method_call(&mut self, node: &'ast ExprMethodCall) {
        self.found |= !PURE.iter().any(|method| node.method == method);
        visit::visit_expr_method_call(self, node);
    }

    fn visit_expr_call(&mut self, node: &'ast ExprCall) {
        self.found |= !is_constructor(&node.func);
        visit::visit_expr_call(self, node);
    }

    fn visit_expr_await(&mut self, _: &'ast ExprAwait) {
        self.found = true;
    }

    fn visit_expr_macro(&mut self, _: &'ast ExprMacro) {
        self.found = true;
    }
}

/// `Some(x)`, `Id(x)`: as good as its arguments.
fn is_constructor(function: &Expr) -> bool {
    let Expr::Path(path) = function else { return false };
    path.path.segments.last().is_some_and(|last| last.ident.to_string().starts_with(char::is_uppercase))
}
