//! Items inside a body. They are functions and types of their own: nothing in them belongs to the workflow.

use std::mem;

use syn::visit_mut::{self, VisitMut};
use syn::{Attribute, ImplItemFn, Item, ItemFn, Macro, Meta};

use super::{attrs, positions};
use crate::diag::Errors;

/// Takes the step attributes out of an item, each a mistake, except out of workflows, which read their own.
pub(super) fn strip(item: &mut Item, errors: &mut Errors) {
    NestedItem(errors).visit_item_mut(item);
}

/// Takes out attributes that have a step among their arguments, as `#[cfg_attr(unix, side_effect(..))]` has: whatever
/// they become, they become it when the workflow has been read.
pub(super) fn refuse_hidden(attributes: &mut Vec<Attribute>, errors: &mut Errors) {
    attributes.retain(|attr| {
        let Meta::List(list) = &attr.meta else { return true };
        let hides = attr.path().is_ident("cfg_attr") && attrs::is_conditional(list.tokens.clone())
            || attrs::among(list.tokens.clone());
        if hides {
            errors.on(attr, positions::IN_ATTRIBUTE);
        }
        !hides
    });
}

struct NestedItem<'a>(&'a mut Errors);

impl VisitMut for NestedItem<'_> {
    fn visit_item_fn_mut(&mut self, function: &mut ItemFn) {
        if !is_workflow(&function.attrs) {
            visit_mut::visit_item_fn_mut(self, function);
        }
    }

    fn visit_impl_item_fn_mut(&mut self, function: &mut ImplItemFn) {
        if !is_workflow(&function.attrs) {
            visit_mut::visit_impl_item_fn_mut(self, function);
        }
    }

    fn visit_attributes_mut(&mut self, attributes: &mut Vec<Attribute>) {
        for (_, attr) in attrs::take(attributes) {
            self.0.on(&attr, positions::ON_ITEM);
        }
        refuse_hidden(attributes, self.0);
    }

    fn visit_macro_mut(&mut self, mac: &mut Macro) {
        for attr in attrs::all_among(mac.tokens.clone()) {
            self.0.on(&attr, positions::IN_MACRO_RULES);
        }
        mac.tokens = attrs::without_attributes(mem::take(&mut mac.tokens));
    }
}

fn is_workflow(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attr| attr.path().segments.last().is_some_and(|last| last.ident == "durable_workflow"))
}
