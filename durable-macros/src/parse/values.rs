//! The values that arguments take.

use std::time::Duration;

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Expr, Lit, LitStr};

use super::args::Arg;
use crate::diag::Errors;
use crate::duration;
use crate::key::{Template, hole_expr, is_place, spelled};
use crate::model::Text;
use crate::walk::mentions_step;

/// The longest full key, in bytes of its JSON text, as the runtime has it.
const MAX_KEY_JSON: usize = 480;

/// A string, or a mistake that shows how to write it.
pub(crate) fn string(arg: &Arg, example: &str, errors: &mut Errors) -> Option<LitStr> {
    let found = arg.value.as_ref().and_then(literal);
    match &found {
        None => wrong_kind(arg, "a string", example, errors),
        Some(text) if text.value().trim().is_empty() => {
            errors.at(text.span(), format!("`{}` says nothing: write `{example}`, or take it out", arg.name));
        }
        Some(_) => {}
    }
    found
}

/// A text in which nothing is filled in.
pub(crate) fn plain_string(arg: &Arg, example: &str, errors: &mut Errors) -> Option<LitStr> {
    let found = string(arg, example, errors);
    if let Some(text) = &found
        && text.value().contains(['{', '}'])
    {
        let name = &arg.name;
        errors.at(
            text.span(),
            format!("`{name}` has no holes, so this would be shown as it stands: write `{example}`, and put what differs into `title`"),
        );
    }
    found
}

/// An argument that takes no value; where it has one it counts as given.
pub(crate) fn flag(arg: &Arg, errors: &mut Errors) -> bool {
    if arg.value.is_some() || arg.unfinished.is_some() {
        arg.refuse(format!("`{name}` takes no value: write `{name}` alone", name = arg.name), errors);
    }
    true
}

/// An expression, or a mistake that shows how to write it.
pub(crate) fn expression(arg: Arg, example: &str, errors: &mut Errors) -> Option<Expr> {
    match &arg.value {
        None => wrong_kind(&arg, "an expression", example, errors),
        Some(value) => refuse_step(&arg.name, value, errors),
    }
    arg.value
}

/// What an argument says is no part of the body, in which alone a step can stand. Of those that are looked at in the middle
/// of a step more is said elsewhere.
pub(super) fn refuse_step(name: &Ident, value: &Expr, errors: &mut Errors) {
    if mentions_step(value) && !["verify", "shows", "on_expiry"].iter().any(|other| name == other) {
        errors.on(
            value,
            format!("`{name}` is a value, and a step in it would be one of its own: bind it with a `let` before"),
        );
    }
}

/// A text with holes of any expression.
pub(crate) fn text(arg: &Arg, example: &str, errors: &mut Errors) -> Option<Text> {
    let literal = string(arg, example, errors).filter(|_| !arg.is_filled)?;
    let text = parse_text(literal, errors)?;
    for hole in &text.template.holes {
        errors.keep(hole_expr(hole, text.literal.span()))?;
    }
    Some(text)
}

/// The key of a step, and the name that `as` gives it. Each is read though the other cannot be, so that the step around
/// it has only the one mistake.
pub(crate) fn named_key(arg: &Arg, errors: &mut Errors) -> (Option<Text>, Option<Ident>) {
    let (text, name) = key_as(arg, errors);
    (text, name.and_then(|name| binding_name(name, arg, errors)))
}

/// A key that takes no name, and why.
pub(crate) fn unnamed_key(arg: &Arg, why: &str, errors: &mut Errors) -> Option<Text> {
    let (text, name) = key_as(arg, errors);
    match name {
        Some(name) if name.is_empty() => errors.at(arg.name.span(), why),
        Some(name) => errors.on(&name, why),
        None => {}
    }
    text
}

/// A template whose holes are names and fields, and what stands behind its `as`.
fn key_as(arg: &Arg, errors: &mut Errors) -> (Option<Text>, Option<TokenStream>) {
    let (value, name) = match arg.value.as_ref().map(peel) {
        Some(Expr::Cast(cast)) => (Some(&*cast.expr), Some(cast.ty.to_token_stream())),
        value => (value, arg.misnamed.clone()),
    };
    let text = match value.and_then(literal) {
        Some(_) if arg.is_filled => None,
        Some(literal) => key_text(literal, errors),
        None => {
            let text = "a key is a string literal, so that it can be checked: write `key = \"pay/{invoice.id}\"`";
            arg.refuse(text, errors);
            None
        }
    };
    (text, name)
}

/// A list of strings, as in `["one", "two"]`.
pub(crate) fn strings(arg: &Arg, example: &str, errors: &mut Errors) -> Vec<LitStr> {
    let list = match arg.value.as_ref().map(peel) {
        Some(Expr::Array(array)) => array.elems.iter().map(literal).collect(),
        _ => None,
    };
    list.unwrap_or_else(|| {
        wrong_kind(arg, "a list of strings", example, errors);
        Vec::new()
    })
}

/// A whole number from 1 on.
pub(crate) fn version(arg: &Arg, errors: &mut Errors) -> Option<u32> {
    let value = match arg.value.as_ref().map(peel) {
        Some(Expr::Lit(lit)) => match &lit.lit {
            Lit::Int(number) => number.base10_parse().ok().filter(|version| *version > 0),
            _ => None,
        },
        _ => None,
    };
    if value.is_none() {
        wrong_kind(arg, "a whole number from 1 on", "version = 2", errors);
    }
    value
}

