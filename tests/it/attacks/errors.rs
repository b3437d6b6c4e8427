//! Errors as values: only where it is proven that nothing happened, and then for ever.

use std::sync::Mutex;

use durable_runtime::prelude::*;
use durable_runtime::store::memory::MemoryStore;
use durable_runtime::{Error, FailureKind};

use super::world::{World, hang_if, killed, open};

/// What the receiver does with a transfer, in turn.
struct Receiver {
    world: World,
    refuses: Mutex<u32>,
}

impl Receiver {
    fn refusing(times: u32) -> Self {
        Self { world: World::default(), refuses: Mutex::new(times) }
    }

    /// Counts the calls, and refuses the first ones.
    async fn transfer(&self, what: &str) -> anyhow::Result<u32> {
        let mut refuses = self.refuses.lock().unwrap();
        self.world.act(&format!("asked {what}"))?;
        if *refuses > 0 {
            *refuses -= 1;
            return Err(anyhow::anyhow!("no such account").context(format!("{what} was refused")));
        }
        self.world.act(what)
    }

    fn asked(&self) -> usize {
        self.world.acts().iter().filter(|act| act.starts_with("asked")).count()
    }
}

fn shown(paid: Result<u32, StepError>) -> String {
    paid.map_or_else(
        |error| format!("{} ({:?}, {:?})", error.message(), error.failure(), error.code()),
        |n| n.to_string(),
    )
}

const REFUSED: &str = "pay was refused: no such account (Rejected, None)";

/// Pays, or says why not; ends in an error in its first start, so that there is a second.
#[durable_workflow(goal = "pay")]
async fn pay(session: &Session, #[resource] receiver: &Receiver, #[resource] hangs: bool) -> anyhow::Result<String> {
    let find = async || {
        hang_if(hangs).await;
        receiver.world.find("pay")
    };
    #[side_effect(key = "pay", title = "pay once", verify = find().await, settle = "0s", errors = "recorded")]
    let paid = receiver.transfer("pay").await;
    receiver.world.last()?;
    Ok(shown(paid))
}

#[tokio::test]
async fn a_refused_effect_gives_its_error_once_and_on_every_replay() {
    let (store, receiver) = (MemoryStore::new(), Receiver::refusing(1));
    let session = open(&store).await;
    assert_eq!(pay(&session, &receiver, false).await.unwrap_err().to_string(), "closed");
    let letter = session.handoff().to_string();
    assert!(letter.contains("Did not happen, and its error is its result: `pay//pay`"), "{letter}");
    assert!(letter.contains("1 step has its result and must never be run again: `pay//pay`"), "{letter}");
    drop(session);
    assert_eq!(pay(&open(&store).await, &receiver, false).await.unwrap(), REFUSED);
    assert_eq!(receiver.asked(), 1);
}

#[tokio::test]
async fn an_error_whose_effect_the_verifier_finds_is_no_error() {
    #[durable_workflow(goal = "pay")]
    async fn unheard(session: &Session, #[resource] world: &World) -> anyhow::Result<String> {
        #[side_effect(key = "pay", verify = world.find("pay"), settle = "0s", errors = "recorded")]
        let paid = world.act_unheard("pay");
        Ok(shown(paid))
    }
    assert_eq!(unheard(&open(&MemoryStore::new()).await, &World::default()).await.unwrap(), "1");
}

#[tokio::test]
async fn an_error_that_nobody_can_verify_stays_a_doubt_until_a_person_proves_absence() {
    #[durable_workflow(goal = "pay")]
    async fn blind(session: &Session, #[resource] receiver: &Receiver) -> anyhow::Result<String> {
        let seen: Result<Option<u32>, &str> = Err("the ledger is down");
        let paid: anyhow::Result<Result<u32, StepError>> = async {
            #[side_effect(key = "pay", verify = seen, settle = "0s", errors = "recorded")]
            let paid = receiver.transfer("pay").await;
            Ok(paid)
        }
        .await;
        // It is swallowed, and chooses no other path all the same.
        let Ok(paid) = paid else { return Ok("another way".to_owned()) };
        Ok(shown(paid))
    }
    let (store, receiver) = (MemoryStore::new(), Receiver::refusing(1));
    let session = open(&store).await;
    let error = blind(&session, &receiver).await.unwrap_err().to_string();
    assert!(error.contains("the ledger is down"), "{error}");
    session.resolve("blind//pay").did_not_happen().by("Ada", "no entry").await.unwrap();
    drop(session);
    assert_eq!(blind(&open(&store).await, &receiver).await.unwrap(), REFUSED);
    assert_eq!(receiver.asked(), 1);
}

