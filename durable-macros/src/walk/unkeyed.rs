//! Waits to which no attribute gives a key. Such a call is no future, and the compiler would propose to take out its
//! `.await`.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::discouraged::Speculative;
use syn::parse::{ParseStream, Parser};
use syn::visit_mut::{self, VisitMut};
use syn::{Block, Expr, ExprForLoop, ExprMethodCall, Item, Local, Macro, Pat, Stmt, parse_quote};

use super::arguments;
use super::exprs::peel;
use super::handles::Handles;
use crate::diag::Errors;
use crate::model::{Kind, Session, Step, StepArgs};
use crate::parse::awaited_call;
use crate::shown::shown;

/// Macros that await what they are given.
const AWAITING: &[&str] = &["join", "try_join", "select", "select_biased"];
/// The longest example that is still one.
const LONGEST: usize = 90;

/// What a call of a session with this name waits for.
pub(crate) fn waits_for(method: &Ident) -> Option<Kind> {
    match method.to_string().as_str() {
        "sleep" | "sleep_until" => Some(Kind::Sleep),
        "decide" => Some(Kind::Decision),
        _ => None,
    }
}

/// Refuses each wait without a key, and gives it an empty one, so that nothing else is wrong with it.
pub(crate) fn unkeyed_waits(session: &Session, body: &mut Block, steps: &mut [Step], errors: &mut Errors) {
    let session = Handles::of(session, body, steps);
    let mut waits =
        Waits { session, errors, binding: None, turns: Vec::new(), in_step: false, is_awaited: false, found: 0 };
    waits.visit_block_mut(body);
    for step in steps.iter_mut().filter(|step| !step.args.kind.waits()) {
        waits.in_step(step);
    }
}

struct Waits<'a> {
    session: Handles,
    errors: &'a mut Errors,
    /// What the present `let` binds, as it is written, and its name.
    binding: Option<(String, String)>,
    /// The names that the loops around it bind.
    turns: Vec<String>,
    /// Whether a step is around it.
    in_step: bool,
    /// Whether a macro awaits what stands here.
    is_awaited: bool,
    /// How many were refused.
    found: usize,
}

impl Waits<'_> {
    /// A wait under the attribute of another step, or somewhere in such a step.
    fn in_step(&mut self, step: &mut Step) {
        let whole = awaited_call(&step.expr).or_else(|| self.call(&step.expr));
        let mistaken = whole.filter(|call| self.session.waits(call)).and_then(|call| {
            let kind = waits_for(&call.method)?;
            Some((kind, shown(call), call.to_token_stream()))
        });
        if let Some((kind, call, tokens)) = mistaken {
            let (attribute, other) = (kind.attribute(), step.args.kind.attribute());
            let what = if kind == Kind::Sleep { "an instant" } else { "a person" };
            let key = step.args.key.as_ref().map_or_else(|| default_key(kind).to_owned(), |key| key.literal.value());
            self.errors.on(
                &tokens,
                format!("`{call}` waits for {what}, which `#[{attribute}]` records: write `#[{attribute}(key = \"{key}\")]` instead of `#[{other}(..)]`"),
            );
            step.expr = parse_quote!(#tokens.key("").await);
            // Whatever else that attribute says is no mistake beside this.
            let read = StepArgs::none(Kind::Read, step.args.attr);
            step.args = StepArgs { key: step.args.key.take(), binding: step.args.binding.take(), ..read };
            return;
        }
        self.in_step = true;
        self.visit_expr_mut(&mut step.expr);
        self.in_step = false;
    }

    /// The wait that an expression is.
    fn call<'e>(&self, expr: &'e Expr) -> Option<&'e ExprMethodCall> {
        match peel(expr) {
            Expr::MethodCall(call) if self.session.waits(call) => Some(call),
            _ => None,
        }
    }

    /// Refuses the wait that is awaited here, or that `?` stands behind.
    fn refuse(&mut self, expr: &mut Expr) {
        let Some(call) = self.call(expr) else { return };
        let Some(kind) = waits_for(&call.method) else { return };
        let (call, text) = (call.clone(), self.text(kind, call));
        self.errors.on(&call, text);
        self.found += 1;
        *expr = parse_quote!(#call.key(""));
    }

    fn text(&self, kind: Kind, call: &ExprMethodCall) -> String {
        let (attribute, key) = (kind.attribute(), self.key(kind));
        let binding = self.binding.as_ref().map(|(written, _)| format!("{written} = ")).unwrap_or_default();
        let mut wait = shown(call);
        if wait.len() > LONGEST {
            wait = format!("{}.{}(..)", shown(&call.receiver), call.method);
        }
        let example = match self.is_awaited && !self.in_step {
            true => format!("{wait}.key(\"{key}\")"),
            false => format!("#[{attribute}(key = \"{key}\")] {binding}{wait}.await?;"),
        };
        match self.in_step {
            true => format!(
                "a wait is a step of its own, and cannot stand in another: write it before this one, `{example}`"
            ),
            false => format!("a wait needs a key, by which the next start knows it: write `{example}`"),
        }
    }

    fn key(&self, kind: Kind) -> String {
        let name = self.binding.as_ref().map(|(_, name)| name.trim_matches('_')).filter(|name| !name.is_empty());
        let turns = self.turns.iter().map(|name| format!("/{{{name}}}"));
        std::iter::once(name.unwrap_or_else(|| default_key(kind)).to_owned()).chain(turns).collect()
    }

    /// The input of a macro that is no list of expressions: an expression, a group, or one token.
    fn parts(&mut self, tokens: TokenStream) -> TokenStream {
        let mut rewritten = TokenStream::new();
        let walk = |input: ParseStream<'_>| {
            while !input.is_empty() {
                let ahead = input.fork();
                if let Ok(mut expr) = ahead.parse::<Expr>() {
                    input.advance_to(&ahead);
                    self.argument(&mut expr);
                    expr.to_tokens(&mut rewritten);
                } else {
                    input.parse::<TokenTree>()?.to_tokens(&mut rewritten);
                }
            }
            Ok(())
        };
        // Token trees always parse.
        let _ = walk.parse2(tokens);
        rewritten
    }

    fn argument(&mut self, expr: &mut Expr) {
        if self.is_awaited {
            match expr {
                Expr::Assign(branch) => self.refuse(&mut branch.right),
                _ => self.refuse(expr),
            }
        }
        let outer = std::mem::take(&mut self.is_awaited);
        self.visit_expr_mut(expr);
        self.is_awaited = outer;
    }
}

