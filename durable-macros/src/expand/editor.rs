//! What an editor shows of our attributes and their arguments. They are gone from the expansion, which is all that an
//! editor sees, so the names are used once more, as those of documented items; only an editor compiles that.

use proc_macro2::{Delimiter, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::Expr;

use super::paths;

/// The attributes of a body, which are macros of the library.
const STEPS: [&str; 5] = ["side_effect", "read", "run", "decision", "sleep"];
/// The attributes of a parameter, which are no macros.
const MARKS: [&str; 2] = ["resource", "input"];

/// A name that the user wrote: an attribute, or an argument of one.
pub(crate) struct Named {
    name: Ident,
    /// The module of the runtime in which it is an item: `step`, `parameter`, or the attribute that it is an argument of.
    module: &'static str,
}

/// The names in the arguments of a workflow, and in the attributes of its parameters and steps. A name that is no
/// argument, or not yet, is among them: there an editor completes it.
pub(crate) fn names(args: &TokenStream, item: TokenStream) -> Vec<Named> {
    let mut names = Vec::new();
    arguments("durable_workflow", args.clone(), &mut names);
    attributes(item, &mut names);
    names
}

/// A statement that uses each name. The macro of the runtime asks whether this is an editor: a `#[cfg]` in the expansion
/// would be one that the user's crate does not know.
pub(super) fn uses(names: &[Named]) -> Option<TokenStream> {
    // At no place of the user: what is shown at a name is that name's text alone.
    let private = paths::private(Span::mixed_site());
    let uses = names.iter().map(|Named { name, module }| {
        let module = Ident::new(module, Span::mixed_site());
        quote! {use #private::editor::#module::#name as _;}
    });
    // An editor completes a name where it stands in the expansion, but looks for the place in that of what was typed
    // before, which may have no mistake yet. The last item keeps the place inside.
    (!names.is_empty()).then(|| quote! {#private::for_editors! { #(#uses)* use #private::editor as _; }})
}

/// A statement that only an editor reads, so that names are known in what else would be gone.
pub(super) fn shown(expr: &Expr) -> TokenStream {
    let private = paths::private(Span::mixed_site());
    quote! {#private::for_editors! { let _ = #expr; }}
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
                owner = STEPS.into_iter().chain(MARKS).find(|owner| name == owner);
                let module = |owner| if MARKS.contains(&owner) { "parameter" } else { "step" };
                names.extend(owner.map(|owner| Named { name, module: module(owner) }));
            }
            TokenTree::Group(args) => owner.iter().for_each(|owner| arguments(owner, args.stream(), names)),
            _ => {}
        }
    }
}

/// The first name behind each comma. A keyword names no item.
fn arguments(owner: &'static str, args: TokenStream, names: &mut Vec<Named>) {
    let mut begins = true;
    for token in args {
        let is_comma = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == ',');
        match token {
            TokenTree::Ident(name) if begins && syn::parse2::<Ident>(name.to_token_stream()).is_ok() => {
                names.push(Named { name, module: owner });
            }
            _ => {}
        }
        begins = is_comma;
    }
    if begins && owner != "input" {
        // Where the next name may be typed: an editor finds the module that it belongs to.
        names.push(Named { name: Ident::new("key", Span::mixed_site()), module: owner });
    }
}