#[tokio::test]
async fn an_error_that_only_a_person_can_judge_is_final_once_the_person_proves_absence() {
    #[durable_workflow(goal = "pay")]
    async fn asks(session: &Session, #[resource] receiver: &Receiver) -> anyhow::Result<String> {
        #[side_effect(key = "pay", in_doubt = "treasury", errors = "recorded")]
        let paid = receiver.transfer("pay").await;
        Ok(shown(paid))
    }
    let (store, receiver) = (MemoryStore::new(), Receiver::refusing(1));
    let session = open(&store).await;
    let error = asks(&session, &receiver).await.unwrap_err();
    assert!(error.downcast_ref::<Error>().unwrap().is_in_doubt(), "{error}");
    session.resolve("asks//pay").did_not_happen().by("Ada", "no entry").await.unwrap();
    drop(session);
    assert_eq!(asks(&open(&store).await, &receiver).await.unwrap(), REFUSED);
    assert_eq!(receiver.asked(), 1);
}

#[tokio::test]
async fn an_error_of_a_repeatable_effect_stops_the_run_and_the_next_start_repeats_it() {
    #[durable_workflow(goal = "pay")]
    async fn repeats(session: &Session, #[resource] receiver: &Receiver) -> anyhow::Result<String> {
        #[side_effect(key = "pay", idempotent = "it counts once", errors = "recorded")]
        let paid = receiver.transfer("pay").await;
        Ok(shown(paid))
    }
    let (store, receiver) = (MemoryStore::new(), Receiver::refusing(1));
    let error = repeats(&open(&store).await, &receiver).await.unwrap_err().to_string();
    assert!(error.contains("`repeats//pay`") && error.contains("no such account"), "{error}");
    assert_eq!(repeats(&open(&store).await, &receiver).await.unwrap(), "3");
}