impl VisitMut for Waits<'_> {
    fn visit_local_mut(&mut self, local: &mut Local) {
        let binding = local.init.as_ref().and_then(|init| bound(&local.pat, peel(&init.expr)));
        let outer = std::mem::replace(&mut self.binding, binding);
        visit_mut::visit_local_mut(self, local);
        self.binding = outer;
    }

    fn visit_block_mut(&mut self, block: &mut Block) {
        let outer = self.binding.take();
        visit_mut::visit_block_mut(self, block);
        self.binding = outer;
    }

    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        match expr {
            Expr::Await(wait) => self.refuse(&mut wait.base),
            Expr::Try(question) if self.call(&question.expr).is_some() => {
                self.refuse(&mut question.expr);
                let wait = &question.expr;
                question.expr = parse_quote!(#wait.await);
            }
            _ => {}
        }
        visit_mut::visit_expr_mut(self, expr);
    }

    fn visit_expr_for_loop_mut(&mut self, node: &mut ExprForLoop) {
        self.visit_expr_mut(&mut node.expr);
        let outer = self.turns.len();
        if let Pat::Ident(name) = &*node.pat {
            self.turns.push(name.ident.to_string());
        }
        self.visit_block_mut(&mut node.body);
        self.turns.truncate(outer);
    }

    fn visit_macro_mut(&mut self, mac: &mut Macro) {
        let before = self.found;
        let awaits = mac.path.segments.last().is_some_and(|last| AWAITING.iter().any(|name| last.ident == name));
        let outer = std::mem::replace(&mut self.is_awaited, awaits);
        let rewritten = match arguments(mac.tokens.clone()) {
            Some(mut arguments) => {
                arguments.iter_mut().for_each(|argument| self.argument(argument));
                arguments.into_token_stream()
            }
            None => self.parts(mac.tokens.clone()),
        };
        self.is_awaited = outer;
        if self.found > before {
            mac.tokens = rewritten;
        }
    }

    /// An item has a session of its own, if it has one.
    fn visit_item_mut(&mut self, _: &mut Item) {}

    fn visit_stmt_mut(&mut self, stmt: &mut Stmt) {
        let outer = self.binding.take();
        visit_mut::visit_stmt_mut(self, stmt);
        self.binding = outer;
    }
}

/// `let send: Approval` of a `let` whose value is a wait alone, and the name in it.
fn bound(pat: &Pat, value: &Expr) -> Option<(String, String)> {
    let is_wait = match value {
        Expr::Try(question) => awaited_call(&question.expr).is_some() || matches!(&*question.expr, Expr::MethodCall(_)),
        other => awaited_call(other).is_some(),
    };
    let names = crate::names::bound(pat);
    let name = names.first().filter(|_| is_wait && names.len() == 1)?;
    Some((format!("let {}", shown(pat)), name.clone()))
}

fn default_key(kind: Kind) -> &'static str {
    if kind == Kind::Sleep { "cool-down" } else { "agree" }
}
