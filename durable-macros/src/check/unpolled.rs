//! Futures that a body drops, where only the type of a value says whether it is one: none of what is in them ever happens.

use std::mem;

use proc_macro2::{Ident, Span};
use quote::ToTokens;
use syn::token::Brace;
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{
    Attribute, Block, Expr, ExprAssign, ExprAsync, ExprCall, ExprClosure, ExprForLoop, ExprLet, ExprMacro, ExprMatch,
    ExprMethodCall, Item, Local, Macro, Pat, Path, Stmt, Type, parse_quote_spanned,
};

use super::hoarded::{Hoards, LOOKS, hoards};
use super::ignored::given_away;
use super::swallowed::plain;
use super::unawaited::{has_steps, is_only_assigned, is_thrown_away, is_unused};
use crate::expand;
use crate::model::Session;
use crate::names::{idents, mentions, root};
use crate::span;
use crate::walk::input_of;

/// Has the compiler ask for the types of what may be one. The value of any other call may have a type that is known only
/// further down, and to ask for it would be an error.
pub(crate) fn forgotten_futures(session: &Session, body: &mut Block, path: Option<&Path>) {
    let session = match session {
        Session::Parameter { name, .. } => Some(name.to_string()),
        Session::Given(given) => root(given),
    };
    let hoards = hoards(body);
    let mut forgotten = Forgotten { whole: body.clone(), hoards, session: session.unwrap_or_default(), path };
    forgotten.visit_block_mut(body);
}

struct Forgotten<'a> {
    /// The body, which shows the names that are used.
    whole: Block,
    hoards: Hoards,
    session: String,
    path: Option<&'a Path>,
}

