//! The protocol of one step, without macros and without a disk.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use super::enter::{Asked, enter};
use super::{Inputs, Run, Session, Slot};
use crate::core::meta::{Proof, StepMeta, WorkflowMeta};
use crate::core::record::Resolve;
use crate::core::state::Life;
use crate::error::Error;
use crate::private::{codec, words};
use crate::store::memory::MemoryStore;
use crate::testing::ManualClock;
use crate::verdict::Verdict;

const fn step(key: &'static str, proof: Proof) -> StepMeta {
    StepMeta {
        key,
        shape: key,
        proof,
        sends_token: true,
        ask: "treasury",
        settle: Some(Duration::ZERO),
        file: "pay.rs",
        line: 7,
        column: 5,
        ..StepMeta::BARE
    }
}

pub(super) static VERIFIED: StepMeta = step("verified", Proof::Verify);
static ASKED: StepMeta = step("asked", Proof::Person);
static REPEATED: StepMeta = step("repeated", Proof::Idempotent);
static META: WorkflowMeta = WorkflowMeta {
    name: "pay",
    module: "tests",
    key: "pay",
    shape: "pay",
    goal: Some("pay"),
    invariants: &[],
    steps: &[
        step("verified", Proof::Verify),
        step("asked", Proof::Person),
        step("repeated", Proof::Idempotent),
        step("settling", Proof::Verify),
    ],
    file: "pay.rs",
    line: 1,
    ..WorkflowMeta::BARE
};

pub(super) async fn open(store: &MemoryStore) -> Session {
    Session::builder("memory").store(store.clone()).goal("pay").open().await.unwrap()
}

pub(super) async fn run(session: &Session) -> Run {
    let asked = Asked::of(session, &META, &["pay"], &[], &[]);
    enter(asked, &META, None, Inputs::new()).await.unwrap()
}

/// What one start does with a step: `verdict` answers its verifier, `effect` is what it does.
pub(super) async fn reach(
    run: &Run,
    meta: &'static StepMeta,
    verdict: impl Fn() -> Verdict<u32>,
    effect: impl FnOnce() -> Result<u32, String>,
) -> Result<Result<u32, String>, Error> {
    let key = run.key(meta, &[meta.key], &[]);
    let mut slot = run.begin(&key, None, codec, words).await;
    while slot.in_doubt() {
        slot.proof(verdict()).await;
    }
    if slot.may_run() {
        slot.finish(effect()).await;
        while slot.in_doubt() {
            slot.proof(verdict()).await;
        }
    }
    slot.close()
}

pub(super) async fn begin(run: &Run, meta: &'static StepMeta) -> Slot<u32, String> {
    run.begin(&run.key(meta, &[meta.key], &[]), None, codec, words).await
}

/// A start that ends with the step reserved.
async fn die_reserved(store: &MemoryStore, meta: &'static StepMeta) {
    let session = open(store).await;
    let run = run(&session).await;
    let slot = begin(&run, meta).await;
    assert!(slot.may_run());
    // Nothing is committed after this: the log ends with the reservation, as after a kill.
    drop(slot);
}

fn never() -> Verdict<u32> {
    panic!("the verifier was asked")
}

#[tokio::test]
async fn a_reserved_key_is_verified_not_rerun() {
    let store = MemoryStore::new();
    die_reserved(&store, &VERIFIED).await;
    let session = open(&store).await;
    let run = run(&session).await;
    let given = reach(&run, &VERIFIED, || Verdict::Happened(5), || panic!("ran again")).await.unwrap();
    assert_eq!(given, Ok(5));
}

#[tokio::test]
async fn g10_proven_absence_runs_a_new_attempt() {
    let store = MemoryStore::new();
    die_reserved(&store, &VERIFIED).await;
    let session = open(&store).await;
    let run = run(&session).await;
    let given = reach(&run, &VERIFIED, || Verdict::DidNotHappen, || Ok(6)).await.unwrap();
    assert_eq!(given, Ok(6));
    let live = session.shared.live();
    assert_eq!(live.state.steps.get("pay//verified").unwrap().attempt, 2);
}

/// The verifier is asked before `settle` has passed, and answers after it: a request could have landed in between.
#[tokio::test]
async fn a_slow_verifier_is_believed_as_of_when_it_was_asked() {
    static SETTLING: StepMeta = StepMeta { settle: Some(Duration::from_secs(10)), ..step("settling", Proof::Verify) };
    let (store, clock) = (MemoryStore::new(), ManualClock::default());
    let open = async || {
        let builder = Session::builder("memory").store(store.clone()).clock(clock.clone()).goal("pay");
        builder.open().await.unwrap()
    };
    let session = open().await;
    drop(begin(&run(&session).await, &SETTLING).await);
    drop(session);

    let session = open().await;
    let asked = AtomicU32::new(0);
    let late = || match asked.fetch_add(1, Ordering::Relaxed) {
        0 => {
            clock.advance(Duration::from_secs(11));
            Verdict::DidNotHappen
        }
        _ => Verdict::Happened(5),
    };
    let given = reach(&run(&session).await, &SETTLING, late, || panic!("ran again")).await.unwrap();
    assert_eq!(given, Ok(5));
}

