//! Steps in the input of other macros, which is tokens and nothing more.

use std::mem;

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};
use syn::parse::discouraged::Speculative;
use syn::parse::{ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::visit::Visit;
use syn::visit_mut::VisitMut;
use syn::{Attribute, Block, Expr, Macro, Stmt, Token};

use super::steps::{Context, Walker};
use super::{attrs, positions};
use crate::names::mentions;
use crate::span;

/// Macros that may leave their arguments out.
const LAZY: &[&str] = &[
    "debug",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "debug_span",
    "error",
    "error_span",
    "event",
    "info",
    "info_span",
    "log",
    "span",
    "stringify",
    "trace",
    "trace_span",
    "warn",
    "warn_span",
];

/// Whether it may come to nothing what a macro is given: in a release build, or below the level that is logged.
fn is_lazy(mac: &Macro) -> bool {
    mac.path.segments.last().is_some_and(|last| LAZY.iter().any(|lazy| last.ident == lazy))
}

/// The input of a macro as expressions between commas, if that is what it is: `join!`, `vec!`, `println!`.
pub(crate) fn arguments(tokens: TokenStream) -> Option<Punctuated<Expr, Token![,]>> {
    Punctuated::parse_terminated.parse2(tokens).ok()
}

/// The input of a macro that is no list of expressions, as that of `select!`: with each expression in it rewritten.
pub(super) fn in_parts(tokens: TokenStream, with: &mut dyn FnMut(&mut Expr)) -> TokenStream {
    let mut rewritten = TokenStream::new();
    let walk = |input: ParseStream<'_>| {
        while !input.is_empty() {
            let ahead = input.fork();
            if let Ok(mut expr) = ahead.parse::<Expr>() {
                input.advance_to(&ahead);
                with(&mut expr);
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

/// The input of a macro, as far as it is Rust.
pub(crate) fn input_of(mac: &Macro) -> Input {
    if let Some(arguments) = arguments(mac.tokens.clone()) {
        return Input { arguments: arguments.into_iter().map(value).collect(), statements: Vec::new() };
    }
    let statements = Block::parse_within.parse2(mac.tokens.clone()).unwrap_or_default();
    Input { arguments: Vec::new(), statements }
}

pub(crate) struct Input {
    arguments: Vec<Expr>,
    statements: Vec<Stmt>,
}

impl Input {
    pub(crate) fn visit<V: for<'ast> Visit<'ast>>(&self, visitor: &mut V) {
        self.arguments.iter().for_each(|argument| visitor.visit_expr(argument));
        self.statements.iter().for_each(|statement| visitor.visit_stmt(statement));
    }
}

/// The value of an argument. In `count = 3` it has a name, and nothing is assigned.
fn value(argument: Expr) -> Expr {
    match argument {
        Expr::Assign(named) if matches!(*named.left, Expr::Path(_)) => *named.right,
        other => other,
    }
}

impl Walker<'_> {
    /// Rewrites a macro whose input holds a step.
    pub(super) fn macro_with_steps(&mut self, mac: &mut Macro) {
        let tokens = mem::take(&mut mac.tokens);
        if is_lazy(mac) {
            for attr in attrs::all_among(tokens.clone()) {
                self.errors.at(attr.span(), positions::IN_LAZY_MACRO);
            }
            mac.tokens = attrs::without_attributes(tokens);
            return;
        }
        // What the macro puts around its input is not known: a step in it leaves it as it leaves an `async` block.
        let outer = mem::replace(&mut self.in_macro, true);
        self.is_conditional = if outer { self.is_conditional } else { mentions(tokens.clone(), &["cfg"]) };
        mac.tokens = match self.contexts.last() {
            Some(Context::SyncClosure | Context::Constant) => self.macro_input(tokens),
            _ => {
                self.contexts.push(Context::Awaits);
                let rewritten = self.macro_input(tokens);
                self.contexts.pop();
                rewritten
            }
        };
        self.in_macro = outer;
        if !outer {
            // A macro may drop what it does not know, and the step would be gone without a word.
            for unread in attrs::all_among(mac.tokens.clone()) {
                self.errors.at(unread.span(), positions::HIDDEN_IN_MACRO);
            }
        }
    }

    fn macro_input(&mut self, tokens: TokenStream) -> TokenStream {
        if let Some(mut arguments) = arguments(tokens.clone()) {
            arguments.iter_mut().for_each(|argument| self.visit_expr_mut(argument));
            return arguments.into_token_stream();
        }
        if let Ok(mut statements) = Block::parse_within.parse2(tokens.clone()) {
            statements.iter_mut().for_each(|statement| self.visit_stmt_mut(statement));
            return statements.iter().map(ToTokens::to_token_stream).collect();
        }
        let mut rewritten = TokenStream::new();
        let walk = |input: ParseStream<'_>| {
            while !input.is_empty() {
                self.next_part(input)?.to_tokens(&mut rewritten);
            }
            Ok(())
        };
        // Token trees always parse, so an error can only come from a tree that `next_part` reported.
        let walked = walk.parse2(tokens);
        self.errors.keep(walked);
        rewritten
    }

    /// A step with its expression, a group, or one token. In `select!` a step is the expression behind its attribute
    /// up to whatever stands behind it, and each handler is a block.
    fn next_part(&mut self, input: ParseStream<'_>) -> syn::Result<TokenStream> {
        if input.peek(Token![#]) && input.peek2(syn::token::Bracket) {
            return self.attribute(input);
        }
        Ok(match input.parse()? {
            TokenTree::Group(group) if attrs::among(group.stream()) => self.group(&group),
            other => other.into(),
        })
    }

    fn attribute(&mut self, input: ParseStream<'_>) -> syn::Result<TokenStream> {
        let ahead = input.fork();
        if let Ok(mut expr) = ahead.parse::<Expr>() {
            input.advance_to(&ahead);
            if matches!(expr, Expr::Assign(_)) && input.peek(Token![=>]) {
                return Ok(self.branch(expr));
            }
            self.visit_expr_mut(&mut expr);
            // In parentheses: some macros read what begins with a brace as something of their own.
            let at = span::generated(span::ends(&expr).0);
            return Ok(quote_spanned! {at=> (#expr)});
        }
        let mut attributes = input.call(Attribute::parse_outer)?;
        for (_, attr) in attrs::take(&mut attributes) {
            self.errors.on(&attr, positions::IN_MACRO);
        }
        Ok(attributes.iter().map(ToTokens::to_token_stream).collect())
    }

    /// `#[side_effect(..)] name = future => ..`: the attribute stands before a pattern.
    fn branch(&mut self, branch: Expr) -> TokenStream {
        let tokens = branch.into_token_stream();
        for attr in attrs::all_among(tokens.clone()) {
            self.errors.on(&attr.stream(), positions::ON_BRANCH);
        }
        attrs::without_attributes(tokens)
    }

    fn group(&mut self, group: &Group) -> TokenStream {
        let statements = Block::parse_within.parse2(group.stream());
        let stream = match (group.delimiter(), statements) {
            (Delimiter::Brace, Ok(mut statements)) => {
                statements.iter_mut().for_each(|statement| self.visit_stmt_mut(statement));
                statements.iter().map(ToTokens::to_token_stream).collect()
            }
            _ => self.macro_input(group.stream()),
        };
        let mut rewritten = Group::new(group.delimiter(), stream);
        rewritten.set_span(group.span());
        TokenTree::from(rewritten).into()
    }
}
