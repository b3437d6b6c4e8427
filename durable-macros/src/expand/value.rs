//! The value of a step behind which no `?` stands: it is no `Result`, whose error would count as a success. What it is the
//! compiler finds out, by which of the methods named `pass` and `give` it takes.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Expr, Path, parse_quote};

use super::paths;
use super::step::{in_time, polled};
use crate::model::Step;
use crate::span;

/// Whether it is to be found out that its value is no `Result`, whose error would then count as a success. A `?` behind the
/// step has taken that off; one in it has not.
pub(super) fn checks_value(step: &Step, fails: bool) -> bool {
    let is_taken_off = fails && (step.question.is_some() || step.args.records_errors.is_some());
    !is_taken_off && !gives_nothing(&step.expr)
}

/// A step without `?`. What its value is decides which of the methods named `pass` and `give` these are.
pub(super) fn value_attempt(step: &Step, limited: bool, at: Span) -> TokenStream {
    let expr = &step.expr;
    if !checks_value(step, false) {
        return quote_spanned! {at=> #expr;};
    }
    let ty = one(step, at);
    let (value, pass) = (value_at(span::ends(expr)), pass(step, at));
    let then = quote_spanned! {at=>
        __durable_probe = #value.__durable_seen();
        #[allow(unreachable_code)]
        __durable_slot.finish_value(__durable_probe.#pass(#value)).await;
    };
    let value = polled(step, expr, quote! {#expr}, at);
    in_time(quote_spanned! {at=> (#value,)}, ty, &then, limited, at)
}

/// The value of a step that can fail before it comes to it.
pub(super) fn plain_value(step: &Step, at: Span) -> TokenStream {
    let expr = &step.expr;
    if !checks_value(step, true) {
        return quote! {#expr};
    }
    let (ty, value, pass) = (one(step, at), value_at(span::ends(expr)), pass(step, at));
    quote_spanned! {at=> {
        let __durable_out #ty = (#expr,);
        __durable_probe = #value.__durable_seen();
        #[allow(unreachable_code)]
        __durable_probe.#pass(#value)
    }}
}

/// The type of a tuple of the value alone, where the `let` says it.
fn one(step: &Step, at: Span) -> Option<TokenStream> {
    step.ty.as_ref().map(|ty| quote_spanned! {at=> : (#ty,)})
}

/// What accepts the value, or refuses it in words of its own.
fn pass(step: &Step, at: Span) -> Ident {
    Ident::new(if step.args.verify.is_some() { "pass_verified" } else { "pass" }, at)
}

/// The value, named by two tokens, the first and the last place of the expression, so that an error about it underlines
/// the whole.
fn value_at((first, last): (Span, Span)) -> TokenStream {
    let mut zero = Literal::usize_unsuffixed(0);
    zero.set_span(span::generated(last));
    quote_spanned! {span::generated(first)=> __durable_out.#zero}
}

/// A value that is refused for its type by `what`: for an error that is lost, or as a future that is forgotten.
pub(crate) fn asked_of_type(value: &impl ToTokens, ends: (Span, Span), what: &str, root: Option<&Path>) -> Expr {
    let at = span::generated(ends.0);
    let (named, what) = (value_at(ends), Ident::new(what, at));
    paths::under(root, || {
        let root = paths::private(at);
        let tokens = quote_spanned! {at=>
            match (#value,) {
                __durable_out => {
                    use #root::{LosesError as _, LosesFuture as _, LosesFutures as _, LosesNothing as _, Seen as _};
                    #named.__durable_seen().#what(#named)
                }
            }
        };
        parse_quote!(#tokens)
    })
}

pub(super) fn close_fallible(step: &Step, at: Span) -> TokenStream {
    let close = quote_spanned! {at=> __durable_slot.close()};
    match checks_value(step, true) {
        true => quote_spanned! {at=> __durable_probe.give_fallible(#close)},
        false => close,
    }
}

pub(super) fn close_value(step: &Step, at: Span) -> TokenStream {
    let close = quote_spanned! {at=> __durable_slot.close_value()};
    match checks_value(step, false) {
        true => quote_spanned! {at=> __durable_probe.give(#close)},
        false => close,
    }
}

/// `todo!()` and its like, of which nobody can say what they would give.
pub(super) fn gives_nothing(expr: &Expr) -> bool {
    let Expr::Macro(mac) = expr else { return false };
    let never = ["todo", "unimplemented", "unreachable", "panic"];
    mac.mac.path.segments.last().is_some_and(|last| never.iter().any(|never| last.ident == never))
}
