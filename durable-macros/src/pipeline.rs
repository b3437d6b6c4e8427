//! Parse, check, expand; after a mistake, fall back.

use proc_macro2::TokenStream;
use quote::quote;

use crate::diag::Errors;
use crate::model::Workflow;
use crate::{check, expand, parse, walk};

/// `#[durable_workflow(args)] item`.
pub(crate) fn durable_workflow(args: TokenStream, item: TokenStream) -> TokenStream {
    let mut function = match parse::function(&item) {
        Ok(function) => function,
        Err(error) => {
            let (error, item) = (error.to_compile_error(), walk::without_attributes(item));
            return quote! {#error #[allow(unused)] #item};
        }
    };
    let mut errors = Errors::default();
    let args = parse::workflow_args(args, &mut errors);
    let signature = parse::signature(&mut function, &args, &mut errors);
    let steps = walk::steps(&mut function, &mut errors);
    check::steps(&steps, &mut errors);
    match signature {
        Some(signature) if errors.is_empty() => expand::workflow(&Workflow { function, args, signature, steps }),
        signature => {
            expand::fallback(function, &steps, signature.is_some_and(|signature| signature.is_method), &errors)
        }
    }
}
