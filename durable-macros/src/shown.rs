//! Tokens as one writes them.

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};
use quote::ToTokens;

/// The text of what the user wrote, for a message.
pub(crate) fn shown(tokens: &impl ToTokens) -> String {
    let mut text = String::new();
    write(tokens.to_token_stream(), &mut text);
    text
}

fn write(tokens: TokenStream, text: &mut String) {
    let mut before: Option<TokenTree> = None;
    let mut is_path = false;
    for token in tokens {
        if before.as_ref().is_some_and(|before| are_apart(before, &token)) && !is_path {
            text.push(' ');
        }
        is_path = text.ends_with(':') && matches!(&token, TokenTree::Punct(punct) if punct.as_char() == ':');
        match &token {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::Brace => ("{ ", " }"),
                    Delimiter::None => ("", ""),
                };
                text.push_str(open);
                write(group.stream(), text);
                text.push_str(close);
            }
            other => text.push_str(&other.to_string()),
        }
        before = Some(token);
    }
}

/// Whether a space stands between two tokens.
fn are_apart(before: &TokenTree, token: &TokenTree) -> bool {
    match (before, token) {
        (TokenTree::Punct(punct), _) if punct.spacing() == Spacing::Joint => false,
        (_, TokenTree::Punct(punct)) if ",;:.?<>!".contains(punct.as_char()) => false,
        (TokenTree::Punct(punct), _) if ".&<!#'?".contains(punct.as_char()) => false,
        (TokenTree::Punct(punct), TokenTree::Group(_)) if punct.as_char() == '>' => false,
        (TokenTree::Ident(_) | TokenTree::Group(_), TokenTree::Group(group)) => group.delimiter() == Delimiter::Brace,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_read_as_they_were_written() {
        for text in [
            "session.sleep(std::time::Duration::from_secs(60 * n)).await?",
            "Option<Vec<&'a str>>",
            "[u8; 4]",
            "(u32, &String)",
            "let send: Approval = session.decide::<Approval>().await?;",
            "wait(&self.days[0], || rest - 1)",
            "Wait { days: 2 }",
        ] {
            assert_eq!(shown(&text.parse::<TokenStream>().unwrap()), text);
        }
    }
}
