//! Warnings of our own. Stable Rust lets a macro warn of one thing only: the use of what is deprecated. So each warning
//! is a deprecated function, used at the place that it is about. No lint level is set for it, which a crate that forbids
//! one would refuse.

use proc_macro2::{Ident, TokenStream};
use quote::quote_spanned;
use syn::LitStr;

use crate::model::Finding;
use crate::span;

/// A statement that runs nothing and warns. The compiler underlines the last name of a path, as it does for whatever
/// else is deprecated.
pub(super) fn warning(finding: &Finding) -> TokenStream {
    let at = span::generated(span::ends(&finding.path).1);
    let (name, text, attrs) = (Ident::new("nondeterministic_call", at), LitStr::new(&finding.text, at), &finding.attrs);
    quote_spanned! {at=>
        #(#attrs)*
        const _: () = {
            #[deprecated(note = #text)]
            const fn #name() {}
            #name()
        };
    }
}
