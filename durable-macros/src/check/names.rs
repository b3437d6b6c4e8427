//! A hole says a name that the workflow has.

use std::collections::BTreeSet;

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{FnArg, ItemFn, Macro, PatIdent};

use crate::diag::Errors;
use crate::key::is_name;
use crate::model::{Body, Step, Text, WorkflowArgs};
use crate::suggest;

/// Refuses holes that begin with a name which nothing declares. Constants and functions of other modules are not known
/// here, nor is what a macro declares beyond the names in its input; only what looks like a variable is judged.
///
/// Gives the names that were refused.
pub(super) fn check(
    function: &ItemFn,
    body: &Body,
    args: &WorkflowArgs,
    steps: &[Step],
    errors: &mut Errors,
) -> BTreeSet<String> {
    let mut refused = BTreeSet::new();
    let mut names = Names::default();
    function.sig.inputs.iter().for_each(|param| names.parameter(param));
    names.0.extend(body.receiver.as_ref().map(ToString::to_string));
    let texts = [&args.key, &args.goal].into_iter().flatten();
    texts
        .chain(own_holes(&args.formerly, args.key.as_ref()))
        .for_each(|text| refused.extend(names.judge(text, None, errors)));
    names.visit_block(&body.block);
    for step in steps {
        names.visit_expr(&step.expr);
    }
    for step in steps {
        let binding = step.args.binding.as_ref().map(ToString::to_string);
        // That a hole holds the key itself is said elsewhere.
        let is_new = binding.clone().is_some_and(|name| names.0.insert(name));
        let texts = [&step.args.key, &step.args.title].into_iter().flatten();
        texts
            .chain(own_holes(&step.args.formerly, step.args.key.as_ref()))
            .for_each(|text| refused.extend(names.judge(text, binding.as_deref().filter(|_| is_new), errors)));
        if let (true, Some(name)) = (is_new, binding) {
            names.0.remove(&name);
        }
    }
    refused
}

/// The former keys that say themselves what stood in their holes: the others have those of the key, which is judged.
fn own_holes<'a>(former: &'a [Text], key: Option<&'a Text>) -> impl Iterator<Item = &'a Text> {
    former.iter().filter(move |former| key.is_none_or(|key| key.template.holes != former.template.holes))
}

/// Every name that a function declares, wherever in it.
#[derive(Default)]
struct Names(BTreeSet<String>);

impl Names {
    fn parameter(&mut self, param: &FnArg) {
        match param {
            FnArg::Receiver(_) => drop(self.0.insert("self".to_owned())),
            FnArg::Typed(param) => self.visit_pat(&param.pat),
        }
    }

    /// `key` is the name of the key itself, which no hole can mean.
    fn judge(&self, text: &Text, key: Option<&str>, errors: &mut Errors) -> Vec<String> {
        let unknown: Vec<&str> = text.roots().filter(|name| is_name(name) && !self.0.contains(*name)).collect();
        for name in &unknown {
            let known: Vec<&str> = self.0.iter().map(String::as_str).filter(|known| Some(*known) != key).collect();
            let meant = suggest::nearest(name, &known).map(|name| format!("did you mean `{name}`? "));
            let text_of = format!(
                "`{name}` names nothing in this workflow: {}a hole holds a parameter, or what a `let`, a loop or a closure above it binds",
                meant.unwrap_or_default()
            );
            errors.at(text.literal.span(), text_of);
        }
        unknown.into_iter().map(str::to_owned).collect()
    }

    fn tokens(&mut self, tokens: TokenStream) {
        for token in tokens {
            match token {
                TokenTree::Ident(ident) => drop(self.0.insert(ident.to_string())),
                TokenTree::Group(group) => self.tokens(group.stream()),
                TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
        }
    }
}

impl<'ast> Visit<'ast> for Names {
    fn visit_pat_ident(&mut self, pat: &'ast PatIdent) {
        self.0.insert(pat.ident.to_string());
        visit::visit_pat_ident(self, pat);
    }

    fn visit_macro(&mut self, mac: &'ast Macro) {
        self.tokens(mac.tokens.clone());
    }
}
