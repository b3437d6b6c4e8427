//! What a step says of its attempts, as a field of its description.

use std::time::Duration;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};

use super::meta::duration;
use super::paths;
use crate::model::{Kind, Retry, StepArgs};

/// `policy: Policy { .. },`; nothing where the step says nothing of its attempts.
pub(super) fn policy(step: &StepArgs, usual: Option<(Span, Duration)>, at: Span) -> Option<TokenStream> {
    if step.kind == Kind::Run {
        return None;
    }
    let root = paths::private(at);
    let (retry, timeout, within) = (&step.retry, timeout(step, usual, at), &step.within);
    if retry.is_none() && timeout.is_none() && within.is_none() {
        return None;
    }
    let says_all =
        retry.as_ref().is_some_and(|retry| backoff(retry, at).is_some()) && timeout.is_some() && within.is_some();
    let rest = (!says_all).then(|| quote_spanned! {at=> ..#root::Policy::ONCE});
    let retry = retry.as_ref().map(|retry| attempts(retry, at));
    let within = within.map(|(span, within)| {
        let within = duration(span, within);
        quote_spanned! {at=> within: ::core::option::Option::Some(#within),}
    });
    Some(quote_spanned! {at=> policy: #root::Policy { #retry #timeout #within #rest },})
}

/// How long an attempt may take: the step's own word counts before that of its workflow.
pub(super) fn limit(step: &StepArgs, usual: Option<(Span, Duration)>) -> Option<(Span, Duration, &'static str)> {
    let own = step.timeout.map(|(span, length)| (span, length, "Step"));
    own.or(usual.map(|(span, length)| (span, length, "Workflow")))
}

fn timeout(step: &StepArgs, usual: Option<(Span, Duration)>, at: Span) -> Option<TokenStream> {
    let root = paths::private(at);
    let (span, length, whose) = limit(step, usual)?;
    let (length, whose) = (duration(span, length), Ident::new(whose, at));
    Some(quote_spanned! {at=>
        timeout: ::core::option::Option::Some(#root::Limit { length: #length, of: #root::Whose::#whose }),
    })
}

fn attempts(retry: &Retry, at: Span) -> TokenStream {
    let (attempts, backoff) = (retry.attempts, backoff(retry, at));
    quote! {attempts: #attempts, #backoff}
}

/// `backoff: Backoff { .. },`; nothing where the step says nothing of its waits.
fn backoff(retry: &Retry, at: Span) -> Option<TokenStream> {
    if retry.waits.is_none() && !retry.jitter {
        return None;
    }
    let root = paths::private(at);
    let rest = (retry.waits.is_none() || !retry.jitter).then(|| quote_spanned! {at=> ..#root::Backoff::USUAL});
    let waits = retry.waits.map(|waits| {
        let (first, longest) = (duration(at, waits.first), duration(at, waits.longest));
        quote_spanned! {at=> first: #first, longest: #longest,}
    });
    let jitter = retry.jitter.then(|| quote_spanned! {at=> jitter: true,});
    Some(quote_spanned! {at=> backoff: #root::Backoff { #waits #jitter #rest },})
}
