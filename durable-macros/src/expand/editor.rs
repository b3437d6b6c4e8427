//! What an editor shows of our attributes and their arguments. They are gone from the expansion, which is all that an
//! editor sees, so the names are used once more, as those of documented items; only an editor compiles that.

use proc_macro2::{Delimiter, Ident, Span, TokenStream, TokenTree};
use quote::quote;

use super::paths;

/// An attribute, and its arguments that have an item in the runtime.
type Known = (&'static str, &'static [&'static str]);

const WORKFLOW: Known =
    ("durable_workflow", &["key", "goal", "invariants", "inputs", "session", "nondeterminism", "timeout", "local"]);
const SIDE_EFFECT: Known = (
    "side_effect",
    &[
        "key",
        "title",
        "verify",
        "idempotent",
        "in_doubt",
        "settle",
        "args",
        "classify",
        "retry",
        "timeout",
        "within",
        "errors",
    ],
);
const READ: Known = ("read", &["key", "title", "args", "classify", "retry", "timeout", "errors"]);
const RUN: Known = ("run", &["key", "title"]);

/// A name that the user wrote: an attribute, or an argument of one.
pub(crate) struct Named {
    name: Ident,
    /// The attribute that it is an argument of.
    argument_of: Option<&'static str>,
}

/// The names in the arguments of a workflow, and in the attributes of its steps.
pub(crate) fn names(args: &TokenStream, item: TokenStream) -> Vec<Named> {
    let mut names = Vec::new();
    arguments(WORKFLOW, args.clone(), &mut names);
    attributes(item, &mut names);
    names
}

/// A statement that uses each name. The macro of the runtime asks whether this is an editor: a `#[cfg]` in the expansion
/// would be one that the user's crate does not know.
pub(super) fn uses(names: &[Named]) -> Option<TokenStream> {
    // At no place of the user: what is shown at a name is that name's text alone.
    let (root, private) = (paths::public(Span::mixed_site()), paths::private(Span::mixed_site()));
    let uses = names.iter().map(|Named { name, argument_of }| match argument_of {
        None => quote! {use #root::#name as _;},
        Some(attribute) => {
            let attribute = Ident::new(attribute, Span::mixed_site());
            quote! {use #private::editor::#attribute::#name as _;}
        }
    });
    (!names.is_empty()).then(|| quote! {#root::__for_editors! { #(#uses)* }})
}

/// Looks for `#[side_effect(..)]`, at any depth.
fn attributes(tokens: TokenStream, names: &mut Vec<Named>) {
    let mut after_pound = false;
    for token in tokens {
        if let TokenTree::Group(group) = &token {
            match after_pound && group.delimiter() == Delimiter::Bracket {
                true => attribute(group.stream(), names),
                false => attributes(group.stream(), names),
            }
        }
        after_pound = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '#');
    }
}

fn attribute(tokens: TokenStream, names: &mut Vec<Named>) {
    let mut owner = None;
    for token in tokens {
        match token {
            TokenTree::Ident(name) => {
                owner = [SIDE_EFFECT, READ, RUN].into_iter().find(|owner| name == owner.0);
                names.extend(owner.map(|_| Named { name, argument_of: None }));
            }
            TokenTree::Group(args) => owner.iter().for_each(|owner| arguments(*owner, args.stream(), names)),
            _ => {}
        }
    }
}

/// The first name behind each comma.
fn arguments((owner, known): Known, args: TokenStream, names: &mut Vec<Named>) {
    let mut begins = true;
    for token in args {
        let is_comma = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == ',');
        match token {
            TokenTree::Ident(name) if begins && known.iter().any(|known| name == known) => {
                names.push(Named { name, argument_of: Some(owner) });
            }
            _ => {}
        }
        begins = is_comma;
    }
}
