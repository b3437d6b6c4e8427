//! Where generated tokens claim to stand. Errors of the expansion must appear at the user's code, not at the attribute.

use proc_macro2::{Group, Span, TokenStream, TokenTree};
use quote::ToTokens;

/// A span for generated code: placed at the user's token, with names of its own, so that it neither sees nor hides
/// the user's variables.
pub(crate) fn generated(user: Span) -> Span {
    user.resolved_at(Span::mixed_site())
}

/// The spans of the first and the last token; together they underline the whole.
pub(crate) fn ends(tokens: &impl ToTokens) -> (Span, Span) {
    let mut spans = tokens.to_token_stream().into_iter().map(|token| (first(&token), last(&token)));
    let Some((start, end)) = spans.next() else { return (Span::call_site(), Span::call_site()) };
    (start, spans.last().map_or(end, |(_, end)| end))
}

/// The same tokens, all at one place.
pub(crate) fn respan(tokens: TokenStream, span: Span) -> TokenStream {
    tokens.into_iter().map(|token| respan_tree(token, span)).collect()
}

/// The same tokens, each with its own meaning, all at one place.
pub(crate) fn moved(tokens: TokenStream, to: Span) -> TokenStream {
    let moved = tokens.into_iter().map(|mut token| {
        token.set_span(token.span().located_at(to));
        token
    });
    moved.collect()
}

/// File, line and column of a token; nothing known outside a compiler.
pub(crate) fn location(span: Span) -> (String, u32, u32) {
    if !proc_macro::is_available() {
        return (String::new(), 0, 0);
    }
    let span = span.unwrap();
    (span.file(), small(span.line()), small(span.column()))
}

fn respan_tree(token: TokenTree, span: Span) -> TokenTree {
    let mut token = match token {
        TokenTree::Group(group) => Group::new(group.delimiter(), respan(group.stream(), span)).into(),
        other => other,
    };
    token.set_span(span);
    token
}

fn first(token: &TokenTree) -> Span {
    match token {
        TokenTree::Group(group) => group.span_open(),
        other => other.span(),
    }
}

fn last(token: &TokenTree) -> Span {
    match token {
        TokenTree::Group(group) => group.span_close(),
        other => other.span(),
    }
}

fn small(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
