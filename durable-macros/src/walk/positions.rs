//! Where a step may not stand, and why.

use syn::{AttrStyle, Attribute, Expr};

/// Why an expression cannot be a step, with the place to put the attribute instead.
pub(super) fn refusal(expr: &Expr) -> Option<&'static str> {
    Some(match expr {
        Expr::ForLoop(_) | Expr::While(_) | Expr::Loop(_) => {
            "a step is one effect, not a whole loop: put the attribute on the call inside, with the value that differs in its key"
        }
        Expr::If(_) | Expr::Match(_) => {
            "a step is one effect, not a whole branch: put the attribute on the call inside each branch, under a key of its own"
        }
        Expr::Let(_) => "a step stands before its value: write `if let pattern = #[side_effect(..)] call().await?`",
        Expr::Async(_) => {
            "this block is not awaited, so nothing has happened when it is recorded: put the attribute on the call inside, or write `async { .. }.await`"
        }
        Expr::Closure(_) => "a closure is not an effect until it is called: put the attribute on the call inside",
        Expr::Break(_) => {
            "a step has a value, and this leaves without one: write `break #[side_effect(..)] call().await?`, with the attribute before the value"
        }
        Expr::Return(_) | Expr::Continue(_) => {
            "a step has a value, and this leaves without one: write `return Ok(#[side_effect(..)] call().await?)`, with the attribute before the value"
        }
        Expr::Block(block) if block.block.stmts.is_empty() => {
            "an empty block does nothing that could be recorded: put the attribute on a call, or leave it out"
        }
        Expr::Path(_) | Expr::Lit(_) => {
            "a plain value does nothing that could be recorded: put the attribute on a call, or leave it out"
        }
        _ => return None,
    })
}

/// Why an attribute that stands before a part of an expression is not taken for the whole.
pub(super) const ON_OPERAND: &str = "before an operator the attribute marks this operand alone, though it looks like more: give the call a `let` of its own, `#[side_effect(..)] let value = call().await?;`, or put both in parentheses, `(#[side_effect(..)] call().await?)`";

/// Why an attribute that stands on no expression is not a step.
pub(super) const ON_ARM: &str =
    "a step is an expression: write it behind the arrow, `pattern => #[side_effect(..)] call().await?`";
pub(super) const ON_FIELD: &str =
    "a step is an expression: write it behind the colon, `field: #[side_effect(..)] call().await?`";
pub(super) const ON_EMPTY_LET: &str = "a step needs its expression: write `let name = call().await?;` in one statement";
pub(super) const ON_ITEM: &str = "a step cannot stand on or in an item: only the body of the workflow itself is resumed; mark that function `#[durable_workflow]`, or move the step into this one";
pub(super) const IN_STEP: &str =
    "a step cannot stand inside another step: one record holds one effect; bind the inner one with a `let` before";
pub(super) const INNER: &str =
    "a step attribute stands before its expression: write `#[side_effect(..)] { .. }`, without the `!`";
pub(super) const ELSEWHERE: &str =
    "a step cannot stand here: put the attribute on a `let`, a statement, or the call itself";
pub(super) const TWICE: &str = "one step has one attribute: take out this one, or give it an effect of its own";
pub(super) const IN_MACRO: &str = "this macro's input is not plain Rust, so the step in it cannot be found: move the step into a `let` before the macro";
pub(super) const IN_LAZY_MACRO: &str = "this macro does not always compute its arguments, which depends on the build or on what is logged, and the step would be left out with them: bind it with a `let` before";
pub(super) const HIDDEN_IN_MACRO: &str = "in the input of a macro a step cannot be found under another name or in `cfg_attr`: write `#[side_effect(..)]`, or move the step into a `let` before the macro";
pub(super) const RENAMED: &str = "a step is known by the name of its attribute, and under another it would be missed: write `#[side_effect(..)]`, `#[read(..)]` or `#[run(..)]`";
pub(super) const ON_BRANCH: &str = "a branch of a macro waits for a future, and a step is awaited where it stands: write the step into the future, `name = async { #[side_effect(..)] call().await } => ..`";
pub(super) const IN_RACE: &str = "of steps that race in a `select!` the one that loses is dropped half way, and its run stops there: let each end by itself, a decision with `expires = \"24h\"` and `on_expiry = ..`, a call with `timeout = \"30s\"`, or wait for both, with `join!`";
pub(super) const IN_TASK: &str = "a spawned task goes on without its workflow, so no step can stand in it: wait for it here, `tokio::join!(one, other)`, where each side may have steps of its own";
const IN_SYNC_CLOSURE: &str =
    "a step awaits, and this closure cannot: write `async |..| { .. }`, or let the closure return an `async` block";
const IN_ITERATION: &str = "a step awaits, and this closure cannot: write a `for` loop, with what differs in the key";

/// Methods that call their closure themselves, so that nobody could await what it gives.
const ITERATIONS: &[&str] = &[
    "all",
    "any",
    "filter",
    "filter_map",
    "find",
    "find_map",
    "flat_map",
    "fold",
    "for_each",
    "inspect",
    "map",
    "map_while",
    "position",
    "retain",
    "scan",
    "skip_while",
    "take_while",
    "try_fold",
    "try_for_each",
];

/// Why no step may stand in a closure that cannot await, by what it is handed to.
pub(super) fn in_sync_closure(handed_to: Option<&str>) -> &'static str {
    match handed_to {
        Some(spawn) if spawn.starts_with("spawn") => IN_TASK,
        Some(method) if ITERATIONS.contains(&method) => IN_ITERATION,
        _ => IN_SYNC_CLOSURE,
    }
}

pub(super) const IN_CONSTANT: &str =
    "this is computed when it is compiled, and a step awaits: move the step into a `let` before";
pub(super) const IN_MACRO_RULES: &str = "the workflow is read before its macros are expanded, so this step would be missed: let the macro write the whole workflow, or hand it the step as an argument";
pub(super) const IN_ATTRIBUTE: &str = "a step among the arguments of another attribute would be missed: write `#[side_effect(..)]` by itself, with `#[cfg(..)]` before the statement where it is not always there";

pub(super) fn is_inner(attr: &Attribute) -> bool {
    matches!(attr.style, AttrStyle::Inner(_))
}
