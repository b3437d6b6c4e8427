//! When a person's word counts: what is asked, of whom, since when, and which of several words it is.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use durable_runtime::prelude::*;
use durable_runtime::testing::ManualClock;
use durable_runtime::{Waits, Word, post};
use serde_json::{Value, json};
use tempfile::TempDir;

/// What the clock of a session shows, on and on.
const NOW: &str = "2026-09-13T08:00:00.000Z";

/// A session on disk, its clock, and the words that are left for it by hand.
struct Place {
    _directory: TempDir,
    dir: PathBuf,
    clock: ManualClock,
}

impl Place {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let dir = directory.path().join("session");
        Self { _directory: directory, dir, clock: ManualClock::default() }
    }

    /// The next start, by a clock of its own.
    async fn start(&self) -> Session {
        Session::builder(&self.dir).clock(self.clock.clone()).waits(Waits::Exit).open().await.unwrap()
    }

    /// A word as a hand may write it; `id` is its place among all ids.
    fn leave(&self, id: u128, word: Value) {
        let id = uuid::Uuid::from_u128(id);
        let mut word = word;
        word["id"] = json!(id);
        fs::create_dir_all(self.dir.join("inbox")).unwrap();
        fs::write(self.dir.join("inbox").join(format!("{id}.json")), word.to_string()).unwrap();
    }

    fn journal(&self) -> String {
        journal(&self.dir)
    }
}

fn journal(dir: &Path) -> String {
    fs::read_to_string(dir.join("journal.jsonl")).unwrap()
}

fn says(key: &str, by: &str, at: &str, value: Value) -> Value {
    json!({"word": "answer", "key": key, "at": at, "value": value, "by": by, "because": "seen"})
}

fn denies(key: &str, at: &str) -> Value {
    json!({"word": "resolve", "key": key, "at": at, "happened": false, "by": "Ada", "because": "not in the list"})
}

/// A bank that answers nobody, and where a request takes its time to land.
#[derive(Default)]
struct Bank {
    requests: AtomicU32,
    has_landed: AtomicBool,
}

impl Bank {
    fn pay(&self) -> anyhow::Result<u32> {
        self.requests.fetch_add(1, Ordering::Relaxed);
        Err(anyhow::anyhow!("connection reset"))
    }

    fn find(&self) -> Option<u32> {
        self.has_landed.load(Ordering::Relaxed).then(|| self.requests.load(Ordering::Relaxed))
    }
}

#[durable_workflow(goal = "pay")]
async fn pay(session: &Session, #[resource] bank: &Bank) -> anyhow::Result<u32> {
    #[side_effect(key = "pay", verify = bank.find())]
    let paid = bank.pay()?;
    Ok(paid)
}

/// The person looks while the request is on its way, and says what is true then.
#[tokio::test]
async fn a_step_with_a_verifier_is_no_persons_to_settle_before_the_verifier_has_given_up() {
    let (place, bank) = (Place::new(), Bank::default());
    let session = Session::builder(&place.dir).waits(Waits::Exit).open().await.unwrap();
    pay(&session, &bank).await.unwrap_err();
    let refused = session.resolve("pay//pay").did_not_happen().by("Ada", "not in the list").await.unwrap_err();
    assert!(refused.is_nothing_asked() && refused.to_string().contains("its verifier is asked first"), "{refused}");
    session.close().await.unwrap();
    let word = Word::resolve("pay//pay").did_not_happen().by("Ada", "not in the list");
    let refused = post(&place.dir, word).await.unwrap_err();
    assert!(refused.is_nothing_asked() && refused.to_string().contains("its verifier is asked first"), "{refused}");
    place.leave(1, denies("pay//pay", "2099-09-13T08:00:00.000Z"));
    bank.has_landed.store(true, Ordering::Relaxed);
    let session = Session::builder(&place.dir).waits(Waits::Exit).open().await.unwrap();
    assert!(session.handoff().to_string().contains("its verifier is asked first"), "{}", session.handoff());
    drop(session);
    assert_eq!(bank.requests.load(Ordering::Relaxed), 1);
}

