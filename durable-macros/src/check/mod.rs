//! Mistakes that no single argument shows. Each check reports all it finds; none stops another.

mod exits;
mod keys;
mod loops;
mod proof;
mod runs;

use crate::diag::Errors;
use crate::model::Step;

pub(crate) fn steps(steps: &[Step], errors: &mut Errors) {
    keys::check(steps, errors);
    loops::check(steps, errors);
    proof::check(steps, errors);
    runs::check(steps, errors);
    exits::check(steps, errors);
}
