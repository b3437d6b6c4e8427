//! Which calls are seen, and where.

use super::expand;

/// How many calls in a body are denied.
fn denied(body: &str) -> usize {
    let item = format!("async fn pay(session: &Session) -> Result<(), E> {{ {body} Ok(()) }}");
    expand(r#"nondeterminism = "deny""#, &item).matches("compile_error").count()
}

#[test]
fn a_call_that_answers_differently_is_seen_by_its_path() {
    for call in [
        "Instant::now()",
        "std::time::SystemTime::now()",
        "chrono::Utc::now()",
        "OffsetDateTime::now_utc()",
        "Uuid::new_v4()",
        "uuid::Uuid::now_v7()",
        "Ulid::new()",
        "rand::random::<u32>()",
        "rand::rng()",
        "fastrand::u32(1..5)",
        "std::env::var(\"A\")",
        "env::args()",
        "env::current_dir()",
        "tokio::spawn(work())",
        "tokio::task::spawn_blocking(work)",
        "std::thread::spawn(work)",
        "thread::sleep(day)",
        "tokio::time::sleep(day).await",
        "time::timeout(day, work()).await",
        "tokio::time::interval(day)",
        "std::fs::read_to_string(path)",
        "tokio::fs::read(path).await",
        "reqwest::get(url).await",
    ] {
        assert_eq!(denied(&format!("{call};")), 1, "{call}");
    }
    for call in
        ["now()", "Clock::now()", "Uuid::nil()", "time::Duration::from_secs(1)", "fs::write(path)", "Builder::spawn()"]
    {
        assert_eq!(denied(&format!("{call};")), 0, "{call}");
    }
}

/// What limits a step belongs into its attribute, where the next start finds it.
#[test]
fn a_time_limit_is_not_proposed_around_a_read() {
    let hint = |body: &str| {
        let item = format!("async fn pay(session: &Session) -> Result<(), E> {{ {body} Ok(()) }}");
        expand(r#"nondeterminism = "deny""#, &item)
    };
    let limited = hint("tokio::time::timeout(day, work()).await;");
    assert!(limited.contains("timeout = ") && !limited.contains("time::timeout(limit"), "{limited}");
    let repeated = hint("tokio::time::interval(day);");
    assert!(repeated.contains("session.sleep(day)"), "{repeated}");
}

#[test]
fn a_call_is_seen_outside_the_steps_only() {
    for (body, want) in [
        ("let f = || Instant::now();", 1),
        ("let f = async { Instant::now() };", 1),
        ("let f = now.unwrap_or_else(Instant::now);", 1),
        ("println!(\"{:?}\", Instant::now());", 1),
        ("tokio::select! { biased; a = b => Instant::now(), c = std::env::var(\"A\") => {} }", 2),
        ("pay(Instant::now(), Uuid::new_v4());", 2),
        ("fn inner() { Instant::now(); }", 0),
        ("#[read(key = \"a\")] let now = SystemTime::now();", 0),
        ("#[read(key = \"a\")] { println!(\"{:?}\", SystemTime::now()) };", 0),
        ("#[side_effect(key = \"a\", verify = find(SystemTime::now()).await)] call().await?;", 0),
        ("join!(async { #[read(key = \"a\")] let now = SystemTime::now(); Ok(now) });", 0),
        ("use std::time::Instant as I; I::now();", 0),
    ] {
        assert_eq!(denied(body), want, "{body}");
    }
}

#[test]
fn a_select_says_in_which_order_it_asks() {
    for (body, want) in [
        ("tokio::select! { a = one() => {}, b = other() => {} }", 1),
        ("tokio::select! { biased; a = one() => {}, b = other() => {} }", 0),
        ("tokio::select! { a = one() => {}, else => {} }", 0),
        ("tokio::select! { Some(a) = one(), if b => match a { 1 => 2, _ => 3 } }", 0),
        ("tokio::select! { a = async { #[read(key = \"a\")] call().await } => {} b = rest => {} else => {} }", 1),
        ("futures::select! { a = one() => {}, b = other() => {}, complete => {} }", 1),
        ("futures::select! { a = one() => {}, complete => {}, default => {} }", 0),
        ("tokio::select! { biased = one() => {}, b = other() => {} }", 1),
        ("select!(1 => n, 2 => 3);", 0),
        ("select!(a = 1, b = 2);", 0),
        ("tokio::select! { (a, _) = one(), if n > 1 => a?, Ok(b) | Err(b) = other() => match b { _ => 1 }, }", 1),
        ("tokio::select! { a = one() => {} (b, c) = other() => {} }", 1),
        ("tokio::select! { a = one() => {} &b = other() => {} [c] = third() => d }", 1),
        ("futures::select_biased! { a = one() => {}, b = other() => {} }", 0),
        ("let f = async { select! { a = one() => {}, b = other() => {} } };", 1),
        ("tokio::select! { biased; a = b => { select! { a = one() => {}, b = other() => {} } } c = d => {} }", 1),
        ("#[read(key = \"a\")] { tokio::select! { a = one() => {}, b = other() => {} } };", 0),
    ] {
        assert_eq!(denied(body), want, "{body}");
    }
}

#[test]
fn a_warning_is_compiled_where_its_call_is() {
    let item =
        |body: &str| expand("", &format!("async fn pay(session: &Session) -> Result<(), E> {{ {body} Ok(()) }}"));
    let code = item("#[cfg(windows)] let now = Instant::now();");
    assert!(code.contains("#[cfg(windows)]\n    const _: () ="), "{code}");
    let allowed =
        expand("nondeterminism = \"allow\"", "async fn pay(session: &Session) -> Result<(), E> { Instant::now() }");
    assert!(!allowed.contains("deprecated"), "{allowed}");
}