pub(crate) fn duration(arg: &Arg, example: &str, errors: &mut Errors) -> Option<(Span, Duration)> {
    let literal = string(arg, example, errors)?;
    match duration::parse(&literal.value()) {
        Ok(duration) => Some((literal.span(), duration)),
        Err(error) => {
            errors.at(literal.span(), error);
            None
        }
    }
}

/// A duration that is longer than nothing.
pub(crate) fn length(arg: &Arg, example: &str, errors: &mut Errors) -> Option<(Span, Duration)> {
    let (span, length) = duration(arg, example, errors)?;
    if length.is_zero() {
        errors.at(span, format!("`{}` of nothing is over at once: write `{example}`, or take it out", arg.name));
        return None;
    }
    Some((span, length))
}

fn wrong_kind(arg: &Arg, kind: &str, example: &str, errors: &mut Errors) {
    let text = format!("`{}` takes {kind}: write `{example}`", arg.name);
    arg.refuse(text, errors);
}

fn key_text(literal: LitStr, errors: &mut Errors) -> Option<Text> {
    let text = parse_text(literal, errors)?;
    let span = text.literal.span();
    if let Some(mistake) = bad_characters(&text.literal.value()) {
        errors.at(span, mistake);
        return None;
    }
    let bytes = text.template.least_json();
    if bytes > MAX_KEY_JSON {
        errors.at(span, format!("this key has {bytes} bytes as JSON even where each hole holds one character, {MAX_KEY_JSON} at most: say it in fewer words"));
        return None;
    }
    if !holes_are_places(&text, errors) {
        return None;
    }
    if let Some((first, second)) = text.template.run_together() {
        errors.at(span, format!("the values of `{{{first}}}` and `{{{second}}}` can run together, so two pairs could share one key: put `/` between the two, or `:`, which no value can hold"));
        return None;
    }
    Some(text)
}

/// Whether each hole of a key names a value, in a form that keeps two values apart. What does not is reported.
pub(super) fn holes_are_places(text: &Text, errors: &mut Errors) -> bool {
    let span = text.literal.span();
    for hole in &text.template.holes {
        if let Err(mistake) = hole.check_in_key() {
            errors.at(span, mistake);
            return false;
        }
        let Some(expr) = errors.keep(hole_expr(hole, span)) else { return false };
        if !is_place(&expr) {
            let hole = &hole.expr;
            errors.at(span, format!("`{{{hole}}}` computes a value; a key names one: bind it with `let` above the step and write its name, or a field, `{{invoice.id}}`"));
            return false;
        }
    }
    true
}

pub(super) fn bad_characters(key: &str) -> Option<String> {
    if key.trim().is_empty() {
        Some(
            "this key is empty: write what the step is and the values that tell it apart, `\"pay/{invoice.id}\"`"
                .to_owned(),
        )
    } else if key.chars().any(char::is_control) {
        Some(format!("the key {key:?} holds a control character: keys are one line of plain text"))
    } else if key.contains("//") || key.starts_with('/') || key.ends_with('/') {
        Some(format!(
            "the key \"{key}\" has an empty part: `//` joins the key of a run and the key of a step, so `/` stands only between two parts"
        ))
    } else {
        None
    }
}

fn parse_text(literal: LitStr, errors: &mut Errors) -> Option<Text> {
    match Template::parse(&literal.value()) {
        Ok(mut template) => {
            template.holes.iter_mut().for_each(|hole| hole.expr = spelled(&hole.expr));
            Some(Text { literal, template })
        }
        Err(error) => {
            errors.at(literal.span(), error);
            None
        }
    }
}

/// The name behind `as`; where something else stands there, the name that was meant.
fn binding_name(written: TokenStream, arg: &Arg, errors: &mut Errors) -> Option<Ident> {
    if let Ok(name) = syn::parse2(written.clone()) {
        return Some(name);
    }
    let key = arg.value.as_ref().map(peel);
    let key = match key {
        Some(Expr::Cast(cast)) => cast.expr.to_token_stream().to_string(),
        other => other.to_token_stream().to_string(),
    };
    let meant: Option<Ident> = written.clone().into_iter().find_map(|token| match token {
        TokenTree::Ident(name) => syn::parse2(name.into_token_stream()).ok(),
        TokenTree::Literal(literal) => syn::parse2::<LitStr>(literal.into_token_stream()).ok()?.parse().ok(),
        _ => None,
    });
    let is_path = written.to_string().contains("::");
    let name = meant.as_ref().filter(|_| !is_path).map_or_else(|| "pay".to_owned(), ToString::to_string);
    let text = format!("`as` gives the key a name, by which the step can use it: write `key = {key} as {name}`");
    match written.is_empty() {
        true => errors.at(arg.name.span(), text),
        false => errors.on(&written, text),
    }
    meant
}

pub(super) fn literal(expr: &Expr) -> Option<LitStr> {
    match peel(expr) {
        Expr::Lit(lit) => match &lit.lit {
            Lit::Str(text) => Some(text.clone()),
            _ => None,
        },
        _ => None,
    }
}

/// Takes off the invisible delimiters that `macro_rules!` puts around its fragments.
pub(crate) fn peel(expr: &Expr) -> &Expr {
    match expr {
        Expr::Group(group) => peel(&group.expr),
        other => other,
    }
}
