//! What the macros say to a mistake, where many small cases make a table. Each text is read in full by a UI case.

use super::expand;

/// The first mistake in a body in which `ids`, `n` and `it` are declared; "fine" if there is none.
fn mistake(body: &str) -> String {
    let item = format!(
        "async fn pay(session: &Session, ids: Vec<Id>, n: u32, list: &List) -> Result<(), E> {{ let mut it = list.iter(); {body} Ok(()) }}"
    );
    let code = expand("", &item);
    match code.split_once("compile_error! {").or_else(|| code.split_once("compile_error!(")) {
        Some((_, text)) => text.split('"').nth(1).unwrap_or_default().to_owned(),
        None => "fine".to_owned(),
    }
}

#[test]
fn every_loop_and_closure_puts_something_into_the_key() {
    let step = |key: &str| format!("#[side_effect(key = \"{key}\", in_doubt = \"x\")] call().await?;");
    let same = "same every time";
    let only = "its key uses only";
    for (body, key, want) in [
        ("STEP", "a", "fine"),
        ("for id in ids { STEP }", "a", same),
        ("for id in ids { STEP }", "a/{id}", "fine"),
        ("for id in ids { STEP }", "a/{id.number}", "fine"),
        ("for id in ids { STEP }", "a/{n}", only),
        ("for (i, id) in ids.iter().enumerate() { STEP }", "a/{i}", "fine"),
        ("for id in ids { let copy = id.clone(); STEP }", "a/{copy}", "fine"),
        ("for id in ids { let copy = n; STEP }", "a/{copy}", only),
        ("for id in ids { if let Some(x) = id.get() { STEP } }", "a/{x}", "fine"),
        ("for id in ids { match id { Id(x) => { STEP } } }", "a/{x}", "fine"),
        ("for a in ids { for b in a.parts.iter() { STEP } }", "a/{b}", "fine"),
        ("for a in 0..3 { for b in list.iter() { STEP } }", "a/{b}", only),
        ("for a in 0..3 { for b in list.iter() { STEP } }", "a/{a}/{b}", "fine"),
        ("for a in 0..3 { for b in list.iter() { STEP } }", "a/{a}", only),
        ("let mut i = 0; while i < n { STEP i += 1; }", "a/{i}", "fine"),
        ("let mut i = 0; while i < n { STEP i += 1; }", "a/{n}", only),
        ("while let Some(x) = it.next() { STEP }", "a/{x}", "fine"),
        ("loop { let x = it.next(); STEP }", "a/{x}", "fine"),
        ("loop { let x = list.first(); STEP }", "a/{x}", "fine"),
        ("loop { let x = list.clone(); STEP }", "a/{x}", only),
        ("loop { let x = poll().await; STEP }", "a/{x}", "fine"),
        ("let mut c = C::new(); loop { c.bump(); STEP }", "a/{c.n}", "fine"),
        ("let c = C::new(); loop { c.look(); STEP }", "a/{c.n}", only),
        ("loop { fill(&mut n); STEP }", "a/{n}", "fine"),
        ("let f = async |x: u32| { STEP Ok(()) };", "a/{x}", "fine"),
        ("let f = async |x: u32| { STEP Ok(()) };", "a", same),
        ("let f = ids.iter().map(|id| async move { STEP Ok(()) });", "a/{id}", "fine"),
        ("for a in 0..3 { let f = list.iter().map(|id| async move { STEP Ok(()) }); }", "a/{id}", only),
        ("for id in #[side_effect(key = \"b\", in_doubt = \"x\")] all().await? { STEP }", "a/{id}", "fine"),
        ("{ async { STEP Ok(()) }.await? }", "a", "fine"),
    ] {
        let found = mistake(&body.replace("STEP", &step(key)));
        let is_right = if want == "fine" { found == want } else { found.contains(want) };
        assert!(is_right, "{body} with {key}: {found}");
    }
}

#[test]
fn a_name_that_an_argument_binds_itself_is_not_what_the_step_gives() {
    for (verify, is_refused) in [
        ("look(r).await", true),
        ("match look().await { Some(found) => Verdict::Happened(r), None => Verdict::DidNotHappen }", true),
        ("match look().await { Some(r) => Verdict::Happened(r), None => Verdict::DidNotHappen }", false),
        ("look().await.map(|r| r.id)", false),
        ("{ let r = look().await?; Some(r) }", false),
        ("{ for r in all().await? { note(r); } all().await? }", false),
        ("if let Some(r) = look().await { Some(r) } else { find().await }", false),
    ] {
        let found = mistake(&format!("#[side_effect(key = \"a\", verify = {verify})] let r = call().await?;"));
        assert_eq!(found.contains("is what this step gives"), is_refused, "{verify}: {found}");
        assert!(is_refused || found == "fine", "{verify}: {found}");
    }
}

