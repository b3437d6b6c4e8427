//! What hands a future over to be run by itself. It must own all that it uses, and the run of a step is lent.

use proc_macro2::Ident;
use quote::ToTokens;
use syn::{Block, Expr, ItemFn};

use crate::names::mentions;

const SPAWN: &[&str] = &["spawn", "spawn_local", "spawn_on", "spawn_local_on", "spawn_blocking"];

/// What has a method that spawns. The scopes of other libraries have one too, and what they spawn may borrow.
const HOLDERS: &[&str] = &["JoinSet", "JoinMap", "LocalSet", "TaskTracker", "Handle", "Runtime"];

/// Whether a function is one that spawns: `tokio::spawn`, `task::spawn_local`.
pub(super) fn is_spawn(function: &Expr) -> bool {
    matches!(function, Expr::Path(path) if path.path.segments.last().is_some_and(|last| spawns(&last.ident)))
}

pub(super) fn spawns(name: &Ident) -> bool {
    SPAWN.iter().any(|spawn| name == spawn)
}

/// Whether a function speaks of something that holds tasks.
pub(super) fn are_held(function: &ItemFn, body: &Block) -> bool {
    mentions(function.sig.to_token_stream(), HOLDERS) || mentions(body.to_token_stream(), HOLDERS)
}
