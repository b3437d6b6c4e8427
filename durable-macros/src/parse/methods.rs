//! The `impl` block under `#[durable_methods]`.

use proc_macro2::{Ident, TokenStream};
use syn::{Attribute, ImplItem, ImplItemFn, ItemFn, ItemImpl, Meta, parse_quote};

use crate::diag::Errors;
use crate::model::Place;

/// The block, or what to write instead of what stands there.
pub(crate) fn methods(item: &TokenStream) -> syn::Result<ItemImpl> {
    syn::parse2(item.clone()).map_err(|_| {
        let text = "`#[durable_methods]` belongs on an `impl` block whose methods are workflows; a function takes `#[durable_workflow]` alone";
        syn::Error::new_spanned(item, text)
    })
}

/// Where the methods of the block stand.
pub(crate) fn place_in(block: &ItemImpl) -> Place {
    let generics = block.generics.clone();
    match trait_name(block) {
        Some(of) => Place::TraitImpl { of, generics },
        None => Place::Impl { generics },
    }
}

/// Takes `#[durable_workflow(..)]` off a method; gives its arguments.
pub(crate) fn take_workflow(item: &mut ImplItem, errors: &mut Errors) -> Option<(TokenStream, ItemFn)> {
    let ImplItem::Fn(method) = item else { return None };
    let at = method.attrs.iter().position(is_workflow)?;
    let attr = method.attrs.remove(at);
    let args = match attr.meta {
        Meta::Path(_) => TokenStream::new(),
        Meta::List(list) => list.tokens,
        Meta::NameValue(pair) => {
            errors.on(&pair, "arguments stand in parentheses: write `#[durable_workflow(key = \"..\")]`");
            TokenStream::new()
        }
    };
    let ImplItemFn { attrs, vis, sig, block, .. } = method.clone();
    Some((
        args,
        ItemFn {
            attrs,
            vis,
            sig,
            block: Box::new(block),
            ..parse_quote!(
                fn method() {}
            )
        },
    ))
}

fn trait_name(block: &ItemImpl) -> Option<Ident> {
    let (path, _) = block.trait_.as_ref()?;
    path.segments.last().map(|last| last.ident.clone())
}

fn is_workflow(attr: &Attribute) -> bool {
    attr.path().segments.last().is_some_and(|last| last.ident == "durable_workflow")
}
