//! Finds out whether a macro has put a step from its input anywhere: a number that the step takes is a `u8`, and one that
//! nothing takes is an `i32`, as every number is of which nothing is said.

use std::marker::PhantomData;

/// The numbers that a step has taken.
#[diagnostic::on_unimplemented(
    message = "this step is in the input of a macro that puts it nowhere, so it would never run",
    label = "nothing of it is left behind the macro",
    note = "move the step into a `let` before the macro"
)]
pub trait Taken {}

#[diagnostic::do_not_recommend]
impl Taken for u8 {}

/// There are two, so that the compiler does not take the only one.
#[diagnostic::do_not_recommend]
impl Taken for u16 {}

/// What a step takes.
#[derive(Debug, Clone, Copy)]
pub struct Expands<T>(PhantomData<T>);

/// Asks for the step that takes this.
pub fn expands<T: Taken>(_number: T) -> Expands<T> {
    Expands(PhantomData)
}

/// Stands in the step, however many times the macro puts it somewhere.
pub fn expanded(_: &Expands<u8>) {}
