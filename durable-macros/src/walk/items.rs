//! Items inside a body. They are functions and types of their own: nothing in them belongs to the workflow.

use syn::visit_mut::{self, VisitMut};
use syn::{Attribute, ImplItemFn, Item, ItemFn};

use super::{attrs, positions};
use crate::diag::Errors;

/// Takes the step attributes out of an item, each a mistake, except out of workflows, which read their own.
pub(super) fn strip(item: &mut Item, errors: &mut Errors) {
    NestedItem(errors).visit_item_mut(item);
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
    }
}

fn is_workflow(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attr| attr.path().segments.last().is_some_and(|last| last.ident == "durable_workflow"))
}
