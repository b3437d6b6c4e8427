//! Lists that a body fills and never looks at, and values that it only counts: of futures in one, none ever runs.

use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::{Block, Expr, ExprMethodCall, Item, Local, Macro, Pat, PathArguments};

use super::swallowed::plain;
use crate::names::idents;
use crate::walk::input_of;

/// Those that run nothing by themselves.
const LISTS: &[&str] = &["Vec", "VecDeque", "FuturesOrdered", "FuturesUnordered"];

const FILL: &[&str] = &["push", "push_back", "push_front"];

/// What tells something of a value, and no more.
pub(super) const LOOKS: &[&str] = &["count", "is_empty", "is_none", "is_ok", "is_some", "is_err", "len"];

/// Names of which a body makes little.
#[derive(Default)]
pub(super) struct Hoards {
    /// Lists that are filled, and never looked at.
    pub(super) filled: Vec<String>,
    /// Values of which is told how many there are, or whether there is one.
    pub(super) looked_at: Vec<String>,
}

pub(super) fn hoards(body: &Block) -> Hoards {
    let mut lists = Lists::default();
    lists.visit_block(body);
    if lists.made.is_empty() && lists.looked_at.is_empty() {
        return Hoards::default();
    }
    let named = idents(body.to_token_stream());
    let count = |names: &[String], name: &String| names.iter().filter(|other| *other == name).count();
    let Lists { mut made, filled, mut bound, looked_at } = lists;
    made.retain(|name| count(&named, name) == 1 + count(&filled, name));
    bound.retain(|name| looked_at.contains(name) && count(&named, name) == 1 + count(&looked_at, name));
    Hoards { filled: made, looked_at: bound }
}

#[derive(Default)]
struct Lists {
    made: Vec<String>,
    /// One for each call.
    filled: Vec<String>,
    bound: Vec<String>,
    /// One for each call.
    looked_at: Vec<String>,
}

impl<'ast> Visit<'ast> for Lists {
    fn visit_local(&mut self, node: &'ast Local) {
        if let (Pat::Ident(name), Some(init)) = (&node.pat, &node.init) {
            let names = if is_new(&init.expr) { &mut self.made } else { &mut self.bound };
            names.push(name.ident.to_string());
        }
        visit::visit_local(self, node);
    }

    fn visit_expr_method_call(&mut self, node: &'ast ExprMethodCall) {
        if let Expr::Path(list) = plain(&node.receiver)
            && let Some(name) = list.path.get_ident()
        {
            let is_one_of = |methods: &[&str]| methods.iter().any(|method| node.method == method);
            if is_one_of(FILL) {
                self.filled.push(name.to_string());
            } else if is_one_of(LOOKS) {
                self.looked_at.push(name.to_string());
            }
        }
        visit::visit_expr_method_call(self, node);
    }

    fn visit_macro(&mut self, mac: &'ast Macro) {
        input_of(mac).visit(self);
    }

    fn visit_item(&mut self, _: &'ast Item) {}
}

/// `Vec::new()`, `FuturesUnordered::with_capacity(3)`. One whose items are written out, `Vec::<u8>::new()`, holds what that says.
fn is_new(value: &Expr) -> bool {
    let Expr::Call(call) = plain(value) else { return false };
    let Expr::Path(path) = plain(&call.func) else { return false };
    let mut names = path.path.segments.iter().rev().skip(1);
    let may_hold_futures = |of: &PathArguments| {
        of.is_empty() || idents(of.to_token_stream()).iter().any(|name| name == "_" || name.ends_with("Future"))
    };
    names.next().is_some_and(|name| LISTS.iter().any(|list| name.ident == list) && may_hold_futures(&name.arguments))
}
