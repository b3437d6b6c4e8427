use std::pin::pin;

use super::*;
use crate::core::memory::{ARTIFACTS, VALUES};
use crate::session::tests::{VERIFIED, begin, open, reach, run};
use crate::store::memory::MemoryStore;
use crate::verdict::Verdict;

/// How many records of this kind the log holds.
fn count(store: &MemoryStore, action: &str) -> usize {
    store.records().iter().filter(|record| record.event.action() == action).count()
}

#[tokio::test]
async fn a_value_and_an_artifact_outlive_the_process() {
    let store = MemoryStore::new();
    let session = open(&store).await;
    session.memory().set("rate", &(3, "EUR")).await.unwrap();
    session.memory().set("old", &1).await.unwrap();
    session.memory().remove("old").await.unwrap();
    session.memory().artifact(Artifact::new("out/b.pdf").digest("sha256:b1").about("the report")).await.unwrap();
    session.memory().artifact("out/a.pdf").await.unwrap();
    drop(session);

    let session = open(&store).await;
    let memory = session.memory();
    assert_eq!(memory.get::<(u32, String)>("rate").unwrap(), Some((3, "EUR".to_owned())));
    assert_eq!(memory.get::<u32>("old").unwrap(), None);
    assert_eq!(memory.names().unwrap(), ["rate"]);
    let made = memory.artifacts().unwrap();
    assert_eq!(made.iter().map(|made| &*made.name).collect::<Vec<_>>(), ["out/b.pdf", "out/a.pdf"]);
    assert_eq!(made[0].about.as_deref(), Some("the report"));
    memory.remove_artifact("out/b.pdf").await.unwrap();
    assert_eq!(memory.artifacts().unwrap(), [Artifact::new("out/a.pdf")]);
    let state = session.handoff().to_string();
    assert!(state.contains("Remembered in `state.json`: 1 value (`rate`) and 1 artifact (`out/a.pdf`)."), "{state}");
}

#[tokio::test]
async fn what_is_the_same_is_not_written_again() {
    let store = MemoryStore::new();
    let session = open(&store).await;
    for _ in 0..3 {
        session.memory().set("a", &1).await.unwrap();
        session.memory().artifact("x").await.unwrap();
        session.memory().remove("none").await.unwrap();
    }
    assert_eq!((count(&store, "memory"), count(&store, "artifact")), (1, 1));
}

/// What the body of a workflow notes.
async fn body(session: &Session, values: &[u32]) {
    for value in values {
        session.memory().set("phase", value).await.unwrap();
        session.memory().artifact(Artifact::new("page").digest(value.to_string())).await.unwrap();
    }
}

#[tokio::test]
async fn a_resumed_run_notes_nothing_twice_and_nothing_goes_back() {
    let store = MemoryStore::new();
    let session = open(&store).await;
    body(run(&session).await.session(), &[1, 2]).await;
    drop(session);

    let session = open(&store).await;
    let of_run = run(&session).await;
    body(of_run.session(), &[1]).await;
    assert_eq!(session.memory().get::<u32>("phase").unwrap(), Some(2), "it is not set back in the middle");
    body(of_run.session(), &[2, 3]).await;
    assert_eq!(session.memory().get::<u32>("phase").unwrap(), Some(3));
    assert_eq!((count(&store, "memory"), count(&store, "artifact")), (3, 3));
}

#[tokio::test]
async fn what_somebody_has_changed_since_a_resumed_run_leaves_as_it_is() {
    let store = MemoryStore::new();
    let session = open(&store).await;
    body(run(&session).await.session(), &[1]).await;
    session.memory().set("phase", &7).await.unwrap();
    drop(session);

    let session = open(&store).await;
    let of_run = run(&session).await;
    body(of_run.session(), &[1]).await;
    assert_eq!(session.memory().get::<u32>("phase").unwrap(), Some(7));
    body(of_run.session(), &[8]).await;
    assert_eq!(session.memory().get::<u32>("phase").unwrap(), Some(8), "what is new counts");
}

/// The newest that the run has noted was of older code.
#[tokio::test]
async fn code_that_sets_another_value_at_the_newest_place_is_heard() {
    let store = MemoryStore::new();
    let session = open(&store).await;
    body(run(&session).await.session(), &[1, 2]).await;
    drop(session);
    let session = open(&store).await;
    body(run(&session).await.session(), &[9, 5]).await;
    assert_eq!(session.memory().get::<u32>("phase").unwrap(), Some(5));
    assert_eq!(count(&store, "memory"), 3, "what was superseded is not written");
}

