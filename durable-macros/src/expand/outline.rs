//! `outline!(payroll)`.

use proc_macro2::TokenStream;
use quote::quote_spanned;
use syn::Path;

use super::paths;
use crate::span;

/// The outline of the workflow that a path names, through the type beside the function.
pub(crate) fn outline(path: TokenStream) -> TokenStream {
    let Ok(path) = syn::parse2::<Path>(path.clone()) else {
        let text = "`outline!` takes the path of a workflow: write `outline!(payroll)`";
        return syn::Error::new_spanned(path, text).to_compile_error();
    };
    let at = span::generated(span::ends(&path).0);
    let root = paths::private(at);
    quote_spanned! {at=> #root::outline(<#path as #root::Workflow>::META)}
}