impl Forgotten<'_> {
    fn ask(&self, value: &mut Expr) {
        let attrs = attrs_of(value).map(mem::take).unwrap_or_default();
        *value = expand::asked_of_type(value, span::ends(value), "forgotten", self.path);
        // The compiler takes none on what is only a part of an expression.
        attrs_of(value).into_iter().for_each(|place| place.clone_from(&attrs));
    }

    /// The same of a value whose type is written down, and perhaps nowhere else.
    fn ask_as(&self, of: &Type, value: &mut Expr) {
        let ends = span::ends(value);
        let at = span::generated(ends.0);
        let held = Ident::new("__durable_held", at);
        let asked = expand::asked_of_type(&held, ends, "forgotten", self.path);
        *value = parse_quote_spanned!(at=> { let #held: #of = #value; #asked });
    }

    /// Asks for what may be one in a value that is dropped.
    fn dropped(&self, value: &mut Expr) {
        match value {
            Expr::Group(group) => self.dropped(&mut group.expr),
            Expr::Paren(paren) => self.dropped(&mut paren.expr),
            Expr::Reference(of) => self.dropped(&mut of.expr),
            Expr::Tuple(tuple) => tuple.elems.iter_mut().for_each(|part| self.dropped(part)),
            Expr::Block(block) => self.end_dropped(&mut block.block),
            Expr::If(question) => {
                self.end_dropped(&mut question.then_branch);
                question.else_branch.iter_mut().for_each(|(_, other)| self.dropped(other));
            }
            value if self.may_be_one(value) => self.ask(value),
            _ => {}
        }
    }

    /// The same of what a pattern binds and nothing uses. What has its type from the pattern alone is not known where it is
    /// asked for.
    fn bound(&self, pat: &Pat, value: &mut Expr) {
        match (pat, value) {
            (Pat::Tuple(pats), Expr::Tuple(values)) if pats.elems.len() == values.elems.len() => {
                pats.elems.iter().zip(&mut values.elems).for_each(|(pat, value)| self.bound(pat, value));
            }
            (Pat::Ident(name), value) if self.hoards.looked_at.contains(&name.ident.to_string()) => self.dropped(value),
            (pat, _) if !is_thrown_away(pat, &self.whole) => {}
            (Pat::Type(typed), value) if says_future(&typed.ty) => self.dropped(value),
            (Pat::Type(typed), value) if holds(&typed.ty) && self.may_be_one(value) => self.ask_as(&typed.ty, value),
            (Pat::Type(_), _) => {}
            (_, value) => self.dropped(value),
        }
    }

    fn end_dropped(&self, block: &mut Block) {
        if let Some(Stmt::Expr(end, None)) = block.stmts.last_mut() {
            self.dropped(end);
        }
    }

    /// A workflow that is called, or steps that something makes futures of.
    fn may_be_one(&self, value: &Expr) -> bool {
        makes(value) && !lends(value) && (holds_future(value) || self.gets_session(value))
    }

    fn gets_session(&self, value: &Expr) -> bool {
        mentions(value.to_token_stream(), &[&self.session])
    }

    /// Whether a closure in it may give one: `id.map(|id| pay(session, id))`.
    fn in_closure(&self, value: &Expr) -> bool {
        let mut given = Given { session: &self.session, found: false };
        given.visit_expr(value);
        given.found
    }
}

impl VisitMut for Forgotten<'_> {
    fn visit_stmt_mut(&mut self, stmt: &mut Stmt) {
        visit_mut::visit_stmt_mut(self, stmt);
        match stmt {
            // Of a future itself the compiler warns, and not of several.
            Stmt::Expr(value, Some(_)) if makes(value) && (holds_future(value) || self.in_closure(value)) => {
                let ends = span::ends(value);
                self.ask(value);
                placed(value, ends);
            }
            Stmt::Expr(value @ (Expr::If(_) | Expr::Block(_) | Expr::Array(_)), Some(_)) => self.dropped(value),
            Stmt::Macro(list) if list.semi_token.is_some() && list.mac.path.is_ident("vec") => {
                let mut value = Expr::Macro(ExprMacro { attrs: mem::take(&mut list.attrs), mac: list.mac.clone() });
                self.dropped(&mut value);
                *stmt = Stmt::Expr(value, list.semi_token);
            }
            _ => {}
        }
    }

    fn visit_local_mut(&mut self, local: &mut Local) {
        visit_mut::visit_local_mut(self, local);
        if let Some(init) = local.init.as_mut() {
            self.bound(&local.pat, &mut init.expr);
        }
    }

    fn visit_expr_assign_mut(&mut self, node: &mut ExprAssign) {
        visit_mut::visit_expr_assign_mut(self, node);
        if matches!(*node.left, Expr::Infer(_)) || is_only_assigned(&node.left, &self.whole) {
            self.dropped(&mut node.right);
        }
    }

    fn visit_expr_let_mut(&mut self, node: &mut ExprLet) {
        visit_mut::visit_expr_let_mut(self, node);
        self.bound(&node.pat, &mut node.expr);
    }

    fn visit_expr_match_mut(&mut self, node: &mut ExprMatch) {
        visit_mut::visit_expr_match_mut(self, node);
        if node.arms.iter().all(|arm| is_thrown_away(&arm.pat, &self.whole)) {
            self.dropped(&mut node.expr);
        }
    }

    fn visit_expr_for_loop_mut(&mut self, node: &mut ExprForLoop) {
        visit_mut::visit_expr_for_loop_mut(self, node);
        if is_unused(&node.pat, &self.whole) && (holds_future(&node.expr) || self.in_closure(&node.expr)) {
            self.ask(&mut node.expr);
        }
    }

    fn visit_expr_call_mut(&mut self, call: &mut ExprCall) {
        visit_mut::visit_expr_call_mut(self, call);
        if given_away(call).is_some() {
            call.args.iter_mut().for_each(|value| self.dropped(value));
        }
    }

    fn visit_expr_method_call_mut(&mut self, call: &mut ExprMethodCall) {
        visit_mut::visit_expr_method_call_mut(self, call);
        if root(&call.receiver).is_some_and(|list| self.hoards.filled.contains(&list)) {
            call.args.iter_mut().for_each(|value| self.dropped(value));
        }
        if LOOKS.iter().any(|method| call.method == method) {
            self.dropped(&mut call.receiver);
        }
    }

    fn visit_item_mut(&mut self, _: &mut Item) {}
}

