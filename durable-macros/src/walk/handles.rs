//! What the session of a workflow is called in its body.

use std::collections::BTreeSet;

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::{
    Block, Expr, ExprCall, ExprMethodCall, Item, Local, Macro, Member, Pat, PatIdent, PatStruct, UnOp, parse_quote,
};

use super::exprs::peel;
use super::{input_of, unkeyed::waits_for};
use crate::model::{Session, Step};
use crate::names::idents;

/// The names of a session, and the expression that `session = ..` says.
pub(super) struct Handles {
    names: BTreeSet<String>,
    given: Option<String>,
    /// The names of everything else, each as often as it is bound.
    others: Vec<String>,
}

impl Handles {
    /// A name that something else has as well may be anything.
    pub(super) fn of(session: &Session, body: &Block, steps: &[Step]) -> Self {
        let (names, given) = match session {
            Session::Parameter { name, .. } => (BTreeSet::from([name.to_string()]), None),
            Session::Given(expr) => (BTreeSet::new(), Some(text(expr))),
        };
        let mut bindings = Bindings(Self { names, given, others: Vec::new() });
        bindings.visit_block(body);
        steps.iter().for_each(|step| bindings.visit_expr(&step.expr));
        let mut handles = bindings.0;
        handles.names.retain(|name| !handles.others.contains(name));
        handles
    }

    /// Whether a name means one thing in the whole body.
    pub(super) fn is_bound_once(&self, name: &Ident) -> bool {
        self.others.iter().filter(|other| name == other).count() == 1
    }

    /// The wait that a call is: `session.sleep(day)`, `Session::sleep(session, day)`.
    pub(super) fn wait(&self, expr: &Expr) -> Option<ExprMethodCall> {
        match peel(expr) {
            Expr::MethodCall(call) if self.waits(call) => Some(call.clone()),
            Expr::Call(call) => method(call).filter(|call| self.waits(call)),
            _ => None,
        }
    }

    /// Whether a call of the session waits: `session.sleep(day)`.
    pub(super) fn waits(&self, call: &ExprMethodCall) -> bool {
        waits_for(&call.method).is_some() && self.are(&call.receiver)
    }

    /// Takes out the names that the input of a macro may bind to something else, and gives them.
    pub(super) fn hide(&mut self, input: TokenStream) -> Vec<String> {
        let mut bound = bound_among(input);
        bound.retain(|name| self.names.remove(name));
        bound
    }

    pub(super) fn show(&mut self, hidden: Vec<String>) {
        self.names.extend(hidden);
    }

    /// `session`, `&session`, `*session`, `session.clone()`, `Arc::clone(&session)`, and what `session = ..` says.
    pub(super) fn are(&self, expr: &Expr) -> bool {
        if self.given.as_ref().is_some_and(|given| *given == text(expr)) {
            return true;
        }
        match expr {
            Expr::Path(path) => path.path.get_ident().is_some_and(|name| self.names.contains(&name.to_string())),
            Expr::Reference(reference) => self.are(&reference.expr),
            Expr::Unary(unary) if matches!(unary.op, UnOp::Deref(_)) => self.are(&unary.expr),
            Expr::Group(group) => self.are(&group.expr),
            Expr::Paren(paren) => self.are(&paren.expr),
            Expr::MethodCall(call) => call.method == "clone" && call.args.is_empty() && self.are(&call.receiver),
            Expr::Call(call) => {
                let clones = matches!(&*call.func, Expr::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "clone"));
                clones && call.args.len() == 1 && call.args.iter().all(|of| self.are(of))
            }
            _ => false,
        }
    }

    /// What `let Self { session, .. } = self` calls the session, where `session = self.session`.
    fn field(&self, pat: &PatStruct, of: &Expr) -> Option<String> {
        let given = self.given.as_ref()?;
        pat.fields.iter().find_map(|field| match (&field.member, &*field.pat) {
            (Member::Named(member), Pat::Ident(name)) if *given == format!("{} . {member}", text(of)) => {
                Some(name.ident.to_string())
            }
            _ => None,
        })
    }
}

/// `Session::sleep(session, day)` as a method.
fn method(call: &ExprCall) -> Option<ExprMethodCall> {
    let Expr::Path(path) = &*call.func else { return None };
    let mut segments = path.path.segments.iter().rev();
    let (last, owner) = (segments.next()?, segments.next()?);
    let mut args = call.args.iter();
    let receiver = args.next().filter(|_| owner.ident == "Session")?;
    let name = &last.ident;
    let generics = match &last.arguments {
        syn::PathArguments::AngleBracketed(given) => Some(given),
        _ => None,
    };
    Some(parse_quote!(#receiver.#name #generics (#(#args),*)))
}

/// The names that tokens may bind, whatever the macro makes of them.
fn bound_among(tokens: TokenStream) -> Vec<String> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut bound = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|before| tokens.get(before)).map(ToString::to_string);
        let before = before.unwrap_or_default();
        let is_bound = is_assigned(&tokens[at + 1..])
            || matches!(tokens.get(at + 1), Some(TokenTree::Ident(word)) if word == "in");
        match token {
            TokenTree::Ident(name) => {
                let binds = matches!(before.as_str(), "as" | "let" | "mut" | "ref" | "|");
                let ends = matches!(tokens.get(at + 1), Some(TokenTree::Punct(sign)) if sign.as_char() == '|');
                if is_bound || binds || ends {
                    bound.push(name.to_string());
                }
            }
            TokenTree::Group(group) => {
                bound.extend(bound_among(group.stream()));
                let is_call = before.starts_with(|first: char| first.is_lowercase() || first == '_');
                if is_bound && !is_call {
                    bound.extend(idents(group.stream()));
                }
            }
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
    bound
}

/// `= ..` or `=> ..`, and not `== ..`.
fn is_assigned(behind: &[TokenTree]) -> bool {
    let sign = |at: usize| match behind.get(at) {
        Some(TokenTree::Punct(punct)) => punct.as_char(),
        _ => ' ',
    };
    sign(0) == '=' && sign(1) != '='
}

struct Bindings(Handles);

impl<'ast> Visit<'ast> for Bindings {
    fn visit_local(&mut self, local: &'ast Local) {
        let value = local.init.as_ref().filter(|init| self.0.are(&init.expr));
        let init = local.init.as_ref().map(|init| &*init.expr);
        if let (Pat::Struct(pat), Some(init)) = (&local.pat, init)
            && let Some(name) = self.0.field(pat, init)
        {
            self.0.names.insert(name);
            return;
        }
        match (&local.pat, value) {
            (Pat::Ident(name), Some(_)) => drop(self.0.names.insert(name.ident.to_string())),
            _ => visit::visit_local(self, local),
        }
    }

    fn visit_pat_ident(&mut self, pat: &'ast PatIdent) {
        self.0.others.push(pat.ident.to_string());
        visit::visit_pat_ident(self, pat);
    }

    fn visit_macro(&mut self, mac: &'ast Macro) {
        input_of(mac).visit(self);
    }

    fn visit_item(&mut self, _: &'ast Item) {}
}

fn text(expr: &Expr) -> String {
    match expr {
        Expr::Reference(reference) => text(&reference.expr),
        other => other.to_token_stream().to_string(),
    }
}
