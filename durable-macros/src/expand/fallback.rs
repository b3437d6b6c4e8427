//! After a mistake: the errors, and beside them the function as it was written, so that no other error follows from it.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::visit::Visit;
use syn::{Expr, ExprAsync, ExprAwait, ExprClosure, Item, ItemFn, Path, ReturnType, Token, Type, parse_quote};

use super::editor::{self, Named};
use super::workflow::Expanded;
use super::{meta, paths, waits};
use crate::check::asks_nobody;
use crate::check::enters;
use crate::diag::Errors;
use crate::model::{Body, Kind, Place, Step};
use crate::names::mentions;
use crate::parse::{ends_in_a_future, never_a_result, peel};
use crate::span;
use crate::walk::{Exits, mentions_step, put_body, splice};

/// A function with mistakes, as far as it was read.
pub(crate) struct Mistaken<'a> {
    pub(crate) function: ItemFn,
    pub(crate) body: &'a Body,
    pub(crate) steps: &'a [Step],
    /// The names of keys whose attributes were refused.
    pub(crate) orphans: &'a [Ident],
    pub(crate) root: Option<&'a Path>,
    pub(crate) place: &'a Place,
    pub(crate) speaks_of_self: bool,
    pub(crate) names: &'a [Named],
    /// Whether a name in the body stands for two things.
    pub(crate) is_ambiguous: bool,
}

