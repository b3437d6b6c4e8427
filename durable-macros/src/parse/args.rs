//! A list of arguments: `name`, `name = value`, separated by commas.

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::token::{Brace, Paren};
use syn::{Attribute, Expr, Lit, Meta, Token};

use super::fillers;
use super::foreign::{listed, unknown};
use crate::diag::Errors;

/// Arguments in the order written; readers take them out by name.
pub(crate) struct Args {
    list: Vec<Arg>,
    /// Whether the list was read to its end: of what was not read nobody can say that it is missing.
    is_whole: bool,
}

pub(crate) struct Arg {
    pub(crate) name: Ident,
    /// `None` for a flag.
    pub(crate) value: Option<Expr>,
    /// What stands in parentheses behind its name.
    pub(crate) list: Option<TokenStream>,
    /// What stands behind the `as` of a key and is no type.
    pub(crate) misnamed: Option<TokenStream>,
    /// What stands behind its `=` and is no value, such as one that is not typed to its end; it may be nothing.
    pub(crate) unfinished: Option<TokenStream>,
    /// What stands where an argument should, and has no name.
    pub(super) nameless: Option<TokenStream>,
    /// Whether it is a text with what would fill its holes behind it, which is reported.
    pub(super) is_filled: bool,
    /// Whether its value stands behind a colon, or behind nothing.
    is_without_equals: bool,
}

/// The tokens between the parentheses of an attribute; `None` if they stand elsewhere, which is then reported.
pub(crate) fn attribute_args(attr: &Attribute, errors: &mut Errors) -> Option<TokenStream> {
    match &attr.meta {
        Meta::Path(_) => Some(TokenStream::new()),
        Meta::List(list) => Some(list.tokens.clone()),
        Meta::NameValue(pair) => {
            errors.on(pair, "arguments stand in parentheses: write `(key = \"..\")`");
            None
        }
    }
}

impl Arg {
    fn flag(name: Ident) -> Self {
        let (value, list, misnamed, unfinished, nameless) = (None, None, None, None, None);
        Self { name, value, list, misnamed, unfinished, nameless, is_filled: false, is_without_equals: false }
    }

    /// A mistake about its value.
    pub(crate) fn refuse(&self, text: impl std::fmt::Display, errors: &mut Errors) {
        match (&self.value, &self.unfinished) {
            (Some(value), _) => errors.on(value, text),
            (None, Some(tokens)) if !tokens.is_empty() => errors.on(tokens, text),
            _ => errors.at(self.name.span(), text),
        }
    }
}

/// The arguments whose value is a list of arguments.
const LISTS: &[&str] = &["retry"];

impl Args {
    /// Reads the list. Names that are not among `known`, and names given twice, are mistakes of `owner`.
    pub(crate) fn parse(tokens: TokenStream, owner: &str, known: &[&str], errors: &mut Errors) -> Self {
        let mut args = Self { list: Vec::new(), is_whole: true };
        let parsed = |input: ParseStream<'_>| {
            while !input.is_empty() {
                if input.peek(Token![,]) {
                    return Err(input.error("nothing stands before this comma: take it out"));
                }
                args.list.push(parse_arg(input)?);
                if !input.is_empty() {
                    input.parse::<Token![,]>()?;
                }
            }
            Ok(())
        };
        args.is_whole = errors.keep(parsed.parse2(tokens)).is_some();
        args.refuse_nameless(owner, known, errors);
        args.refuse_unknown(owner, known, errors);
        args
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        !self.is_whole || self.list.iter().any(|arg| arg.name == name)
    }

    /// Takes an argument out of the list.
    pub(crate) fn take(&mut self, name: &str) -> Option<Arg> {
        let at = self.list.iter().position(|arg| arg.name == name)?;
        Some(self.list.remove(at))
    }

    /// Takes out what has no name. Behind a text it would fill a hole of it, as in `format!`; then what is wrong with the
    /// holes of the text is this, and is said once.
    fn refuse_nameless(&mut self, owner: &str, known: &[&str], errors: &mut Errors) {
        let written = self.list.len();
        let mut kept: Vec<Arg> = Vec::new();
        for (place, arg) in std::mem::take(&mut self.list).into_iter().enumerate() {
            let text = kept.last_mut();
            let filler = text.and_then(|text| Some((fillers::filler(text, &arg, known)?, text)));
            match (filler, &arg.nameless) {
                (Some(((filler, mistake), text)), _) => {
                    if !std::mem::replace(&mut text.is_filled, true) {
                        errors.on(&filler, mistake);
                    }
                }
                (None, Some(tokens)) => {
                    let first = known.first().copied().unwrap_or_default();
                    errors.on(
                        tokens,
                        match place {
                            0 => format!("an argument has a name: write `{first} = ..`"),
                            _ => {
                                format!("an argument has a name, as in `{first} = ..`: {owner} takes {}", listed(known))
                            }
                        },
                    );
                }
                (None, None) => kept.push(arg),
            }
        }
        self.is_whole &= kept.len() == written;
        self.list = kept;
    }

    /// `key = "a", as = pay`: the name is taken for that of the key, so that no use of it is a second mistake.
    fn take_name_of_key(&mut self, known: &[&str], errors: &mut Errors) {
        let is_named = known.contains(&"args");
        let Some(at) = self.list.iter().position(|arg| is_named && arg.name == "as") else { return };
        let name = self.list.remove(at);
        let key = self.list.iter_mut().find(|arg| arg.name == "key");
        let name_of_key = name.value.to_token_stream();
        let shown = key.as_ref().map_or_else(|| "\"..\"".to_owned(), |key| key.value.to_token_stream().to_string());
        let meant = if name_of_key.is_empty() { "pay".to_owned() } else { name_of_key.to_string() };
        errors
            .at(name.name.span(), format!("the key takes its name behind its text: write `key = {shown} as {meant}`"));
        if let Some(key) = key.filter(|_| syn::parse2::<Ident>(name_of_key.clone()).is_ok()) {
            key.misnamed = Some(name_of_key);
        }
        self.is_whole = false;
    }

    fn refuse_unknown(&mut self, owner: &str, known: &[&str], errors: &mut Errors) {
        self.take_name_of_key(known, errors);
        let mut seen: Vec<String> = Vec::new();
        let written = self.list.len();
        self.list.retain(|arg| {
            let name = arg.name.to_string();
            if !known.contains(&name.as_str()) {
                errors.at(arg.name.span(), unknown(&name, owner, known));
                return false;
            }
            if seen.contains(&name) {
                errors.at(arg.name.span(), format!("`{name}` is given twice: keep one of the two"));
                return false;
            }
            if arg.is_without_equals || (arg.list.is_some() && !LISTS.contains(&name.as_str())) {
                let text = format!("an argument takes its value behind `=`: write `{name} = ..`");
                errors.at(arg.name.span(), text);
                return false;
            }
            seen.push(name);
            true
        });
        // What was meant by an argument that is left out is not missing.
        self.is_whole &= self.list.len() == written;
    }
}

