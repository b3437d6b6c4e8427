//! What a workflow is, as a constant: for the handoff, the outline and the runtime.

use std::collections::BTreeSet;
use std::time::Duration;

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::token::Brace;
use syn::{Block, Ident, ItemFn, LitStr};

use super::{paths, policy, text};
use crate::flow::Flow;
use crate::key::Template;
use crate::model::{Kind, Place, Session, Step, StepArgs, Text, Workflow, WorkflowArgs};
use crate::{span, walk};

/// The name of the constant that carries the outline of a function: a value, so that it can stand in an `impl` block too,
/// and beside a module with the name of the function. Where there is none, it is all that the compiler speaks of.
pub(super) fn name(function: &Ident, of_trait: Option<&Ident>) -> Ident {
    match of_trait {
        Some(of) => format_ident!("__durable_workflow_{}_{}", of.unraw(), function.unraw(), span = function.span()),
        None => format_ident!("__durable_workflow_{}", function.unraw(), span = function.span()),
    }
}

/// The constant, where there is room for it, and how the function says what it is.
pub(super) fn declare(workflow: &Workflow) -> (Option<TokenStream>, TokenStream) {
    let Workflow { function, place, .. } = workflow;
    let session = match &workflow.signature.session {
        Session::Parameter { name, .. } => Some(name),
        Session::Given(_) => None,
    };
    let calls = walk::calls(&workflow.body.block, session);
    let meta = meta(function, &workflow.body.block, &workflow.args, &workflow.steps, &calls);
    let at = span::generated(function.sig.ident.span());
    let root = paths::private(at);
    let constant = constant(function, place, workflow.signature.speaks_of_self, &meta);
    let declared = match place {
        // From inside a function there is no path that leads to the constant in a module and in an `impl` block alike.
        Place::Unknown => quote_spanned! {at=>
            static __DURABLE_META: #root::WorkflowMeta = #meta;
            let __durable_meta: &'static #root::WorkflowMeta = &__DURABLE_META;
        },
        Place::Impl { .. } | Place::TraitImpl { .. } => {
            let name = name(&function.sig.ident, place.of_trait());
            quote_spanned! {at=> let __durable_meta: &'static #root::WorkflowMeta = Self::#name;}
        }
    };
    (constant, declared)
}

/// The constant after a mistake: without steps, so that `outline!` is not one more.
pub(super) fn without_steps(function: &ItemFn, place: &Place, speaks_of_self: bool) -> Option<TokenStream> {
    let body = Block { brace_token: Brace::default(), stmts: Vec::new() };
    constant(function, place, speaks_of_self, &meta(function, &body, &WorkflowArgs::default(), &[], &BTreeSet::new()))
}

fn constant(function: &ItemFn, place: &Place, speaks_of_self: bool, meta: &TokenStream) -> Option<TokenStream> {
    if matches!(place, Place::Unknown) && speaks_of_self {
        return None;
    }
    let name = name(&function.sig.ident, place.of_trait());
    let at = span::generated(function.sig.ident.span());
    let root = paths::private(at);
    let vis = match place {
        Place::TraitImpl { .. } => quote! {pub},
        Place::Unknown | Place::Impl { .. } => function.vis.to_token_stream(),
    };
    Some(quote_spanned! {at=>
        #[doc(hidden)]
        #[allow(non_upper_case_globals, dead_code)]
        #vis const #name: &'static #root::WorkflowMeta = &#meta;
    })
}

/// What a workflow is.
fn meta(function: &ItemFn, body: &Block, args: &WorkflowArgs, steps: &[Step], calls: &BTreeSet<String>) -> TokenStream {
    let at = span::generated(function.sig.ident.span());
    let root = paths::private(at);
    let name = LitStr::new(&function.sig.ident.unraw().to_string(), at);
    let key = args.key.as_ref().map_or(name.clone(), |key| key.literal.clone());
    let shape = args.key.as_ref().map_or(name.value(), |key| key.template.shape());
    let evolved = evolved(args, at);
    let goal = written(args.goal.as_ref(), at);
    let invariants = &args.invariants;
    let flow = Flow::of(body);
    let entry = indexes(&flow.entry());
    let calls = calls.iter().map(|name| LitStr::new(name, at));
    let calls = (calls.len() > 0).then(|| quote_spanned! {at=> calls: &[#(#calls),*],});
    let steps = steps.iter().enumerate();
    let steps = steps.map(|(index, step)| step_meta(step, args.timeout, &flow.next(index), at));
    let (file, line, _) = span::location(function.sig.ident.span());
    quote_spanned! {at=>
        #root::WorkflowMeta {
            name: #name,
            module: ::core::module_path!(),
            key: #key,
            shape: #shape,
            #evolved
            goal: #goal,
            invariants: &[#(#invariants),*],
            steps: &[#(#steps),*],
            entry: #entry,
            #calls
            file: #file,
            line: #line,
            ..#root::WorkflowMeta::BARE
        }
    }
}

/// What the code says of older code, and of secrets, if it does.
fn evolved(args: &WorkflowArgs, at: Span) -> TokenStream {
    let (formerly, retired) = (shapes("formerly", &args.formerly, at), shapes("retired", &args.retired, at));
    let version = args.version.map(|version| quote_spanned! {at=> version: #version,});
    let secrets = args.allows_secrets.then(|| quote_spanned! {at=> allows_secrets: true,});
    quote! {#formerly #retired #version #secrets}
}

/// What a step is, as far as it says more than the least that a step can be.
fn step_meta(step: &Step, usual: Option<(Span, Duration)>, next: &[usize], at: Span) -> TokenStream {
    let alone = Ident::new("alone", at);
    let nested = step.nested.then(|| quote_spanned! {at=> #alone: false,});
    let step = &step.args;
    let root = paths::private(at);
    let variant = |name: &str| Ident::new(name, at);
    let kind = variant(kind(step.kind));
    let proof = variant(proof(step));
    let key = step.key.as_ref().map(|key| &key.literal);
    let shape = step.key.as_ref().map(|key| &key.template).map(Template::shape);
    let (file, line, column) = span::location(step.key.as_ref().map_or(step.attr, |key| key.literal.span()));
    let (said, policy) = (said(step, next, at), policy::policy(step, usual, at));
    quote_spanned! {at=>
        #root::StepMeta {
            kind: #root::StepKind::#kind,
            key: #key,
            shape: #shape,
            proof: #root::Proof::#proof,
            #said
            #nested
            #policy
            file: #file,
            line: #line,
            column: #column,
            ..#root::StepMeta::BARE
        }
    }
}

/// The fields that are there only if the step says something of them.
fn said(step: &StepArgs, next: &[usize], at: Span) -> TokenStream {
    let some = |name: &str, value: TokenStream| {
        let name = Ident::new(name, at);
        quote_spanned! {at=> #name: ::core::option::Option::Some(#value),}
    };
    let is = |name: &str, it: bool| {
        let name = Ident::new(name, at);
        it.then(|| quote_spanned! {at=> #name: true,})
    };
    let title = step.title.as_ref().map(|title| some("title", title.literal.to_token_stream()));
    let sends_token = is("sends_token", step.binding.is_some());
    let cleanup = is("cleanup", step.cleanup);
    let allows_secrets = is("allows_secrets", step.allows_secrets.is_some());
    let refetches = is("refetches", step.refetch.is_some());
    let records_errors = is("records_errors", step.records_errors.is_some());
    let ask = step.in_doubt.as_ref().map(|ask| quote_spanned! {at=> ask: #ask,});
    let settle = step.settle.map(|(span, settle)| some("settle", duration(span, settle)));
    let next = (!next.is_empty()).then(|| {
        let next = indexes(next);
        quote_spanned! {at=> next: #next,}
    });
    let formerly = shapes("formerly", &step.formerly, at);
    let formerly_as = formats(&step.formerly, at);
    let formerly = quote! {#formerly #formerly_as};
    quote! {#formerly #title #sends_token #cleanup #allows_secrets #refetches #records_errors #ask #settle #next}
}

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::SideEffect => "SideEffect",
        Kind::Read => "Read",
        Kind::Run => "Run",
        Kind::Decision => "Decision",
        Kind::Sleep => "Sleep",
    }
}

/// Who ends a doubt about the step.
fn proof(step: &StepArgs) -> &'static str {
    match step {
        StepArgs { kind: Kind::Read | Kind::Run | Kind::Decision | Kind::Sleep, .. } => "NotNeeded",
        StepArgs { verify: Some(_), .. } => "Verify",
        StepArgs { idempotent: Some(_), .. } => "Idempotent",
        _ => "Person",
    }
}

/// A length of time, as a constant.
pub(super) fn duration(span: Span, length: Duration) -> TokenStream {
    let millis = u64::try_from(length.as_millis()).unwrap_or(u64::MAX);
    quote_spanned! {span::generated(span)=> ::core::time::Duration::from_millis(#millis)}
}

fn written(text: Option<&Text>, at: Span) -> TokenStream {
    let literal = text.map(|text| &text.literal);
    text::option(literal.map(|literal| quote! {#literal}), at)
}

fn shapes(field: &str, keys: &[Text], at: Span) -> Option<TokenStream> {
    let field = Ident::new(field, at);
    let shapes = keys.iter().map(|key| LitStr::new(&key.template.shape(), span::generated(key.literal.span())));
    (!keys.is_empty()).then(|| quote_spanned! {at=> #field: &[#(#shapes),*],})
}

/// The former keys as they are written, where one of them gives a hole a format: there other keys would come of another.
fn formats(former: &[Text], at: Span) -> Option<TokenStream> {
    let is_formatted = |key: &Text| key.template.holes.iter().any(|hole| hole.spec.is_some());
    let written = former.iter().map(|key| LitStr::new(&key.template.written(), span::generated(key.literal.span())));
    former.iter().any(is_formatted).then(|| {
        let field = Ident::new("formerly_as", at);
        quote_spanned! {at=> #field: &[#(#written),*],}
    })
}

fn indexes(steps: &[usize]) -> TokenStream {
    let steps = steps.iter().map(|step| proc_macro2::Literal::usize_unsuffixed(*step));
    quote! {&[#(#steps),*]}
}