#[test]
fn a_step_is_left_by_its_value_only() {
    let step = |expr: &str| format!("#[side_effect(key = \"a\", in_doubt = \"x\")] {expr};");
    for (expr, want) in [
        ("{ return Ok(()) }", "`return` would leave"),
        ("{ loop { break; } call().await }?", "fine"),
        ("{ 'a: { break 'a; } call().await }?", "fine"),
        ("{ async { return 1 }.await }", "fine"),
        ("call(|| return 1).await?", "fine"),
        ("call(format!(\"{}\", { return Ok(()) })).await?", "`return` would leave"),
    ] {
        let found = mistake(&step(expr));
        assert!(found.contains(want), "{expr}: {found}");
    }
    let found = mistake("loop { #[side_effect(key = \"a/{n}\", in_doubt = \"x\")] { break; }; }");
    assert!(found.contains("its key uses only"), "{found}");
}

#[test]
fn steps_do_not_race_in_a_select() {
    let race = "of steps that race in a `select!`";
    let step = |branch: &str| {
        let branch =
            branch.replace("PAY", "async { #[side_effect(key = \"a\", in_doubt = \"x\")] call().await?; Ok(1) }");
        branch.replace("NAP", "async { #[sleep(key = \"b\")] session.sleep(day).await?; Ok(2) }")
    };
    for (body, want) in [
        ("let first = tokio::select! { biased; a = PAY => a?, b = NAP => b? };", race),
        (
            "futures::select_biased! { a = PAY.fuse() => a?, b = call() => b?, c = NAP.fuse() => c?, complete => 3 };",
            race,
        ),
        ("join!(async { tokio::select! { biased; a = PAY => a, b = NAP => b } }, call());", race),
        ("let (pay, nap) = (1, 2); let nap = NAP; tokio::select! { biased; a = PAY => a?, b = nap => b? };", race),
        ("let pay = PAY; let nap = NAP; let first = tokio::select! { biased; a = pay => a?, b = nap => b? };", race),
        ("let pay = PAY; let nap = 3; tokio::select! { biased; a = pay => a?, b = nap => b? };", "fine"),
        ("let pay = pin!(PAY); let nap = NAP; tokio::select! { biased; a = &mut pay => a?, b = nap => b? };", "fine"),
        ("tokio::select! { biased; a = PAY => a?, b = stopped() => b? };", "fine"),
        ("tokio::select! { biased; a = call() => { PAY.await? } b = stopped() => { NAP.await? } };", "fine"),
        ("tokio::select! { biased; a = async { join!(PAY, NAP) } => a, b = stopped() => b };", "fine"),
        ("tokio::join!(PAY, NAP);", "fine"),
    ] {
        let found = mistake(&step(body));
        let is_right = if want == "fine" { found == want } else { found.starts_with(want) };
        assert!(is_right, "{body}: {found}");
    }
}