#[tokio::test]
async fn g09_what_nobody_can_tell_is_asked_and_a_word_ends_it() {
    let store = MemoryStore::new();
    die_reserved(&store, &ASKED).await;
    let session = open(&store).await;
    let error = reach(&run(&session).await, &ASKED, never, || panic!("ran")).await.unwrap_err();
    assert!(error.is_in_doubt(), "{error}");
    assert_eq!(error.key(), Some("pay//asked"));
    session.resolve("pay//asked").happened(&9).by("Ann", "the bank says so").await.unwrap();
    drop(session);

    let session = open(&store).await;
    assert_eq!(reach(&run(&session).await, &ASKED, never, || panic!("ran")).await.unwrap(), Ok(9));
}

#[tokio::test]
async fn a_word_that_is_no_result_leaves_the_question_open() {
    let store = MemoryStore::new();
    die_reserved(&store, &ASKED).await;
    let session = open(&store).await;
    let refused = session.resolve("pay//asked").happened("nine").by("Ann", "a guess").await.unwrap_err();
    assert!(refused.is_nothing_asked() && refused.key() == Some("pay//asked"), "{refused}");
    assert!(refused.to_string().contains("`u32` is asked for, and it gives `\"nine\"`"), "{refused}");
    // As a hand may have left it.
    let (key, by, because) = ("pay//asked".to_owned(), "Ann".to_owned(), "a guess".to_owned());
    let value = Some(crate::core::value::encode("nine").unwrap());
    session.shared.push(Resolve { key, attempt: 1, happened: true, value, by, because, word: None });
    let error = reach(&run(&session).await, &ASKED, never, || panic!("ran")).await.unwrap_err();
    assert!(error.is_in_doubt() && error.to_string().contains("Ann"), "{error}");
    assert!(matches!(session.shared.live().state.steps.get("pay//asked").unwrap().life, Life::Doubt(_)));
    session.resolve("pay//asked").did_not_happen().by("Ann", "looked it up").await.unwrap();
    drop(session);

    let session = open(&store).await;
    assert_eq!(reach(&run(&session).await, &ASKED, never, || Ok(1)).await.unwrap(), Ok(1));
}

#[tokio::test]
async fn an_answer_to_no_question_is_refused() {
    let session = open(&MemoryStore::new()).await;
    let error = session.resolve("pay//other").did_not_happen().by("Ann", "why not").await.unwrap_err();
    assert!(error.to_string().contains("no step with this key"), "{error}");
}

#[tokio::test]
async fn an_idempotent_step_runs_again_with_the_same_token() {
    let store = MemoryStore::new();
    die_reserved(&store, &REPEATED).await;
    let session = open(&store).await;
    let run = run(&session).await;
    assert_eq!(reach(&run, &REPEATED, never, || Ok(2)).await.unwrap(), Ok(2));
    let key = run.key(&REPEATED, &["repeated"], &[]);
    assert_eq!(key.token(), crate::core::key::token(session.id(), "pay//repeated"));
}

#[tokio::test]
async fn an_error_is_verified_at_once_and_a_stopped_run_is_absorbing() {
    let session = open(&MemoryStore::new()).await;
    let run = run(&session).await;
    let asked = AtomicU32::new(0);
    let absent = || {
        asked.fetch_add(1, Ordering::Relaxed);
        Verdict::DidNotHappen
    };
    let given = reach(&run, &VERIFIED, absent, || Err("refused".into())).await.unwrap();
    assert_eq!(given, Err("refused".to_owned()));
    assert_eq!(asked.load(Ordering::Relaxed), 1);
    let error = reach(&run, &REPEATED, never, || panic!("ran in a stopped run")).await.unwrap_err();
    assert!(error.is_stopped(), "{error}");
    assert!(error.to_string().contains("pay//verified") && error.to_string().contains("pay//repeated"), "{error}");
}

#[tokio::test]
async fn an_error_after_which_the_effect_is_found_is_a_success() {
    let session = open(&MemoryStore::new()).await;
    let run = run(&session).await;
    let given = reach(&run, &VERIFIED, || Verdict::Happened(4), || Err("timed out".into())).await.unwrap();
    assert_eq!(given, Ok(4));
}

#[tokio::test]
async fn g11_a_verifier_that_cannot_tell_leaves_the_doubt_until_it_can() {
    let store = MemoryStore::new();
    die_reserved(&store, &VERIFIED).await;
    let session = open(&store).await;
    let unknown = || Verdict::Unknown("verify failed: bank is down".into());
    let error = reach(&run(&session).await, &VERIFIED, unknown, || panic!("ran")).await.unwrap_err();
    assert!(error.is_in_doubt() && error.to_string().contains("bank is down"), "{error}");
    drop(session);

    let session = open(&store).await;
    let given = reach(&run(&session).await, &VERIFIED, || Verdict::Happened(3), || panic!("ran")).await.unwrap();
    assert_eq!(given, Ok(3));
}

#[tokio::test]
async fn a_key_reached_twice_names_both_places() {
    let session = open(&MemoryStore::new()).await;
    let run = run(&session).await;
    reach(&run, &REPEATED, never, || Ok(1)).await.unwrap().unwrap();
    let error = reach(&run, &REPEATED, never, || panic!("ran twice")).await.unwrap_err();
    assert!(error.to_string().contains("reached twice") && error.to_string().contains("pay.rs:7"), "{error}");
}

#[tokio::test]
async fn g39_a_dropped_effect_stops_its_run() {
    let session = open(&MemoryStore::new()).await;
    let run = run(&session).await;
    drop(begin(&run, &VERIFIED).await);
    let error = reach(&run, &REPEATED, never, || panic!("ran in a stopped run")).await.unwrap_err();
    assert!(error.is_stopped(), "{error}");
}