/// The errors and the function, its steps without their attributes.
pub(crate) fn fallback(mut mistaken: Mistaken<'_>, errors: &Errors) -> Expanded {
    let errors = errors.to_compile_errors();
    paths::under(mistaken.root, || {
        make_async(&mut mistaken.function, mistaken.body, mistaken.steps);
        let body = body_tokens(&mistaken);
        let Mistaken { function, place, speaks_of_self, .. } = &mistaken;
        let constant = meta::without_steps(function, place, *speaks_of_self);
        let (attrs, vis, sig) = (&function.attrs, &function.vis, &function.sig);
        let function = quote! {
            #[allow(unused, unreachable_code, clippy::all)]
            #(#attrs)*
            #vis #sig #body
        };
        Expanded { function, constant: Some(quote! {#errors #constant}) }
    })
}

/// So that a workflow that forgot its `async` has one error, and not one more for each `await` in it.
fn make_async(function: &mut ItemFn, body: &Body, steps: &[Step]) {
    let mut awaits = Awaits(false);
    awaits.visit_block(&body.block);
    steps.iter().filter(|step| !step.nested).for_each(|step| awaits.visit_expr(&step.expr));
    let is_carried = body.returns.is_some();
    if function.sig.asyncness.is_none() && (awaits.0 || is_method(function)) && !is_carried {
        function.sig.asyncness = Some(Token![async](function.sig.fn_token.span));
        (function.sig.constness, function.sig.abi) = (None, None);
    }
}

/// Whether it may stand in the `impl` of a trait, whose own method is `async`.
fn is_method(function: &ItemFn) -> bool {
    let gives_future =
        mentions(function.sig.output.to_token_stream(), &["Future", "Pin", "BoxFuture", "LocalBoxFuture"]);
    function.sig.receiver().is_some() && !gives_future
}

/// Whether a body awaits outside the `async` blocks in it.
struct Awaits(bool);

impl<'ast> Visit<'ast> for Awaits {
    fn visit_expr_await(&mut self, _: &'ast ExprAwait) {
        self.0 = true;
    }

    fn visit_expr_async(&mut self, _: &'ast ExprAsync) {}
    fn visit_expr_closure(&mut self, _: &'ast ExprClosure) {}
    fn visit_item(&mut self, _: &'ast Item) {}
}

/// The body as it was written. Where the function gives no `Result`, each `?` in it would be one more error; where a name is
/// two things, each use of it.
fn body_tokens(mistaken: &Mistaken<'_>) -> TokenStream {
    let Mistaken { function, body, steps, orphans, names, is_ambiguous, .. } = mistaken;
    let names = editor::uses(names);
    let orphans = orphans.iter().map(unnamed);
    let written = match &function.sig.output {
        ReturnType::Default => None,
        ReturnType::Type(_, ty) => Some(&**ty),
    };
    let returns = body.returns.as_ref().or(written);
    let is_hidden = mentions(written.to_token_stream(), &["impl"]);
    let forgot_async = body.returns.is_none() && ends_in_a_future(&body.block);
    if (returns.is_none_or(never_a_result) || forgot_async || *is_ambiguous) && !is_hidden {
        return quote! {{ #names ::core::unreachable!() }};
    }
    let stmts = body.block.stmts.iter().map(ToTokens::to_token_stream).collect();
    let written = splice(stmts, &|index| plain(index, steps, returns));
    put_body(function.block.to_token_stream(), &quote! {#names #(#orphans)* #written})
}

/// A step's expression as it would stand without the attribute.
fn plain(index: usize, steps: &[Step], returns: Option<&Type>) -> TokenStream {
    let Some(step) = steps.get(index) else { return TokenStream::new() };
    if step.args.kind.waits() {
        let wait = waits::plain(step);
        return match arguments(step, returns) {
            Some(arguments) => quote! {{ #arguments #wait }},
            None => wait,
        };
    }
    let (expr, question) = (&step.expr, &step.question);
    let asks = question.is_some();
    let at = span::generated(span::ends(expr).0);
    let private = paths::private(at);
    let expr = match step.cannot_await {
        true => quote_spanned! {at=> #private::awaited(async { #expr })},
        false => quote! {#expr},
    };
    let expr = match question {
        Some(_) if step.args.kind == Kind::Run && !enters(&step.expr) => quote_spanned! {at=> #expr.await},
        _ => expr,
    };
    // A `?` would leave a closure or a block that may give anything.
    let (expr, question) = match asks && (step.cannot_await || step.leaves_unsaid) {
        true => (quote_spanned! {at=> #private::taken(#expr)}, None),
        false => (expr, *question),
    };
    let expr = match step.args.records_errors {
        Some(_) if !asks => quote_spanned! {at=> #private::recorded(#expr)},
        None if step.args.later.is_some() && !asks => quote_spanned! {at=> #private::later(#expr)},
        _ => expr,
    };
    let arguments = arguments(step, returns);
    let binding = step.args.binding.as_ref().map(unnamed);
    if arguments.is_none() && binding.is_none() {
        return quote! {#expr #question};
    }
    quote_spanned! {at=> { #binding #arguments #expr #question }}
}

/// What the arguments of a step compute, in code that nothing reaches: else what is imported for them alone would seem to be
/// unused. What a closure is called with, or what a `None` would hold, nothing says here.
fn arguments(step: &Step, returns: Option<&Type>) -> Option<TokenStream> {
    let args = &step.args;
    let others = [&args.given, &args.classify, &args.shows, &args.on_expiry];
    let all = args.asked().chain(others.into_iter().flatten());
    let used = all.filter(|arg| !matches!(peel(arg), Expr::Closure(_)) && !asks_nobody(arg));
    let used: TokenStream = used.map(|arg| computed(arg, returns)).collect();
    let at = span::generated(span::ends(&step.expr).0);
    (!used.is_empty()).then(|| quote_spanned! {at=> if false { ::core::unreachable!(); #used }})
}

/// A statement that computes it. A `?` in it leaves a block of its own, where it is known by what error. One that is a
/// mistake itself is for editors alone.
fn computed(arg: &Expr, returns: Option<&Type>) -> TokenStream {
    let at = span::generated(span::ends(arg).0);
    let exits = Exits::of(arg);
    let end = match (exits.questions.is_empty(), returns) {
        _ if !exits.jumps.is_empty() || mentions_step(arg) => return editor::shown(arg),
        (true, _) => TokenStream::new(),
        (false, Some(returns)) => {
            let root = paths::private(at);
            quote_spanned! {at=> #root::nothing::<#returns>()}
        }
        (false, None) => return editor::shown(arg),
    };
    quote_spanned! {at=> let _ = async { let _ = #arg; #end };}
}

/// The name of a key.
fn unnamed(name: &Ident) -> TokenStream {
    let at = span::generated(name.span());
    let root = paths::private(at);
    quote_spanned! {at=> let #name: &#root::StepKey = ::core::unreachable!();}
}

/// `Ok(())` with the error of a workflow that returns this.
pub(crate) fn nothing(returns: &Type, root: Option<&Path>) -> Expr {
    paths::under(root, || {
        let root = paths::private(span::generated(span::ends(returns).0));
        parse_quote!(#root::nothing::<#returns>())
    })
}