/// What its error says to write.
#[tokio::test]
async fn an_error_that_a_repeat_never_ends_is_a_result_once_a_verifier_is_written() {
    #[durable_workflow(goal = "pay")]
    async fn repeats(session: &Session, #[resource] receiver: &Receiver) -> anyhow::Result<String> {
        #[side_effect(key = "pay", idempotent = "it counts once", errors = "recorded")]
        let paid = receiver.transfer("pay").await;
        Ok(shown(paid))
    }

    mod later {
        use super::*;

        #[durable_workflow(goal = "pay")]
        pub(super) async fn repeats(session: &Session, #[resource] receiver: &Receiver) -> anyhow::Result<String> {
            #[side_effect(key = "pay", verify = receiver.world.find("pay"), settle = "0s", errors = "recorded")]
            let paid = receiver.transfer("pay").await;
            Ok(shown(paid))
        }
    }
    let (store, receiver) = (MemoryStore::new(), Receiver::refusing(2));
    let error = repeats(&open(&store).await, &receiver).await.unwrap_err().to_string();
    assert!(error.contains("write `verify = ..` instead of `idempotent`"), "{error}");
    assert_eq!(later::repeats(&open(&store).await, &receiver).await.unwrap(), REFUSED);
    assert_eq!(receiver.asked(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_kill_between_an_error_and_its_proof_loses_neither() {
    let (store, receiver) = (MemoryStore::new(), Receiver::refusing(1));
    {
        let session = open(&store).await;
        killed(pay(&session, &receiver, true)).await;
    }
    receiver.world.last().unwrap_err();
    assert_eq!(pay(&open(&store).await, &receiver, false).await.unwrap(), REFUSED);
    assert_eq!(receiver.asked(), 1);
}

#[tokio::test(start_paused = true)]
async fn an_attempt_that_was_killed_has_no_error_and_is_made_again() {
    #[durable_workflow(goal = "pay")]
    async fn dies(
        session: &Session,
        #[resource] receiver: &Receiver,
        #[resource] hangs: bool,
    ) -> anyhow::Result<String> {
        #[side_effect(key = "pay", verify = receiver.world.find("pay"), settle = "0s", errors = "recorded")]
        let paid = {
            hang_if(hangs).await;
            receiver.transfer("pay").await
        };
        Ok(shown(paid))
    }
    let (store, receiver) = (MemoryStore::new(), Receiver::refusing(0));
    {
        let session = open(&store).await;
        killed(dies(&session, &receiver, true)).await;
    }
    assert_eq!(dies(&open(&store).await, &receiver, false).await.unwrap(), "2");
}

#[tokio::test]
async fn a_read_records_its_error_at_once() {
    #[durable_workflow(goal = "look")]
    async fn look(session: &Session, #[resource] receiver: &Receiver) -> anyhow::Result<String> {
        async fn inner(receiver: &Receiver) -> anyhow::Result<String> {
            Ok(receiver.transfer("look").await?.to_string())
        }
        #[read(key = "look", errors = "recorded")]
        let found = inner(receiver).await?.parse::<u32>().map_err(anyhow::Error::from);
        receiver.world.last()?;
        Ok(shown(found))
    }
    let (store, receiver) = (MemoryStore::new(), Receiver::refusing(1));
    look(&open(&store).await, &receiver).await.unwrap_err();
    let found = look(&open(&store).await, &receiver).await.unwrap();
    assert_eq!(found, "look was refused: no such account (Rejected, None)");
    assert_eq!(receiver.asked(), 1);
}

mod without_errors {
    use super::*;

    #[durable_workflow(goal = "pay")]
    pub(super) async fn pay(session: &Session, #[resource] receiver: &Receiver) -> anyhow::Result<String> {
        #[side_effect(key = "pay", verify = receiver.world.find("pay"), settle = "0s")]
        let paid = receiver.transfer("pay").await?;
        Ok(paid.to_string())
    }
}

mod without_the_step {
    use super::*;

    #[durable_workflow(goal = "pay")]
    pub(super) async fn pay(session: &Session) -> anyhow::Result<String> {
        Ok("nothing".to_owned())
    }
}

#[tokio::test]
async fn a_recorded_error_is_final_also_for_code_that_records_none() {
    let (store, receiver) = (MemoryStore::new(), Receiver::refusing(1));
    pay(&open(&store).await, &receiver, false).await.unwrap_err();
    let error = without_errors::pay(&open(&store).await, &receiver).await.unwrap_err().to_string();
    assert!(error.contains("has an error for its result") && error.contains("errors = \"recorded\""), "{error}");
    let error = without_the_step::pay(&open(&store).await).await.unwrap_err().to_string();
    assert!(error.contains("step `pay//pay` of it is recorded"), "{error}");
    assert_eq!(pay(&open(&store).await, &receiver, false).await.unwrap(), REFUSED);
    assert_eq!(receiver.asked(), 1);
}

#[test]
fn a_step_error_is_written_and_read_back() {
    let json = r#"{"message":"no","failure":"rejected"}"#;
    let error: StepError = serde_json::from_str(json).unwrap();
    assert_eq!((error.to_string().as_str(), error.failure()), ("no", FailureKind::Rejected));
    assert_eq!(serde_json::to_string(&error).unwrap(), json);
}

#[durable_workflow(goal = "pay one, or else the other")]
async fn either(session: &Session, #[resource] receiver: &Receiver) -> anyhow::Result<String> {
    #[side_effect(key = "first", verify = receiver.world.find("first"), settle = "0s", errors = "recorded")]
    let first = receiver.transfer("first").await;
    let Err(_) = first else { return Ok("first".to_owned()) };
    #[side_effect(key = "second", verify = receiver.world.find("second"), settle = "0s")]
    receiver.transfer("second").await?;
    receiver.world.last()?;
    Ok("second".to_owned())
}

/// The error is gone with the log, and the run has gone on from it.
#[tokio::test(start_paused = true)]
async fn an_error_that_may_be_gone_with_the_log_is_asked_for_and_not_tried_anew() {
    use crate::payments::{Directory, Files};
    let (directory, receiver) = (Directory::new(), Receiver::refusing(1));
    let session = directory.session().open().await.unwrap();
    either(&session, &receiver).await.unwrap_err();
    session.close().await.unwrap();
    let files = Files(directory.files().bytes());
    let lines = files.lines();
    let at = lines.iter().position(|line| line.contains("second") && line.contains("\"reserve\"")).unwrap();
    let directory = Directory::of(&files.with("journal.jsonl", lines[at..].concat()));
    let session = directory.session().open().await.unwrap();
    let error = either(&session, &receiver).await.unwrap_err();
    assert!(error.downcast_ref::<Error>().unwrap().is_in_doubt(), "{error}");
    assert!(error.to_string().contains("its error may stand in a part of the log that is gone"), "{error}");
    assert_eq!(receiver.asked(), 2);
}
