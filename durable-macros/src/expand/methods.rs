//! An `impl` block whose methods are workflows.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{ImplItem, ItemImpl};

use super::workflow::Expanded;
use crate::diag::Errors;
use crate::model::Place;

/// Puts a workflow in the place of its method; gives the constant that cannot stand beside it, in the `impl` of a trait.
pub(crate) fn method(item: &mut ImplItem, place: &Place, expanded: Expanded) -> Option<TokenStream> {
    let Expanded { function, constant } = expanded;
    match place {
        Place::TraitImpl { .. } => {
            *item = ImplItem::Verbatim(function);
            constant
        }
        Place::Unknown | Place::Impl { .. } => {
            *item = ImplItem::Verbatim(quote! {#constant #function});
            None
        }
    }
}

/// The block, and for the constants of a trait's methods a block of the type's own.
pub(crate) fn methods(block: &ItemImpl, constants: Vec<TokenStream>, errors: &Errors) -> TokenStream {
    let errors = errors.to_compile_errors();
    if constants.is_empty() {
        return quote! {#errors #block};
    }
    let (generics, for_type, clause) = (&block.generics, &block.self_ty, &block.generics.where_clause);
    quote! {
        #errors
        #block
        #[doc(hidden)]
        impl #generics #for_type #clause {
            #(#constants)*
        }
    }
}
