//! What the macros write: few and small, to be read.

use super::expand;

/// The function, from the first line that holds `from`. A mistake would have another expansion.
fn from(code: &str, from: &str) -> String {
    assert!(!code.contains("compile_error"), "{code}");
    let lines = code.lines().skip_while(|line| !line.contains(from)).take_while(|line| !line.starts_with('#'));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_workflow_enters_its_run_and_drives_its_body() {
    let code = expand(
        r#"key = "payroll/{month}", goal = "pay {invoices.len()}""#,
        "pub async fn payroll(session: &Session, #[resource] bank: &Bank, month: u32, invoices: &[Invoice]) -> Result<(), PayError> { Ok(()) }",
    );
    insta::assert_snapshot!(code);
}

/// The page that the documentation of `#[durable_workflow]` shows. Where this fails, read what it says, and write it into
/// the page.
#[test]
fn the_documentation_shows_what_is_written() {
    let page = include_str!("../../doc/expansion.md");
    let mut blocks =
        page.split("```").skip(1).step_by(2).map(|block| block.split_once('\n').map_or("", |(_, code)| code));
    let (before, after) = (blocks.next().unwrap(), blocks.next().unwrap());
    let (attribute, function) = before.split_once(")]\n").unwrap();
    let args = attribute.strip_prefix("#[durable_workflow(").unwrap();
    assert_eq!(after, shown(&expand(args, function)), "\n{}", shown(&expand(args, function)));
}

/// The function, with the hidden module of the runtime under a shorter name, and without what only editors see.
fn shown(code: &str) -> String {
    let shorter = code.replace("::durable_runtime::__private::", "rt::").replace("::core::option::Option::", "");
    let mut file = syn::parse_file(&shorter.replace("::core::result::Result::", "")).unwrap();
    file.items.retain(|item| matches!(item, syn::Item::Fn(_)));
    if let Some(syn::Item::Fn(function)) = file.items.first_mut() {
        function.block.stmts.retain(|stmt| !matches!(stmt, syn::Stmt::Macro(_)));
    }
    prettyplease::unparse(&file)
}

#[test]
fn a_step_begins_runs_and_closes() {
    let code = expand(
        "",
        r#"async fn pay(session: &Session, id: u32) -> Result<(), PayError> {
            #[side_effect(key = "pay/{id:03}" as pay, title = "pay {id}", verify = bank.find(pay).await, settle = "1s")]
            let receipt = bank.transfer(pay).await?;
        }"#,
    );
    insta::assert_snapshot!(from(&code, "let receipt"));
}

#[test]
fn a_wait_is_the_call_as_written_and_what_its_attribute_says() {
    let code = expand(
        "",
        r#"async fn pay(session: &Session, id: u32) -> Result<(), PayError> {
            #[decision(key = "send/{id}", ask = "finance", shows = sums, expires = "24h", on_expiry = "too late")]
            let send: Approval = session.decide().await?;
            #[sleep(key = "night")]
            session.sleep(day).await?;
        }"#,
    );
    insta::assert_snapshot!(from(&code, "let send"));
}

#[test]
fn a_value_step_in_a_closure_leaves_the_closure() {
    let code = expand(
        "",
        r#"async fn pay(session: &Session) -> Result<(), PayError> {
            let later = async |id: u32| {
                #[read(key = "look/{id}")]
                let found: bool = bank.find(id).await;
                Ok(found)
            };
        }"#,
    );
    insta::assert_snapshot!(from(&code, "let later"));
}

#[test]
fn an_inner_question_mark_is_caught_in_a_block() {
    let code = expand(
        "",
        r#"async fn pay(session: &Session) -> Result<(), PayError> {
            #[side_effect(key = "send", in_doubt = "operator")]
            send().await?.json().await?;
        }"#,
    );
    let attempt: Vec<&str> = code.lines().skip_while(|line| !line.contains("may_run")).take(8).collect();
    insta::assert_snapshot!(attempt.join("\n"));
}

#[test]
fn a_method_keeps_its_meta_inside() {
    let code = expand("session = self.session", "async fn pay(&self) -> Result<(), PayError> { Ok(()) }");
    assert!(code.starts_with("async fn pay(&self)"), "{code}");
    assert!(code.contains("static __DURABLE_META"), "{code}");
}
