//! `key = "pay/{}", invoice.id`: what stands behind a text as behind that of `format!`.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Expr, Member};

use super::args::Arg;
use super::values;

/// What would fill a hole of the text before it, and what to write instead.
pub(super) fn filler(text: &Arg, arg: &Arg, known: &[&str]) -> Option<(TokenStream, String)> {
    let literal = match text.value.as_ref().map(values::peel)? {
        Expr::Cast(cast) => values::literal(&cast.expr)?,
        value => values::literal(value)?,
    };
    let filler = filling(&literal.value(), arg, known)?;
    let name = &text.name;
    let instead = match syn::parse2(filler.clone()).ok().and_then(|expr| place(&expr)) {
        Some(place) => format!("write `{{{place}}}` where this belongs, and take it out here"),
        None if name == "key" => "bind this with a `let` above, and write its name where it belongs, `{id}`".to_owned(),
        None => "write this in braces where it belongs, as in `{invoices.len()}`, and take it out here".to_owned(),
    };
    Some((filler, format!("`{name}` takes its values inside the text: {instead}")))
}

/// `invoice.id`, `id`, or the value of `id = invoice.id`, if the text has such a hole.
fn filling(text: &str, arg: &Arg, known: &[&str]) -> Option<TokenStream> {
    let has = |hole: &str| text.contains(&format!("{{{hole}}}")) || text.contains(&format!("{{{hole}:"));
    let name = arg.name.to_string();
    match (&arg.nameless, &arg.value) {
        (Some(tokens), _) => Some(tokens.clone()),
        _ if known.contains(&name.as_str()) || arg.unfinished.is_some() => None,
        (None, Some(value)) => has(&name).then(|| value.to_token_stream()),
        (None, None) => {
            let (name, list) = (&arg.name, arg.list.as_ref().map(|list| quote! {(#list)}));
            (has("") || has("0")).then(|| quote! {#name #list})
        }
    }
}

/// A name, or a field of one, as it is written.
fn place(expr: &Expr) -> Option<String> {
    match values::peel(expr) {
        Expr::Path(path) => path.path.get_ident().map(ToString::to_string),
        Expr::Reference(reference) => place(&reference.expr),
        Expr::Field(field) => {
            let member = match &field.member {
                Member::Named(name) => name.to_string(),
                Member::Unnamed(index) => index.index.to_string(),
            };
            Some(format!("{}.{member}", place(&field.base)?))
        }
        _ => None,
    }
}
