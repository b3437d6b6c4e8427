use std::pin::pin;

use super::*;
use crate::session::tests::{VERIFIED, begin, open, reach, run};
use crate::store::memory::MemoryStore;
use crate::verdict::Verdict;

fn count(store: &MemoryStore, action: &str) -> usize {
    store.records().iter().filter(|record| record.event.action() == action).count()
}

/// Runs so many turns that complete nothing; what they were for, in a few letters each.
async fn idle(pace: &Pace<'_>, turns: u32) -> Vec<String> {
    let mut told = Vec::new();
    for _ in 0..turns {
        let turn = format!("{:?}", pace.turn().await.unwrap());
        told.push(turn.split('(').next().unwrap().to_owned());
    }
    told
}

#[tokio::test]
async fn the_turns_of_a_run_survive_restarts_and_are_given_again() {
    let store = MemoryStore::new();
    let session = open(&store).await;
    let of_run = run(&session).await;
    let first = idle(&of_run.session().pace(), 3).await;
    assert_eq!(first, ["Work", "Work", "Work"]);
    drop((session, of_run));

    let session = open(&store).await;
    let of_run = run(&session).await;
    let pace = of_run.session().pace();
    assert_eq!(idle(&pace, 4).await, ["Work", "Work", "Work", "Explore"], "counted from the journal");
    assert_eq!((pace.number(), count(&store, "turn")), (4, 4), "what was recorded is not recorded again");
    let handoff = store.handoff().unwrap();
    assert!(
        handoff.contains("Pace: in turn 4 of `pay` the worker is to EXPLORE, for no action was completed in 3 turns"),
        "{handoff}"
    );
    drop((session, of_run));

    let session = open(&store).await;
    let of_run = run(&session).await;
    let other = of_run.session().pace().explore_after(1).rest_every(2);
    assert_eq!(idle(&other, 4).await, ["Work", "Work", "Work", "Explore"], "whatever the settings are now");
}

/// A step that was done in a turn of an earlier start is replayed in that turn, and completes nothing.
#[tokio::test]
async fn a_replayed_step_is_no_progress_and_a_verified_one_is() {
    let store = MemoryStore::new();
    let session = open(&store).await;
    let of_run = run(&session).await;
    let pace = of_run.session().pace().explore_after(1);
    assert_eq!(pace.turn().await.unwrap(), Turn::Work);
    drop(begin(&of_run, &VERIFIED).await);
    drop((session, of_run));

    let session = open(&store).await;
    let of_run = run(&session).await;
    let pace = of_run.session().pace().explore_after(1);
    assert_eq!(pace.turn().await.unwrap(), Turn::Work);
    reach(&of_run, &VERIFIED, || Verdict::Happened(5), || panic!("ran again")).await.unwrap().unwrap();
    assert_eq!(pace.turn().await.unwrap(), Turn::Work, "the first turn has completed something");
    drop((session, of_run));

    let session = open(&store).await;
    let of_run = run(&session).await;
    let pace = of_run.session().pace().explore_after(1);
    assert_eq!(idle(&pace, 1).await, ["Work"]);
    reach(&of_run, &VERIFIED, || panic!("asked"), || panic!("ran again")).await.unwrap().unwrap();
    assert_eq!(idle(&pace, 2).await, ["Work", "Explore"], "the second has not");
}

#[tokio::test]
async fn an_effect_in_a_rest_turn_is_refused_before_it_is_reserved() {
    let store = MemoryStore::new();
    let session = open(&store).await;
    let of_run = run(&session).await;
    let pace = of_run.session().pace().rest_every(1);
    assert_eq!(pace.turn().await.unwrap(), Turn::Rest);
    let error = of_run.session().memory().artifact("page").await.unwrap_err();
    assert!(error.is_resting() && error.to_string().contains("artifact `page` was not noted: turn 1"), "{error}");
    let error = reach(&of_run, &VERIFIED, || panic!("asked"), || panic!("ran")).await.unwrap_err();
    assert!(error.is_resting(), "{error}");
    let text = error.to_string();
    assert!(text.starts_with("`pay//verified` (pay.rs:7) was not begun: turn 1 of the loop of run `pay`"), "{text}");
    assert!(text.contains("`Turn::Rest => continue`") && text.contains("session.pace().end()"), "{text}");
    assert_eq!((count(&store, "reserve"), count(&store, "artifact"), count(&store, "refused")), (0, 0, 1));
    let stopped = pace.turn().await.unwrap_err();
    assert!(stopped.is_stopped(), "a loop that swallows the error does not spin: {stopped}");
}

#[tokio::test]
async fn a_read_rests_well_and_what_follows_the_loop_is_in_no_turn() {
    let session = open(&MemoryStore::new()).await;
    let of_run = run(&session).await;
    let pace = of_run.session().pace().rest_every(1);
    assert_eq!(pace.turn().await.unwrap(), Turn::Rest);
    let read = of_run.session().read("look").run(|| async { Ok::<_, Error>(3) }).await;
    assert_eq!(read.unwrap(), 3);
    pace.end();
    assert_eq!(reach(&of_run, &VERIFIED, || panic!("asked"), || Ok(6)).await.unwrap(), Ok(6));
}

#[tokio::test]
async fn a_turn_is_not_taken_inside_a_step() {
    let session = open(&MemoryStore::new()).await;
    let of_run = run(&session).await;
    let slot = begin(&of_run, &VERIFIED).await;
    let turn = pin!(async { of_run.session().pace().turn().await.unwrap_err().to_string() });
    let error = slot.effect().poll(turn).await;
    assert!(error.contains("reached inside the expression of step `pay//verified`"), "{error}");
}

/// Nothing is run again there, so each turn is a new one.
#[tokio::test]
async fn a_loop_outside_any_workflow_goes_on_counting_in_the_next_start() {
    let store = MemoryStore::new();
    let session = open(&store).await;
    assert_eq!(idle(&session.pace(), 2).await, ["Work", "Work"]);
    drop(session);
    let session = open(&store).await;
    assert_eq!(idle(&session.pace(), 2).await, ["Work", "Explore"]);
    session.side_effect("free").idempotent().run(|_| async { Ok::<_, Error>(1) }).await.unwrap();
    assert_eq!(idle(&session.pace(), 2).await, ["Work", "Build"]);
}

#[tokio::test]
async fn a_verdict_on_a_component_is_recorded_once_and_stands_in_the_handoff() {
    let store = MemoryStore::new();
    for _ in 0..2 {
        let session = open(&store).await;
        let of_run = run(&session).await;
        let pace = of_run.session().pace();
        for _ in 0..2 {
            pace.researched("retry queue", Research::Adopt, "backon does it").await.unwrap();
        }
        let error = pace.verdicts().unwrap_err().to_string();
        assert!(error.contains("`session.pace().verdicts()` was refused in the body of run `pay`"), "{error}");
        let handoff = session.handoff().to_string();
        assert!(handoff.contains("Verdict given on `retry queue`: adopt, because `backon does it`."), "{handoff}");
    }
    assert_eq!(count(&store, "verdict"), 1);
    let session = open(&store).await;
    let verdicts = session.pace().verdicts().unwrap();
    assert_eq!((verdicts.len(), verdicts[0].verdict), (1, Research::Adopt));
}
