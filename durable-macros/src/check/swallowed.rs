//! What takes the error off an effect inside its step: nobody would ever ask whether it happened.

use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use syn::parse::{ParseStream, Parser};
use syn::visit::{self, Visit};
use syn::{Block, Expr, ExprMethodCall, Local, Macro, Pat, Path, Stmt, Token};

use crate::diag::Errors;
use crate::model::{Kind, Step};
use crate::names::{bound, mentions};

/// Methods that leave nothing of an error, or nothing that tells it from a value.
const SWALLOW: &[&str] = &["err", "is_err", "is_err_and", "is_ok", "is_ok_and", "ok", "unwrap_or", "unwrap_or_default"];

/// Methods of a `Result` that give one again.
const KEEP: &[&str] = &["and_then", "as_ref", "inspect", "inspect_err", "map", "map_err", "or_else"];

pub(super) fn check(steps: &[Step], errors: &mut Errors) {
    for Taken { at, written, .. } in steps.iter().flat_map(taken).filter(|taken| taken.by_type.is_none()) {
        errors.on(
            &at,
            format!("an effect that failed, or may have happened, would be recorded here as a value: write `errors = \"recorded\"` into the attribute, which has it verified first, and `{written}` behind the step, on what that gives"),
        );
    }
}

/// `call().await.is_ok()`: a failed effect would be recorded as one that came to this.
pub(super) fn taken(step: &Step) -> Vec<Taken<'_>> {
    if step.args.kind != Kind::SideEffect {
        return Vec::new();
    }
    let outcomes = Outcomes::of(&step.expr, step.args.binding.as_ref());
    let mut values = Vec::new();
    values_of(&step.expr, &mut values);
    let taken = values.into_iter().filter_map(|value| outcomes.taken_off(value));
    // What else leaves the `?` behind the step something is an error again, or none of a call.
    taken.filter(|taken| step.question.is_none() || taken.at == "or_else").collect()
}

/// What takes the error off.
pub(super) struct Taken<'e> {
    pub(super) at: Ident,
    pub(super) written: String,
    /// What it is taken off, where that may be an `Option`, which has such a method as well.
    pub(super) by_type: Option<&'e Expr>,
}

/// What in a step stands for what a call gave, still with its error.
#[derive(Default)]
pub(super) struct Outcomes {
    names: Vec<String>,
    /// The name of the key: what is called with it is the call, be it awaited or not.
    key: Option<String>,
}

impl Outcomes {
    pub(super) fn of(expr: &Expr, key: Option<&Ident>) -> Self {
        let mut outcomes = Self { names: Vec::new(), key: key.map(ToString::to_string) };
        outcomes.visit_expr(expr);
        outcomes
    }

    /// What comes behind it has no error any more.
    pub(super) fn taken_off<'e>(&self, value: &'e Expr) -> Option<Taken<'e>> {
        match plain(value) {
            Expr::MethodCall(call) if swallows(call) && self.is_one(&call.receiver) => {
                let arguments = if call.args.is_empty() { "" } else { ".." };
                let by_type = may_be_of_an_option(call).then_some(&*call.receiver);
                Some(Taken { at: call.method.clone(), written: format!(".{}({arguments})", call.method), by_type })
            }
            Expr::MethodCall(call) => self.taken_off(&call.receiver),
            Expr::Try(question) => self.taken_off(&question.expr),
            Expr::Macro(mac) if self.is_matched(&mac.mac) => {
                let at = mac.mac.path.get_ident()?.clone();
                Some(Taken { at, written: "matches!(..)".to_owned(), by_type: None })
            }
            _ => None,
        }
    }

    /// `matches!(call().await, Ok(_))`
    fn is_matched(&self, mac: &Macro) -> bool {
        let pattern = |input: ParseStream<'_>| {
            let value: Expr = input.parse()?;
            let _: Token![,] = input.parse()?;
            let name: Ident = input.parse()?;
            let _: TokenStream = input.parse()?;
            Ok(self.is_one(&value) && (name == "Ok" || name == "Err"))
        };
        mac.path.is_ident("matches") && pattern.parse2(mac.tokens.clone()).unwrap_or_default()
    }

    pub(super) fn is_one(&self, expr: &Expr) -> bool {
        match plain(expr) {
            Expr::Await(_) => true,
            Expr::Path(path) => path.path.get_ident().is_some_and(|name| self.names.contains(&name.to_string())),
            Expr::MethodCall(call) if is_one_of(call, KEEP) => self.is_one(&call.receiver),
            Expr::MethodCall(call) => self.gets_key(&call.args),
            Expr::Call(call) => self.gets_key(&call.args),
            _ => false,
        }
    }

    fn gets_key(&self, arguments: &impl ToTokens) -> bool {
        self.key.as_ref().is_some_and(|key| mentions(arguments.to_token_stream(), &[key]))
    }
}