/// A verifier that cannot tell makes it a person's; but what is on its way may still be missed by that person too.
#[tokio::test]
async fn that_nothing_happened_is_believed_of_a_person_as_late_as_of_the_verifier() {
    #[durable_workflow(goal = "pay")]
    async fn blind(session: &Session, #[resource] bank: &Bank) -> anyhow::Result<u32> {
        #[side_effect(key = "pay", verify = Verdict::Unknown("the ledger is down".into()), settle = "1min")]
        let paid = bank.pay()?;
        Ok(paid)
    }
    let (place, bank) = (Place::new(), Bank::default());
    let session = place.start().await;
    blind(&session, &bank).await.unwrap_err();
    let deny = async || session.resolve("blind//pay").did_not_happen().by("Ada", "not in the list").await;
    let refused = deny().await.unwrap_err().to_string();
    assert!(refused.contains("may still arrive until 2026-09-13T08:01:00.000Z"), "{refused}");
    place.clock.advance(Duration::from_secs(60));
    deny().await.unwrap();
}

#[tokio::test]
async fn a_word_about_an_attempt_that_may_be_running_does_not_count_now_nor_when_its_process_has_died() {
    #[durable_workflow(goal = "wire")]
    async fn wire(session: &Session, #[resource] dir: &Path) -> anyhow::Result<u32> {
        #[side_effect(key = "wire", in_doubt = "treasury")]
        let wired = {
            let word = Word::resolve("wire//wire").did_not_happen().by("Ada", "not in the list");
            let refused = post(dir, word).await.unwrap_err().to_string();
            assert!(refused.contains("it may be running right now"), "{refused}");
            std::future::pending::<()>().await;
            anyhow::Ok(1)
        }?;
        Ok(wired)
    }
    let place = Place::new();
    let session = place.start().await;
    tokio::time::timeout(Duration::from_millis(200), wire(&session, &place.dir)).await.unwrap_err();
    drop(session);
    place.leave(1, denies("wire//wire", NOW));
    place.clock.advance(Duration::from_secs(1));
    let session = place.start().await;
    let handoff = session.handoff().to_string();
    assert!(
        handoff.contains("does not count") && handoff.contains("1. ASK treasury whether `wire//wire`"),
        "{handoff}"
    );
}

#[tokio::test]
async fn a_word_counts_for_the_attempt_that_it_was_posted_about_and_for_no_later_one() {
    let (place, bank) = (Place::new(), Bank::default());
    #[durable_workflow(goal = "wire")]
    async fn wire(session: &Session, #[resource] bank: &Bank) -> anyhow::Result<u32> {
        #[side_effect(key = "wire", in_doubt = "treasury")]
        let wired = bank.pay()?;
        Ok(wired)
    }
    let session = place.start().await;
    wire(&session, &bank).await.unwrap_err();
    // Whether or not a worker holds the session.
    post(&place.dir, Word::resolve("wire//wire").did_not_happen().by("Ada", "not in the list")).await.unwrap();
    drop(session);
    let left = fs::read_dir(place.dir.join("inbox")).unwrap().next().unwrap().unwrap().path();
    let word: Value = serde_json::from_str(&fs::read_to_string(&left).unwrap()).unwrap();
    assert_eq!(word["attempt"], 1);
    wire(&place.start().await, &bank).await.unwrap_err();
    assert_eq!(bank.requests.load(Ordering::Relaxed), 2);
    let mut again = denies("wire//wire", "2099-09-13T08:00:00.000Z");
    again["attempt"] = json!(1);
    place.leave(9, again);
    let handoff = place.start().await.handoff().to_string();
    assert!(handoff.contains("it is about attempt 1, and the newest is attempt 2"), "{handoff}");
}

#[durable_workflow(goal = "send")]
async fn send(session: &Session) -> anyhow::Result<u32> {
    #[decision(key = "send", ask = "finance", expires = "24h", on_expiry = 0_u32)]
    let send = session.decide::<u32>().await?;
    Ok(send)
}

const KEY: &str = "send//send";

async fn asked() -> Place {
    let place = Place::new();
    send(&place.start().await).await.unwrap_err();
    place
}

