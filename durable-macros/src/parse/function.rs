//! The item under `#[durable_workflow]`.

use proc_macro2::TokenStream;
use syn::{Item, ItemFn, TraitItemFn};

/// The function, or what to write instead of what stands there.
pub(crate) fn function(item: &TokenStream) -> syn::Result<ItemFn> {
    let error = match syn::parse2::<ItemFn>(item.clone()) {
        Ok(function) => return Ok(function),
        Err(error) => error,
    };
    let text = if syn::parse2::<TraitItemFn>(item.clone()).is_ok() {
        "a durable workflow needs a body: put `#[durable_workflow]` on the method where the trait is implemented"
    } else if syn::parse2::<Item>(item.clone()).is_ok() {
        "`#[durable_workflow]` belongs on an `async fn`"
    } else {
        return Err(error);
    };
    Err(syn::Error::new_spanned(item, text))
}
