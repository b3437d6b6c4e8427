//! `self` in the arguments of our attributes, where another macro has given it a name: `#[async_trait]` renames it in the
//! body, and does not look into attributes.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::Expr;

use crate::model::{Step, Text, WorkflowArgs};
use crate::walk::replace;

/// Calls `self` by its name in the arguments of a workflow.
pub(crate) fn rename_in_args(name: &Ident, args: &mut WorkflowArgs) {
    let texts = [&mut args.key, &mut args.goal].into_iter().flatten();
    texts.chain(&mut args.formerly).for_each(|text| in_text(text, name));
    args.session.iter_mut().for_each(|expr| in_expr(expr, name));
}

/// Calls `self` by its name in the arguments of steps.
pub(crate) fn rename_in_steps(name: &Ident, steps: &mut [Step]) {
    for step in steps {
        let args = &mut step.args;
        let texts = [&mut args.key, &mut args.title].into_iter().flatten();
        texts.chain(&mut args.formerly).for_each(|text| in_text(text, name));
        let asked = [&mut args.verify, &mut args.refetch, &mut args.shows, &mut args.on_expiry];
        let exprs = asked.into_iter().chain([&mut args.given, &mut args.classify]);
        exprs.flatten().for_each(|expr| in_expr(expr, name));
    }
}

fn in_text(text: &mut Text, name: &Ident) {
    for hole in &mut text.template.holes {
        if let Ok(tokens) = hole.expr.parse() {
            hole.expr = in_tokens(tokens, name).to_string();
        }
    }
}

fn in_expr(expr: &mut Expr, name: &Ident) {
    if let Ok(renamed) = syn::parse2(in_tokens(expr.to_token_stream(), name)) {
        *expr = renamed;
    }
}

fn in_tokens(tokens: TokenStream, name: &Ident) -> TokenStream {
    replace(tokens, &|ident| {
        let renamed = Ident::new(&name.to_string(), ident.span());
        (ident == "self").then(|| quote! {#renamed})
    })
}
