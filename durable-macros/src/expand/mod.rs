//! From the model to tokens.

mod classify;
mod editor;
mod fallback;
mod handed;
mod in_macro;
mod inputs;
mod instance;
mod meta;
mod methods;
mod named;
mod outline;
mod outside;
mod paths;
mod policy;
mod run;
mod send;
mod step;
mod text;
mod value;
mod waits;
mod warning;
mod workflow;

pub(crate) use editor::{Named, names as names_for_editors};
pub(crate) use fallback::{Mistaken, fallback, nothing};
pub(crate) use methods::{method, methods};
pub(crate) use outline::{outline, workflows};
pub(crate) use outside::{beside, outside};
pub(crate) use value::asked_of_type;
pub(crate) use waits::keyed;
pub(crate) use workflow::{Expanded, workflow};
