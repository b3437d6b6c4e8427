//! A step: one `begin`, the user's expression once and in its place, one `finish`. The order of records and syncs is
//! the runtime's affair.

use std::time::Duration;

use proc_macro2::{Delimiter, Group, Ident, Literal, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Expr, Token, Type};

use super::value::{checks_value, close_fallible, close_value, gives_nothing, plain_value, value_attempt};
use super::{classify, in_macro, paths, policy, run, text, waits};
use crate::model::{Kind, Step};
use crate::names;
use crate::span;
use crate::walk::Exits;

/// The steps that a body may hold inline. The time that the compiler takes for one `async` body grows with the cube of
/// the places at which it awaits, and a step has up to seven; so in a body of more steps each is a body of its own.
const INLINE: usize = 12;

/// What a step needs to know of the workflow around it.
#[derive(Clone, Copy)]
pub(super) struct Around<'a> {
    pub(super) returns: &'a Type,
    pub(super) steps: usize,
    /// How long an attempt may take that says nothing of it.
    pub(super) timeout: Option<(Span, Duration)>,
}

/// The code that stands where step `index` was written.
pub(super) fn step(step: &Step, index: usize, around: Around<'_>) -> TokenStream {
    let at = span::generated(span::ends(&step.expr).0);
    let question = question(step);
    let life = match step.args.kind {
        Kind::Run => run::life(step, index, question.is_some()),
        Kind::SideEffect | Kind::Read => life(step, index, around),
        Kind::Decision | Kind::Sleep => waits::life(step, index),
    };
    let life = match around.steps > INLINE {
        true => quote_spanned! {at=> async #life.await},
        false => life,
    };
    let life = match in_macro::take(step, index) {
        Some(taken) => quote_spanned! {at=> { #taken #life }},
        None => life,
    };
    let (first, last) = span::ends(&step.expr);
    match question {
        Some(question) if step.leaves_unsaid => placed(first, question.span, &left_by(step, &life, at), None),
        question => placed(first, last, &left(step, &life, at), question),
    }
}

/// A value placed where the expression was, from its first token to its last and to the `?`. Inside it has the user's own
/// context, so that what is said of it reads as it would without the attribute; around it is code of ours, of which no
/// lint speaks.
fn placed(first: Span, last: Span, value: &TokenStream, question: Option<Token![?]>) -> TokenStream {
    let at = span::generated(first);
    let outcome = Ident::new("__durable_step", first);
    let mut zero = Literal::usize_unsuffixed(0);
    zero.set_span(last);
    let mut arm = Group::new(Delimiter::Brace, quote_spanned! {at=> #outcome => #outcome.#zero #question});
    arm.set_span(span::generated(question.map_or(last, |question| question.span)));
    quote_spanned! {at=> match (#value,) #arm}
}

/// The life of a step in this start, as a block: from its key to what it comes to.
fn life(step: &Step, index: usize, around: Around<'_>) -> TokenStream {
    let fails = step.args.records_errors.is_some() || question(step).is_some();
    let at = span::generated(span::ends(&step.expr).0);
    let key = key(step, index, at);
    let begin = begin(step, fails, around.returns);
    let refetch = step.args.refetch.as_ref().map(|refetch| ask(step, refetch, ("is_withheld", "fetched")));
    let proof = step.args.verify.as_ref().map(|verify| ask(step, verify, ("in_doubt", "verdict")));
    let effect = may_reach_others(step).then(|| quote_spanned! {at=> let __durable_effect = __durable_slot.effect();});
    let limited = policy::limit(&step.args, around.timeout).is_some();
    let attempt = if fails { attempt(step, limited, at) } else { value_attempt(step, limited, at) };
    // The expression stands once in either case. Where it may run again its moves are those of a loop.
    let runs = Ident::new(if step.args.retry.is_some() { "while" } else { "if" }, at);
    let close = match (step.args.records_errors, fails) {
        (Some(_), _) => quote_spanned! {at=> __durable_slot.close_recorded()},
        (None, true) => close_fallible(step, at),
        (None, false) => close_value(step, at),
    };
    quote_spanned! {at=> {
        #key
        #begin
        #effect
        #refetch
        #proof
        #runs __durable_slot.may_run() {
            #attempt
            #proof
        }
        #close
    }}
}

/// The `?` behind the step, or one in it: both say that the step can fail. Where its errors are recorded none leaves, and
/// a wait has no error but the session's.
fn question(step: &Step) -> Option<Token![?]> {
    if step.args.records_errors.is_some() || step.args.later.is_some() || step.args.kind.waits() {
        return None;
    }
    step.question.or_else(|| Exits::of(&step.expr).questions.first().map(|span| Token![?](*span)))
}

fn key(step: &Step, index: usize, at: Span) -> TokenStream {
    let root = paths::private(at);
    let reached = reached(step, index, at);
    let given = step.args.given.as_ref().map(|given| {
        let (at, given) = (span::generated(span::ends(given).0), text::operand(given));
        quote_spanned! {at=> .args(&#given)}
    });
    let binding =
        step.args.binding.as_ref().map(|name| quote_spanned! {at=> let #name: &#root::StepKey = &__durable_key;});
    quote_spanned! {at=>
        let __durable_key = #reached #given;
        #binding
    }
}

/// The key of a step that is reached: the one that it is recorded under, where it had others before.
pub(super) fn reached(step: &Step, index: usize, at: Span) -> TokenStream {
    let arguments = step.args.key.as_ref().map(text::key);
    if step.args.formerly.is_empty() {
        return quote_spanned! {at=> __durable_run.key(__durable_meta.step(#index), #arguments)};
    }
    let former = step.args.formerly.iter().map(text::former);
    quote_spanned! {at=> __durable_run.key_formerly(__durable_meta.step(#index), #arguments, &[#(#former),*])}
}

/// The title is made in a statement of its own: what it borrows must not live across the `await`. What records its value
/// stands at the whole of its expression. What says the words of its error stands at the return type, as in every other
/// step, so that an error type that has none is reported once.
fn begin(step: &Step, fails: bool, returns: &Type) -> TokenStream {
    let at = span::generated(span::ends(&step.expr).0);
    let root = paths::private(at);
    let title = text::option(step.args.title.as_ref().map(text::text), at);
    let ty = (!fails).then(|| quote_spanned! {at=> : #root::Slot<_, ::core::convert::Infallible>});
    let (codec, words) = (paths::at(&step.expr, "codec"), paths::at(returns, "words"));
    let probe = checks_value(step, fails).then(|| {
        quote_spanned! {at=>
            use #root::{HoldsResult as _, IsBorrowed as _, IsFuture as _, IsResult as _, PlainValue as _, Seen as _};
            let mut __durable_probe = ::core::default::Default::default();
        }
    });
    quote_spanned! {at=>
        let __durable_title = #title;
        let mut __durable_slot #ty = __durable_run.begin(&__durable_key, __durable_title, #codec, #words).await;
        #probe
    }
}

/// Asks for what the step gives, as long as that is `wanted`; `takes` says what an answer is.
fn ask(step: &Step, verify: &Expr, (wanted, takes): (&str, &str)) -> TokenStream {
    let at = span::generated(span::ends(verify).0);
    let root = paths::private(at);
    if gives_nothing(verify) {
        let wanted = Ident::new(wanted, at);
        return quote_spanned! {at=> if __durable_slot.#wanted() { #verify; }};
    }
    let verdict = match Exits::of(verify).questions.is_empty() {
        true => quote! {#verify},
        false => caught(quote! {#verify}, at),
    };
    let verdict = polled(step, verify, verdict, at);
    let (wanted, takes) = (Ident::new(wanted, at), Ident::new(takes, at));
    quote_spanned! {at=>
        while __durable_slot.#wanted() {
            __durable_slot.proof(#root::#takes(#verdict)).await;
        }
    }
}

/// The outcome as a `Result`. What is none is underlined as the argument that it is here.
fn attempt(step: &Step, limited: bool, at: Span) -> TokenStream {
    let root = paths::private(at);
    let outcome = polled(step, &step.expr, outcome(step, at), at);
    let result = Ident::new(if step.args.records_errors.is_some() { "outcome" } else { "attempted" }, at);
    let classify = step.args.classify.as_ref().map(|by| classify::outcome(by, at));
    let finish = quote_spanned! {at=> #classify __durable_slot.finish(__durable_out).await;};
    in_time(quote_spanned! {at=> #root::#result(#outcome)}, None, &finish, limited, at)
}

/// The expression, such that no `?` in it leaves the function.
fn outcome(step: &Step, at: Span) -> TokenStream {
    let (expr, question, root) = (&step.expr, &step.question, paths::private(at));
    if Exits::of(expr).questions.is_empty() {
        return quote! {#expr};
    }
    match (&step.args.classify, step.args.records_errors) {
        // Whoever classifies the error says what it is.
        (Some(classify), records) if classify::says_its_error(classify) => {
            let question = question.as_ref().filter(|_| records.is_none());
            let value = match (records, question) {
                (Some(_), _) => quote! {#expr},
                (None, Some(_)) => quote_spanned! {at=> ::core::result::Result::Ok(#expr #question)},
                (None, None) => {
                    let value = plain_value(step, at);
                    quote_spanned! {at=> ::core::result::Result::Ok(#value)}
                }
            };
            let classifier = classify::classifier(classify);
            quote_spanned! {at=> #root::classified_body(#classifier, async { #value }).await}
        }
        // The expression itself says what its error is.
        (_, Some(_)) => quote_spanned! {at=> async { #expr }.await},
        (_, None) if question.is_some() => caught(quote! {#expr #question}, at),
        (_, None) => caught(plain_value(step, at), at),
    }
}

/// The value of an expression under a name, and what is done with it; where its time is limited only if it comes in time.
pub(super) fn in_time(
    value: TokenStream,
    ty: Option<TokenStream>,
    then: &TokenStream,
    limited: bool,
    at: Span,
) -> TokenStream {
    if !limited {
        return quote_spanned! {at=> let __durable_out #ty = #value; #then};
    }
    quote_spanned! {at=>
        if let ::core::option::Option::Some(__durable_out) = __durable_slot.limit(async { #value }).await {
            let __durable_out #ty = __durable_out;
            #then
        }
    }
}

/// Whether the step, or its verifier, awaits something beside other steps: whatever it polls is told to be inside it. In
/// the body itself nothing else of the run goes on meanwhile, so the session knows.
fn may_reach_others(step: &Step) -> bool {
    step.nested && step.args.asked().chain([&step.expr]).any(awaits)
}

fn awaits(expr: &Expr) -> bool {
    names::mentions(expr.to_token_stream(), &["await"]) || names::holds_macro(expr.to_token_stream())
}

/// `value`, which is made of `expr`, polled inside the step.
pub(super) fn polled(step: &Step, expr: &Expr, value: TokenStream, at: Span) -> TokenStream {
    if !step.nested || !awaits(expr) {
        return value;
    }
    let root = paths::private(at);
    quote_spanned! {at=> __durable_effect.poll(#root::boxed(async { #value }).as_mut()).await}
}

/// An expression whose inner `?` leaves it and not the function: their errors become the workflow's.
fn caught(expr: TokenStream, at: Span) -> TokenStream {
    quote_spanned! {at=> __durable_returns.caught(async { ::core::result::Result::Ok(#expr) }).await}
}

/// The same where a block or a closure is left of which it is not evident that it gives a `Result`: in one call, so that what
/// cannot be left is said once, and not of the `?` as well.
fn left_by(step: &Step, life: &TokenStream, at: Span) -> TokenStream {
    let last = span::generated(span::ends(&step.expr).1);
    let (root, leave) = (paths::private(at), Ident::new("leave_by", last));
    let mut arms = Group::new(
        Delimiter::Brace,
        quote_spanned! {at=>
            ::core::result::Result::Ok(::core::result::Result::Ok(__durable_out)) => __durable_out,
            __durable_error => return #root::#leave(__durable_error),
        },
    );
    arms.set_span(last);
    quote_spanned! {at=> match #life #arms}
}

/// An error of the session leaves the workflow, or the closure or `async` block in it that the step stands in.
fn left(step: &Step, life: &TokenStream, at: Span) -> TokenStream {
    let last = span::generated(span::ends(&step.expr).1);
    let leave = if step.nested {
        // The path reaches from the first place of the expression to the last, which an error about it underlines.
        let (root, leave) = (paths::private(at), Ident::new("leave", last));
        quote_spanned! {at=> #root::#leave(__durable_error)}
    } else {
        quote_spanned! {at=> __durable_returns.fail(__durable_error)}
    };
    let mut arms = Group::new(
        Delimiter::Brace,
        quote_spanned! {at=>
            ::core::result::Result::Ok(__durable_out) => __durable_out,
            ::core::result::Result::Err(__durable_error) => return #leave,
        },
    );
    arms.set_span(last);
    quote_spanned! {at=> match #life #arms}
}
