//! `outline!(payroll)`.

use proc_macro2::TokenStream;
use quote::quote_spanned;
use syn::Path;

use super::paths;
use crate::span;

/// The outline of the workflow that a path names, through the type beside the function.
pub(crate) fn outline(path: TokenStream) -> TokenStream {
    let path = match syn::parse2::<Path>(path) {
        Ok(path) => path,
        Err(mut error) => {
            error.combine(syn::Error::new(
                error.span(),
                "`outline!` takes the path of a workflow: write `outline!(payroll)`",
            ));
            return error.to_compile_error();
        }
    };
    let at = span::generated(span::ends(&path).0);
    let root = paths::private(at);
    quote_spanned! {at=> #root::outline(<#path as #root::Workflow>::META)}
}
