//! Sessions that earlier commits have written, opened and gone on with by this one.

use durable_runtime::Session;
use durable_runtime::core::time::Timestamp;
use durable_runtime::testing::ManualClock;
use durable_tests::fixtures::{self, Manner, World, either, letter, letters, names, payroll, rounds};
use durable_tests::lab::Stop;

/// A copy of a fixture, opened by a clock that is behind all that it has recorded.
struct Left {
    directory: tempfile::TempDir,
}

impl Left {
    fn by(name: &str) -> Self {
        let directory = tempfile::tempdir().unwrap();
        fixtures::copy(&fixtures::root().join(name), &directory.path().join("session")).unwrap();
        Self { directory }
    }

    async fn open(&self) -> Session {
        let behind = Timestamp::from_millis(4_102_444_800_000);
        let session = Session::builder(self.directory.path().join("session")).clock(ManualClock::at(behind));
        let session = session.open().await.unwrap();
        assert!(session.boot_report().amiss().is_empty(), "{:?}", session.boot_report().amiss());
        session
    }
}

/// The fixtures in which this was under way, one for each format.
fn all(what: &str) -> Vec<Left> {
    let entries = std::fs::read_dir(fixtures::root()).unwrap().map(|entry| entry.unwrap().file_name());
    let names = entries.map(|name| name.into_string().unwrap());
    let found: Vec<_> = names.filter(|name| name.ends_with(&format!("-{what}"))).collect();
    assert!(!found.is_empty(), "{what}");
    found.iter().map(|name| Left::by(name)).collect()
}

const RECEIPTS: [&str; 4] = ["receipt of ada", "receipt of bob", "receipt of cid", "3"];

/// Goes on with the payroll in a world in which this has happened; gives what has happened then.
async fn pay(left: &Left, happened: &[&str]) -> Vec<String> {
    let world = World::after(happened, Manner::Answers);
    let receipts = payroll(&left.open().await, &world, 7, &names()).await.unwrap();
    assert_eq!(receipts, RECEIPTS);
    world.happened()
}

#[tokio::test]
async fn a_finished_run_gives_what_it_gave() {
    for left in all("finished") {
        assert_eq!(pay(&left, &[]).await, [""; 0], "nothing is done again");
    }
}

#[tokio::test]
async fn a_run_in_the_middle_goes_on() {
    for left in all("in_the_middle") {
        assert_eq!(pay(&left, &[]).await, ["tell"], "only what is missing is done");
    }
}

#[tokio::test]
async fn an_effect_in_doubt_is_verified() {
    for left in all("in_doubt") {
        assert_eq!(pay(&left, &["bob"]).await, ["bob", "cid", "tell"]);
    }
    for left in all("in_doubt") {
        assert_eq!(pay(&left, &[]).await, ["bob", "cid", "tell"], "it did not happen");
    }
}

#[tokio::test]
async fn a_step_that_waited_until_absence_is_believed_is_done() {
    for left in all("waiting_for_settle") {
        assert_eq!(pay(&left, &[]).await, ["bob", "cid", "tell"]);
    }
}

#[tokio::test]
async fn a_question_to_a_person_is_open_and_its_answer_counts() {
    for left in all("asked") {
        let world = World::default();
        let session = left.open().await;
        assert!(session.handoff().to_string().contains("ASK the post office"), "{}", session.handoff());
        letter(&session, &world).await.unwrap_err();
        session.resolve("letter//post").happened("by hand").by("ada", "I saw it").await.unwrap();
        drop(session);
        assert_eq!(letter(&left.open().await, &world).await.unwrap(), "by hand");
        assert_eq!(world.happened(), ["note"]);
    }
}

#[tokio::test]
async fn recorded_errors_are_the_results_that_they_were() {
    for left in all("errors_recorded") {
        let world = World::default();
        let session = left.open().await;
        let asked = either(&session, &world).await.map_err(|error: Stop| error.to_string()).unwrap_err();
        assert!(asked.contains("either//end/cheque"), "{asked}");
        session.resolve("either//end/cheque").did_not_happen().by("ada", "no cheque is gone").await.unwrap();
        drop(session);
        assert_eq!(either(&left.open().await, &world).await.unwrap(), "receipt of cheque");
        assert_eq!(world.happened(), ["cheque"], "the transfer is not tried again");
    }
}

#[tokio::test]
async fn named_runs_go_on_under_their_names() {
    for left in all("named_runs") {
        let world = World::after(&["bob"], Manner::Answers);
        let sent = letters(&left.open().await, &world).await.unwrap();
        assert_eq!(sent, "receipt of ada, receipt of bob");
        assert_eq!(world.happened(), ["bob"], "ada has her letter, and bob's is verified");
    }
}

#[tokio::test]
async fn a_log_that_was_shrunk_goes_on() {
    for left in all("trimmed") {
        assert_eq!(pay(&left, &["bob"]).await, ["bob", "cid", "tell"]);
        for (month, names) in fixtures::earlier() {
            let world = World::default();
            let receipts = payroll(&left.open().await, &world, month, &names).await.unwrap();
            assert_eq!(receipts.len(), names.len() + 1, "what left the log gives what it gave");
            assert_eq!(world.happened(), [""; 0]);
        }
    }
}

/// The turns are those that were recorded, and nothing that was noted is noted again.
#[tokio::test]
async fn what_was_noted_beside_the_steps_is_known() {
    for left in all("noted") {
        let world = World::after(&["act 5"], Manner::Answers);
        let session = left.open().await;
        assert_eq!(session.memory().get::<u64>("turn").unwrap(), Some(5));
        assert_eq!(session.memory().artifacts().unwrap()[0].about.as_deref(), Some("receipt of act 2"));
        assert_eq!(session.pace().verdicts().unwrap().len(), 1);
        let told = rounds(&session, &world).await.unwrap();
        let explored = "Explore(Why { lacks: Action, turns: 1 }), half used";
        assert_eq!(told, ["Work", explored, "Work", "Rest", "Explore(Why { lacks: Action, turns: 1 })"]);
        assert_eq!(world.happened(), ["act 5"], "it is verified");
        assert_eq!(session.memory().names().unwrap(), [""; 0]);
    }
}
