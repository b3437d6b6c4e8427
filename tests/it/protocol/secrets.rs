//! "Never write API keys, tokens, or credentials into state, journal, handoff, or registry. Reference an env var": what holds a
//! secret is refused, loses it, or is not kept; and no file of the session has it, and no line of a log.

use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use durable_runtime::prelude::*;
use durable_runtime::{Artifact, EnvRef, Error, Failure, Secrets, StepError, Verdict, Word};
use durable_tests::warnings;
use tracing::Level;

use super::Place;

/// The canary: a text of the shape of a key, made here so that no scanner takes it for one in this file.
pub(super) fn canary() -> String {
    format!("{}_{}", "ghp", "CANARY0123456789abcdefXYZ")
}

/// What a session's secrets are kept in, outside it: gives a key for each token, and counts.
#[derive(Default)]
struct Vault {
    issued: AtomicU32,
    asked: AtomicU32,
}

impl Vault {
    async fn issue(&self, _token: impl ToString) -> Result<String, Error> {
        self.issued.fetch_add(1, Ordering::Relaxed);
        Ok(canary())
    }

    async fn find(&self, _token: impl ToString) -> Result<Option<String>, Error> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        Ok(Some(canary()))
    }

    fn counts(&self) -> (u32, u32) {
        (self.issued.load(Ordering::Relaxed), self.asked.load(Ordering::Relaxed))
    }
}

/// No file below the directory has the text.
pub(super) fn assert_nowhere(dir: &Path, text: &str) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            assert_nowhere(&path, text);
        } else {
            let bytes = fs::read(&path).unwrap();
            let has = bytes.windows(text.len()).any(|window| window == text.as_bytes());
            assert!(!has, "{} has it: {}", path.display(), String::from_utf8_lossy(&bytes));
        }
    }
}

#[durable_workflow(key = "key/{user}", goal = "issue a key")]
async fn keyed(session: &Session, #[resource] vault: &Vault, user: &str) -> Result<u32, Error> {
    #[side_effect(key = "issue" as made, idempotent, secrets = "allow")]
    let key: String = vault.issue(made.token()).await?;
    Ok(u32::try_from(key.len()).unwrap_or(0))
}

#[durable_workflow(goal = "issue a key")]
async fn of_user(session: &Session, #[resource] vault: &Vault, user: String) -> Result<u32, Error> {
    let name = user.clone();
    #[side_effect(key = "issue/{name}" as made, idempotent)]
    let key: String = vault.issue(made.token()).await?;
    Ok(u32::try_from(key.len()).unwrap_or(0))
}

#[durable_workflow(goal = "issue a key")]
async fn stepped(session: &Session, #[resource] vault: &Vault) -> Result<u32, Error> {
    let name = canary();
    #[side_effect(key = "issue/{name}" as made, idempotent)]
    let key: String = vault.issue(made.token()).await?;
    Ok(u32::try_from(key.len()).unwrap_or(0))
}

#[tokio::test]
async fn a_key_or_an_input_that_holds_one_is_refused_before_anything_happens() {
    let vault = Vault::default();
    for which in 0..4 {
        let place = Place::new();
        let session = Session::builder(&place.dir).goal("try").open().await.unwrap();
        let refused = match which {
            0 => keyed(&session, &vault, &canary()).await.unwrap_err(),
            1 => of_user(&session, &vault, canary()).await.unwrap_err(),
            2 => stepped(&session, &vault).await.unwrap_err(),
            _ => {
                let step = session.side_effect(canary()).idempotent();
                step.run(|key| vault.issue(key.token())).await.map(drop).unwrap_err()
            }
        };
        let text = refused.to_string();
        assert!(text.contains("(a GitHub token)") && text.contains("secrets = \"allow\""), "{which}: {text}");
        assert!(!text.contains(&canary()), "{which}: {text}");
        session.close().await.unwrap();
        assert_nowhere(&place.dir, &canary());
        assert!(place.registry().is_empty());
    }
    assert_eq!(vault.counts(), (0, 0));
}

