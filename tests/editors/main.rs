//! What an editor shows of a workflow: the documentation of the attributes and of their arguments, also while they are
//! typed. The editor is `rust-analyzer`, asked as editors ask it.
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod fixture;
mod server;

use fixture::{WORKFLOW, editor};

#[test]
fn an_attribute_shows_its_documentation() {
    let Some(mut editor) = editor() else { return };
    editor.show(WORKFLOW);
    for (place, text) in [
        ("|durable_workflow(", "Makes an `async fn` durable"),
        ("|side_effect(", "Marks a step of a workflow that changes the world"),
        ("|read(", "Marks a step of a workflow that only reads or computes"),
        ("|run(", "Names the run that a call of another workflow enters"),
        ("|resource]", "each process brings it anew"),
        ("|input(", "before the parameter was added"),
    ] {
        let shown = editor.hover(place);
        assert!(shown.contains(text), "at {place}: {shown}");
    }
}

#[test]
fn an_argument_shows_its_documentation() {
    let Some(mut editor) = editor() else { return };
    editor.show(WORKFLOW);
    for (place, text) in [
        ("durable_workflow(\n    |key", "the name of a run"),
        ("|goal =", "what the run is for"),
        ("|invariants =", "what must stay true"),
        ("|inputs =", "goes on with the inputs that it recorded"),
        ("|nondeterminism =", "answers differently"),
        ("|local)", "stay on one thread"),
        ("input(|default", "alone, `Default::default()`"),
        ("side_effect(\n        |key", "the name by which the step is known for ever"),
        ("|title = \"pay", "the step in words"),
        ("|verify =", "asked when the step is in doubt"),
        ("|in_doubt =", "whom to ask when nothing else can tell"),
        ("|settle =", "may still miss it"),
        ("|idempotent", "The step may be done again"),
        ("read(|key", "the name by which the step is known for ever"),
        ("|errors =", "the step gives a `Result<T, StepError>`"),
        ("run(|key", "the name of the run that the call enters"),
    ] {
        let shown = editor.hover(place);
        assert!(shown.contains(text), "at {place}: {shown}");
    }
}

#[test]
fn a_name_in_a_step_leads_to_where_it_is_declared() {
    let Some(mut editor) = editor() else { return };
    editor.show(WORKFLOW);
    for (place, declared) in [
        ("bank.pay(pay.token(), |amount)", "let |amount"),
        ("bank.pay(|pay.token()", "as |pay,"),
        ("find(|pay.token())", "as |pay,"),
        ("Ok(|receipt)", "let |receipt"),
    ] {
        assert_eq!(editor.definitions(place), [editor.line_of(declared)], "from {place}");
    }
    // What the expansion puts before an expression stands at its first name, which so leads to more than it did.
    for place in ["verify = |bank.find", "let receipt = |bank.pay"] {
        assert!(editor.definitions(place).contains(&editor.line_of("|bank: &Bank")), "from {place}");
    }
    assert!(editor.hover("bank.pay(pay.token(), |amount)").contains("amount: u32"));
}

#[test]
fn a_workflow_without_mistakes_has_no_diagnostics() {
    let Some(mut editor) = editor() else { return };
    editor.show(WORKFLOW);
    assert_eq!(editor.diagnostics(), Vec::<String>::new());
}

/// What stands between the parentheses while it is typed.
#[test]
fn an_attribute_that_is_half_typed_leaves_the_rest_alive() {
    let Some(mut editor) = editor() else { return };
    for typed in ["", "ke", "key", "key = ", "key = \"pay\" as ", "key = \"pay\", ver", "key = \"pay\", verify = "] {
        editor.show(&fixture::typing(typed));
        let diagnostics = editor.diagnostics();
        assert!(!diagnostics.is_empty(), "{typed} is a mistake");
        assert!(diagnostics.iter().all(|text| !text.contains("unresolved")), "{typed}: {diagnostics:?}");
        for (place, text) in [
            ("|side_effect(", "Marks a step of a workflow that changes the world"),
            ("title = \"mail\", |idempotent", "The step may be done again"),
            ("bank.pay(|amount)", "amount: u32"),
            ("verify = bank.find(|amount)", "amount: u32"),
            ("Ok(|receipt)", "receipt: u32"),
        ] {
            let shown = editor.hover(place);
            assert!(shown.contains(text), "with {typed}, at {place}: {shown}");
        }
        if typed.starts_with("key") {
            assert!(editor.hover("side_effect(|key").contains("known for ever"), "with {typed}");
        }
    }
}

#[test]
fn the_name_of_an_argument_is_completed() {
    let Some(mut editor) = editor() else { return };
    let all = [
        "args",
        "classify",
        "cleanup",
        "errors",
        "formerly",
        "idempotent",
        "in_doubt",
        "key",
        "refetch",
        "retry",
        "secrets",
        "settle",
        "timeout",
        "title",
        "verify",
        "within",
    ];
    for typed in [
        "|",
        "k|",
        "key = \"pay\", |",
        "key = \"pay\", ver|",
        "key = \"pay\", i|, title = \"pay\"",
        "key = \"pay\", in_doubt = \"bank\", |",
    ] {
        assert_eq!(editor.complete(&fixture::typing(typed)), all, "at {typed}");
    }
    let found = editor.complete(&fixture::typing("key = \"pay\", verify = bank.fi|"));
    assert!(found.iter().any(|name| name.starts_with("find")), "{found:?}");
    let found = editor.complete(&WORKFLOW.replace("local)", "l|)"));
    let all = [
        "formerly",
        "goal",
        "inputs",
        "invariants",
        "key",
        "local",
        "nondeterminism",
        "retired",
        "secrets",
        "session",
        "timeout",
        "version",
    ];
    assert_eq!(found, all);
}