#[test]
fn a_wait_of_the_session_has_a_key() {
    let no_key = "a wait needs a key";
    for (body, want) in [
        ("session.sleep(day).await?;", no_key),
        ("session.sleep_until(day)?;", no_key),
        ("let send: Approval = (&session).decide().await?;", no_key),
        ("let handle = session.clone(); handle.decide::<bool>().await?;", no_key),
        ("async { session.sleep(day).await }.await?;", no_key),
        ("println!(\"{}\", session.decide::<bool>().await?);", no_key),
        ("join!(session.sleep(day), call());", no_key),
        ("select! { biased; a = session.sleep(day) => a?, b = call() => { session.decide().await? } }", no_key),
        ("#[read(key = \"a\")] { session.sleep(day).await?; 1 };", "a wait is a step of its own"),
        ("#[read(key = \"a\")] session.sleep(day).await?;", "`session.sleep(day)` waits for an instant"),
        ("#[side_effect(key = \"a\")] session.decide().await?;", "`session.decide()` waits for a person"),
        ("#[decision(key = \"a\")] session.sleep(day).await?;", "`session.sleep(day)` stands under `#[sleep]`"),
        ("#[sleep(key = \"a\")] session.sleep(day).await?;", "fine"),
        ("session.sleep(day).key(\"a\").await?;", "fine"),
        ("let wait = session.decide::<bool>(); wait.key(\"a\").await?;", "fine"),
        ("join!(session.sleep(day).key(\"a\"), call());", "fine"),
        ("list.sleep(day).await?;", "fine"),
        ("list.session.sleep(day).await?;", "fine"),
        ("let session = list; session.sleep(day).await?;", "fine"),
        ("let f = async |session: &Bed| session.sleep(day).await;", "fine"),
        ("fn inner(session: &Bed) { session.sleep(day)?; }", "fine"),
        ("later(session.sleep(day));", "fine"),
        ("let wait = session.sleep(day); wait.await?;", no_key),
        ("let wait = session.sleep(day); let wait = wait.key(\"a\"); wait.await?;", "fine"),
        ("Session::sleep(session, day).await?;", no_key),
        ("(*session).sleep(day).await?;", no_key),
        ("Box::pin(session.sleep(day)).await?;", no_key),
        ("tokio::time::timeout(day, session.sleep(day)).await??;", no_key),
        ("futures::future::join(session.sleep(day), call()).await;", no_key),
        ("tokio::spawn(async move { session.sleep(day).await });", "a spawned task goes on without its workflow"),
        ("#[read(key = \"a\")] { session.sleep(day).key(\"b\").await?; 1 };", "a wait is a step of its own"),
        ("#[read(key = \"a\")] session.sleep(day).key(\"b\").await?;", "`session.sleep(day)` waits for an instant"),
        ("#[side_effect(key = \"a\", verify = { session.sleep(day).await?; find() })] call().await?;", "a wait is a"),
        ("#[read(key = \"a\")] { #[sleep(key = \"b\")] session.sleep(day).await?; 1 };", "a step cannot stand inside"),
        ("session.sleep(day).key(\"a/{n}\").await?;", "`key(..)` takes the key as it stands"),
        ("session.side_effect(\"a/{n}\").in_doubt(\"x\");", "`side_effect(..)` takes the key as it stands"),
        ("session.sleep(day).key(format!(\"a/{n}\")).await?;", "fine"),
        ("session.sleep(day).key(\"a/{{n}}\").await?;", "fine"),
        ("list.key(\"a/{n}\"); list.read(\"a/{n}\");", "fine"),
        ("select! { biased; a = work(session) => a?, b = session.sleep(day) => b? }", no_key),
        ("select! { session = async { bed } => session.sleep(day).await?, b = call() => b }", "fine"),
        ("select! { biased; (session, _) = bed() => { session.sleep(day).await?; } }", "fine"),
        ("own!(bed as session, session.sleep(day).await?);", "fine"),
        ("own!(|session| session.sleep(day).await?; 3);", "fine"),
        ("join!(session.sleep(day) => \"k\");", "fine"),
        ("select!(session.sleep(day) => n, 2 => 3);", "fine"),
    ] {
        let found = mistake(body);
        let is_right = if want == "fine" { found == want } else { found.starts_with(want) };
        assert!(is_right, "{body}: {found}");
    }
}

#[test]
fn what_is_said_of_a_wait_without_a_key_can_be_written_where_it_stands() {
    for (body, want) in [
        ("session.sleep(day).await?; session.sleep(day).await?;", "`#[sleep(key = \\\"cool-down\\\")] session"),
        ("for (i, id) in ids { join!(session.sleep(day), call()); }", ".key(format!(\\\"cool-down/{i}\\\"))`"),
        ("each(ids, 3, async |id| { session.sleep(day).await?; Ok(()) });", "(key = \\\"cool-down/{id}\\\")"),
        ("while let Some(x) = it.next() { session.sleep(day).await?; }", "(key = \\\"cool-down/{x}\\\")"),
        ("#[sleep(key = \"cool-down\")] session.sleep(day).await?; session.sleep(day).await?;", "\\\"cool-down-2\\\""),
        ("if session.decide().await? { call(); }", "before this `#[decision(key = \\\"agree\\\")] let agreed: TYPE = "),
        ("let (a, b) = session.decide().await?;", "before this `#[decision(key = \\\"agree\\\")] let agreed: TYPE = "),
        ("let Some(x) = session.decide().await? else { panic!() };", "`, and `agreed` here"),
        ("return Ok(session.decide::<u8>().await?);", "let agreed = session.decide::<u8>().await?;`"),
        ("futures::select_biased! { a = session.sleep(day) => a?, b = call() => b }", "\\\"cool-down\\\").fuse()`"),
    ] {
        let item = format!(
            "async fn pay(session: &Session, ids: Vec<Id>) -> Result<(), E> {{ let mut it = ids.iter(); {body} Ok(()) }}"
        );
        let code = expand("", &item);
        assert!(code.contains(want), "{body}: {code}");
    }
}