#[durable_workflow(goal = "issue a key")]
async fn with_key(session: &Session, #[resource] vault: &Vault, api_key: &str) -> Result<usize, Error> {
    #[side_effect(key = "issue" as made, args = api_key, idempotent)]
    let key: String = vault.issue(made.token()).await?;
    Ok(key.len())
}

#[durable_workflow(goal = "issue a key")]
async fn with_client(session: &Session, #[resource] vault: &Vault, #[resource] api_key: &str) -> Result<usize, Error> {
    #[side_effect(key = "issue" as made, args = api_key, idempotent)]
    let key: String = vault.issue(made.token()).await?;
    Ok(key.len())
}

/// As an input it is refused, and the way out is named; as a resource it may be an argument, of which a digest is kept.
#[tokio::test]
async fn g56_a_key_for_a_service_is_a_resource_and_its_digest_alone_is_kept() {
    let (place, vault) = (Place::new(), Vault::default());
    let session = place.open().await;
    let refused = with_key(&session, &vault, &canary()).await.unwrap_err().to_string();
    assert!(refused.contains("input `api_key`") && refused.contains("mark it `#[resource]`"), "{refused}");
    assert_eq!(vault.counts(), (0, 0));
    drop(session);
    let session = place.open().await;
    assert_eq!(with_client(&session, &vault, &canary()).await.unwrap(), canary().len());
    session.close().await.unwrap();
    assert_nowhere(&place.dir, &canary());
    let reserved = place.journal().into_iter().find(|record| record["action"] == "reserve").unwrap();
    assert!(reserved["args"].is_string(), "{reserved}");
}

#[durable_workflow(goal = "issue three keys")]
async fn issue(session: &Session, #[resource] vault: &Vault, #[resource] is_ready: bool) -> anyhow::Result<u32> {
    #[side_effect(key = "first" as made, idempotent, refetch = vault.find(made.token()).await)]
    let first: String = vault.issue(made.token()).await?;
    #[side_effect(key = "second" as made, verify = vault.find(made.token()).await)]
    let second: String = vault.issue(made.token()).await?;
    #[read(key = "third")]
    let third: String = vault.issue("read").await?;
    assert_eq!([first, second, third], [canary(), canary(), canary()]);
    anyhow::ensure!(is_ready, "not now");
    Ok(3)
}

#[tokio::test]
async fn a_result_that_holds_one_is_not_kept_and_a_resumed_run_gets_it_again() {
    let (place, vault) = (Place::new(), Vault::default());
    let session = place.open().await;
    assert_eq!(issue(&session, &vault, false).await.unwrap_err().to_string(), "not now");
    assert_eq!(vault.counts(), (3, 0));
    assert_nowhere(&place.dir, &canary());
    let handoff = session.handoff().to_string();
    assert!(handoff.contains("not kept, since it holds what looks like a secret (a GitHub token)"), "{handoff}");
    drop(session);

    let session = place.open().await;
    assert_eq!(issue(&session, &vault, true).await.unwrap(), 3);
    // One by `refetch`, one by its verifier; the read was done again.
    assert_eq!(vault.counts(), (4, 2));
    session.close().await.unwrap();
    assert_nowhere(&place.dir, &canary());
    let done: Vec<_> = place.journal().into_iter().filter(|record| record["action"] == "done").collect();
    assert_eq!(done[0]["value"], serde_json::json!({"$withheld": {"holds": "a GitHub token", "rest": "[redacted]"}}));
}

#[durable_workflow(goal = "issue a key")]
async fn unaided(session: &Session, #[resource] vault: &Vault, #[resource] is_ready: bool) -> anyhow::Result<usize> {
    #[side_effect(key = "issue" as made, idempotent)]
    let key: String = vault.issue(made.token()).await?;
    anyhow::ensure!(is_ready, "not now");
    Ok(key.len())
}

