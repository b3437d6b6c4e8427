//! The attribute macros of `durable-runtime`, which re-exports them; their documentation is best read there.

mod check;
mod diag;
mod duration;
mod expand;
mod flow;
mod key;
mod model;
mod names;
mod parse;
mod pipeline;
mod span;
mod suggest;
mod walk;

use proc_macro::TokenStream;

/// Makes an `async fn` durable.
#[proc_macro_attribute]
pub fn durable_workflow(args: TokenStream, item: TokenStream) -> TokenStream {
    pipeline::durable_workflow(args.into(), item.into()).into()
}

/// Side effect.
#[proc_macro_attribute]
pub fn side_effect(_args: TokenStream, item: TokenStream) -> TokenStream {
    expand::outside("side_effect", item.into()).into()
}

/// Read.
#[proc_macro_attribute]
pub fn read(_args: TokenStream, item: TokenStream) -> TokenStream {
    expand::outside("read", item.into()).into()
}

/// Outline.
#[proc_macro]
pub fn outline(path: TokenStream) -> TokenStream {
    expand::outline(path.into()).into()
}