impl<'ast> Visit<'ast> for Outcomes {
    fn visit_local(&mut self, node: &'ast Local) {
        visit::visit_local(self, node);
        match (&node.pat, &node.init) {
            (Pat::Ident(name), Some(init)) if self.is_one(&init.expr) => self.names.push(name.ident.to_string()),
            (Pat::Tuple(names), Some(init)) if is_join(&init.expr) => {
                self.names.extend(names.elems.iter().flat_map(bound));
            }
            _ => {}
        }
    }
}

/// `tokio::join!(one, other)`
fn is_join(expr: &Expr) -> bool {
    let Expr::Macro(mac) = plain(expr) else { return false };
    mac.mac.path.segments.last().is_some_and(|last| last.ident == "join")
}

fn swallows(call: &ExprMethodCall) -> bool {
    let first = call.args.first().map(plain);
    let takes_error = !matches!(first, Some(Expr::Closure(closure)) if closure.inputs.is_empty());
    match call.method.to_string().as_str() {
        "map_or" => first.is_some_and(|first| wrapped_in(first, "Ok").or(wrapped_in(first, "Err")).is_none()),
        // That of an `Option` takes nothing.
        "map_or_else" | "unwrap_or_else" => takes_error,
        "or_else" => {
            matches!(first, Some(Expr::Closure(closure)) if takes_error && wrapped_in(&closure.body, "Ok").is_some())
        }
        _ => is_one_of(call, SWALLOW),
    }
}

/// An `Option` has a method of this name that takes these arguments.
fn may_be_of_an_option(call: &ExprMethodCall) -> bool {
    let says = matches!(call.args.first().map(plain), Some(Expr::Closure(_)));
    match call.method.to_string().as_str() {
        "map_or" | "unwrap_or" | "unwrap_or_default" => true,
        "map_or_else" | "unwrap_or_else" => !says,
        _ => false,
    }
}

/// `value` of `Ok(value)`, be it at the end of a block.
pub(super) fn wrapped_in<'e>(value: &'e Expr, variant: &str) -> Option<&'e Expr> {
    match plain(value) {
        Expr::Call(call) => {
            let is_one = matches!(plain(&call.func), Expr::Path(path) if is_named(&path.path, variant));
            call.args.first().filter(|_| is_one)
        }
        Expr::Block(block) => match block.block.stmts.last() {
            Some(Stmt::Expr(end, None)) => wrapped_in(end, variant),
            _ => None,
        },
        _ => None,
    }
}

/// `Ok`, `Ok::<_, Error>`
fn is_named(path: &Path, name: &str) -> bool {
    path.segments.last().is_some_and(|last| path.segments.len() == 1 && last.ident == name)
}

/// Without the parentheses around it.
pub(super) fn plain(expr: &Expr) -> &Expr {
    match expr {
        Expr::Group(group) => plain(&group.expr),
        Expr::Paren(paren) => plain(&paren.expr),
        other => other,
    }
}

fn is_one_of(call: &ExprMethodCall, methods: &[&str]) -> bool {
    methods.iter().any(|method| call.method == method)
}

/// What an expression gives, be it at the end of a block or of a branch, in a tuple, or negated or
/// combined with another.
pub(super) fn values_of<'e>(expr: &'e Expr, values: &mut Vec<&'e Expr>) {
    match plain(expr) {
        Expr::Unary(unary) => values_of(&unary.expr, values),
        Expr::Binary(binary) => [&binary.left, &binary.right].into_iter().for_each(|side| values_of(side, values)),
        Expr::Tuple(tuple) => tuple.elems.iter().for_each(|value| values_of(value, values)),
        Expr::Array(array) => array.elems.iter().for_each(|value| values_of(value, values)),
        Expr::Block(block) => end_of(&block.block, values),
        Expr::Unsafe(block) => end_of(&block.block, values),
        Expr::Await(wait) => {
            if let Expr::Async(block) = plain(&wait.base) {
                end_of(&block.block, values);
            }
        }
        Expr::If(branches) => {
            end_of(&branches.then_branch, values);
            branches.else_branch.iter().for_each(|(_, otherwise)| values_of(otherwise, values));
        }
        Expr::Match(branches) => branches.arms.iter().for_each(|arm| values_of(&arm.body, values)),
        value => values.push(value),
    }
}

/// The same of what a block ends with, be it under a name.
fn end_of<'e>(block: &'e Block, values: &mut Vec<&'e Expr>) {
    let Some(Stmt::Expr(end, None)) = block.stmts.last() else { return };
    let named = match plain(end) {
        Expr::Path(path) => path.path.get_ident(),
        _ => None,
    };
    let bound = named.and_then(|name| block.stmts.iter().rev().find_map(|stmt| value_named(stmt, name)));
    values_of(bound.unwrap_or(end), values);
}

/// `let paid = call().await.is_ok();`
fn value_named<'e>(stmt: &'e Stmt, name: &Ident) -> Option<&'e Expr> {
    let Stmt::Local(local) = stmt else { return None };
    (bound(&local.pat) == [name.to_string()]).then_some(&*local.init.as_ref()?.expr)
}
