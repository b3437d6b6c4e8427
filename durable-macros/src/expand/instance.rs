//! For which types and constants a generic workflow is called: two of its instances are two workflows in one place.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::{FnArg, GenericParam, Generics, Ident};

use crate::model::{Place, Workflow};
use crate::names::mentions;

/// `.of::<T>().of_constant(N)`: nothing of a workflow without parameters of its own or of its type.
pub(super) fn instance(workflow: &Workflow, at: Span) -> TokenStream {
    let own = workflow.function.sig.generics.params.iter().filter_map(|param| match param {
        GenericParam::Type(param) if !is_of_resources_alone(workflow, &param.ident) => {
            let of = &param.ident;
            // It may have no size.
            Some(quote_spanned! {at=> .of::<#of>()})
        }
        GenericParam::Const(param) => {
            let of = &param.ident;
            Some(quote_spanned! {at=> .of_constant(#of)})
        }
        GenericParam::Type(_) | GenericParam::Lifetime(_) => None,
    });
    let of_type = is_of_a_generic_type(workflow).then(|| quote_spanned! {at=> .of::<Self>()});
    of_type.into_iter().chain(own).collect()
}

/// Whether the type to which it belongs has parameters, or may have.
fn is_of_a_generic_type(workflow: &Workflow) -> bool {
    match &workflow.place {
        Place::Impl { generics } | Place::TraitImpl { generics, .. } => has_instances(generics),
        Place::Unknown => mentions(workflow.function.sig.to_token_stream(), &["self", "Self"]),
    }
}

fn has_instances(generics: &Generics) -> bool {
    generics.params.iter().any(|param| !matches!(param, GenericParam::Lifetime(_)))
}

/// Whether it is the type of a client: another client does the same.
fn is_of_resources_alone(workflow: &Workflow, param: &Ident) -> bool {
    let sig = &workflow.function.sig;
    let name = param.to_string();
    let uses = |tokens: TokenStream| mentions(tokens, &[&name]);
    let is_input = |index: usize| workflow.signature.inputs.iter().any(|input| input.index == index);
    let mut of_resource = false;
    for (index, param) in sig.inputs.iter().enumerate() {
        let FnArg::Typed(param) = param else { continue };
        if uses(param.ty.to_token_stream()) {
            match is_input(index) {
                true => return false,
                false => of_resource = true,
            }
        }
    }
    of_resource && !uses(sig.output.to_token_stream())
}