#[tokio::test]
async fn of_several_words_the_one_that_was_posted_first_counts_whatever_their_names() {
    let place = asked().await;
    place.leave(1, says(KEY, "Bob", "2026-09-13T08:00:02.001Z", json!(2)));
    place.leave(2, says(KEY, "Ada", "2026-09-13T08:00:02.000Z", json!(1)));
    assert_eq!(send(&place.start().await).await.unwrap(), 1);
    let journal = place.journal();
    assert!(journal.contains(r#""by":"Bob","why":"Ada has answered before"#), "{journal}");
}

/// The clock of whoever posts shows milliseconds, and two words fit into one.
#[tokio::test]
async fn words_of_one_process_keep_their_order() {
    for _ in 0..8 {
        let place = Place::new();
        let start = async || Session::builder(&place.dir).waits(Waits::Exit).open().await.unwrap();
        send(&start().await).await.unwrap_err();
        for by in ["Ada", "Bob", "Eve"] {
            post(&place.dir, Word::answer(KEY).value(&1).by(by, "seen")).await.unwrap();
        }
        send(&start().await).await.unwrap();
        let journal = place.journal();
        let said = ["Ada", "Bob", "Eve"].map(|by| journal.find(&format!("\"by\":\"{by}\"")).unwrap());
        assert!(said.is_sorted(), "{journal}");
    }
}

#[tokio::test]
async fn an_answer_counts_by_when_it_was_posted_and_not_by_when_it_is_taken() {
    for (posted, wanted) in [("2026-09-14T07:59:59.999Z", 5), ("2026-09-14T08:00:00.000Z", 0)] {
        let place = asked().await;
        place.leave(1, says(KEY, "Ada", posted, json!(5)));
        place.clock.advance(Duration::from_secs(48 * 3600));
        let session = place.start().await;
        assert_eq!(send(&session).await.unwrap(), wanted, "posted at {posted}");
        assert_eq!(place.journal().contains("the time for an answer is over since"), wanted == 0);
    }
}

/// The process boots before the answer comes, and reaches the decision after the time for it is over.
#[tokio::test]
async fn an_answer_that_came_in_time_counts_though_nobody_has_looked_since() {
    let place = asked().await;
    let session = place.start().await;
    place.leave(1, says(KEY, "Ada", "2026-09-13T09:00:00.000Z", json!(5)));
    place.clock.advance(Duration::from_secs(48 * 3600));
    assert_eq!(send(&session).await.unwrap(), 5);
}

#[tokio::test]
async fn a_word_that_answers_nothing_is_refused_where_it_is_posted_and_leaves_no_trace() {
    let place = Place::new();
    let session = Session::builder(&place.dir).waits(Waits::Exit).open().await.unwrap();
    let before = journal(&place.dir);
    let refused = async |key: &str, by: &str, because: &str| {
        let error = post(&place.dir, Word::answer(key).value(&1).by(by, because)).await.unwrap_err();
        assert!(error.is_nothing_asked(), "{error}");
        error.to_string()
    };
    let early = refused(KEY, "Ada", "early").await;
    assert!(early.contains("no step with this key was ever reached"), "{early}");
    assert_eq!(before, journal(&place.dir));
    assert!(!place.dir.join("inbox").exists());
    send(&session).await.unwrap_err();
    let nameless = refused(KEY, "", "so").await;
    assert!(nameless.contains("needs a name and a reason"), "{nameless}");
    let unfounded = refused(KEY, "Ada", " ").await;
    assert!(unfounded.contains("needs a name and a reason"), "{unfounded}");
    let own = refused("send", "Ada", "seen").await;
    assert!(own.contains("did you mean `send//send`"), "{own}");
    let keyless = refused("", "Ada", "seen").await;
    assert!(keyless.contains("the word does not count: it names no key"), "{keyless}");
    let other = post(&place.dir, Word::answer(KEY).to_what_was_shown("00").value(&1).by("Ada", "seen")).await;
    let other = other.unwrap_err();
    assert!(other.is_nothing_asked() && other.to_string().contains("something else than what is shown"), "{other}");
    post(&place.dir, Word::answer(KEY).value(&7).by("Ada", "seen")).await.unwrap();
    drop(session);
    let session = Session::builder(&place.dir).waits(Waits::Exit).open().await.unwrap();
    assert_eq!(send(&session).await.unwrap(), 7);
    let decided = refused(KEY, "Bob", "late").await;
    assert!(decided.contains("its run is finished, and that is final"), "{decided}");
}

#[tokio::test]
async fn a_hand_written_word_from_before_the_question_does_not_count_and_one_without_its_time_does() {
    let place = Place::new();
    place.clock.advance(Duration::from_secs(60));
    send(&place.start().await).await.unwrap_err();
    place.leave(1, says(KEY, "Ada", NOW, json!(1)));
    let handoff = place.start().await.handoff().to_string();
    assert!(handoff.contains("A word of `Ada` about `send//send` does not count"), "{handoff}");
    let mut word = says(KEY, "Bob", NOW, json!(2));
    word.as_object_mut().unwrap().remove("at");
    place.leave(2, word);
    assert_eq!(send(&place.start().await).await.unwrap(), 2);
}

#[tokio::test]
async fn the_first_word_that_is_a_result_counts_and_none_is_lost_to_one_that_is_not() {
    let place = asked().await;
    place.leave(1, says(KEY, "Ada", "2026-09-13T08:00:01.000Z", json!("yes")));
    place.leave(2, says(KEY, "Bob", "2026-09-13T08:00:02.000Z", json!(2)));
    place.leave(3, says(KEY, "Eve", "2026-09-13T08:00:03.000Z", json!(3)));
    place.start().await.close().await.unwrap();
    let session = place.start().await;
    assert_eq!(send(&session).await.unwrap(), 2);
    let journal = place.journal();
    assert!(journal.contains("`u32` is asked for, and it gives"), "{journal}");
    assert!(journal.contains("Bob has answered before, and a given answer is final"), "{journal}");
}

#[tokio::test]
async fn of_an_effect_too_the_first_word_that_is_a_result_counts() {
    #[durable_workflow(goal = "wire")]
    async fn wire(session: &Session, #[resource] bank: &Bank) -> anyhow::Result<u32> {
        #[side_effect(key = "wire", in_doubt = "treasury")]
        let wired = bank.pay()?;
        Ok(wired)
    }
    let (place, bank) = (Place::new(), Bank::default());
    let session = place.start().await;
    wire(&session, &bank).await.unwrap_err();
    let ada = json!({"word": "resolve", "key": "wire//wire", "happened": true, "value": "seven", "by": "Ada", "because": "by heart"});
    place.leave(1, ada);
    drop(session);
    let session = place.start().await;
    session.resolve("wire//wire").happened(&7).by("Bob", "bank statement").await.unwrap();
    session.resolve("wire//wire").did_not_happen().by("Eve", "a guess").await.unwrap();
    drop(session);
    assert_eq!(wire(&place.start().await, &bank).await.unwrap(), 7);
    let journal = place.journal();
    assert!(journal.contains("`u32` is asked for, and it gives"), "{journal}");
    assert!(journal.contains(r#""by":"Eve","why":"Bob has answered before"#), "{journal}");
    assert_eq!(bank.requests.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn every_word_that_does_not_count_is_told_until_something_is_completed() {
    let place = asked().await;
    for (id, by) in [(1, "Ann"), (2, "Bob"), (3, "Cid"), (4, "Dan"), (5, "Eve"), (6, "Fay")] {
        place.leave(id, says("send//other", by, NOW, json!(1)));
    }
    let session = place.start().await;
    let handoff = session.handoff().to_string();
    for by in ["Fay", "Eve", "Dan", "Cid"] {
        assert!(handoff.contains(&format!("`{by}`")), "{handoff}");
    }
    assert!(handoff.contains("2 more"), "{handoff}");
    session.answer(KEY).value(&1).by("Ada", "seen").await.unwrap();
    drop(session);
    let session = place.start().await;
    send(&session).await.unwrap();
    assert!(!session.handoff().to_string().contains("does not count"), "{}", session.handoff());
}