/// Whether a type is one of others, of which one may be that of futures.
fn holds(of: &Type) -> bool {
    let Type::Path(path) = of else { return false };
    path.path.segments.last().is_some_and(|last| !last.arguments.is_empty())
}

/// Whether a type names futures.
fn says_future(of: &Type) -> bool {
    idents(of.to_token_stream()).iter().any(|name| name.ends_with("Future"))
}

/// Whether it is a call whose value nobody waits for. What is spawned runs by itself.
fn makes(value: &Expr) -> bool {
    match plain(value) {
        Expr::Call(call) => given_away(call).is_none() && !says_spawn(&call.func),
        // A map gives what was there before.
        Expr::MethodCall(call) => !says_spawn(&call.method) && call.method != "insert",
        Expr::Macro(_) | Expr::Array(_) => true,
        _ => false,
    }
}

/// Whether it is a guard that holds what is borrowed for it, which lives as long as the guard only where that is not moved.
fn lends(value: &Expr) -> bool {
    let Expr::Call(call) = plain(value) else { return false };
    let Expr::Path(path) = plain(&call.func) else { return false };
    let named = path.path.segments.last().map(|name| name.ident.to_string());
    let is_constructor = named.is_some_and(|name| name.starts_with(char::is_uppercase));
    is_constructor && call.args.iter().any(|value| matches!(plain(value), Expr::Reference(_)))
}

fn says_spawn(name: &impl ToTokens) -> bool {
    name.to_token_stream().to_string().contains("spawn")
}

/// Lets what asks stand where the user's value stood, for there the compiler says that it is unused.
fn placed(value: &mut Expr, (first, last): (Span, Span)) {
    if let Expr::Match(asked) = value {
        asked.match_token.span = first;
        asked.brace_token = Brace(last);
    }
}

fn attrs_of(expr: &mut Expr) -> Option<&mut Vec<Attribute>> {
    match expr {
        Expr::Call(call) => Some(&mut call.attrs),
        Expr::MethodCall(call) => Some(&mut call.attrs),
        Expr::Match(asked) => Some(&mut asked.attrs),
        _ => None,
    }
}

/// Whether steps are in a future that something in it makes.
pub(super) fn holds_future(value: &Expr) -> bool {
    let mut futures = Futures(false);
    futures.visit_expr(value);
    futures.0
}

struct Futures(bool);

impl<'ast> Visit<'ast> for Futures {
    fn visit_expr_async(&mut self, node: &'ast ExprAsync) {
        self.0 |= has_steps(&node.block);
    }

    fn visit_expr_closure(&mut self, node: &'ast ExprClosure) {
        match node.asyncness {
            Some(_) => self.0 |= has_steps(&node.body),
            None => visit::visit_expr_closure(self, node),
        }
    }

    fn visit_macro(&mut self, mac: &'ast Macro) {
        input_of(mac).visit(self);
    }
}

/// Finds a closure that gives what a call of something with the session comes to.
struct Given<'a> {
    session: &'a str,
    found: bool,
}

impl<'ast> Visit<'ast> for Given<'_> {
    fn visit_expr_closure(&mut self, node: &'ast ExprClosure) {
        let given = end_of(&node.body);
        self.found |= node.asyncness.is_none() && makes(given) && mentions(given.to_token_stream(), &[self.session]);
        visit::visit_expr_closure(self, node);
    }
}

fn end_of(body: &Expr) -> &Expr {
    match plain(body) {
        Expr::Block(block) => match block.block.stmts.last() {
            Some(Stmt::Expr(end, None)) => end_of(end),
            _ => body,
        },
        other => other,
    }
}
