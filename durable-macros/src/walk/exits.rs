//! The ways out of an expression other than its value.

use proc_macro2::{Span, TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{
    Expr, ExprAsync, ExprBlock, ExprBreak, ExprClosure, ExprContinue, ExprForLoop, ExprLoop, ExprReturn, ExprTry,
    ExprWhile, Item, Label, Lifetime, Macro,
};

use super::arguments;

/// Macros that leave by an error, as a `?` does.
const RETURNS_AN_ERROR: &[&str] = &["bail", "ensure", "ensure_eq", "ensure_whatever", "whatever"];

/// What leaves an expression: its `?`, and its jumps with the word that makes them.
#[derive(Default)]
pub(crate) struct Exits {
    pub(crate) questions: Vec<Span>,
    pub(crate) jumps: Vec<(Span, &'static str)>,
    /// The loops inside the expression, and the labels that stand in it.
    loops: usize,
    labels: Vec<String>,
}

impl Exits {
    pub(crate) fn of(expr: &Expr) -> Self {
        let mut exits = Self::default();
        exits.visit_expr(expr);
        exits
    }

    fn jump(&mut self, span: Span, word: &'static str, label: Option<&Lifetime>) {
        let stays = match label {
            Some(label) => self.labels.contains(&label.ident.to_string()),
            None => self.loops > 0,
        };
        if !stays {
            self.jumps.push((span, word));
        }
    }

    fn labelled(&mut self, label: Option<&Label>, loops: usize, walk: impl FnOnce(&mut Self)) {
        self.loops += loops;
        self.labels.extend(label.map(|label| label.name.ident.to_string()));
        walk(self);
        self.labels.truncate(self.labels.len() - usize::from(label.is_some()));
        self.loops -= loops;
    }

    fn tokens(&mut self, tokens: TokenStream) {
        let mut is_async = false;
        for token in tokens {
            match token {
                // What leaves an `async` block does not leave what is around it.
                TokenTree::Group(_) if is_async => {}
                TokenTree::Punct(punct) if punct.as_char() == '?' => self.questions.push(punct.span()),
                TokenTree::Ident(word) if word == "return" => self.jumps.push((word.span(), "return")),
                TokenTree::Ident(word) if word == "async" || is_async && word == "move" => {
                    is_async = true;
                    continue;
                }
                TokenTree::Ident(word) if RETURNS_AN_ERROR.iter().any(|name| word == name) => {
                    self.questions.push(word.span());
                }
                TokenTree::Group(group) => self.tokens(group.stream()),
                _ => {}
            }
            is_async = false;
        }
    }
}

impl<'ast> Visit<'ast> for Exits {
    fn visit_expr_try(&mut self, node: &'ast ExprTry) {
        self.questions.push(node.question_token.span);
        visit::visit_expr_try(self, node);
    }

    fn visit_expr_return(&mut self, node: &'ast ExprReturn) {
        self.jumps.push((node.return_token.span, "return"));
        visit::visit_expr_return(self, node);
    }

    fn visit_expr_break(&mut self, node: &'ast ExprBreak) {
        self.jump(node.break_token.span, "break", node.label.as_ref());
        visit::visit_expr_break(self, node);
    }

    fn visit_expr_continue(&mut self, node: &'ast ExprContinue) {
        self.jump(node.continue_token.span, "continue", node.label.as_ref());
    }

    fn visit_expr_for_loop(&mut self, node: &'ast ExprForLoop) {
        self.labelled(node.label.as_ref(), 1, |exits| visit::visit_expr_for_loop(exits, node));
    }

    fn visit_expr_while(&mut self, node: &'ast ExprWhile) {
        self.labelled(node.label.as_ref(), 1, |exits| visit::visit_expr_while(exits, node));
    }

    fn visit_expr_loop(&mut self, node: &'ast ExprLoop) {
        self.labelled(node.label.as_ref(), 1, |exits| visit::visit_expr_loop(exits, node));
    }

    fn visit_expr_block(&mut self, node: &'ast ExprBlock) {
        self.labelled(node.label.as_ref(), 0, |exits| visit::visit_expr_block(exits, node));
    }

    fn visit_macro(&mut self, mac: &'ast Macro) {
        if let Some(last) =
            mac.path.segments.last().filter(|last| RETURNS_AN_ERROR.iter().any(|name| last.ident == name))
        {
            self.questions.push(last.ident.span());
        }
        match arguments(mac.tokens.clone()) {
            Some(arguments) => arguments.iter().for_each(|argument| self.visit_expr(argument)),
            None => self.tokens(mac.tokens.clone()),
        }
    }

    // What leaves a closure, an `async` block or an item does not leave the expression around it.
    fn visit_expr_closure(&mut self, _: &'ast ExprClosure) {}
    fn visit_expr_async(&mut self, _: &'ast ExprAsync) {}
    fn visit_item(&mut self, _: &'ast Item) {}
}
