//! What a workflow is, as a constant: for the handoff, the outline and the runtime.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;
use syn::{Ident, ItemFn, LitStr};

use super::{paths, text};
use crate::flow::Flow;
use crate::key::Template;
use crate::model::{Kind, Step, StepArgs, Text, WorkflowArgs};
use crate::span;

/// A type beside the function, with its name, that carries the constant. It is braced, so that it takes no name among
/// the values and `use` brings both.
pub(super) fn companion(function: &ItemFn, meta: &TokenStream) -> TokenStream {
    let (vis, name) = (&function.vis, &function.sig.ident);
    let at = span::generated(name.span());
    let root = paths::private(at);
    quote_spanned! {at=>
        #[doc(hidden)]
        #[allow(non_camel_case_types, dead_code)]
        #vis struct #name {}

        #[doc(hidden)]
        impl #root::Workflow for #name {
            const META: &'static #root::WorkflowMeta = &#meta;
        }
    }
}

/// The constant of a workflow.
pub(super) fn meta(function: &ItemFn, args: &WorkflowArgs, steps: &[Step]) -> TokenStream {
    let at = span::generated(function.sig.ident.span());
    let root = paths::private(at);
    let name = LitStr::new(&function.sig.ident.unraw().to_string(), at);
    let key = args.key.as_ref().map_or(name.clone(), |key| key.literal.clone());
    let shape = args.key.as_ref().map_or(name.value(), |key| key.template.shape());
    let goal = written(args.goal.as_ref(), at);
    let invariants = &args.invariants;
    let flow = Flow::of(&function.block);
    let entry = indexes(&flow.entry());
    let steps = steps.iter().enumerate().map(|(index, step)| step_meta(&step.args, &flow.next(index), at));
    let (file, line, _) = span::location(function.sig.ident.span());
    quote_spanned! {at=>
        #root::WorkflowMeta {
            name: #name,
            module: ::core::module_path!(),
            key: #key,
            shape: #shape,
            goal: #goal,
            invariants: &[#(#invariants),*],
            steps: &[#(#steps),*],
            entry: #entry,
            file: #file,
            line: #line,
        }
    }
}

fn step_meta(step: &StepArgs, next: &[usize], at: Span) -> TokenStream {
    let root = paths::private(at);
    let variant = |name: &str| Ident::new(name, at);
    let kind = variant(kind(step.kind));
    let proof = variant(proof(step));
    let key = step.key.as_ref().map(|key| &key.literal);
    let shape = step.key.as_ref().map(|key| &key.template).map(Template::shape);
    let title = written(step.title.as_ref(), at);
    let ask = step.in_doubt.as_ref().map_or("operator".to_owned(), LitStr::value);
    let settle = text::option(step.settle.map(|(span, settle)| settle_meta(span, settle)), at);
    let next = indexes(next);
    let sends_token = step.binding.is_some();
    let (file, line, column) = span::location(step.key.as_ref().map_or(step.attr, |key| key.literal.span()));
    quote_spanned! {at=>
        #root::StepMeta {
            kind: #root::StepKind::#kind,
            key: #key,
            shape: #shape,
            title: #title,
            proof: #root::Proof::#proof,
            sends_token: #sends_token,
            ask: #ask,
            settle: #settle,
            phase: ::core::option::Option::None,
            file: #file,
            line: #line,
            column: #column,
            next: #next,
        }
    }
}

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::SideEffect => "SideEffect",
        Kind::Read => "Read",
    }
}

/// Who ends a doubt about the step.
fn proof(step: &StepArgs) -> &'static str {
    match step {
        StepArgs { kind: Kind::Read, .. } => "NotNeeded",
        StepArgs { verify: Some(_), .. } => "Verify",
        StepArgs { idempotent: Some(_), .. } => "Idempotent",
        _ => "Person",
    }
}

fn settle_meta(span: Span, settle: std::time::Duration) -> TokenStream {
    let millis = u64::try_from(settle.as_millis()).unwrap_or(u64::MAX);
    quote_spanned! {span::generated(span)=> ::core::time::Duration::from_millis(#millis)}
}

fn written(text: Option<&Text>, at: Span) -> TokenStream {
    let literal = text.map(|text| &text.literal);
    text::option(literal.map(|literal| quote! {#literal}), at)
}

fn indexes(steps: &[usize]) -> TokenStream {
    let steps = steps.iter().map(|step| proc_macro2::Literal::usize_unsuffixed(*step));
    quote! {&[#(#steps),*]}
}
