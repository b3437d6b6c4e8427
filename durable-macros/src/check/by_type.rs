//! What the error of a call is lost by, where only the type of its value says whether it has one.

use std::ptr;

use syn::visit_mut::{self, VisitMut};
use syn::{Expr, Path};

use super::{asked, ignored, swallowed};
use crate::expand;
use crate::model::Step;
use crate::span;

/// Has the compiler ask for the types of such values.
pub(crate) fn lost_errors(steps: &mut [Step], root: Option<&Path>) {
    for step in steps {
        let found = found(step);
        if found.is_empty() {
            continue;
        }
        let mut values = Values { found, root };
        values.visit_expr_mut(&mut step.expr);
        step.args.verify.iter_mut().chain(&mut step.args.refetch).for_each(|asked| values.visit_expr_mut(asked));
    }
}

/// Where the values stand, each with what is done with it.
fn found(step: &Step) -> Vec<(*const Expr, &'static str)> {
    let dropped = ignored::dropped(step).into_iter().filter(|dropped| dropped.by_type);
    let dropped = dropped.map(|dropped| (ptr::from_ref(dropped.call), "dropped"));
    let taken =
        swallowed::taken(step).into_iter().filter_map(|taken| Some((ptr::from_ref(taken.by_type?), "taken_off")));
    let asked = step.args.verify.iter().chain(&step.args.refetch);
    let silenced = asked.flat_map(|asked| asked::silenced(step, asked));
    let silenced = silenced.filter_map(|it| Some((ptr::from_ref(it.by_type?), "silenced")));
    dropped.chain(taken).chain(silenced).collect()
}

struct Values<'a> {
    found: Vec<(*const Expr, &'static str)>,
    root: Option<&'a Path>,
}

impl VisitMut for Values<'_> {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        let here = ptr::from_ref(expr);
        visit_mut::visit_expr_mut(self, expr);
        if let Some((_, what)) = self.found.iter().find(|(place, _)| *place == here) {
            *expr = expand::asked_of_type(expr, span::ends(expr), what, self.root);
        }
    }
}
