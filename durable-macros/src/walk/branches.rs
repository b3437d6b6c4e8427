//! The input of the macros that await several futures, told from that of others of the same name.

use proc_macro2::{Ident, TokenStream};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::token::Brace;
use syn::{Block, Expr, Pat, Path, Token};

use super::arguments;

/// How a `select!` is written.
pub(crate) struct Branches {
    pub(crate) is_biased: bool,
    /// What they wait for, each branch but `else` for one of its own.
    pub(crate) futures: Vec<Expr>,
}

/// The branches of a `select!`, if the input is one: `pattern = future => handler`.
pub(crate) fn branches(input: TokenStream) -> Option<Branches> {
    read.parse2(input).ok()
}

/// Whether a macro is a `select!` by its name.
pub(super) fn selects(path: &Path) -> bool {
    path.segments.last().is_some_and(|last| last.ident == "select" || last.ident == "select_biased")
}

/// Whether a macro awaits what it is given.
pub(super) fn awaits(path: &Path, input: &TokenStream) -> bool {
    let Some(last) = path.segments.last() else { return false };
    match last.ident.to_string().as_str() {
        "join" | "try_join" => futures.parse2(input.clone()).is_ok(),
        // A name is pinned under itself, and stays one.
        "pin" => arguments(input.clone()).is_some_and(|of| of.iter().all(|of| !matches!(of, Expr::Path(_)))),
        _ if selects(path) => branches(input.clone()).is_some_and(|branches| !branches.futures.is_empty()),
        _ => false,
    }
}

/// Whether the futures are asked again that have ended, which those of `futures` must be ready for.
pub(super) fn is_of_futures(path: &Path) -> bool {
    let is = |segment: Option<&syn::PathSegment>, names: &[&str]| {
        segment.is_some_and(|segment| names.iter().any(|name| segment.ident == name))
    };
    is(path.segments.last(), &["select_biased"])
        || is(path.segments.last(), &["select"]) && is(path.segments.first(), &["futures", "futures_util"])
}

fn futures(input: ParseStream<'_>) -> syn::Result<()> {
    biased(input)?;
    Punctuated::<Expr, Token![,]>::parse_terminated(input).map(drop)
}

fn read(input: ParseStream<'_>) -> syn::Result<Branches> {
    let mut branches = Branches { is_biased: biased(input)?, futures: Vec::new() };
    while !input.is_empty() {
        if !is_fallback(input)? {
            Pat::parse_multi_with_leading_vert(input)?;
            input.parse::<Token![=]>()?;
            branches.futures.push(input.parse()?);
            if input.peek(Token![,]) {
                input.parse::<Token![,]>()?;
                input.parse::<Token![if]>()?;
                input.parse::<Expr>()?;
            }
        }
        input.parse::<Token![=>]>()?;
        handler(input)?;
    }
    Ok(branches)
}

/// A block ends with its brace: `(a, b)` behind it is the pattern of the next branch, and no call.
fn handler(input: ParseStream<'_>) -> syn::Result<()> {
    if input.peek(Brace) {
        input.parse::<Block>()?;
        return input.parse::<Option<Token![,]>>().map(drop);
    }
    input.parse::<Expr>()?;
    if !input.is_empty() {
        input.parse::<Token![,]>()?;
    }
    Ok(())
}

fn biased(input: ParseStream<'_>) -> syn::Result<bool> {
    let is_biased = input.peek(Ident::peek_any) && input.peek2(Token![;]) && input.fork().parse::<Ident>()? == "biased";
    if is_biased {
        input.parse::<Ident>()?;
        input.parse::<Token![;]>()?;
    }
    Ok(is_biased)
}

/// `else`, and the `complete` and `default` of `futures`.
fn is_fallback(input: ParseStream<'_>) -> syn::Result<bool> {
    let is_fallback = input.peek(Ident::peek_any)
        && input.peek2(Token![=>])
        && ["else", "complete", "default"]
            .iter()
            .any(|name| input.fork().call(Ident::parse_any).is_ok_and(|word| word == name));
    if is_fallback {
        input.call(Ident::parse_any)?;
    }
    Ok(is_fallback)
}
