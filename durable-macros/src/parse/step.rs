//! The arguments of `#[side_effect]` and `#[read]`.

use syn::Attribute;
use syn::spanned::Spanned;

use super::args::{Arg, Args, attribute_args};
use super::values;
use crate::diag::Errors;
use crate::model::{Idempotent, Kind, StepArgs};

const SIDE_EFFECT: &[&str] = &["key", "title", "verify", "idempotent", "in_doubt", "settle"];
const READ: &[&str] = &["key", "title"];

/// Reads the arguments of a step; what cannot be read is reported and left out.
pub(crate) fn step_args(kind: Kind, attr: &Attribute, errors: &mut Errors) -> StepArgs {
    let tokens = attribute_args(attr, errors);
    let (owner, known) = match kind {
        Kind::SideEffect => ("`#[side_effect]`", SIDE_EFFECT),
        Kind::Read => ("`#[read]`", READ),
    };
    let mut args = Args::parse(tokens, owner, known, errors);
    let key = args.take("key");
    if key.is_none() {
        errors.on(
            attr.path(),
            format!(
                "a step needs a key, by which it is known for ever: write `#[{}(key = \"pay/{{invoice.id}}\", ..)]`",
                kind.attribute()
            ),
        );
    }
    let (key, binding) = key.and_then(|arg| values::key(&arg, errors)).unzip();
    StepArgs {
        kind,
        attr: attr.path().span(),
        key,
        binding: binding.flatten(),
        title: args.take("title").and_then(|arg| values::text(&arg, "title = \"pay {invoice.payee}\"", errors)),
        verify: args
            .take("verify")
            .and_then(|arg| values::expression(arg, "verify = bank.find(pay.token()).await", errors)),
        idempotent: args.take("idempotent").and_then(|arg| idempotent(&arg, errors)),
        in_doubt: args.take("in_doubt").and_then(|arg| values::string(&arg, "in_doubt = \"treasury\"", errors)),
        settle: args.take("settle").and_then(|arg| values::duration(&arg, "settle = \"10s\"", errors)),
    }
}

fn idempotent(arg: &Arg, errors: &mut Errors) -> Option<Idempotent> {
    let why = match &arg.value {
        None => None,
        Some(_) => Some(values::string(arg, "idempotent = \"by part number\"", errors)?),
    };
    Some(Idempotent { span: arg.name.span(), why })
}
