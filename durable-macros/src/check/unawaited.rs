//! An `async` block or a closure that is bound to a name which nothing uses: it never runs, and neither do its steps.

use quote::ToTokens;
use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};
use syn::{Block, Expr, ExprAssign, ExprCall, ExprLet, ExprMatch, ExprMethodCall, Local, Pat, Token};

use super::hoarded::{Hoards, hoards};
use super::ignored::given_away;
use super::swallowed::plain;
use super::unpolled::holds_future;
use crate::diag::Errors;
use crate::names::{idents, root};
use crate::walk::slots_in;

const BUFFERS: &[&str] = &["buffered", "buffer_unordered", "try_buffered", "try_buffer_unordered"];

pub(super) fn check(block: &Block, errors: &mut Errors) {
    Unawaited { block, hoards: hoards(block), errors }.visit_block(block);
}

struct Unawaited<'a> {
    block: &'a Block,
    hoards: Hoards,
    errors: &'a mut Errors,
}

impl Unawaited<'_> {
    /// Refuses what holds steps and is dropped.
    fn dropped(&mut self, value: &Expr) {
        match plain(value) {
            Expr::Reference(of) => self.dropped(&of.expr),
            Expr::Tuple(tuple) => tuple.elems.iter().for_each(|part| self.dropped(part)),
            Expr::Async(block) if has_steps(&block.block) => self.errors.on(
                &block.async_token,
                "nobody awaits this block, so its steps are never reached: write `.await` behind it, or take it out",
            ),
            Expr::Closure(closure) if has_steps(&closure.body) => self.errors.on(
                &closure.inputs_begin,
                "nobody calls this closure, so its steps are never reached: call it, with `.await` behind it, or take it out",
            ),
            Expr::MethodCall(call) if is_stream(call) && holds_future(value) => self.errors.on(
                &call.method,
                "nobody polls this stream, so its steps are never reached: collect it, with `.await` behind that, or take it out",
            ),
            _ => {}
        }
    }

    /// The same of what a pattern binds and nothing uses.
    fn bound(&mut self, pat: &Pat, value: &Expr) {
        match (pat, plain(value)) {
            (Pat::Tuple(pats), Expr::Tuple(values)) if pats.elems.len() == values.elems.len() => {
                pats.elems.iter().zip(&values.elems).for_each(|(pat, value)| self.bound(pat, value));
            }
            (pat, value) if is_thrown_away(pat, self.block) => self.dropped(value),
            _ => {}
        }
    }
}

impl<'ast> Visit<'ast> for Unawaited<'_> {
    fn visit_local(&mut self, node: &'ast Local) {
        if let Some(init) = &node.init {
            self.bound(&node.pat, &init.expr);
        }
        visit::visit_local(self, node);
    }

    fn visit_expr_assign(&mut self, node: &'ast ExprAssign) {
        if matches!(*node.left, Expr::Infer(_)) || is_only_assigned(&node.left, self.block) {
            self.dropped(&node.right);
        }
        visit::visit_expr_assign(self, node);
    }

    fn visit_expr_let(&mut self, node: &'ast ExprLet) {
        self.bound(&node.pat, &node.expr);
        visit::visit_expr_let(self, node);
    }

    fn visit_expr_match(&mut self, node: &'ast ExprMatch) {
        if node.arms.iter().all(|arm| is_thrown_away(&arm.pat, self.block)) {
            self.dropped(&node.expr);
        }
        visit::visit_expr_match(self, node);
    }

    fn visit_expr_call(&mut self, node: &'ast ExprCall) {
        if let Some(value) = given_away(node) {
            self.dropped(value);
        }
        visit::visit_expr_call(self, node);
    }

    fn visit_expr_method_call(&mut self, node: &'ast ExprMethodCall) {
        if root(&node.receiver).is_some_and(|list| self.hoards.filled.contains(&list)) {
            node.args.iter().for_each(|value| self.dropped(value));
        }
        visit::visit_expr_method_call(self, node);
    }
}

/// What gives a stream of what the futures of its closure come to.
fn is_stream(call: &ExprMethodCall) -> bool {
    let takes_each = || matches!(call.args.first(), Some(Expr::Closure(closure)) if !closure.inputs.is_empty());
    BUFFERS.iter().any(|method| call.method == method) || call.method == "then" && takes_each()
}

pub(super) fn has_steps(code: &impl ToTokens) -> bool {
    !slots_in(code.to_token_stream()).is_empty()
}

/// Whether nothing of a value that comes to this pattern is used.
pub(super) fn is_thrown_away(pat: &Pat, block: &Block) -> bool {
    let all = |pats: &Punctuated<Pat, Token![,]>| pats.iter().all(|pat| is_thrown_away(pat, block));
    match pat {
        Pat::Type(typed) => is_thrown_away(&typed.pat, block),
        Pat::Paren(paren) => is_thrown_away(&paren.pat, block),
        Pat::Reference(of) => is_thrown_away(&of.pat, block),
        Pat::TupleStruct(of) => all(&of.elems),
        Pat::Tuple(tuple) => all(&tuple.elems),
        Pat::Slice(slice) => all(&slice.elems),
        Pat::Struct(of) => of.fields.iter().all(|field| is_thrown_away(&field.pat, block)),
        Pat::Or(any) => any.cases.iter().all(|pat| is_thrown_away(pat, block)),
        Pat::Rest(_) | Pat::Path(_) | Pat::Lit(_) | Pat::Range(_) => true,
        // `None`
        Pat::Ident(name) => is_unused(pat, block) || name.ident.to_string().starts_with(char::is_uppercase),
        pat => is_unused(pat, block),
    }
}

/// A name that was declared before, and is named nowhere else.
pub(super) fn is_only_assigned(place: &Expr, block: &Block) -> bool {
    let Expr::Path(path) = place else { return false };
    let Some(name) = path.path.get_ident().map(ToString::to_string) else { return false };
    name.starts_with('_') && idents(block.to_token_stream()).iter().filter(|other| **other == name).count() == 2
}

/// `_`, or `_paid` that is named nowhere else in the block. Of other names the compiler says so.
pub(super) fn is_unused(pat: &Pat, block: &Block) -> bool {
    match pat {
        Pat::Wild(_) => true,
        Pat::Type(typed) => is_unused(&typed.pat, block),
        Pat::Ident(name) => {
            let name = name.ident.to_string();
            let is_named = |other: &String| *other == name;
            name.starts_with('_') && idents(block.to_token_stream()).iter().filter(|name| is_named(name)).count() == 1
        }
        _ => false,
    }
}
