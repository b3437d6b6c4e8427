//! Templates of keys and texts: `pay/{invoice.id:03}`.

mod hole;
mod overlap;
mod template;

pub(crate) use hole::{hole_expr, is_name, is_place, root, spelled};
pub(crate) use overlap::witness;
pub(crate) use template::{Hole, Template};
