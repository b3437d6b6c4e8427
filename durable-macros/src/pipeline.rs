//! Parse, check, expand; after a mistake, fall back.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Expr, ItemFn};

use crate::check::Checked;
use crate::diag::Errors;
use crate::expand::{Expanded, Mistaken};
use crate::model::{Body, Place, Workflow};
use crate::walk::Walked;
use crate::{check, expand, parse, walk};

/// `#[durable_workflow(args)] item`.
pub(crate) fn durable_workflow(args: TokenStream, item: TokenStream) -> TokenStream {
    match parse::function(&item) {
        Ok(function) => workflow(args, function, Place::Unknown).beside_each_other(),
        Err(error) => {
            let item = walk::without_attributes(item);
            let allowed = syn::parse2::<Expr>(item.clone()).is_err().then(|| quote! {#[allow(unused)]});
            expand::beside(&error, quote! {#allowed #item})
        }
    }
}

/// A function that stands in `place`.
pub(crate) fn workflow(args: TokenStream, mut function: ItemFn, place: Place) -> Expanded {
    let mut errors = Errors::default();
    let names = expand::names_for_editors(&args, function.to_token_stream());
    let mut args = parse::workflow_args(args, &mut errors);
    let body = parse::body(&mut function);
    let receiver = body.as_ref().and_then(|body| body.receiver.clone());
    receiver.iter().for_each(|name| parse::rename_in_args(name, &mut args));
    let signature = parse::signature(&mut function, body.as_ref(), &args, &mut errors);
    let speaks_of_self = parse::speaks_of_self(&function, body.as_ref());
    let mut body = body.unwrap_or_else(|| Body::of_another(&mut function));
    let Walked { mut steps, mut orphans } = walk::steps(&mut function, &mut body.block, &mut errors);
    receiver.iter().for_each(|name| parse::rename_in_steps(name, &mut steps));
    if let Some(signature) = &signature {
        walk::unkeyed_waits(&signature.session, args.root.as_ref(), &mut body.block, &mut steps, &mut errors);
        let end = expand::nothing(&signature.returns, args.root.as_ref());
        walk::endings(&signature.returns, &end, &mut body.block, &mut steps, &mut errors);
    }
    let Checked { is_ambiguous, forgotten } =
        check::workflow(&function, signature.as_ref(), &body, &args, &steps, &mut errors);
    orphans.extend(forgotten);
    let findings = check::nondeterminism(&body.block, args.nondeterminism, &mut errors);
    match signature {
        Some(signature) if errors.is_empty() => {
            check::lost_errors(&mut steps, args.root.as_ref());
            check::forgotten_futures(&signature.session, &mut body.block, args.root.as_ref());
            expand::workflow(&Workflow { function, body, args, signature, place, steps, findings, names })
        }
        _ => {
            let (body, steps, orphans, root, place) = (&body, &steps[..], &orphans[..], args.root.as_ref(), &place);
            let names = &names[..];
            let mistaken =
                Mistaken { function, body, steps, orphans, root, place, speaks_of_self, names, is_ambiguous };
            expand::fallback(mistaken, &errors)
        }
    }
}

/// `#[durable_methods] impl ..`.
pub(crate) fn durable_methods(args: &TokenStream, item: &TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    if !args.is_empty() {
        errors.on(
            args,
            "`#[durable_methods]` takes no arguments: write them into the `#[durable_workflow(..)]` of each method",
        );
    }
    let mut block = match parse::methods(item) {
        Ok(block) => block,
        Err(error) => {
            let error = error.to_compile_error();
            return quote! {#error #item};
        }
    };
    let place = parse::place_in(&block);
    let found = block.items.iter_mut().filter_map(|item| {
        let (args, method) = parse::take_workflow(item, &mut errors)?;
        Some((item, workflow(args, method, place.clone())))
    });
    let constants = found.filter_map(|(item, expanded)| expand::method(item, &place, expanded)).collect();
    expand::methods(&block, constants, &errors)
}
