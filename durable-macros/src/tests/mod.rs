//! The macros without a compiler: what they write, and what they say.

mod asked;
mod cost;
mod effects;
mod expansion;
mod mistakes;
mod nondet;

use proc_macro2::TokenStream;

use crate::pipeline::durable_workflow;

/// What `#[durable_workflow(args)] item` becomes, as formatted code.
fn expand(args: &str, item: &str) -> String {
    let parse = |text: &str| text.parse::<TokenStream>().unwrap();
    let expanded = durable_workflow(parse(args), parse(item));
    prettyplease::unparse(&syn::parse2(expanded).unwrap())
}
