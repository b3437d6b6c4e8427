//! `retry(attempts = 5, backoff = "200ms..30s", jitter)`.

use proc_macro2::TokenStream;
use syn::{Expr, Lit};

use super::args::{Arg, Args};
use super::values;
use crate::diag::Errors;
use crate::duration;
use crate::model::{Retry, Waits};

const RETRY: &[&str] = &["attempts", "backoff", "jitter"];
const EXAMPLE: &str = "retry(attempts = 5, backoff = \"200ms..30s\")";

/// Reads the list; what cannot be read is reported and left out.
pub(super) fn retry(arg: &Arg, errors: &mut Errors) -> Option<Retry> {
    let Some(list) = &arg.list else {
        errors.at(arg.name.span(), format!("`retry` takes its arguments in parentheses: write `{EXAMPLE}`"));
        return None;
    };
    let mut args = Args::parse(TokenStream::clone(list), "`retry`", RETRY, errors);
    let attempts = match args.take("attempts") {
        Some(attempts) => number(&attempts, errors),
        None if args.has("attempts") => None,
        None => {
            errors.at(arg.name.span(), format!("`retry` says how many attempts may fail: write `{EXAMPLE}`"));
            None
        }
    };
    let waits = args.take("backoff").and_then(|backoff| waits(&backoff, errors));
    let jitter = args.take("jitter").is_some_and(|jitter| values::flag(&jitter, errors));
    Some(Retry { span: arg.name.span(), attempts: attempts?, waits, jitter })
}

fn number(arg: &Arg, errors: &mut Errors) -> Option<u32> {
    let text = "`attempts` takes a number, which counts the first attempt as well: write `attempts = 5`";
    let number = match arg.value.as_ref().map(values::peel) {
        Some(Expr::Lit(literal)) => match &literal.lit {
            Lit::Int(number) => number.base10_parse().ok(),
            _ => None,
        },
        _ => None,
    };
    let mistake = match number {
        Some(number) if number >= 2 => return Some(number),
        Some(_) => "`attempts` counts the first attempt as well: write at least 2, or take `retry` out",
        None => text,
    };
    arg.refuse(mistake, errors);
    None
}

/// Two durations with `..` between them: the first wait, and the longest. One alone is both.
fn waits(arg: &Arg, errors: &mut Errors) -> Option<Waits> {
    let literal = values::string(arg, "backoff = \"200ms..30s\"", errors)?;
    let text = literal.value();
    let (first, longest) = text.split_once("..").unwrap_or((&text, &text));
    let read = |text: &str| duration::parse(text.trim());
    let is_open = first.trim().is_empty() != longest.trim().is_empty();
    let mistake = match (read(first), read(longest)) {
        _ if is_open => {
            format!(
                "the waits of \"{text}\" have no end or no beginning: write the first and the longest, \"200ms..30s\", or one that is both, \"1s\""
            )
        }
        (Err(error), _) | (_, Err(error)) => format!(
            "{error}; `backoff` takes two with `..` between them, the first wait and the longest: \"200ms..30s\""
        ),
        (Ok(first), Ok(longest)) if first > longest => {
            format!(
                "the first wait of \"{text}\" is longer than the longest: write the short one first, as in \"200ms..30s\""
            )
        }
        (Ok(first), Ok(longest)) => return Some(Waits { first, longest }),
    };
    errors.at(literal.span(), mistake);
    None
}
