//! Lists that a body fills, and never looks at: of futures in one, none ever runs.

use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::{Block, Expr, ExprMethodCall, Item, Local, Pat, PathArguments};

use super::swallowed::plain;
use crate::names::idents;

/// Those that run nothing by themselves.
const LISTS: &[&str] = &["Vec", "VecDeque", "FuturesOrdered", "FuturesUnordered"];

const FILL: &[&str] = &["push", "push_back", "push_front"];

/// Their names.
pub(super) fn hoards(body: &Block) -> Vec<String> {
    let mut lists = Lists::default();
    lists.visit_block(body);
    if lists.made.is_empty() {
        return Vec::new();
    }
    let named = idents(body.to_token_stream());
    let count = |names: &[String], name: &String| names.iter().filter(|other| *other == name).count();
    lists.made.retain(|name| count(&named, name) == 1 + count(&lists.filled, name));
    lists.made
}

#[derive(Default)]
struct Lists {
    made: Vec<String>,
    /// One for each call.
    filled: Vec<String>,
}

impl<'ast> Visit<'ast> for Lists {
    fn visit_local(&mut self, node: &'ast Local) {
        if let Pat::Ident(name) = &node.pat
            && node.init.as_ref().is_some_and(|init| is_new(&init.expr))
        {
            self.made.push(name.ident.to_string());
        }
        visit::visit_local(self, node);
    }

    fn visit_expr_method_call(&mut self, node: &'ast ExprMethodCall) {
        if let Expr::Path(list) = plain(&node.receiver)
            && let Some(name) = list.path.get_ident()
            && FILL.iter().any(|method| node.method == method)
        {
            self.filled.push(name.to_string());
        }
        visit::visit_expr_method_call(self, node);
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