fn parse_arg(input: ParseStream<'_>) -> syn::Result<Arg> {
    if is_nameless(input) {
        let name = Ident::new("_", input.span());
        return Ok(Arg { nameless: Some(rest(input)?), ..Arg::flag(name) });
    }
    let name = input.call(Ident::parse_any)?;
    if input.peek(Paren) {
        let list = input.parse::<Group>()?.stream();
        rest(input)?;
        return Ok(Arg { list: Some(list), ..Arg::flag(name) });
    }
    if input.peek(Token![:]) || input.peek(Lit) || input.peek(Brace) {
        // Read over, so that it makes no mistake of its own.
        rest(input)?;
        let is_without_equals = !LISTS.iter().any(|list| name == list);
        return Ok(Arg { is_without_equals, ..Arg::flag(name) });
    }
    let mut arg = Arg::flag(name);
    if arg.name == "key" && input.peek(Token![as]) {
        let written = rest(input)?;
        arg.value = written.clone().into_iter().find_map(|token| syn::parse2(token.into()).ok().map(Expr::Lit));
        arg.misnamed = Some(written);
    } else if input.peek(Token![=]) {
        input.parse::<Token![=]>()?;
        if arg.name == "key" && has_misnamed_key(input) {
            arg.value = Some(Expr::Lit(input.parse()?));
            input.parse::<Option<Token![as]>>()?;
            arg.misnamed = Some(rest(input)?);
        } else if is_unfinished(input) || arg.name == "key" && input.fork().parse::<Expr>().is_err() {
            arg.unfinished = Some(rest(input)?);
        } else {
            arg.value = Some(input.parse()?);
        }
    }
    Ok(arg)
}

/// Whether what stands here is a value and no name.
fn is_nameless(input: ParseStream<'_>) -> bool {
    let ahead = input.fork();
    if ahead.call(Ident::parse_any).is_err() || ahead.peek(Token![::]) || ahead.peek(Token![==]) {
        return true;
    }
    match ahead.parse::<TokenTree>() {
        Ok(TokenTree::Punct(punct)) => !matches!(punct.as_char(), ',' | '=' | ':'),
        Ok(TokenTree::Group(group)) => group.delimiter() == Delimiter::Bracket,
        _ => false,
    }
}

/// Whether the value ends before it is one: it is being typed.
fn is_unfinished(input: ParseStream<'_>) -> bool {
    let Ok(value) = rest(&input.fork()) else { return false };
    let ends = syn::parse2::<Expr>(value.clone()).err().map(|error| error.to_string());
    value.is_empty() || ends.is_some_and(|error| error.starts_with("unexpected end of input"))
}

/// `".." as "pay"`, which `syn` refuses, since it takes the name for a type; `".." as pay: StepKey`, and `".." => pay`.
fn has_misnamed_key(input: ParseStream<'_>) -> bool {
    let ahead = input.fork();
    // What stands behind a comma that was forgotten is no part of the name.
    let is_whole =
        ahead.parse::<Expr>().is_ok() && (ahead.is_empty() || ahead.peek(Token![,]) || ahead.peek(Ident::peek_any));
    input.peek(Lit) && (input.peek2(Token![as]) || input.peek2(Token![=>])) && !is_whole
}

/// The tokens up to the next comma.
fn rest(input: ParseStream<'_>) -> syn::Result<TokenStream> {
    let mut rest = TokenStream::new();
    while !input.is_empty() && !input.peek(Token![,]) {
        rest.extend([input.parse::<TokenTree>()?]);
    }
    Ok(rest)
}
