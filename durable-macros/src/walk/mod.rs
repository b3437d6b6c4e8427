//! Finds the steps of a body. Each is taken out into the model and leaves a slot, into which `expand` puts its code.

mod advice;
mod around;
mod attrs;
mod branches;
mod calls;
mod endings;
mod exits;
mod exprs;
mod handles;
mod items;
mod macros;
mod misspelt;
mod positions;
mod races;
mod slot;
mod steps;
mod tasks;
mod unkeyed;
mod varying;
mod visit;

pub(crate) use attrs::{without_attributes, without_expression};
pub(crate) use branches::branches;
pub(crate) use calls::calls;
pub(crate) use endings::endings;
pub(crate) use exits::Exits;
pub(crate) use exprs::assigns;
pub(crate) use macros::{arguments, input_of};
pub(crate) use slot::{body_slot, put_body, replace, slot, slot_in, slots_in, splice};
pub(crate) use steps::{Walked, mentions_step, steps};
pub(crate) use unkeyed::{bare, is_term, unkeyed_waits, waits_for};
