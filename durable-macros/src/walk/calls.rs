//! What a body calls outside its steps that may be a workflow: the macro cannot know which of them are.

use std::collections::BTreeSet;

use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::{Block, parse2};

use crate::names::mentions;

/// The names of what is called with `session`, or awaited where it is called. Its steps have been taken out of the body.
pub(crate) fn calls(body: &Block, session: Option<&Ident>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let session = session.map(ToString::to_string);
    among(body.to_token_stream(), session.as_deref(), &mut found);
    found
}

fn among(tokens: TokenStream, session: Option<&str>, found: &mut BTreeSet<String>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (at, token) in tokens.iter().enumerate() {
        let TokenTree::Group(group) = token else { continue };
        among(group.stream(), session, found);
        let is_call = group.delimiter() == Delimiter::Parenthesis;
        let Some(name) = called(&tokens[..at]).filter(|_| is_call) else { continue };
        if is_awaited(&tokens[at + 1..]) || session.is_some_and(|name| mentions(group.stream(), &[name])) {
            found.insert(name.unraw().to_string());
        }
    }
}

/// The function or method that is called by the parentheses behind these tokens. Names of types are none.
fn called(before: &[TokenTree]) -> Option<Ident> {
    let name = match before.last()? {
        TokenTree::Ident(ident) => ident,
        TokenTree::Punct(punct) if punct.as_char() == '>' => generic(before)?,
        _ => return None,
    };
    let is_type = name.to_string().starts_with(char::is_uppercase);
    parse2::<Ident>(name.to_token_stream()).ok().filter(|_| !is_type)
}

/// The name in front of `::<..>`.
fn generic(before: &[TokenTree]) -> Option<&Ident> {
    let is = |at: usize, wanted: char| matches!(before.get(at), Some(TokenTree::Punct(it)) if it.as_char() == wanted);
    let mut depth = 0_usize;
    let open = (0..before.len()).rev().find(|&at| {
        if is(at, '>') && !(at > 0 && is(at - 1, '-')) {
            depth += 1;
        }
        depth -= usize::from(is(at, '<'));
        depth == 0
    })?;
    match before.get(open.checked_sub(3)?)? {
        TokenTree::Ident(name) if is(open - 1, ':') => Some(name),
        _ => None,
    }
}

fn is_awaited(behind: &[TokenTree]) -> bool {
    matches!(behind, [TokenTree::Punct(dot), TokenTree::Ident(name), ..] if dot.as_char() == '.' && name == "await")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(body: &str) -> Vec<String> {
        let session = Ident::new("session", proc_macro2::Span::call_site());
        calls(&syn::parse_str(body).unwrap(), Some(&session)).into_iter().collect()
    }

    #[test]
    fn what_is_given_the_session_or_awaited_is_called_wherever_it_stands() {
        assert_eq!(of("{ helpers::one(session, n).await?; two(&session.clone()); }"), ["one", "two"]);
        assert_eq!(of("{ let (a, b) = join!(one(session), async { self.two().await }); }"), ["one", "two"]);
        assert_eq!(
            of("{ each(items, 2, async |n| one::<Vec<fn(u8) -> u8>>(session, n).await).await }"),
            ["each", "one"]
        );
        assert_eq!(of("{ Ok(r#match(session).await?) }"), ["match"]);
    }

    #[test]
    fn what_is_neither_is_not_called() {
        assert_eq!(of("{ let n = sum(items); match (session, n) { _ => log!(n) } }"), [""; 0]);
    }
}
