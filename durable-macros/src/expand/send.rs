//! A workflow that cannot move between threads says so at its own name, and not where somebody spawns it far away.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};
use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};
use syn::{GenericParam, Generics, Ident, Token, Type, TypeImplTrait, TypeParamBound, WherePredicate};

use super::handed::is_handed_on;
use super::named::{self, Named, Signed};
use super::paths;
use crate::model::{Kind, Place, Session, Step, Workflow};
use crate::names::{self, mentions};
use crate::span;

/// Traits that say nothing of another type, so that whoever knows them all knows what a value of the parameter brings
/// with it. Of any other trait the types and futures may be `Send` or not.
const OF_ITSELF: &[&str] = &[
    "Send",
    "Sync",
    "Unpin",
    "Sized",
    "Copy",
    "Clone",
    "Default",
    "Debug",
    "Display",
    "PartialEq",
    "Eq",
    "PartialOrd",
    "Ord",
    "Hash",
    "Serialize",
    "DeserializeOwned",
    "ToString",
    "KeyPart",
    "Into",
    "From",
    "AsRef",
];

/// What a workflow says of threads.
#[derive(Default)]
pub(super) struct Threads {
    /// Whether the types are known that the signature names.
    pub(super) types: Option<TokenStream>,
    /// In the body: the wish that the values of its steps be `Send`.
    pub(super) of_steps: Option<TokenStream>,
    /// At the name of the function: the wish that the body named `__durable_body` be it.
    pub(super) of_body: Option<TokenStream>,
}

