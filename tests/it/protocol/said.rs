//! Secrets in what code and people say: in titles, asks, reasons and keys of plain calls, in inputs and defaults, in posted words.

use std::process::Command;
use std::time::Duration;

use durable_runtime::prelude::*;
use durable_runtime::{Outcome, Research, Secrets, Waits, Word};
use durable_tests::warnings;
use tracing::Level;

use super::Place;
use super::secrets::{assert_nowhere, canary};

/// What begins a canary: where a text is cut in the middle of one, this much of it stands there.
const HALF: &str = "CANARY";

mod before {
    use super::*;

    #[durable_workflow(goal = "pay")]
    pub async fn pay(session: &Session, payee: &str, #[resource] is_ready: bool) -> anyhow::Result<usize> {
        anyhow::ensure!(is_ready, "not now");
        Ok(payee.len())
    }
}

mod now {
    use super::*;

    #[durable_workflow(goal = "pay")]
    pub async fn pay(
        session: &Session,
        payee: &str,
        #[input(default = canary())] token: String,
    ) -> anyhow::Result<usize> {
        Ok(payee.len() + token.len())
    }
}

mod allowing {
    use super::*;

    #[durable_workflow(goal = "pay", secrets = "allow")]
    pub async fn pay(
        session: &Session,
        payee: &str,
        #[input(default = canary())] token: String,
    ) -> anyhow::Result<usize> {
        Ok(payee.len() + token.len())
    }
}

#[test]
fn the_default_of_an_input_that_came_later_is_refused_as_an_input_is() {
    let place = Place::new();
    let ((), lines) = warnings::down_to(Level::TRACE, async || {
        before::pay(&place.open().await, "ada", false).await.unwrap_err();
        let session = place.open().await;
        let refused = now::pay(&session, "ada", "x".to_owned()).await.unwrap_err().to_string();
        assert!(refused.contains("input `token`") && refused.contains("(a GitHub token)"), "{refused}");
        session.close().await.unwrap();
        assert_nowhere(&place.dir, HALF);
        assert_eq!(allowing::pay(&place.open().await, "ada", "x".to_owned()).await.unwrap(), 3 + canary().len());
    });
    assert_eq!(lines.iter().find(|line| line.contains(HALF)), None);
}

/// It is taken out before the text is cut: half a secret has no shape any more.
#[tokio::test]
async fn what_is_cut_loses_its_secrets_before() {
    let place = Place::new();
    before::pay(&place.open().await, "ada", false).await.unwrap_err();
    let session = place.open().await;
    let long = |behind: usize| format!("{}{}", "a ".repeat(behind / 2), canary());
    let refused = before::pay(&session, &long(46), true).await.unwrap_err().to_string();
    assert!(refused.contains("`payee`: recorded \"ada\", given") && !refused.contains(HALF), "{refused}");
    drop(session);
    let session = Session::builder(&place.dir).goal("cut").open().await.unwrap();
    session.checkpoint(&long(486)).await.unwrap();
    session.pace().researched(&long(486), Research::Adopt, &long(486)).await.unwrap();
    session.close().await.unwrap();
    assert_nowhere(&place.dir, HALF);
}

/// Calls a plain step or wait that says a secret; gives the error in words.
async fn say(session: &Session, which: u32, secret: &str) -> String {
    let hour = Duration::from_secs(3600);
    let lost = async |_| Err::<u32, _>(anyhow::anyhow!("gone"));
    match which {
        0 => session.sleep(hour).key("nap").title(secret).await.unwrap_err().to_string(),
        1 => session.decide::<bool>().key("send").title(secret).ask(secret).await.unwrap_err().to_string(),
        2 => session.side_effect("wire").title(secret).in_doubt(secret).run(lost).await.unwrap_err().to_string(),
        3 => session.sleep(hour).key(format!("a//{secret}")).await.unwrap_err().to_string(),
        4 => session.decide::<bool>().key(format!("{secret}\u{1}")).await.unwrap_err().to_string(),
        5 => session.side_effect(format!("a//{secret}")).in_doubt("ada").run(lost).await.unwrap_err().to_string(),
        6 => {
            let step = session.side_effect(format!("{secret}{}", " x".repeat(400))).idempotent();
            step.run(lost).await.unwrap_err().to_string()
        }
        _ => {
            let step = session.side_effect("a/https://u:CANARY2long@db//x").idempotent();
            step.run(lost).await.unwrap_err().to_string()
        }
    }
}

#[test]
fn a_plain_call_tells_no_secret_whatever_else_is_wrong_with_it() {
    let ((), lines) = warnings::down_to(Level::TRACE, async || {
        for which in 0..8 {
            let place = Place::new();
            let session = Session::builder(&place.dir).goal("say").waits(Waits::Exit).open().await.unwrap();
            let error = say(&session, which, &canary()).await;
            assert!(!error.contains(HALF), "{which}: {error}");
            assert!(!session.handoff().to_string().contains(HALF), "{which}");
            session.close().await.unwrap();
            assert_nowhere(&place.dir, HALF);
        }
    });
    assert_eq!(lines.iter().find(|line| line.contains(HALF)), None);
}

/// Whoever posts does not know what the program has named; the session that takes the word does.
#[tokio::test]
async fn a_posted_word_with_what_the_program_has_named_is_refused_where_it_is_taken() {
    let place = Place::new();
    let named = || Secrets::new().value("the password of the vault", "correct-horse-7");
    let open = async || {
        let builder = Session::builder(&place.dir).goal("ask").secrets(named()).waits(Waits::Exit);
        builder.open().await.unwrap()
    };
    let ask = async |session: &Session| session.decide::<String>().key("word").await;
    ask(&open().await).await.unwrap_err();
    let word = Word::answer("word").value("it is correct-horse-7").by("ada correct-horse-7", "correct-horse-7");
    durable_runtime::post(&place.dir, word).await.unwrap();
    let session = open().await;
    assert!(ask(&session).await.unwrap_err().is_waiting());
    session.close().await.unwrap();
    assert_nowhere(&place.dir, "correct-horse-7");
    assert!(place.handoff().contains("its value holds what looks like a secret (the password of the vault)"));
}

/// Set in the process that a test starts to listen to it.
const SPEAKS: &str = "DURABLE_TEST_SPEAKS_IN";

#[tokio::test]
async fn what_a_process_says_to_whoever_started_it_holds_none() {
    if let Some(dir) = std::env::var_os(SPEAKS) {
        let ask = async |session: &Session| session.decide::<bool>().key("send").ask(canary()).await;
        let builder = Session::builder(dir.clone()).goal("ask").waits(Waits::Exit);
        assert_eq!(builder.run(ask).await, Outcome::Waiting);
        // A file is no directory to make one in.
        let below = std::path::Path::new(&dir).join("journal.jsonl").join(canary());
        assert_ne!(durable_runtime::run(below, ask).await, Outcome::Finished);
        return;
    }
    let place = Place::new();
    let test = std::thread::current().name().unwrap().to_owned();
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", &test, "--nocapture"])
        .env(SPEAKS, &place.dir)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&child.stderr);
    assert!(child.status.success(), "{said}");
    assert!(said.contains("for [redacted] to decide") && said.contains("journal.jsonl/[redacted]"), "{said}");
    assert!(!said.contains(HALF), "{said}");
}
