//! The arguments of `#[durable_workflow]`.

use proc_macro2::TokenStream;

use super::args::Args;
use super::values;
use crate::diag::Errors;
use crate::model::WorkflowArgs;

const KNOWN: &[&str] = &["key", "goal", "invariants", "session"];

pub(crate) fn workflow_args(tokens: TokenStream, errors: &mut Errors) -> WorkflowArgs {
    let mut args = Args::parse(tokens, "`#[durable_workflow]`", KNOWN, errors);
    let key = args.take("key").and_then(|arg| values::key(&arg, errors));
    if let Some((_, Some(binding))) = &key {
        errors.at(binding.span(), "the key of a run needs no name: take out `as ..`");
    }
    WorkflowArgs {
        key: key.map(|(text, _)| text),
        goal: args.take("goal").and_then(|arg| values::text(&arg, "goal = \"pay {invoices.len()} invoices\"", errors)),
        invariants: args
            .take("invariants")
            .map(|arg| values::strings(&arg, "invariants = [\"an invoice is paid at most once\"]", errors))
            .unwrap_or_default(),
        session: args.take("session").and_then(|arg| values::expression(arg, "session = self.session", errors)),
    }
}
