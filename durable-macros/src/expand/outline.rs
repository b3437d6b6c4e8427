//! `outline!(payroll)` and `workflows![payroll, refunds::refund]`: through the constant beside each function, which also
//! knows where the library is.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::{ExprPath, PathArguments, QSelf, Token};

use super::meta;
use crate::shown::shown;
use crate::span;

/// The outline of the workflow that a path names.
pub(crate) fn outline(path: TokenStream) -> TokenStream {
    let Ok(path) = syn::parse2::<ExprPath>(path.clone()) else {
        let text = "`outline!` takes the path of a workflow: write `outline!(payroll)`";
        return syn::Error::new_spanned(path, text).to_compile_error();
    };
    let at = span::generated(span::ends(&path).0);
    let (of_type, text) = (is_of_type(&path), format!("`{}` has no outline", shown(&path)));
    let constant = constant(path);
    match constant.path.segments.last() {
        Some(last) if of_type => {
            let at = span::generated(last.ident.span());
            let otherwise = otherwise(&last.ident, &text, at);
            quote_spanned! {at=> { #otherwise #constant.outline() }}
        }
        _ => quote_spanned! {at=> #constant.outline()},
    }
}

/// What every type has under the name of an outline that it lacks; an outline of its own goes before it. All of it stands
/// here, since nobody has said where the library is.
fn otherwise(name: &Ident, text: &str, at: Span) -> TokenStream {
    quote_spanned! {at=>
        #[diagnostic::on_unimplemented(
            message = #text,
            label = "no workflow of this name, or none under `#[durable_methods]`",
            note = "put `#[durable_workflow]` on the method, and `#[durable_methods]` on the `impl` block around it"
        )]
        trait __DurableOutlined {}
        struct __DurableNone<T: ?::core::marker::Sized>(::core::marker::PhantomData<T>);
        impl<T: ?::core::marker::Sized> __DurableNone<T> {
            #[allow(dead_code)]
            fn outline<R>(&self) -> R where Self: __DurableOutlined {
                ::core::unreachable!()
            }
        }
        // Of a trait without any the compiler would propose to implement it.
        #[diagnostic::do_not_recommend]
        impl __DurableOutlined for __DurableNone<&'static mut ()> {}
        trait __DurableOtherwise {
            #[allow(non_upper_case_globals, dead_code)]
            const #name: __DurableNone<Self> = __DurableNone(::core::marker::PhantomData);
        }
        impl<T: ?::core::marker::Sized> __DurableOtherwise for T {}
    }
}

/// Whether a path ends in something that belongs to a type, as its name tells.
fn is_of_type(path: &ExprPath) -> bool {
    let owner = path.path.segments.iter().rev().nth(1);
    path.qself.is_some() || owner.is_some_and(|owner| owner.ident.to_string().starts_with(char::is_uppercase))
}

/// All workflows of a program. Each is compared with those before it, at its own place in the list.
pub(crate) fn workflows(paths: TokenStream) -> TokenStream {
    let list = Punctuated::<ExprPath, Token![,]>::parse_terminated.parse2(paths.clone());
    let Some((first, constants)) = list.ok().and_then(|list| {
        let constants: Vec<ExprPath> = list.into_iter().map(constant).collect();
        Some((constants.first()?.clone(), constants))
    }) else {
        let text = "`workflows!` takes the paths of workflows: write `workflows![payroll, refunds::refund]`";
        return syn::Error::new_spanned(paths, text).to_compile_error();
    };
    let text = |path: &ExprPath| path.to_token_stream().to_string();
    let twice = constants
        .iter()
        .enumerate()
        .find(|(at, path)| constants[..*at].iter().any(|before| text(before) == text(path)));
    if let Some((_, path)) = twice {
        return syn::Error::new_spanned(path, "this workflow is in the list already: take one of the two out")
            .to_compile_error();
    }
    let compared = constants.iter().enumerate().skip(1).map(|(index, constant)| {
        let at = span::generated(span::ends(constant).0);
        let before = &constants[..index];
        quote_spanned! {at=> const _: () = #constant.differs_from(&[#(#before),*]);}
    });
    let at = span::generated(proc_macro2::Span::call_site());
    quote_spanned! {at=> {
        #(#compared)*
        #first.with(&[#(#constants),*])
    }}
}

/// The constant beside a function: `a::payroll` has it in `a`, and the method of a trait in its type.
fn constant(mut path: ExprPath) -> ExprPath {
    let of_trait = take_trait(&mut path);
    if let Some(last) = path.path.segments.last_mut() {
        last.ident = meta::name(&last.ident, of_trait.as_ref());
        last.arguments = PathArguments::None;
    }
    path
}

/// Makes `<Bank>::pay` of `<Bank as Pays>::pay`; gives the name of the trait.
fn take_trait(path: &mut ExprPath) -> Option<proc_macro2::Ident> {
    let QSelf { position, as_token, .. } = path.qself.as_mut()?;
    let of_trait = path.path.segments.iter().nth(position.checked_sub(1)?)?.ident.clone();
    path.path.segments = path.path.segments.iter().skip(*position).cloned().collect();
    path.path.leading_colon = Some(Token![::](of_trait.span()));
    (*position, *as_token) = (0, None);
    Some(of_trait)
}
