//! The parameters: recorded when the run starts, and in the body what was recorded.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::{FnArg, Pat, Type};

use super::text;
use crate::model::{Input, Session, Text, Workflow};
use crate::names;
use crate::span;

/// The names by which the expansion speaks of an input.
struct Names<'a> {
    input: &'a Input,
    /// The parameter: its own name, or one of ours where it is a pattern.
    param: Ident,
    given: Ident,
    owned: Ident,
    at: Span,
}

/// The parameters of the outer function: patterns become names, and what only the body may change is not `mut`.
pub(super) fn parameters(workflow: &Workflow) -> Vec<FnArg> {
    let mut params: Vec<FnArg> = workflow.function.sig.inputs.iter().cloned().collect();
    for input in names(workflow) {
        if let Some(FnArg::Typed(param)) = params.get_mut(input.input.index) {
            let name = &input.param;
            *param.pat = syn::parse_quote!(#name);
        }
    }
    params
}

/// `inputs.add("month", &month)` for each input.
pub(super) fn record(workflow: &Workflow) -> TokenStream {
    names(workflow).map(|input| input.record()).collect()
}

/// The names that the key and the goal of the run use, where a pattern binds them.
pub(super) fn bind_for_key(workflow: &Workflow) -> TokenStream {
    let used = |input: &Names<'_>| !is_name(&input.input.pat) && input.is_used(workflow);
    names(workflow).filter(used).map(|input| input.bind_for_key()).collect()
}

/// The first statements of the body: the session of this run, and the recorded inputs.
pub(super) fn restore(workflow: &Workflow) -> TokenStream {
    let session = match &workflow.signature.session {
        Session::Parameter { name, ty } => scoped_session(name, ty),
        Session::Given(_) => TokenStream::new(),
    };
    let inputs = names(workflow).map(|input| input.restore(workflow));
    quote! {#session #(#inputs)*}
}

fn names(workflow: &Workflow) -> impl Iterator<Item = Names<'_>> {
    workflow.signature.inputs.iter().map(|input| {
        let at = span::generated(span::ends(&input.pat).0);
        let param = match &input.pat {
            Pat::Ident(name) if is_name(&input.pat) => name.ident.clone(),
            _ => format_ident!("__durable_param_{}", input.index, span = at),
        };
        let given = format_ident!("__durable_given_{}", input.index, span = at);
        let owned = format_ident!("__durable_owned_{}", input.index, span = at);
        Names { input, param, given, owned, at }
    })
}

fn is_name(pat: &Pat) -> bool {
    matches!(pat, Pat::Ident(name) if name.subpat.is_none() && name.by_ref.is_none())
}

impl Names<'_> {
    fn is_reference(&self) -> bool {
        matches!(self.input.ty, Type::Reference(_))
    }

    fn record(&self) -> TokenStream {
        let (given, param, name) = (&self.given, &self.param, Literal::string(&self.input.name));
        let borrow = (!self.is_reference()).then(|| quote_spanned! {self.at=> &});
        quote_spanned! {self.at=> let #given = __durable_inputs.add(#name, #borrow #param);}
    }

    fn bind_for_key(&self) -> TokenStream {
        let (pat, param) = (&self.input.pat, &self.param);
        let borrow = (!self.is_reference()).then(|| quote! {&});
        quote_spanned! {self.at=> #[allow(unused_variables)] let #pat = #borrow #param;}
    }

    fn restore(&self, workflow: &Workflow) -> TokenStream {
        let Self { input, given, owned, at, .. } = self;
        let (attrs, pat) = (&input.attrs, &input.pat);
        let value = quote_spanned! {*at=>
            match __durable_run.input(&#given) {
                ::core::result::Result::Ok(value) => value,
                ::core::result::Result::Err(error) => return __durable_returns.fail(error),
            }
        };
        let restored = match self.is_reference() {
            true => quote_spanned! {*at=> let #owned = #value; #(#attrs)* let #pat = #given.lend(&#owned);},
            false => quote_spanned! {*at=> #(#attrs)* let #pat = #value;},
        };
        // The key of the run has used it already, so the body need not.
        let used = names::bound(pat).into_iter().filter(|_| self.is_used(workflow));
        let used = used.map(|name| format_ident!("{}", name, span = span::ends(pat).0));
        quote_spanned! {*at=> #restored #(let _ = &#used;)*}
    }

    /// Whether the key or the goal of the run uses it.
    fn is_used(&self, workflow: &Workflow) -> bool {
        let bound = names::bound(&self.input.pat);
        let bound: Vec<&str> = bound.iter().map(String::as_str).collect();
        let texts = [&workflow.args.key, &workflow.args.goal].into_iter().flatten();
        texts.flat_map(|text: &Text| text::holes(text)).any(|(_, value)| names::mentions(value, &bound))
    }
}

/// The session as the body sees it: in the form of the parameter, but scoped to this run.
fn scoped_session(name: &Ident, ty: &Type) -> TokenStream {
    let at = span::generated(name.span());
    let scoped = session_value(ty, at);
    quote_spanned! {at=> #[allow(unused_variables)] let #name = #scoped;}
}

fn session_value(ty: &Type, at: Span) -> TokenStream {
    match ty {
        Type::Group(group) => session_value(&group.elem, at),
        Type::Reference(reference) if is_session(&reference.elem) => quote_spanned! {at=> __durable_run.session()},
        Type::Reference(reference) => {
            let inner = session_value(&reference.elem, at);
            quote_spanned! {at=> &#inner}
        }
        ty if is_session(ty) => quote_spanned! {at=> ::core::clone::Clone::clone(__durable_run.session())},
        _ => quote_spanned! {at=> ::std::sync::Arc::new(::core::clone::Clone::clone(__durable_run.session()))},
    }
}

fn is_session(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "Session"))
}