#[tokio::test]
async fn the_body_of_a_run_may_look_only_inside_a_step() {
    let store = MemoryStore::new();
    let session = open(&store).await;
    session.memory().set("a", &1).await.unwrap();
    let of_run = run(&session).await;
    let inside = of_run.session();
    let refused = [
        inside.memory().get::<u32>("a").map(drop).unwrap_err(),
        inside.memory().names().map(drop).unwrap_err(),
        inside.memory().artifacts().map(drop).unwrap_err(),
    ];
    for error in refused {
        assert!(error.to_string().contains("was refused in the body of run `pay`"), "{error}");
        assert!(error.to_string().contains("#[read(key"), "{error}");
    }

    let mut slot = begin(&of_run, &VERIFIED).await;
    assert!(slot.may_run());
    let looks = pin!(async { inside.memory().get::<u32>("a").unwrap() });
    assert_eq!(slot.effect().poll(looks).await, Some(1));
    slot.finish(Ok(1)).await;
    slot.close().unwrap().unwrap();
}

/// What a step notes is not noted again, so it does not count for where the body is.
#[tokio::test]
async fn what_a_step_notes_is_not_taken_for_what_the_body_notes() {
    let store = MemoryStore::new();
    let session = open(&store).await;
    let of_run = run(&session).await;
    let slot = begin(&of_run, &VERIFIED).await;
    {
        let notes = pin!(of_run.session().memory().set("a", &1));
        slot.effect().poll(notes).await.unwrap();
    }
    drop(slot);
    of_run.session().memory().set("a", &2).await.unwrap();
    drop((session, of_run));

    let session = open(&store).await;
    let of_run = run(&session).await;
    reach(&of_run, &VERIFIED, || Verdict::Happened(5), || panic!("ran again")).await.unwrap().unwrap();
    of_run.session().memory().set("a", &2).await.unwrap();
    assert_eq!(count(&store, "memory"), 2);
}

#[tokio::test]
async fn what_goes_beyond_a_bound_is_refused_and_named() {
    let session = open(&MemoryStore::new()).await;
    let memory = session.memory();
    let refused = async |name: String, value: String, bound: &str| {
        let error = memory.set(name, &value).await.unwrap_err();
        assert!(error.is_memory_full() && error.to_string().contains(bound), "{error}");
    };
    refused("a".into(), "x".repeat(17_000), "one may take 16384").await;
    refused("n".repeat(481), String::new(), "1 to 480 bytes").await;
    refused(" ".into(), String::new(), "1 to 480 bytes").await;
    for n in 0..8 {
        memory.set(format!("large/{n}"), &"x".repeat(16_300)).await.unwrap();
    }
    memory.set("large/7", &"y".repeat(16_300)).await.unwrap();
    refused("large/8".into(), "x".repeat(16_300), "131072 is the most").await;
    for n in 0..8 {
        memory.remove(format!("large/{n}")).await.unwrap();
    }
    for n in 0..VALUES {
        memory.set(format!("{n}"), &n).await.unwrap();
    }
    refused("one more".into(), String::new(), "100 values at most").await;
    memory.set("7", &"another").await.unwrap();
    for n in 0..ARTIFACTS {
        memory.artifact(n.to_string()).await.unwrap();
    }
    let error = memory.artifact("one more").await.unwrap_err();
    assert!(error.is_memory_full() && error.to_string().contains("500 artifacts at most"), "{error}");
}

#[tokio::test]
async fn a_value_that_is_of_another_type_names_both() {
    let session = open(&MemoryStore::new()).await;
    session.memory().set("a", "text").await.unwrap();
    let error = session.memory().get::<u32>("a").unwrap_err().to_string();
    assert!(error.contains("`a` does not read as `u32`"), "{error}");
}

#[tokio::test]
async fn a_closed_session_remembers_nothing_more() {
    let session = open(&MemoryStore::new()).await;
    let handle = session.clone();
    session.close().await.unwrap();
    let error = handle.memory().set("a", &1).await.unwrap_err().to_string();
    assert!(error.contains("the session was closed"), "{error}");
}
