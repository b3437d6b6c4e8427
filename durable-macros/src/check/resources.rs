//! A run or a step is found again by its key, and each process brings its own resources: a key made of one may name another.
//! What a method calls itself on is no such thing: it is often what the workflow is about, and nothing else can be recorded
//! of it.

use std::collections::BTreeSet;

use syn::visit::{self, Visit};
use syn::{FnArg, ItemFn, PatIdent};

use crate::diag::Errors;
use crate::model::{Body, Kind, Session, Signature, Step, Text, WorkflowArgs};
use crate::names::bound;

pub(super) fn check(
    function: &ItemFn,
    signature: Option<&Signature>,
    body: &Body,
    args: &WorkflowArgs,
    steps: &[Step],
    errors: &mut Errors,
) {
    let Some(signature) = signature else { return };
    let mut resources = names(function, Some(signature));
    if let Session::Parameter { name, .. } = &signature.session {
        resources.remove(&name.to_string());
    }
    args.key.iter().for_each(|key| judge(key, OF_WORKFLOW, &resources, errors));
    // A name that is declared again may be anything by then.
    Without(&mut resources).visit_block(&body.block);
    for step in steps {
        let of = if step.args.kind == Kind::Run { OF_CALL } else { OF_STEP };
        step.args.key.iter().for_each(|key| judge(key, of, &resources, errors));
    }
}

/// The parameters that are not recorded.
pub(super) fn names(function: &ItemFn, signature: Option<&Signature>) -> BTreeSet<String> {
    let inputs = signature.iter().flat_map(|signature| &signature.inputs).flat_map(|input| bound(&input.pat));
    let inputs: Vec<String> = inputs.collect();
    let parameters = function.sig.inputs.iter().flat_map(|parameter| match parameter {
        FnArg::Typed(typed) => bound(&typed.pat),
        FnArg::Receiver(_) => Vec::new(),
    });
    parameters.filter(|name| !inputs.contains(name)).collect()
}

/// What another key would name, and what else can be done about it.
const OF_WORKFLOW: [&str; 2] = ["run, that begins from the start", ""];
const OF_CALL: [&str; 2] = ["run, that begins from the start", ", or read it in a `#[read]` before the call"];
const OF_STEP: [&str; 2] = ["step, that runs once more", ", or read it in a `#[read]` before the step"];

fn judge(key: &Text, [other, or]: [&str; 2], resources: &BTreeSet<String>, errors: &mut Errors) {
    if let Some(name) = key.roots().find(|name| resources.contains(*name)) {
        errors.at(
            key.literal.span(),
            format!("`{name}` is a `#[resource]`, which the next process brings anew, and of another value this key would name another {other}: make what the key needs an input{or}"),
        );
    }
}

/// Takes out what a body declares.
struct Without<'a>(&'a mut BTreeSet<String>);

impl<'ast> Visit<'ast> for Without<'_> {
    fn visit_pat_ident(&mut self, node: &'ast PatIdent) {
        self.0.remove(&node.ident.to_string());
        visit::visit_pat_ident(self, node);
    }
}
