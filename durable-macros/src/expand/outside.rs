//! A step attribute that no workflow has taken.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::{Expr, Item, Stmt};

/// The mistake, and what the attribute stood on.
pub(crate) fn outside(name: &str, item: TokenStream) -> TokenStream {
    let text = format!(
        "`#[{name}]` means nothing outside a workflow: put `#[durable_workflow]` on the `async fn` around it; in a workflow it stands on a `let`, a statement or an expression, and one that a macro of yours writes is not seen: hand it to the macro as an argument"
    );
    beside(&syn::Error::new(Span::call_site(), text), item)
}

/// A mistake beside what it is about, in the form that the place of that allows.
pub(crate) fn beside(error: &syn::Error, item: TokenStream) -> TokenStream {
    let error = error.to_compile_error();
    if syn::parse2::<Item>(item.clone()).is_ok() {
        quote! {#error #item}
    } else if let Ok(expr) = syn::parse2::<Expr>(item.clone()) {
        quote! {{ #error #expr }}
    } else if let Ok(Stmt::Local(local)) = syn::parse2::<Stmt>(item.clone()) {
        [local.to_token_stream(), error].into_iter().collect()
    } else {
        quote! {#error #item}
    }
}
