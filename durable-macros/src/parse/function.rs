//! The item under `#[durable_workflow]`.

use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};
use syn::{Expr, Item, ItemFn, TraitItemFn};

use crate::walk::without_expression;

/// The compiler has said only that something is missing.
const NOTHING_BEHIND: &str =
    "nothing stands behind this attribute: it marks what follows it, as in `#[side_effect(..)] call().await?;`";

/// The function, or what to write instead of what stands there.
pub(crate) fn function(item: &TokenStream) -> syn::Result<ItemFn> {
    let error = match syn::parse2::<ItemFn>(item.clone()) {
        Ok(function) => return Ok(function),
        Err(error) => error,
    };
    if let Some(attr) = without_expression(item.clone()) {
        return Err(syn::Error::new_spanned(attr.stream(), NOTHING_BEHIND));
    }
    let text = if syn::parse2::<TraitItemFn>(item.clone()).is_ok() {
        "a durable workflow needs a body: put `#[durable_workflow]` on the method where the trait is implemented"
    } else {
        match syn::parse2::<Item>(item.clone()) {
            Ok(Item::Impl(_)) => {
                "`#[durable_workflow]` belongs on an `async fn`: put it on each method that is a workflow, and `#[durable_methods]` here if their outlines are needed"
            }
            Err(_) if syn::parse2::<Expr>(item.clone()).is_err() => return Err(error),
            _ => "`#[durable_workflow]` belongs on an `async fn`",
        }
    };
    Err(syn::Error::new(keyword(item), text))
}

/// The first token behind attributes and visibility: what says that it is something else.
fn keyword(item: &TokenStream) -> Span {
    let is_before = |token: &TokenTree| match token {
        TokenTree::Punct(punct) => punct.as_char() == '#',
        TokenTree::Group(group) => group.delimiter() != Delimiter::Brace,
        TokenTree::Ident(word) => word == "pub",
        TokenTree::Literal(_) => false,
    };
    let mut tokens = item.clone().into_iter().skip_while(is_before);
    tokens.next().map_or_else(Span::call_site, |token| token.span())
}