#[test]
fn a_block_that_a_step_may_leave_gives_more_than_nothing() {
    let step = "#[side_effect(key = \"a\", in_doubt = \"x\")] call().await?;";
    let nothing = "this block gives `()`";
    for (body, want) in [
        ("let f = async { STEP };", nothing),
        ("let f = async { if n > 1 { STEP } };", nothing),
        ("let f = async { STEP println!(); };", nothing),
        ("join!(async { STEP }, async { STEP Ok(()) });", nothing),
        ("let f = async |id: u32| { #[read(key = \"a/{id}\")] let seen = look(id); };", "this closure gives `()`"),
        ("#[read(key = \"b\")] async { look().await?; }.await?;", nothing),
        ("#[read(key = \"b\")] { look().await?; };", "fine"),
        ("let f = async { STEP Ok(()) };", "fine"),
        ("let f = async { STEP return Ok(()); };", "fine"),
        // What is called may never return.
        ("let f: Boxed = Box::pin(async { STEP serve().await; });", "fine"),
        ("let f: Boxed = Box::pin(async { STEP exit(1); });", "fine"),
        ("let f: Boxed = Box::pin(async { STEP loop { turn().await; } });", "fine"),
        ("let f = async { let paid = async { STEP Ok(()) }.await; };", "fine"),
        ("let f = async |id: u32| -> Done { STEP };", "its key is the same every time"),
        ("let f = async { look().await?; };", "fine"),
    ] {
        let found = mistake(&body.replace("STEP", step));
        let is_right = if want == "fine" { found == want } else { found.contains(want) };
        assert!(is_right, "{body}: {found}");
    }
}

#[test]
fn the_function_stays_beside_its_mistakes() {
    let code = expand("", "async fn pay(bank: &Bank) -> Result<(), E> { #[read] look().await?; Ok(()) }");
    assert_eq!(code.matches("compile_error").count(), 2, "{code}");
    assert!(code.contains("async fn pay(bank: &Bank) -> Result<(), E> {\n"), "{code}");
    assert!(code.contains("    look().await?;\n    Ok(())\n}"), "{code}");
    assert!(code.contains("const __durable_workflow_pay:"), "{code}");
}

#[test]
fn an_editor_is_told_the_names_in_attributes_that_are_half_typed() {
    for (args, names) in [
        (r#"key = "a", ver"#, "key ver"),
        ("ke", "ke"),
        ("key = ", "key"),
        (r#"key = "a", verify = , in_doubt = "x""#, "key verify in_doubt"),
        // Where a name may be typed, one stands that is known.
        ("", "key"),
        (r#"in_doubt = "x", "#, "in_doubt key"),
    ] {
        let item = "async fn pay(session: &Session) -> Result<(), E> { #[side_effect(ARGS)] call().await?; Ok(()) }";
        let code = on_one_line(&expand("", &item.replace("ARGS", args)));
        assert!(code.contains("compile_error"), "{code}");
        let shown = code.split("editor::side_effect::").skip(1).filter_map(|rest| rest.split(' ').next());
        assert_eq!(shown.collect::<Vec<_>>().join(" "), names, "{code}");
        assert!(code.contains("use ::durable_runtime::__private::editor::step::side_effect as _;"), "{code}");
    }
}

#[test]
fn what_an_argument_computes_is_still_used_beside_a_mistake_elsewhere() {
    let item = r#"async fn pay(session: &Session) -> Result<(), E> { #[side_effect(key = "a", verify = find().await)] call().await?; Ok(()) }"#;
    let code = on_one_line(&expand("goal = 1", item));
    assert!(code.contains("compile_error"), "{code}");
    assert!(code.contains("let _ = find().await;"), "{code}");
}

fn on_one_line(code: &str) -> String {
    code.split_whitespace().collect::<Vec<_>>().join(" ")
}
