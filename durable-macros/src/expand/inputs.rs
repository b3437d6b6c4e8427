//! The parameters: recorded when the run starts, and in the body what was recorded.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::visit_mut::{self, VisitMut};
use syn::{FnArg, Pat, PatIdent, Type};

use super::{paths, text};
use crate::model::{Holds, Input, InputDefault, Session, Signature, Text, Workflow};
use crate::names;
use crate::parse::simple_name;
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
    let resources = resources(workflow);
    quote! {#resources #session #(#inputs)*}
}

/// A body has its resources whole, as the function that was written has: of the fields alone that it uses, one may not be
/// `Send` where the whole is. Of one that it does not use the compiler warns.
fn resources(workflow: &Workflow) -> TokenStream {
    let Signature { session, inputs, .. } = &workflow.signature;
    let params = workflow.function.sig.inputs.iter().enumerate();
    let resources = params.filter_map(|(index, param)| match param {
        FnArg::Typed(param) if inputs.iter().all(|input| input.index != index) => simple_name(&param.pat),
        _ => None,
    });
    let is_session = |name: &Ident| matches!(session, Session::Parameter { name: session, .. } if name == session);
    let kept = resources.filter(|name| !is_session(name) && uses(workflow, &name.to_string()));
    kept.map(|name| {
        let at = span::generated(name.span());
        quote_spanned! {at=> let _ = &#name;}
    })
    .collect()
}

fn uses(workflow: &Workflow, name: &str) -> bool {
    let steps = workflow.steps.iter().flat_map(|step| step.args.asked().chain(&step.args.given).chain([&step.expr]));
    let exprs = steps.map(ToTokens::to_token_stream);
    exprs.chain([workflow.body.block.to_token_stream()]).any(|code| names::mentions(code, &[name]))
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
    /// Adds the given value to those that are recorded or compared, and what stands in for it in an older run.
    fn record(&self) -> TokenStream {
        let Self { input, param, given, at, .. } = self;
        let (cfgs, name) = (&input.cfgs, Literal::string(&input.name));
        let (add, default) = (self.add(), self.default());
        let borrow = (!input.lending.is_reference).then(|| quote_spanned! {*at=> &});
        let value = match input.lending.holds {
            Holds::Vec => quote_spanned! {*at=> ::std::vec::Vec::as_slice(#borrow #param)},
            _ => quote! {#borrow #param},
        };
        quote_spanned! {*at=>
            #(#cfgs)* let #given = __durable_inputs.given(#add, #name, #value);
            #default
        }
    }

    /// The function that adds it, at its type without the `&` before it: a type that cannot be recorded is reported there.
    fn add(&self) -> TokenStream {
        let (first, last) = match &self.input.ty {
            Type::Reference(reference) => span::ends(&reference.elem),
            ty => span::ends(ty),
        };
        let root = paths::private(span::generated(first));
        let name = Ident::new(add(self.input.lending.holds), span::generated(last));
        quote_spanned! {span::generated(first)=> #root::Inputs::#name}
    }

    /// A closure that captures nothing: it is called only where the run has no value.
    fn default(&self) -> Option<TokenStream> {
        let Input { cfgs, ty, lending, default, .. } = self.input;
        let at = span::generated(span::ends(ty).0);
        let root = paths::private(at);
        let value = match (default.as_ref()?, ty) {
            (InputDefault::Given(value), _) => quote_spanned! {at=>
                let value: #ty = #value;
                #root::default_input(&value)
            },
            (InputDefault::Standard, Type::Reference(reference)) if lending.holds == Holds::Value => {
                let referred = &reference.elem;
                quote_spanned! {at=> #root::standard_input::<#referred, _>()}
            }
            (InputDefault::Standard, _) => quote_spanned! {at=>
                let value: #ty = ::core::default::Default::default();
                #root::default_input(&value)
            },
        };
        Some(quote_spanned! {at=> #(#cfgs)* __durable_inputs.or_default(|| { #value });})
    }

    fn bind_for_key(&self) -> TokenStream {
        let Self { input, param, at, .. } = self;
        let (cfgs, mut pat) = (&input.cfgs, input.pat.clone());
        // Bound to be read only, whatever the body does with it.
        PlainNames.visit_pat_mut(&mut pat);
        let borrow = (!input.lending.is_reference).then(|| quote! {&});
        quote_spanned! {*at=> #(#cfgs)* #[allow(unused_variables, clippy::shadow_unrelated)] let #pat = #borrow #param;}
    }

    fn restore(&self, workflow: &Workflow) -> TokenStream {
        let Self { input, given, at, .. } = self;
        let (cfgs, attrs, pat) = (&input.cfgs, &input.attrs, &input.pat);
        let cfg = quote! {#(#cfgs)*};
        let value = quote_spanned! {*at=>
            match __durable_run.input(&#given) {
                ::core::result::Result::Ok(value) => value,
                ::core::result::Result::Err(error) => return __durable_returns.fail(error),
            }
        };
        let (own, lent) = self.lend(value);
        // The key of the run has used it already, so the body need not.
        let used = names::bound(pat).into_iter().filter(|_| self.is_used(workflow));
        let used = used.map(|name| format_ident!("{}", name, span = span::ends(pat).0));
        quote_spanned! {*at=>
            #(#cfg #own)*
            #cfg #(#attrs)* #[allow(clippy::shadow_unrelated)] let #pat = #lent;
            #(#cfg let _ = &#used;)*
        }
    }

    /// The statements that own what `value` has read back, and the expression that lends it as the parameter had it.
    fn lend(&self, value: TokenStream) -> (Vec<TokenStream>, TokenStream) {
        let Self { input, given, owned, at, .. } = self;
        let lending = input.lending;
        let own = quote_spanned! {*at=> let #owned = #value;};
        let lent = quote_spanned! {*at=> (#given.lend)(&#owned)};
        match (lending.holds, lending.is_reference) {
            (Holds::Value | Holds::Array, false) => (Vec::new(), value),
            (Holds::Value | Holds::Array, true) | (Holds::Option | Holds::Vec, false) => (vec![own], lent),
            (Holds::Option | Holds::Vec | Holds::Slice, _) => {
                let parts = format_ident!("__durable_parts_{}", input.index, span = *at);
                let borrow = match lending.holds {
                    Holds::Slice => quote_spanned! {*at=> ::std::vec::Vec::as_slice(&#parts)},
                    _ => quote_spanned! {*at=> &#parts},
                };
                (vec![own, quote_spanned! {*at=> let #parts = #lent;}], borrow)
            }
        }
    }

    /// Whether the key or the goal of the run uses it.
    fn is_used(&self, workflow: &Workflow) -> bool {
        let bound = names::bound(&self.input.pat);
        let bound: Vec<&str> = bound.iter().map(String::as_str).collect();
        let texts = [&workflow.args.key, &workflow.args.goal].into_iter().flatten().chain(&workflow.args.formerly);
        texts.flat_map(|text: &Text| text::holes(text)).any(|(_, value)| names::mentions(value, &bound))
    }
}

/// The function that adds an input of this kind.
fn add(holds: Holds) -> &'static str {
    match holds {
        Holds::Value => "add",
        Holds::Array => "add_array",
        Holds::Option => "add_option",
        Holds::Vec | Holds::Slice => "add_list",
    }
}

/// The session as the body sees it: in the form of the parameter, but scoped to this run.
fn scoped_session(name: &Ident, ty: &Type) -> TokenStream {
    let at = span::generated(name.span());
    let scoped = session_value(ty, at);
    quote_spanned! {at=> #[allow(unused_variables, clippy::shadow_unrelated)] let #name = #scoped;}
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

/// Takes the `mut` and `ref` from the names of a pattern.
struct PlainNames;

impl VisitMut for PlainNames {
    fn visit_pat_ident_mut(&mut self, pat: &mut PatIdent) {
        (pat.mutability, pat.by_ref) = (None, None);
        visit_mut::visit_pat_ident_mut(self, pat);
    }
}
