//! What a workflow's signature means: where its session is, what it takes, what it gives.

use proc_macro2::Ident;
use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::{FnArg, Item, ItemFn, Macro, Pat, PatType, Path, Type, TypeImplTrait};

use super::body::ends_in_a_future;
use super::{inputs, lending};
use crate::diag::Errors;
use crate::model::{Body, Session, Signature, WorkflowArgs};
use crate::names::mentions;
use crate::shown::shown;

const NO_SESSION: &str = "a durable workflow needs a session: add a parameter `session: &Session`, or say where it is, `#[durable_workflow(session = self.session)]`";
const SESSION_TWICE: &str = "`session = ..` says where the session is, and here is one more: take `session = ..` out if this is the session of the workflow, or mark this parameter `#[resource]` if it is another";
const SESSION_AS_RESOURCE: &str =
    "this is the session of the workflow, and no resource: take `#[resource]` out, since a session is never recorded";

/// Reads the signature and takes `#[resource]` out of it. `None` if a part is missing, which is then reported.
pub(crate) fn signature(
    function: &mut ItemFn,
    body: Option<&Body>,
    args: &WorkflowArgs,
    errors: &mut Errors,
) -> Option<Signature> {
    if body.is_none() {
        refuse_not_async(function, errors);
    }
    take_second_attribute(function, errors);
    let speaks_of_self = speaks_of_self(function, body);
    let returns = match body {
        Some(body) => returns(body.returns.as_ref(), function, errors),
        None => None,
    };
    let params = inputs::params(&mut function.sig, errors);
    let session = session(&params, args, function, errors);
    if session.is_none() {
        take_off_references(function);
    }
    let inputs = inputs::inputs(params, session.as_ref(), errors);
    Some(Signature { session: session?, inputs, returns: returns?, speaks_of_self })
}

/// Whether the function shows that it stands in an `impl` block: it has a receiver or speaks of `Self`.
pub(crate) fn speaks_of_self(function: &ItemFn, body: Option<&Body>) -> bool {
    // Only `#[async_trait]` names a lifetime so, and only methods are given to it.
    let mut speaks = SpeaksOfSelf(mentions(function.sig.to_token_stream(), &["self", "Self", "async_trait"]));
    speaks.visit_block(&function.block);
    body.into_iter().for_each(|body| speaks.visit_block(&body.block));
    speaks.0
}

struct SpeaksOfSelf(bool);

impl<'ast> Visit<'ast> for SpeaksOfSelf {
    fn visit_path(&mut self, path: &'ast Path) {
        self.0 |= path.segments.iter().any(|segment| segment.ident == "Self");
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, mac: &'ast Macro) {
        self.0 |= mentions(mac.tokens.clone(), &["Self"]);
    }

    /// An item in the body has a `Self` of its own.
    fn visit_item(&mut self, _: &'ast Item) {}
}

/// `&session: &Session` is refused, and what it moves is no mistake beside that.
fn take_off_references(function: &mut ItemFn) {
    for (_, param) in typed(&mut function.sig.inputs) {
        if let (Pat::Reference(reference), true) = (&*param.pat, mentions(param.ty.to_token_stream(), &["Session"])) {
            *param.pat = (*reference.pat).clone();
        }
    }
}

fn refuse_not_async(function: &ItemFn, errors: &mut Errors) {
    if let Some(constant) = &function.sig.constness {
        return errors.on(constant, "a durable workflow awaits, and what is `const` cannot: write `async fn`");
    }
    if let Some(abi) = &function.sig.abi {
        return errors.on(abi, "a durable workflow awaits, and a foreign caller cannot: write `async fn`, and call it from a function of its own with this ABI");
    }
    let is_a_future = mentions(function.sig.output.to_token_stream(), &["Future", "BoxFuture", "LocalBoxFuture"]);
    if !is_a_future && ends_in_a_future(&function.block) {
        let name = &function.sig.ident;
        let text = format!(
            "a durable workflow is an `async fn`: write `async fn {name}(..)`, and its end without the `async` block around it"
        );
        return errors.at(function.sig.fn_token.span, text);
    }
    let body = function.block.to_token_stream();
    // `#[tokio::main]` puts an `async` block into it as well, and blocks on that.
    let makes_a_future = mentions(body.clone(), &["async"]) && !mentions(body, &["block_on"]);
    let text = if is_a_future || makes_a_future {
        "a durable workflow is an `async fn`, or ends with the `async` block that it returns, `Box::pin(async move { .. })`: write the body into one of the two"
    } else {
        "a durable workflow is an `async fn`; if another attribute (`#[tokio::main]`) has taken the `async` away, write `#[durable_workflow]` above it"
    };
    errors.at(function.sig.fn_token.span, text);
}

/// A second `#[durable_workflow]` would expand the function again.
fn take_second_attribute(function: &mut ItemFn, errors: &mut Errors) {
    function.attrs.retain(|attr| {
        let is_second = attr.path().segments.last().is_some_and(|last| last.ident == "durable_workflow");
        if is_second {
            errors.on(attr, "`#[durable_workflow]` is given twice: keep one, with the arguments of both");
        }
        !is_second
    });
}

fn returns(returns: Option<&Type>, function: &ItemFn, errors: &mut Errors) -> Option<Type> {
    let Some(returns) = returns else {
        errors.on(
            &function.sig.ident,
            "a durable workflow returns a `Result`, so that it can report an error of its session: write `-> Result<(), YourError>`",
        );
        return None;
    };
    if never_a_result(returns) {
        let ty = shown(returns);
        errors.on(returns, format!("a durable workflow returns a `Result`, so that it can report an error of its session: write `-> Result<{ty}, YourError>`"));
        return None;
    }
    let mut hidden = HiddenTypes(errors);
    hidden.visit_type(returns);
    lending::refuse_borrowed_result(returns, errors);
    Some(returns.clone())
}

/// Whether the type is one that everybody knows and that is no `Result`. Of another the compiler finds out.
pub(crate) fn never_a_result(ty: &Type) -> bool {
    const KNOWN: &[&str] = &[
        "Option", "Vec", "String", "Poll", "HashMap", "BTreeMap", "bool", "char", "str", "u8", "u16", "u32", "u64",
        "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize", "f32", "f64",
    ];
    match ty {
        Type::Group(group) => never_a_result(&group.elem),
        Type::Paren(paren) => never_a_result(&paren.elem),
        Type::Tuple(_) | Type::Array(_) | Type::Slice(_) | Type::Reference(_) | Type::Never(_) => true,
        Type::Path(path) => path.path.segments.last().is_some_and(|last| KNOWN.iter().any(|known| last.ident == known)),
        _ => false,
    }
}

/// Refuses `impl Trait` in the result, which is recorded and so must be a type that can be named.
struct HiddenTypes<'a>(&'a mut Errors);