#[tokio::test]
async fn where_nothing_gives_it_again_a_person_does_and_not_with_a_secret() {
    let (place, vault) = (Place::new(), Vault::default());
    unaided(&place.open().await, &vault, false).await.unwrap_err();
    let session = place.open().await;
    let stops = unaided(&session, &vault, true).await.unwrap_err().to_string();
    assert!(stops.contains("could not be stored (it holds what looks like a secret (a GitHub token)"), "{stops}");
    drop(session);
    let word = Word::resolve("unaided//issue").happened(&canary()).by("ada", "from the vault");
    let refused = durable_runtime::post(&place.dir, word).await.unwrap_err().to_string();
    assert!(refused.contains("its value holds what looks like a secret") && !refused.contains(&canary()), "{refused}");
    let session = place.open().await;
    session.resolve("unaided//issue").happened(&canary()).by("ada", "from the vault").await.unwrap_err();
    session.resolve("unaided//issue").happened("see the vault").by("ada", &canary()).await.unwrap();
    assert_eq!(unaided(&session, &vault, true).await.unwrap(), 13);
    assert_eq!(vault.counts(), (1, 0));
    session.close().await.unwrap();
    assert_nowhere(&place.dir, &canary());
}

/// A vault that says this, one answer after the other.
struct Moody(Mutex<Vec<Verdict<String>>>);

impl Moody {
    fn saying(answers: impl IntoIterator<Item = Verdict<String>>) -> Self {
        Self(Mutex::new(answers.into_iter().collect()))
    }

    fn find(&self) -> Verdict<String> {
        self.0.lock().unwrap().remove(0)
    }
}

#[durable_workflow(goal = "issue a key")]
async fn moody(session: &Session, #[resource] vault: &Moody, #[resource] is_ready: bool) -> anyhow::Result<usize> {
    #[side_effect(key = "issue", in_doubt = "ada", refetch = vault.find())]
    let key = canary();
    anyhow::ensure!(is_ready, "not now");
    Ok(key.len())
}

#[tokio::test]
async fn a_vault_that_is_down_is_asked_again_by_the_next_start_and_one_that_never_answers_is_a_persons_matter() {
    let place = Place::new();
    let down = || Moody::saying([Verdict::Unknown("the vault is down".to_owned())]);
    moody(&place.open().await, &down(), false).await.unwrap_err();
    for _ in 0..2 {
        let error = moody(&place.open().await, &down(), true).await.unwrap_err().to_string();
        assert!(error.contains("could not be got again: the vault is down; it will not run again"), "{error}");
    }
    let slow = Moody::saying([Verdict::NotYet(Duration::ZERO), Verdict::Happened(canary())]);
    assert_eq!(moody(&place.open().await, &slow, true).await.unwrap(), canary().len());

    let other = Place::new();
    moody(&other.open().await, &down(), false).await.unwrap_err();
    let session = other.open().await;
    moody(&session, &down(), true).await.unwrap_err();
    session.resolve("moody//issue").did_not_happen().by("ada", "hm").await.unwrap_err();
    session.resolve("moody//issue").happened("gone").by("ada", "the vault is no more").await.unwrap();
    drop(session);
    assert_eq!(moody(&other.open().await, &down(), true).await.unwrap(), "gone".len());
}

/// Who is paid, each with the password of an account.
#[durable_workflow(goal = "pay everybody")]
async fn pay_list(
    session: &Session,
    #[resource] list: &[&str],
    #[resource] paid: &Mutex<Vec<String>>,
    #[resource] is_ready: bool,
) -> anyhow::Result<usize> {
    #[read(key = "list")]
    let list: Vec<String> = list.iter().map(|name| format!("{name} pg://u:hunter2@bank")).collect();
    for (i, name) in list.iter().enumerate() {
        #[side_effect(key = "pay/{i}", in_doubt = "bank")]
        paid.lock().unwrap().push(name.clone());
        anyhow::ensure!(is_ready, "not now");
    }
    Ok(list.len())
}

