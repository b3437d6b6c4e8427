//! `args`: the same key with other arguments is an error.

use std::collections::{HashMap, HashSet};

use durable_runtime::prelude::*;
use durable_runtime::store::memory::MemoryStore;
use durable_runtime::testing::ManualClock;
use durable_runtime::{Error, Outcome};

use super::receiver::{Answer, Receiver, Refusal, open};

#[durable_workflow(goal = "pay", nondeterminism = "allow")]
async fn pay(session: &Session, #[resource] receiver: &Receiver, #[resource] amount: u32) -> Result<u32, Refusal> {
    #[side_effect(key = "pay", args = ("ada", amount), verify = receiver.find(), settle = "0s")]
    let paid = receiver.ask().await?;
    #[read(key = "look", args = amount)]
    let seen = paid + amount;
    #[side_effect(key = "mail", verify = receiver.find().filter(|_| false), settle = "0s")]
    receiver.ask().await?;
    Ok(seen)
}

/// G17: what it is given changed between a crash and the next start; nothing is run, whatever state the step is in.
#[tokio::test]
async fn a_step_that_is_given_something_else_than_before_is_refused_with_its_place() {
    for fails_at in [0, 1] {
        let (store, clock) = (MemoryStore::new(), ManualClock::default());
        let answers =
            (0..=fails_at).map(|at| if at == fails_at { Answer::Refuses(Refusal::Reset) } else { Answer::Does });
        let receiver = Receiver::that(answers);
        pay(&open(&store, &clock).await, &receiver, 3).await.unwrap_err();
        let asked = receiver.asked();
        let session = open(&store, &clock).await;
        let Refusal::Session(error) = pay(&session, &receiver, 4).await.unwrap_err() else {
            panic!("no error of ours")
        };
        let text = error.to_string();
        assert!(text.contains("tests/it/attempts/args.rs:") && text.starts_with("step `pay//pay` ("), "{text}");
        assert!(text.contains("was given other arguments than before"), "{text}");
        assert_eq!((error.outcome(), error.key()), (Outcome::Conflict, Some("pay//pay")));
        assert_eq!(receiver.asked(), asked, "nothing was run");
        drop(session);
        assert_eq!(pay(&open(&store, &clock).await, &receiver, 3).await.unwrap(), 4);
    }
}

/// G23: arguments that differ only in a nested value are different, and the order of a map's members is no difference.
#[tokio::test]
async fn arguments_are_compared_by_what_they_hold() {
    #[durable_workflow(goal = "look", nondeterminism = "allow")]
    async fn look(
        session: &Session,
        #[resource] given: &HashMap<String, Vec<Option<u8>>>,
        #[resource] fails: bool,
    ) -> Result<(), Error> {
        #[side_effect(key = "look", args = given, idempotent = "it does nothing")]
        let _size = given.len();
        assert!(!fails, "it fails behind the step");
        Ok(())
    }
    let names: Vec<String> = (0..40).map(|name| name.to_string()).collect();
    let given = |last: Option<u8>| -> HashMap<String, Vec<Option<u8>>> {
        names.iter().map(|name| (name.clone(), vec![None, Some(1)])).chain([("last".to_owned(), vec![last])]).collect()
    };
    let (store, clock) = (MemoryStore::new(), ManualClock::default());
    look(&open(&store, &clock).await, &given(None), true).await.unwrap_err();
    let error = look(&open(&store, &clock).await, &given(Some(0)), true).await.unwrap_err().to_string();
    assert!(error.contains("other arguments"), "{error}");
    let error = look(&open(&store, &clock).await, &given(None), true).await.unwrap_err().to_string();
    assert!(error.contains("it fails behind the step"), "another map with the same members in another order: {error}");
}

/// The same elements are the same arguments, in whatever order a process goes through them.
#[tokio::test]
async fn a_set_is_compared_by_its_elements() {
    #[derive(serde::Serialize)]
    struct Tagged<'a> {
        tags: &'a HashSet<u32>,
    }
    #[durable_workflow(goal = "tag", nondeterminism = "allow")]
    async fn tag(session: &Session, #[resource] tags: &HashSet<u32>, #[resource] fails: bool) -> Result<(), Error> {
        #[side_effect(key = "tag", args = (1, Tagged { tags }), idempotent = "it does nothing")]
        let _size = tags.len();
        assert!(!fails, "it fails behind the step");
        Ok(())
    }
    let (store, clock) = (MemoryStore::new(), ManualClock::default());
    for _ in 0..4 {
        let tags = (0..40).collect();
        let error = tag(&open(&store, &clock).await, &tags, true).await.unwrap_err().to_string();
        assert!(error.contains("it fails behind the step"), "another set with the same elements: {error}");
    }
    let error = tag(&open(&store, &clock).await, &(1..41).collect(), true).await.unwrap_err().to_string();
    assert!(error.contains("other arguments"), "{error}");
}