impl<'ast> Visit<'ast> for HiddenTypes<'_> {
    fn visit_type_impl_trait(&mut self, hidden: &'ast TypeImplTrait) {
        self.0.on(hidden, "the result of a workflow is recorded and read back, so its type must be named: write the type instead of `impl ..`");
        visit::visit_type_impl_trait(self, hidden);
    }
}

fn session(params: &[inputs::Param], args: &WorkflowArgs, function: &ItemFn, errors: &mut Errors) -> Option<Session> {
    let mut sessions = params.iter().filter(|param| param.is_session());
    if let Some(given) = &args.session {
        for param in sessions {
            errors.on(&param.ty, SESSION_TWICE);
        }
        return Some(Session::Given(given.clone()));
    }
    let Some(first) = sessions.next() else {
        match params.iter().find(|param| param.is_session_as_resource()) {
            Some(param) => errors.on(&param.ty, SESSION_AS_RESOURCE),
            None => errors.on(&function.sig.ident, NO_SESSION),
        }
        return None;
    };
    for other in sessions {
        errors.on(&other.ty, "a workflow has one session, and there is one before this: take one out, or mark this one `#[resource]` if it is something else");
    }
    if !is_known_form(&first.ty) {
        errors.on(&first.ty, "a workflow takes its session as `&Session`, `Session` or `Arc<Session>`: use one of these, or say where it is, `#[durable_workflow(session = context.session)]`");
        return None;
    }
    let Some(name) = first.name() else {
        errors.on(&first.pat, "the session needs a name: write `session: &Session`");
        return None;
    };
    Some(Session::Parameter { name, ty: first.ty.clone() })
}

fn is_known_form(ty: &Type) -> bool {
    match ty {
        Type::Reference(reference) => reference.mutability.is_none() && is_known_form(&reference.elem),
        Type::Group(group) => is_known_form(&group.elem),
        Type::Path(path) => {
            path.path.segments.last().is_some_and(|last| last.ident == "Session" || last.ident == "Arc")
        }
        _ => false,
    }
}

/// The parameters with a type; a receiver is neither recorded nor a session.
pub(super) fn typed(
    args: &mut syn::punctuated::Punctuated<FnArg, syn::Token![,]>,
) -> impl Iterator<Item = (usize, &mut PatType)> {
    args.iter_mut().enumerate().filter_map(|(index, arg)| match arg {
        FnArg::Typed(param) => Some((index, param)),
        FnArg::Receiver(_) => None,
    })
}

/// The name that a pattern gives, where it is one name.
pub(crate) fn simple_name(pat: &Pat) -> Option<Ident> {
    match pat {
        Pat::Ident(name) if name.subpat.is_none() && name.by_ref.is_none() => Some(name.ident.clone()),
        _ => None,
    }
}