/// Another list would lead to other effects, beside those that have happened.
#[tokio::test]
async fn a_result_that_is_another_when_it_is_got_again_is_refused_before_anything_follows_from_it() {
    let (place, paid) = (Place::new(), Mutex::default());
    pay_list(&place.open().await, &["ada"], &paid, false).await.unwrap_err();
    let error = pay_list(&place.open().await, &["bob", "ada"], &paid, true).await.unwrap_err().to_string();
    assert!(error.contains("what was got is another result than before"), "{error}");
    assert_eq!(pay_list(&place.open().await, &["ada"], &paid, true).await.unwrap(), 1);
    assert_eq!(paid.lock().unwrap().len(), 1);
}

mod learned {
    use super::*;

    #[durable_workflow(goal = "issue a key")]
    pub(super) async fn unaided(
        session: &Session,
        #[resource] vault: &Vault,
        #[resource] _ready: bool,
    ) -> anyhow::Result<usize> {
        #[side_effect(key = "issue" as made, idempotent, refetch = vault.find(made.token()).await)]
        let key: String = vault.issue(made.token()).await?;
        Ok(key.len())
    }
}

#[tokio::test]
async fn code_that_has_learned_how_to_get_it_again_does_so_though_a_person_was_asked() {
    let (place, vault) = (Place::new(), Vault::default());
    unaided(&place.open().await, &vault, false).await.unwrap_err();
    unaided(&place.open().await, &vault, true).await.unwrap_err();
    assert_eq!(learned::unaided(&place.open().await, &vault, true).await.unwrap(), canary().len());
    assert_eq!(vault.counts(), (1, 1));
}

#[durable_workflow(secrets = "allow", goal = "give a key to {user}")]
async fn allowed(session: &Session, #[resource] vault: &Vault, user: &str) -> Result<String, Error> {
    #[side_effect(key = "issue" as made, idempotent, secrets = "allow")]
    let key: String = vault.issue(made.token()).await?;
    Ok(format!("{user}: {key}"))
}

#[tokio::test]
async fn what_is_allowed_is_written_and_replayed() {
    let (place, vault) = (Place::new(), Vault::default());
    let want = format!("{0}: {0}", canary());
    assert_eq!(allowed(&place.open().await, &vault, &canary()).await.unwrap(), want);
    assert_eq!(allowed(&place.open().await, &vault, &canary()).await.unwrap(), want);
    assert_eq!(vault.counts(), (1, 0));
    // But not where nobody needs it.
    assert!(!place.handoff().contains("Goal: give a key to `ghp"), "{}", place.handoff());
}

#[durable_workflow(goal = "a run whose result is one")]
async fn gives(session: &Session) -> Result<String, Error> {
    Ok(canary())
}

#[tokio::test]
async fn a_run_does_not_finish_with_one_for_its_result() {
    let place = Place::new();
    let session = place.open().await;
    let error = gives(&session).await.unwrap_err().to_string();
    assert!(error.contains("(a GitHub token)") && error.contains("secrets = \"allow\""), "{error}");
    session.close().await.unwrap();
    assert_nowhere(&place.dir, &canary());
}

#[durable_workflow(goal = "say {secret} everywhere")]
async fn talks(
    session: &Session,
    #[resource] secret: &str,
    key: EnvRef,
    #[resource] is_ready: bool,
) -> anyhow::Result<StepError> {
    session.memory().set("seen", &[secret, "plain"]).await?;
    session.memory().set("note", "the password=hunter2 of the bank").await?;
    session.memory().artifact(Artifact::new("report").about(secret)).await?;
    session.checkpoint(&format!("before {secret}")).await?;
    let refused = || Failure::rejected().with_code(secret).with_payload(secret);
    #[read(key = "recorded", title = "look for {secret}", classify = |_: &anyhow::Error| refused(), errors = "recorded")]
    let recorded = fails(secret).await;
    let recorded = recorded.unwrap_err();
    anyhow::ensure!(is_ready, "stopped by {secret} of {key}");
    #[side_effect(key = "unknown", title = "send {secret}", in_doubt = "ada")]
    fails(secret).await?;
    Ok(recorded)
}

