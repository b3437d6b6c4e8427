//! The arguments of `#[durable_workflow]`.

use proc_macro2::TokenStream;
use syn::{Expr, Path};

use super::args::{Arg, Args};
use super::{former, step, values};
use crate::diag::Errors;
use crate::model::{Nondeterminism, WorkflowArgs};
use crate::suggest;

pub(super) const KNOWN: &[&str] = &[
    "key",
    "formerly",
    "retired",
    "version",
    "goal",
    "invariants",
    "inputs",
    "secrets",
    "session",
    "nondeterminism",
    "timeout",
    "local",
    "crate",
];

pub(crate) fn workflow_args(tokens: TokenStream, errors: &mut Errors) -> WorkflowArgs {
    let mut args = Args::parse(tokens, "`#[durable_workflow]`", KNOWN, errors);
    let unnamed = "the key of a run needs no name: take out `as ..`";
    let key = args.take("key").and_then(|arg| values::unnamed_key(&arg, unnamed, errors));
    WorkflowArgs {
        formerly: args.take("formerly").map(|arg| former::of_workflow(&arg, key.as_ref(), errors)).unwrap_or_default(),
        retired: args.take("retired").map(|arg| former::retired(&arg, errors)).unwrap_or_default(),
        version: args.take("version").and_then(|arg| values::version(&arg, errors)),
        root: args.take("crate").and_then(|arg| root(&arg, errors)),
        key,
        goal: args.take("goal").and_then(|arg| values::text(&arg, "goal = \"pay {invoices.len()} invoices\"", errors)),
        invariants: args
            .take("invariants")
            .map(|arg| values::strings(&arg, "invariants = [\"an invoice is paid at most once\"]", errors))
            .unwrap_or_default(),
        inputs_recorded: args.take("inputs").is_some_and(|arg| inputs_recorded(&arg, errors)),
        allows_secrets: args.take("secrets").is_some_and(|arg| step::allows_secrets(&arg, errors).is_some()),
        session: args.take("session").and_then(|arg| session(arg, errors)),
        nondeterminism: args.take("nondeterminism").map(|arg| nondeterminism(&arg, errors)).unwrap_or_default(),
        timeout: args.take("timeout").and_then(|arg| values::length(&arg, "timeout = \"30s\"", errors)),
        local: args.take("local").is_some_and(|arg| values::flag(&arg, errors)),
    }
}

/// Where the session is. A text is taken for it, so that it is not missing as well.
fn session(arg: Arg, errors: &mut Errors) -> Option<Expr> {
    if let Some(text) = arg.value.as_ref().and_then(values::literal) {
        let place = text.value();
        errors
            .at(text.span(), format!("`session` says where the session is, and is no text: write `session = {place}`"));
    }
    values::expression(arg, "session = self.session", errors)
}

fn nondeterminism(arg: &Arg, errors: &mut Errors) -> Nondeterminism {
    const LEVELS: &[&str] = &["warn", "deny", "allow"];
    let Some(level) = values::string(arg, "nondeterminism = \"deny\"", errors) else { return Nondeterminism::Allow };
    match level.value().as_str() {
        "warn" => Nondeterminism::Warn,
        "deny" => Nondeterminism::Deny,
        "allow" => Nondeterminism::Allow,
        other => {
            let meant = suggest::nearest(other, LEVELS).map(|level| format!("did you mean \"{level}\"? "));
            let meant = meant.unwrap_or_default();
            errors.at(
                level.span(),
                format!("`nondeterminism` knows no level \"{other}\": {meant}it is \"warn\" unless you say \"deny\" or \"allow\""),
            );
            Nondeterminism::Allow
        }
    }
}

/// The path of the library, where it goes by another name. The expansion stands in many modules, so the path begins at
/// a crate.
fn root(arg: &Arg, errors: &mut Errors) -> Option<Path> {
    let text = "`crate` takes the path of `durable_runtime` from a crate on: write `crate = ::name` or `crate = crate::module::name`";
    let path = match arg.value.as_ref().map(values::peel) {
        Some(Expr::Path(path)) if path.qself.is_none() => Some(path.path.clone()),
        _ => None,
    };
    let is_absolute =
        |path: &Path| path.leading_colon.is_some() || path.segments.first().is_some_and(|first| first.ident == "crate");
    let absolute = path.filter(is_absolute);
    if absolute.is_none() {
        arg.refuse(text, errors);
    }
    absolute
}

fn inputs_recorded(arg: &Arg, errors: &mut Errors) -> bool {
    let Some(word) = values::string(arg, "inputs = \"recorded\"", errors) else { return false };
    if word.value() != "recorded" {
        errors.on(
            &word,
            "`inputs` takes one word: write `inputs = \"recorded\"` if a resumed run goes on with the inputs that it recorded, whatever is given now; without it, another input is an error",
        );
    }
    true
}
