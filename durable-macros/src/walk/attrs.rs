//! The attributes that mark a step, and where `syn` keeps them.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, Meta, Path, Token};

use super::misspelt;
use crate::model::Kind;

/// The kind of step that an attribute marks, under whatever path it was imported.
pub(super) fn kind_of(attr: &Attribute) -> Option<Kind> {
    kind_of_path(attr.path())
}

fn kind_of_path(path: &Path) -> Option<Kind> {
    let name = path.segments.last()?.ident.unraw();
    Kind::ALL.into_iter().find(|kind| name == kind.attribute())
}

/// The `#[cfg(..)]` among attributes, as text.
pub(super) fn cfgs(attrs: &[Attribute]) -> Vec<String> {
    let cfgs = attrs.iter().filter(|attr| attr.path().is_ident("cfg"));
    cfgs.map(|attr| attr.to_token_stream().to_string()).collect()
}

/// Takes the step attributes out of a list.
pub(super) fn take(attrs: &mut Vec<Attribute>) -> Vec<(Kind, Attribute)> {
    let mut taken = Vec::new();
    attrs.retain(|attr| {
        let kind = kind_of(attr);
        taken.extend(kind.map(|kind| (kind, attr.clone())));
        kind.is_none()
    });
    taken
}

/// Takes the step attributes out of the list of an expression, those under another name too: each as the kind that was
/// meant.
pub(super) fn take_from_expr(attrs: &mut Vec<Attribute>) -> Vec<(Kind, Attribute)> {
    let mut taken = Vec::new();
    attrs.retain(|attr| {
        let kind = kind_of(attr).or_else(|| marks(attr).then(|| misspelt::meant(attr.path())));
        taken.extend(kind.map(|kind| (kind, attr.clone())));
        kind.is_none()
    });
    taken
}

/// Whether a step attribute stands anywhere among the tokens.
pub(super) fn among(tokens: TokenStream) -> bool {
    let mut after_pound = false;
    tokens.into_iter().any(|token| match token {
        TokenTree::Group(group) => {
            let found = after_pound && is_step(&group) || among(group.stream());
            after_pound = false;
            found
        }
        other => {
            after_pound = matches!(&other, TokenTree::Punct(punct) if matches!(punct.as_char(), '#' | '!'));
            false
        }
    })
}

/// The brackets of the step attributes among the tokens.
pub(super) fn all_among(tokens: TokenStream) -> Vec<Group> {
    let mut found = Vec::new();
    let mut after_pound = false;
    for token in tokens {
        if let TokenTree::Group(group) = &token {
            match after_pound && is_step(group) {
                true => found.push(group.clone()),
                false => found.extend(all_among(group.stream())),
            }
        }
        after_pound = is_pound(&token);
    }
    found
}

/// The first step attribute behind which a statement or a block ends.
pub(crate) fn without_expression(tokens: TokenStream) -> Option<Group> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    tokens.iter().enumerate().find_map(|(at, token)| match token {
        TokenTree::Group(group) if at > 0 && is_pound(&tokens[at - 1]) && is_step(group) => match tokens.get(at + 1) {
            Some(TokenTree::Punct(end)) if end.as_char() != ';' => None,
            None | Some(TokenTree::Punct(_)) => Some(group.clone()),
            Some(_) => None,
        },
        TokenTree::Group(group) => without_expression(group.stream()),
        _ => None,
    })
}

/// Whether one of the attributes that `#[cfg_attr(condition, ..)]` gives is that of a step.
pub(super) fn is_conditional(tokens: TokenStream) -> bool {
    let given = Punctuated::<Meta, Token![,]>::parse_terminated.parse2(tokens);
    given.into_iter().flatten().skip(1).any(|meta| kind_of_path(meta.path()).is_some())
}

/// The tokens without our attributes, where they are no Rust: left in, each would be one more error.
pub(crate) fn without_attributes(tokens: TokenStream) -> TokenStream {
    let mut kept: Vec<TokenTree> = Vec::new();
    for token in tokens {
        match token {
            TokenTree::Group(group) if is_ours(&group) && kept.last().is_some_and(is_pound) => drop(kept.pop()),
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), without_attributes(group.stream()));
                inner.set_span(group.span());
                kept.push(inner.into());
            }
            other => kept.push(other),
        }
    }
    kept.into_iter().collect()
}

fn is_pound(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == '#')
}

fn is_ours(group: &Group) -> bool {
    is_step(group) || group.delimiter() == Delimiter::Bracket && group.stream().to_string() == "resource"
}

/// Whether the brackets of an attribute hold a path that ends in the name of a step, be it in the invisible delimiters of
/// `macro_rules!`, or as what `cfg_attr` gives. Under another name it is known by its arguments.
pub(super) fn is_step(group: &Group) -> bool {
    if group.delimiter() != Delimiter::Bracket {
        return false;
    }
    let tokens: Vec<TokenTree> = visible(group.stream());
    let end = tokens.iter().position(|token| matches!(token, TokenTree::Group(_))).unwrap_or(tokens.len());
    let name = tokens[..end].iter().rev().find_map(|token| match token {
        TokenTree::Ident(name) => Some(name.unraw()),
        _ => None,
    });
    let Some(name) = name else { return false };
    let given = match tokens.get(end) {
        Some(TokenTree::Group(given)) => given.stream(),
        _ => TokenStream::new(),
    };
    Kind::ALL.iter().any(|kind| name == kind.attribute())
        || name == "cfg_attr" && is_conditional(given.clone())
        || begins_with_key(given)
}

/// Whether an attribute of an expression marks a step, under whatever name.
pub(super) fn marks(attr: &Attribute) -> bool {
    kind_of(attr).is_some() || is_renamed(attr) || misspelt::is_meant(attr.path())
}

/// Whether an attribute is that of a step under another name, as its arguments tell.
pub(super) fn is_renamed(attr: &Attribute) -> bool {
    matches!(&attr.meta, Meta::List(list) if begins_with_key(list.tokens.clone()))
}

/// `key = ".."`: the first argument of every step.
fn begins_with_key(tokens: TokenStream) -> bool {
    let mut tokens = visible(tokens).into_iter();
    let is_key = matches!(tokens.next(), Some(TokenTree::Ident(name)) if name == "key");
    let is_given = matches!(tokens.next(), Some(TokenTree::Punct(punct)) if punct.as_char() == '=');
    is_key && is_given && matches!(tokens.next(), Some(TokenTree::Literal(_)))
}

/// The tokens without invisible delimiters.
fn visible(tokens: TokenStream) -> Vec<TokenTree> {
    let visible = tokens.into_iter().flat_map(|token| match token {
        TokenTree::Group(group) if group.delimiter() == Delimiter::None => visible(group.stream()),
        other => vec![other],
    });
    visible.collect()
}

/// The attributes of an expression, of whatever kind it is.
pub(super) fn of_expr(expr: &mut Expr) -> Option<&mut Vec<Attribute>> {
    macro_rules! attrs {
        ($($kind:ident)*) => {
            match expr {
                $(Expr::$kind(expr) => Some(&mut expr.attrs),)*
                _ => None,
            }
        };
    }
    attrs! {
        Array Assign Async Await Binary Block Break Call Cast Closure Const Continue Field ForLoop Group If Index Infer
        Let Lit Loop Macro Match MethodCall Paren Path Range RawAddr Reference Repeat Return Struct Try TryBlock Tuple
        Unary Unsafe While Yield
    }
}
