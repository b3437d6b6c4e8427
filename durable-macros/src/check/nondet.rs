//! Calls whose answer another process would not get again. A restart runs everything between the steps anew, so such an
//! answer belongs into a step.
//!
//! Only what stands in the body is seen, by the last two names of its path. An alias (`use Instant as I`), a method
//! (`start.elapsed()`) and what a called function does are not.

use proc_macro2::{Group, TokenStream, TokenTree};
use syn::parse::discouraged::Speculative;
use syn::parse::{ParseStream, Parser};
use syn::visit::{self, Visit};
use syn::{
    Attribute, Block, ExprAwait, ExprBlock, ExprCall, ExprIf, ExprMacro, ExprMatch, ExprMethodCall, ExprPath, ExprTry,
    Item, Local, Macro, Path, StmtMacro, Token,
};

use super::sources;
use crate::diag::Errors;
use crate::model::{Finding, Nondeterminism};
use crate::walk::arguments;

/// The calls outside the steps of a body, to be warned of; where they are denied they are errors and none is left.
pub(crate) fn nondeterminism(body: &Block, level: Nondeterminism, errors: &mut Errors) -> Vec<Finding> {
    let mut calls = Calls::default();
    if level != Nondeterminism::Allow {
        calls.visit_block(body);
    }
    if level == Nondeterminism::Deny {
        calls.found.drain(..).for_each(|finding| errors.on(&finding.path, &finding.text));
    }
    calls.found
}

#[derive(Default)]
struct Calls {
    found: Vec<Finding>,
    /// The attributes of the statements around the present place that say whether it is compiled, or warned of.
    around: Vec<Attribute>,
}

impl Calls {
    fn look_at(&mut self, path: &Path) {
        let mut names = path.segments.iter().rev().map(|segment| segment.ident.to_string());
        let (Some(last), Some(owner)) = (names.next(), names.next()) else { return };
        if let Some(text) = sources::explain(&owner, &last) {
            self.found.push(Finding { path: path.clone(), text, attrs: self.around.clone() });
        }
    }

    fn look_at_macro(&mut self, path: &Path, input: &TokenStream) {
        if let Some(text) = sources::explain_macro(path, input) {
            self.found.push(Finding { path: path.clone(), text, attrs: self.around.clone() });
        }
    }

    fn within(&mut self, attrs: &[Attribute], walk: impl FnOnce(&mut Self)) {
        let outside = self.around.len();
        let holds = |attr: &&Attribute| attr.path().is_ident("cfg") || attr.path().is_ident("allow");
        self.around.extend(attrs.iter().filter(holds).cloned());
        walk(self);
        self.around.truncate(outside);
    }

    /// The paths among tokens that are no expressions, such as the input of `select!`.
    fn tokens(&mut self, tokens: TokenStream) {
        let walk = |input: ParseStream<'_>| {
            while !input.is_empty() {
                let ahead = input.fork();
                if let Ok(path) = ahead.call(Path::parse_mod_style) {
                    input.advance_to(&ahead);
                    self.look_at(&path);
                    if input.peek(Token![!]) && !input.peek(Token![!=]) {
                        input.parse::<Token![!]>()?;
                        input
                            .fork()
                            .parse::<Group>()
                            .iter()
                            .for_each(|inner| self.look_at_macro(&path, &inner.stream()));
                    }
                } else if let TokenTree::Group(group) = input.parse()? {
                    self.tokens(group.stream());
                }
            }
            Ok(())
        };
        // Token trees always parse.
        let _ = walk.parse2(tokens);
    }
}

macro_rules! within_attributes {
    ($($visit:ident: $node:ident),* $(,)?) => {$(
        fn $visit(&mut self, node: &'ast $node) {
            self.within(&node.attrs, |calls| visit::$visit(calls, node));
        }
    )*};
}

impl<'ast> Visit<'ast> for Calls {
    fn visit_expr_path(&mut self, node: &'ast ExprPath) {
        self.look_at(&node.path);
    }

    within_attributes! {
        visit_local: Local, visit_stmt_macro: StmtMacro, visit_expr_await: ExprAwait, visit_expr_block: ExprBlock,
        visit_expr_call: ExprCall, visit_expr_if: ExprIf, visit_expr_macro: ExprMacro, visit_expr_match: ExprMatch,
        visit_expr_method_call: ExprMethodCall, visit_expr_try: ExprTry,
    }

    fn visit_macro(&mut self, mac: &'ast Macro) {
        self.look_at_macro(&mac.path, &mac.tokens);
        match arguments(mac.tokens.clone()) {
            Some(arguments) => arguments.iter().for_each(|argument| self.visit_expr(argument)),
            None => self.tokens(mac.tokens.clone()),
        }
    }

    /// An item runs where it is called, not here.
    fn visit_item(&mut self, _: &'ast Item) {}
}
