//! Steps that race: of two in a `select!` the one that loses is dropped, and a later start, in which the other is over at
//! once, never comes to it again.

use proc_macro2::Span;
use quote::ToTokens;
use syn::{Expr, Local, Macro, Pat};

use super::branches::{branches, selects};
use super::steps::Walker;
use super::{attrs, positions};

impl Walker<'_> {
    /// Remembers a future with a step in it that a `let` gives a name.
    pub(super) fn names_future(&mut self, local: &Local) {
        let (Pat::Ident(name), Some(init)) = (&local.pat, &local.init) else { return };
        let name = name.ident.to_string();
        if matches!(*init.expr, Expr::Async(_)) && attrs::among(init.expr.to_token_stream()) {
            self.futures.insert(name);
        } else {
            self.futures.remove(&name);
        }
    }

    /// Refuses all steps but the first that a `select!` waits for in branches of their own.
    pub(super) fn refuse_race(&mut self, mac: &Macro) {
        let selected = selects(&mac.path).then(|| branches(mac.tokens.clone())).flatten();
        let futures = selected.map_or(Vec::new(), |of| of.futures);
        let raced: Vec<_> = futures.iter().filter_map(|future| self.step_in(future)).skip(1).collect();
        for at in raced {
            self.errors.at(at, positions::IN_RACE);
        }
    }

    /// Where a future has a step. One behind `&mut` is not dropped with its branch.
    fn step_in(&self, future: &Expr) -> Option<Span> {
        match future {
            Expr::Path(path) => {
                path.path.get_ident().filter(|name| self.futures.contains(&name.to_string())).map(|name| name.span())
            }
            other => attrs::all_among(other.to_token_stream()).first().map(|attr| attr.span()),
        }
    }
}
