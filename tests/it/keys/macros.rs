//! The macro's own knowledge of templates, which cannot be reached from outside a macro crate.

#[path = "../../../durable-macros/src/key/overlap.rs"]
mod overlap;
#[path = "../../../durable-macros/src/key/template.rs"]
mod template;

pub(super) use overlap::witness;
pub(super) use template::Template;