pub(super) fn threads(workflow: &Workflow) -> Threads {
    let Some(named) = asked(workflow) else { return Threads::default() };
    let (asks_steps, asks_body) = (!workflow.steps.is_empty(), !may_recur(workflow) && !is_handed_on(workflow));
    let at = span::generated(workflow.function.sig.ident.span());
    let root = paths::private(at);
    if named.is_empty() {
        let of_body = quote_spanned! {at=> #root::send_unless_local(&__durable_body);};
        return Threads {
            types: None,
            of_steps: asks_steps.then(|| quote_spanned! {at=> let __durable_run = &#root::Moving(__durable_run);}),
            of_body: asks_body.then_some(of_body),
        };
    }
    let of_steps = quote_spanned! {at=> let __durable_run = &__durable_types.steps_of(__durable_run);};
    let of_body = quote_spanned! {at=> __durable_types.send_unless_local(&__durable_body);};
    let types = named::one_after_the_other(&named, at);
    Threads {
        types: Some(quote_spanned! {at=>
            let __durable_types: [#types; 0] = [];
            let __durable_types = #root::named(__durable_types);
        }),
        of_steps: asks_steps.then_some(of_steps),
        of_body: asks_body.then_some(of_body),
    }
}

/// Which types have to be known before something can be said; `None` where nothing is.
fn asked(workflow: &Workflow) -> Option<Vec<Named>> {
    let sig = &workflow.function.sig;
    let mut hidden = HiddenInputs { all_send: true };
    sig.inputs.iter().for_each(|input| hidden.visit_fn_arg(input));
    let is_decidable = !workflow.args.local && all_send(&sig.generics) && hidden.all_send && is_open(workflow);
    match (&workflow.place, named::in_signature(sig)) {
        _ if !is_decidable => None,
        (Place::Impl { generics } | Place::TraitImpl { generics, .. }, _) => all_send(generics).then(Vec::new),
        (Place::Unknown, Signed::Types(types)) if !workflow.signature.speaks_of_self => Some(types),
        (Place::Unknown, _) => None,
    }
}

/// Whether what it returns leaves the question open. A future that is boxed as `Send` is held to it by the compiler, and
/// one that is boxed without cannot be it.
fn is_open(workflow: &Workflow) -> bool {
    let sig = &workflow.function.sig;
    let returned = sig.output.to_token_stream();
    sig.asyncness.is_some() || mentions(returned.clone(), &["impl"]) && !mentions(returned, &["dyn", "Send"])
}

/// A workflow that calls itself, in a box somewhere, cannot ask what it is made of while that is being found out. To call
/// a workflow takes a session, so one that hands its own on may be called again.
fn may_recur(workflow: &Workflow) -> bool {
    let own_name = &workflow.function.sig.ident;
    let of = |steps: &dyn Fn(&Step) -> bool| -> TokenStream {
        let steps = workflow.steps.iter().filter(|step| steps(step)).map(|step| step.expr.to_token_stream());
        [workflow.body.block.to_token_stream()].into_iter().chain(steps).collect()
    };
    boxes_or_calls(of(&|_| true), own_name)
        || hands_on(of(&|step| step.args.kind == Kind::Run), &workflow.signature.session)
}

/// Whether the tokens box a future, or say the name of the workflow. The macro `pin!` boxes nothing.
fn boxes_or_calls(code: TokenStream, own_name: &Ident) -> bool {
    let tokens: Vec<TokenTree> = code.into_iter().collect();
    tokens.iter().enumerate().any(|(at, token)| match token {
        TokenTree::Ident(name) => {
            let boxes = name == "boxed" || name == "pin" && !is_punct(tokens.get(at + 1), '!');
            name == own_name || boxes
        }
        TokenTree::Group(group) => boxes_or_calls(group.stream(), own_name),
        _ => false,
    })
}

/// Whether the tokens use the session, or the whole of what it is a part of, such as `self`.
fn hands_on(code: TokenStream, session: &Session) -> bool {
    let (session, holder) = match session {
        Session::Parameter { name, .. } => (Some(name.to_string()), None),
        Session::Given(given) => (last_name(given.to_token_stream()), names::root(given)),
    };
    uses(code, session.as_deref(), &["self".to_owned(), holder.unwrap_or_default()])
}

fn uses(code: TokenStream, session: Option<&str>, holders: &[String]) -> bool {
    let tokens: Vec<TokenTree> = code.into_iter().collect();
    let is_field = |at: usize| {
        is_punct(tokens.get(at + 1), '.')
            && !matches!(tokens.get(at + 3), Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis)
    };
    tokens.iter().enumerate().any(|(at, token)| match token {
        TokenTree::Ident(name) => {
            let name = name.to_string();
            Some(name.as_str()) == session || name == "Self" || holders.contains(&name) && !is_field(at)
        }
        TokenTree::Group(group) => uses(group.stream(), session, holders),
        _ => false,
    })
}

fn last_name(tokens: TokenStream) -> Option<String> {
    let names = tokens.into_iter().filter_map(|token| match token {
        TokenTree::Ident(name) => Some(name.to_string()),
        _ => None,
    });
    names.last()
}

fn is_punct(token: Option<&TokenTree>, punct: char) -> bool {
    matches!(token, Some(TokenTree::Punct(found)) if found.as_char() == punct)
}

/// Whether everything that the type parameters bring is known to be `Send`.
fn all_send(generics: &Generics) -> bool {
    let types = generics.params.iter().filter_map(|param| match param {
        GenericParam::Type(param) => Some(param),
        GenericParam::Lifetime(_) | GenericParam::Const(_) => None,
    });
    let types: Vec<_> = types.collect();
    let clauses = generics.where_clause.iter().flat_map(|clause| &clause.predicates);
    let clauses: Vec<_> = clauses
        .filter_map(|clause| match clause {
            WherePredicate::Type(clause) => Some(clause),
            _ => None,
        })
        .collect();
    let is_param = |ty: &Type| types.iter().any(|param| is_name(ty, &param.ident));
    clauses.iter().all(|clause| is_param(&clause.bounded_ty))
        && types.iter().all(|param| {
            let more = clauses.iter().filter(|clause| is_name(&clause.bounded_ty, &param.ident));
            let bounds = param.bounds.iter().chain(more.flat_map(|clause| &clause.bounds));
            are_send(bounds)
        })
}

fn is_name(ty: &Type, name: &Ident) -> bool {
    matches!(ty, Type::Path(path) if path.qself.is_none() && path.path.is_ident(name))
}

/// `Sync` as well: what is lent across an `await` is shared.
fn are_send<'a>(bounds: impl Iterator<Item = &'a TypeParamBound>) -> bool {
    let names: Vec<Option<&Ident>> = bounds
        .filter(|bound| !matches!(bound, TypeParamBound::Lifetime(_)))
        .map(|bound| match bound {
            TypeParamBound::Trait(bound) => bound.path.segments.last().map(|last| &last.ident),
            _ => None,
        })
        .collect();
    let says = |wanted: &str| names.iter().any(|name| name.is_some_and(|name| name == wanted));
    let is_known = |name: &Option<&Ident>| name.is_some_and(|name| OF_ITSELF.iter().any(|known| name == known));
    says("Send") && says("Sync") && names.iter().all(is_known)
}

/// The `impl Trait` of the parameters.
struct HiddenInputs {
    all_send: bool,
}

impl<'ast> Visit<'ast> for HiddenInputs {
    fn visit_type_impl_trait(&mut self, hidden: &'ast TypeImplTrait) {
        let bounds: &Punctuated<TypeParamBound, Token![+]> = &hidden.bounds;
        self.all_send &= are_send(bounds.iter());
        visit::visit_type_impl_trait(self, hidden);
    }
}
