//! A step: one `begin`, the user's expression once and in its place, one `finish`. The order of records and syncs is
//! the runtime's affair.

use std::time::Duration;

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Expr, Pat, Token, Type};

use super::{paths, policy, run, text};
use crate::model::{Kind, Step};
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
    let (first, _) = span::ends(&step.expr);
    let at = span::generated(first);
    let question = question(step);
    let life = match step.args.kind {
        Kind::Run => run::life(step, index, question.is_some(), around.returns),
        Kind::SideEffect | Kind::Read => life(step, index, around),
    };
    let life = match around.steps > INLINE {
        true => quote_spanned! {at=> async #life.await},
        false => life,
    };
    let value = left(step, life, at);
    if step.args.records_errors.is_some() {
        return as_value(step, &value, at);
    }
    let Some(question) = question else { return value };
    // Placed at the first token and in the user's own context, so that an error at the `?` reads as it would without
    // the attribute.
    let outcome = Ident::new("__durable_step", first);
    quote_spanned! {at=> { let #outcome = #value; #outcome #question }}
}

/// The value of a step whose errors are recorded. Named at its last token and in the user's own context, so that what the
/// compiler would write behind it stands behind the expression.
fn as_value(step: &Step, value: &TokenStream, at: Span) -> TokenStream {
    let outcome = Ident::new("__durable_step", span::ends(&step.expr).1);
    quote_spanned! {at=> { let #outcome = #value; #outcome }}
}

/// The life of a step in this start, as a block: from its key to what it comes to.
fn life(step: &Step, index: usize, around: Around<'_>) -> TokenStream {
    let returns = around.returns;
    let fails = step.args.records_errors.is_some() || question(step).is_some();
    let (first, last) = span::ends(&step.expr);
    let (at, last) = (span::generated(first), span::generated(last));
    let key = key(step, index, at);
    let begin = begin(step, fails, at, last);
    let proof = step.args.verify.as_ref().map(|verify| proof(verify, returns));
    let limited = policy::limit(&step.args, around.timeout).is_some();
    let attempt = if fails { attempt(step, returns, limited, at, last) } else { value_attempt(step, limited, at) };
    // The expression stands once in either case. Where it may run again its moves are those of a loop.
    let runs = Ident::new(if step.args.retry.is_some() { "while" } else { "if" }, at);
    let close = match (step.args.records_errors, fails) {
        (Some(_), _) => "close_recorded",
        (None, true) => "close",
        (None, false) => "close_value",
    };
    let close = Ident::new(close, at);
    quote_spanned! {at=> {
        #key
        #begin
        #proof
        #runs __durable_slot.may_run() {
            #attempt
            #proof
        }
        __durable_slot.#close()
    }}
}

/// The `?` behind the step, or one in it: both say that the step can fail. Where its errors are recorded none leaves.
fn question(step: &Step) -> Option<Token![?]> {
    if step.args.records_errors.is_some() {
        return None;
    }
    step.question.or_else(|| Exits::of(&step.expr).questions.first().map(|span| Token![?](*span)))
}

fn key(step: &Step, index: usize, at: Span) -> TokenStream {
    let root = paths::private(at);
    let arguments = step.args.key.as_ref().map(text::key);
    let given = step.args.given.as_ref().map(|given| quote_spanned! {at=> .args(&#given)});
    let binding =
        step.args.binding.as_ref().map(|name| quote_spanned! {at=> let #name: &#root::StepKey = &__durable_key;});
    quote_spanned! {at=>
        let __durable_key = __durable_run.key(&__durable_meta.steps[#index], #arguments)#given;
        #binding
    }
}

/// The title is made in a statement of its own: what it borrows must not live across the `await`. The path of the call
/// reaches from the first place of the expression to the last, so that a result that cannot be recorded is underlined.
fn begin(step: &Step, fails: bool, at: Span, last: Span) -> TokenStream {
    let root = paths::private(at);
    let begin = Ident::new("begin", last);
    let title = text::option(step.args.title.as_ref().map(text::text), at);
    let ty = (!fails).then(|| quote_spanned! {at=> : #root::Slot<_, ::core::convert::Infallible>});
    quote_spanned! {at=>
        let __durable_title = #title;
        let mut __durable_slot #ty = #root::Run::#begin(__durable_run, &__durable_key, __durable_title).await;
    }
}

fn proof(verify: &Expr, returns: &Type) -> TokenStream {
    let at = span::generated(span::ends(verify).0);
    let root = paths::private(at);
    let verdict = match Exits::of(verify).questions.is_empty() {
        true => quote! {#verify},
        false => caught(quote! {#verify}, returns, at),
    };
    quote_spanned! {at=>
        while __durable_slot.in_doubt() {
            __durable_slot.proof(#root::verdict(#verdict)).await;
        }
    }
}

/// The outcome is named by two tokens, the first and the last place of the expression, so that an error about it
/// underlines the whole.
fn attempt(step: &Step, returns: &Type, limited: bool, at: Span, last: Span) -> TokenStream {
    let root = paths::private(at);
    let outcome = outcome(step, returns, at);
    let mut zero = Literal::usize_unsuffixed(0);
    zero.set_span(last);
    let out = quote_spanned! {at=> __durable_out.#zero};
    let classify =
        step.args.classify.as_ref().map(|classify| quote_spanned! {at=> __durable_slot.classify(&#out, #classify);});
    let out = match step.args.records_errors {
        Some(_) => quote_spanned! {at=> #root::outcome(#out)},
        None => out,
    };
    let finish = quote_spanned! {at=> #classify __durable_slot.finish(#out).await;};
    in_time(quote_spanned! {at=> (#outcome,)}, None, &finish, limited, at)
}

/// The expression, such that no `?` in it leaves the function.
fn outcome(step: &Step, returns: &Type, at: Span) -> TokenStream {
    let (expr, question, root) = (&step.expr, &step.question, paths::private(at));
    if Exits::of(expr).questions.is_empty() {
        return quote! {#expr};
    }
    match (&step.args.classify, step.args.records_errors) {
        // Whoever classifies the error says what it is.
        (Some(classify), records) if says_its_error(classify) => {
            let question = question.as_ref().filter(|_| records.is_none());
            let value = match records {
                Some(_) => quote! {#expr},
                None => quote_spanned! {at=> ::core::result::Result::Ok(#expr #question)},
            };
            quote_spanned! {at=> #root::classified_body(#classify, async { #value }).await}
        }
        // The expression itself says what its error is.
        (_, Some(_)) => quote_spanned! {at=> async { #expr }.await},
        (_, None) => caught(quote! {#expr #question}, returns, at),
    }
}

/// Whether the type of the error stands in the classifier: a closure may leave it open.
fn says_its_error(classify: &Expr) -> bool {
    match classify {
        Expr::Closure(closure) => matches!(closure.inputs.first(), Some(Pat::Type(_))),
        _ => true,
    }
}

/// The value of an expression under a name, and what is done with it; where its time is limited only if it comes in time.
fn in_time(value: TokenStream, ty: Option<TokenStream>, then: &TokenStream, limited: bool, at: Span) -> TokenStream {
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

/// A step without `?`. Its value must not be a `Result`, whose error would then count as a success.
fn value_attempt(step: &Step, limited: bool, at: Span) -> TokenStream {
    let root = paths::private(at);
    let expr = &step.expr;
    let ty = step.ty.as_ref().map(|ty| quote_spanned! {at=> : #ty});
    if gives_nothing(expr) {
        return quote_spanned! {at=> #expr;};
    }
    let then = quote_spanned! {at=>
        let __durable_out =
            { use #root::{IsResult as _, PlainValue as _}; (&&#root::probe(&__durable_out)).pass(__durable_out) };
        #[allow(unreachable_code)]
        __durable_slot.finish_value(__durable_out).await;
    };
    in_time(quote! {#expr}, ty, &then, limited, at)
}

/// `todo!()` and its like, of which nobody can say what they would give.
fn gives_nothing(expr: &Expr) -> bool {
    let Expr::Macro(mac) = expr else { return false };
    let never = ["todo", "unimplemented", "unreachable", "panic"];
    mac.mac.path.segments.last().is_some_and(|last| never.iter().any(|never| last.ident == never))
}

/// An expression whose inner `?` leaves it and not the function: their errors become the workflow's.
fn caught(expr: TokenStream, returns: &Type, at: Span) -> TokenStream {
    let root = paths::private(at);
    quote_spanned! {at=> #root::step_body::<#returns, _, _>(async { ::core::result::Result::Ok(#expr) }).await}
}

/// An error of the session leaves the workflow. In a closure or `async` block only `?` knows how to leave.
fn left(step: &Step, life: TokenStream, at: Span) -> TokenStream {
    if step.nested {
        return quote_spanned! {at=> { let __durable_out = #life?; __durable_out }};
    }
    quote_spanned! {at=>
        match #life {
            ::core::result::Result::Ok(__durable_out) => __durable_out,
            ::core::result::Result::Err(__durable_error) => return __durable_returns.fail(__durable_error),
        }
    }
}