async fn fails(secret: &str) -> anyhow::Result<u32> {
    anyhow::bail!("the receiver said {secret}, with password=hunter2")
}

/// Every file, and every line of the log, down to the smallest.
#[test]
fn no_file_and_no_line_of_a_log_has_it_wherever_it_is_said() {
    let (place, secret) = (Place::new(), canary());
    let ((), lines) = warnings::down_to(Level::TRACE, async || {
        let open =
            || Session::builder(&place.dir).identity(format!("agent {secret}")).goal(format!("goal {secret}")).open();
        let session = open().await.unwrap();
        let first = talks(&session, &secret, EnvRef::new("KEY"), false).await.unwrap_err().to_string();
        assert!(first.contains(&secret), "the program's own error is its own");
        assert_nowhere(&place.dir, &secret);
        drop(session);

        let session = open().await.unwrap();
        talks(&session, &secret, EnvRef::new("KEY"), true).await.unwrap_err();
        session.cancel("talks").by(&secret, &secret).await.unwrap();
        session.resolve("talks//unknown").happened(&1).by(&secret, &secret).await.unwrap();
        session.resolve("talks//nothing").did_not_happen().by(&secret, &secret).await.unwrap_err();
        session.close().await.unwrap();
    });
    for part in ["", "hunter2"] {
        let text = if part.is_empty() { &*secret } else { part };
        assert_nowhere(&place.dir, text);
        let told = lines.iter().find(|line| line.contains(text));
        assert_eq!(told, None);
    }
    assert!(lines.len() > 10, "the log was listened to: {lines:?}");
    assert_eq!(place.state()["memory"]["values"]["seen"], serde_json::json!(["[redacted]", "plain"]));
    assert_eq!(place.state()["memory"]["values"]["note"], "the password=[redacted] of the bank");
}

#[durable_workflow(goal = "fail as before")]
async fn refused(session: &Session) -> anyhow::Result<String> {
    #[read(key = "recorded", errors = "recorded")]
    let recorded = fails(&canary()).await;
    Ok(recorded.unwrap_err().message().to_owned())
}

#[tokio::test]
async fn the_words_of_an_error_are_the_same_on_the_first_run_as_on_a_replay() {
    let place = Place::new();
    let first = refused(&place.open().await).await.unwrap();
    assert_eq!(first, "the receiver said [redacted], with password=[redacted]");
    assert_eq!(refused(&place.open().await).await.unwrap(), first);
}

#[tokio::test]
async fn what_a_program_names_is_one_too_and_a_key_that_is_recorded_stays() {
    let place = Place::new();
    let open = |secrets| Session::builder(&place.dir).goal("try").secrets(secrets).open();
    let say = async |session: &Session| {
        session.side_effect("pay/acme_77").idempotent().run(async |_| Ok::<_, Error>("acme_78".to_owned())).await
    };
    let named = || Secrets::new().rule("a token of ours", |word| word.contains("acme_"));
    let refused = say(&open(named()).await.unwrap()).await.unwrap_err().to_string();
    assert!(refused.contains("(a token of ours)") && !refused.contains("acme_77"), "{refused}");
    assert_eq!(say(&open(Secrets::new()).await.unwrap()).await.unwrap(), "acme_78");
    // It is in the files, so that it is the same effect counts for more.
    assert_eq!(say(&open(named()).await.unwrap()).await.unwrap(), "acme_78");
}
