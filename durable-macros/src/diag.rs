//! The mistakes of one workflow, gathered so that one compile reports them all.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;

/// Collects errors; the first error never hides the second.
#[derive(Default)]
pub(crate) struct Errors(Option<syn::Error>);

impl Errors {
    /// A mistake at one token.
    pub(crate) fn at(&mut self, span: Span, text: impl std::fmt::Display) {
        self.push(syn::Error::new(span, text));
    }

    /// A mistake that underlines all of `tokens`.
    pub(crate) fn on(&mut self, tokens: &impl ToTokens, text: impl std::fmt::Display) {
        self.push(syn::Error::new_spanned(tokens, text));
    }

    pub(crate) fn push(&mut self, error: syn::Error) {
        match &mut self.0 {
            Some(all) => all.combine(error),
            none => *none = Some(error),
        }
    }

    /// Keeps the value, or the error and nothing.
    pub(crate) fn keep<T>(&mut self, result: syn::Result<T>) -> Option<T> {
        result.map_err(|error| self.push(error)).ok()
    }

    pub(crate) fn count(&self) -> usize {
        self.0.iter().flatten().count()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// One `compile_error!` for each mistake.
    pub(crate) fn to_compile_errors(&self) -> TokenStream {
        self.0.as_ref().map(syn::Error::to_compile_error).unwrap_or_default()
    }
}
