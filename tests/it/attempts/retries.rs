//! `classify` and `retry`.

use std::time::Duration;

use durable_runtime::clock::Clock;
use durable_runtime::prelude::*;
use durable_runtime::store::memory::MemoryStore;
use durable_runtime::testing::ManualClock;

use super::receiver::{Answer, Receiver, Refusal, killed, open};

#[durable_workflow(goal = "pay")]
async fn pay(session: &Session, #[resource] receiver: &Receiver) -> Result<u32, Refusal> {
    #[side_effect(
        key = "pay",
        verify = receiver.find(),
        settle = "1s",
        classify = Refusal::classify,
        retry(attempts = 4, backoff = "1s..3s"),
    )]
    let paid = receiver.ask().await?;
    Ok(paid)
}

#[tokio::test]
async fn what_did_nothing_is_tried_again_after_longer_and_longer_waits() {
    let (store, clock) = (MemoryStore::new(), ManualClock::default());
    let receiver = Receiver::refusing(|| Refusal::Busy(None), 3);
    let (session, began) = (open(&store, &clock).await, clock.now());
    assert_eq!(pay(&session, &receiver).await.unwrap(), 1);
    assert_eq!((receiver.asked(), receiver.done()), (4, 1));
    assert_eq!(clock.now().since(began), Duration::from_secs(1 + 2 + 3));
}

#[tokio::test]
async fn an_error_that_may_have_come_after_the_effect_is_verified_before_every_further_attempt() {
    let (store, clock) = (MemoryStore::new(), ManualClock::default());
    let receiver = Receiver::that([Answer::Refuses(Refusal::Reset), Answer::DoesUnheard]);
    assert_eq!(pay(&open(&store, &clock).await, &receiver).await.unwrap(), 1);
    assert_eq!((receiver.asked(), receiver.done()), (2, 1), "the second attempt had happened, its verifier says");
}

#[tokio::test]
async fn a_refusal_is_not_tried_again_before_the_next_start() {
    let (store, clock) = (MemoryStore::new(), ManualClock::default());
    let receiver = Receiver::refusing(|| Refusal::NoSuchAccount, 1);
    let error = pay(&open(&store, &clock).await, &receiver).await.unwrap_err();
    assert!(matches!(error, Refusal::NoSuchAccount), "{error}");
    assert_eq!(receiver.asked(), 1);
    assert_eq!(pay(&open(&store, &clock).await, &receiver).await.unwrap(), 1);
}

/// G44: attempts 1, 2, 3, 4, and then it stops, across a crash. The next start has as many again.
#[tokio::test(start_paused = true)]
async fn a_crash_does_not_fill_the_budget_up_and_a_start_after_a_stop_does() {
    let (store, clock) = (MemoryStore::new(), ManualClock::default());
    let answers = [Answer::Refuses(Refusal::Busy(None)), Answer::Refuses(Refusal::Reset), Answer::Hangs];
    let busy = (0..6).map(|_| Answer::Refuses(Refusal::Busy(None)));
    let receiver = Receiver::that(answers.into_iter().chain(busy));
    {
        let session = open(&store, &clock).await;
        killed(pay(&session, &receiver)).await;
    }
    assert_eq!(receiver.asked(), 3);
    let error = pay(&open(&store, &clock).await, &receiver).await.unwrap_err();
    assert!(matches!(error, Refusal::Busy(_)), "{error}");
    assert_eq!(receiver.asked(), 5, "two had failed before the crash, which is no failure, so two more may");
    pay(&open(&store, &clock).await, &receiver).await.unwrap_err();
    assert_eq!(receiver.asked(), 9, "the budget is full again");
    assert_eq!(receiver.done(), 0);
    assert_eq!(pay(&open(&store, &clock).await, &receiver).await.unwrap(), 1);
}

/// G05: killed between two attempts, it goes on with the third, and waits for the instant that was recorded.
#[tokio::test]
async fn a_kill_between_two_attempts_loses_neither_the_count_nor_the_wait() {
    let (store, clock) = (MemoryStore::new(), StandingClock::default());
    let receiver = Receiver::refusing(|| Refusal::Busy(Some(Duration::from_secs(3600))), 1);
    let session = Session::builder("memory").store(store.clone()).clock(clock.clone()).open().await.unwrap();
    let handoff = tokio::select! {
        biased;
        _ = pay(&session, &receiver) => panic!("it was to wait"),
        handoff = async { clock.waits().await; session.handoff().to_string() } => handoff,
    };
    assert!(handoff.contains("WAIT until 2026-09-13T09:00:00"), "{handoff}");
    assert!(!handoff.contains("An error stopped the work"), "{handoff}");
    drop(session);

    let later = ManualClock::default();
    later.advance(Duration::from_secs(60));
    let session = open(&store, &later).await;
    assert_eq!(pay(&session, &receiver).await.unwrap(), 1);
    assert_eq!(later.now().to_string(), "2026-09-13T09:00:00.000Z");
    assert_eq!((receiver.asked(), receiver.done()), (2, 1));
}

/// G43: ends of the process are no failures; how many there may be is a setting of its own.
#[tokio::test(start_paused = true)]
async fn crashes_are_counted_apart_and_never_retire_a_step() {
    let (store, clock) = (MemoryStore::new(), ManualClock::default());
    let receiver = Receiver::that((0..5).map(|_| Answer::Hangs));
    for _ in 0..5 {
        let session = open(&store, &clock).await;
        killed(pay(&session, &receiver)).await;
    }
    assert_eq!(pay(&open(&store, &clock).await, &receiver).await.unwrap(), 1);
    assert_eq!((receiver.asked(), receiver.done()), (6, 1));
}

#[tokio::test(start_paused = true)]
async fn a_step_that_its_process_never_survives_is_left_to_a_person_where_a_limit_is_set() {
    let (store, clock) = (MemoryStore::new(), ManualClock::default());
    let receiver = Receiver::that((0..2).map(|_| Answer::Hangs));
    let limited =
        || Session::builder("memory").store(store.clone()).clock(clock.clone()).crash_limit(2.try_into().unwrap());
    for _ in 0..2 {
        let session = limited().open().await.unwrap();
        killed(pay(&session, &receiver)).await;
        drop(session);
        tokio::task::yield_now().await;
    }
    let session = limited().open().await.unwrap();
    let error = pay(&session, &receiver).await.unwrap_err().to_string();
    assert!(error.contains("2 times in a row") && error.contains("`crash_limit`"), "{error}");
    assert_eq!(receiver.asked(), 2);
    session.resolve("pay//pay").did_not_happen().by("ada", "the memory leak is mended").await.unwrap();
    session.close().await.unwrap();
    assert_eq!(pay(&limited().open().await.unwrap(), &receiver).await.unwrap(), 1);
}

#[durable_workflow(goal = "pay, or say why not")]
async fn report(session: &Session, #[resource] receiver: &Receiver) -> Result<String, Refusal> {
    #[side_effect(
        key = "pay",
        verify = receiver.find(),
        settle = "0s",
        classify = |error: &Refusal| error.classify(),
        retry(attempts = 2, backoff = "1s"),
        errors = "recorded",
    )]
    let paid = receiver.ask().await;
    Ok(match paid {
        Ok(paid) => paid.to_string(),
        Err(error) => format!("{error} {:?} {:?} {:?}", error.failure(), error.code(), error.payload()),
    })
}

/// A refusal is a result at once, with its code and what came with it, secrets taken out; G33.
#[tokio::test]
async fn a_recorded_error_is_final_once_refused_or_once_the_attempts_are_spent() {
    let (store, clock) = (MemoryStore::new(), ManualClock::default());
    let receiver = Receiver::refusing(|| Refusal::NoSuchAccount, 1);
    let session = open(&store, &clock).await;
    let refused = report(&session, &receiver).await.unwrap();
    assert_eq!(
        refused,
        r#"no such account Rejected Some("402") Some("{\"api_key\":\"[redacted]\",\"why\":\"no account\"}")"#
    );
    assert_eq!(receiver.asked(), 1);

    let (store, busy) = (MemoryStore::new(), Receiver::refusing(|| Refusal::Busy(None), 2));
    assert_eq!(report(&open(&store, &clock).await, &busy).await.unwrap(), "busy Retry None None");
    assert_eq!(report(&open(&store, &clock).await, &busy).await.unwrap(), "busy Retry None None");
    assert_eq!((busy.asked(), busy.done()), (2, 0));

    let (store, reset) = (MemoryStore::new(), Receiver::refusing(|| Refusal::Reset, 2));
    assert_eq!(report(&open(&store, &clock).await, &reset).await.unwrap(), "connection reset Rejected None None");
    assert_eq!((reset.asked(), reset.done()), (2, 0), "each was verified");
}

/// What a verifier would have said is said by a person: that proof makes the error final as well. An attempt that was killed
/// has no error that could be.
#[tokio::test(start_paused = true)]
async fn a_recorded_error_is_final_once_a_person_says_that_nothing_happened() {
    #[durable_workflow(goal = "pay")]
    async fn asks(session: &Session, #[resource] receiver: &Receiver) -> Result<String, Refusal> {
        #[side_effect(key = "pay", in_doubt = "treasury", classify = Refusal::classify, errors = "recorded")]
        let paid = receiver.ask().await;
        Ok(paid.map_or_else(|error| error.message().to_owned(), |paid| paid.to_string()))
    }
    let (store, clock) = (MemoryStore::new(), ManualClock::default());
    let receiver = Receiver::refusing(|| Refusal::Reset, 1);
    asks(&open(&store, &clock).await, &receiver).await.unwrap_err();
    let session = open(&store, &clock).await;
    session.resolve("asks//pay").did_not_happen().by("ada", "not in the books").await.unwrap();
    assert_eq!(asks(&session, &receiver).await.unwrap(), "connection reset");
    drop(session);
    assert_eq!(asks(&open(&store, &clock).await, &receiver).await.unwrap(), "connection reset");
    assert_eq!(receiver.asked(), 1);

    let (store, receiver) = (MemoryStore::new(), Receiver::that([Answer::Hangs]));
    let session = open(&store, &clock).await;
    killed(asks(&session, &receiver)).await;
    drop(session);
    asks(&open(&store, &clock).await, &receiver).await.unwrap_err();
    let session = open(&store, &clock).await;
    session.resolve("asks//pay").did_not_happen().by("ada", "not in the books").await.unwrap();
    assert_eq!(asks(&session, &receiver).await.unwrap(), "1");
}

/// A refusal for good proves nothing of an attempt that was cut off, and no repeat ever will: a person is asked.
#[tokio::test(start_paused = true)]
async fn a_refused_repeat_of_an_attempt_that_was_cut_off_is_a_question_and_no_loop() {
    #[durable_workflow(goal = "pay")]
    async fn repeats(session: &Session, #[resource] receiver: &Receiver) -> Result<String, Refusal> {
        #[side_effect(key = "pay", idempotent = "it knows the token", classify = Refusal::classify, errors = "recorded")]
        let paid = receiver.ask().await;
        Ok(paid.map_or_else(|error| error.message().to_owned(), |paid| paid.to_string()))
    }
    let (store, clock) = (MemoryStore::new(), ManualClock::default());
    let receiver = Receiver::that([Answer::Hangs, Answer::Refuses(Refusal::NoSuchAccount)]);
    let session = open(&store, &clock).await;
    killed(repeats(&session, &receiver)).await;
    drop(session);
    for _ in 0..2 {
        let error = repeats(&open(&store, &clock).await, &receiver).await.unwrap_err().to_string();
        assert!(error.contains("ask operator"), "{error}");
        assert_eq!(receiver.asked(), 2);
    }
    let session = open(&store, &clock).await;
    session.resolve("repeats//pay").did_not_happen().by("ada", "not in the books").await.unwrap();
    assert_eq!(repeats(&session, &receiver).await.unwrap(), "no such account");
    assert_eq!(receiver.asked(), 2);
}

/// The `Retry-After` of the last attempt counts for the next start as well.
#[tokio::test]
async fn a_receivers_wait_is_kept_by_a_run_that_has_stopped() {
    let (store, clock) = (MemoryStore::new(), ManualClock::default());
    let minute = || Refusal::Busy(Some(Duration::from_secs(60)));
    let receiver = Receiver::refusing(minute, 4);
    pay(&open(&store, &clock).await, &receiver).await.unwrap_err();
    let stopped = clock.now();
    assert_eq!(pay(&open(&store, &clock).await, &receiver).await.unwrap(), 1);
    assert_eq!(clock.now().since(stopped), Duration::from_secs(60));
}

#[durable_workflow(goal = "look")]
async fn look(session: &Session, #[resource] receiver: &Receiver) -> Result<u32, Refusal> {
    #[read(key = "look", retry(attempts = 3, backoff = "1s", jitter))]
    let seen = receiver.ask().await?;
    Ok(seen)
}

#[tokio::test]
async fn a_read_is_tried_again_without_any_proof() {
    let (store, clock) = (MemoryStore::new(), ManualClock::default());
    let receiver = Receiver::refusing(|| Refusal::Reset, 2);
    assert_eq!(look(&open(&store, &clock).await, &receiver).await.unwrap(), 1);
    let never = Receiver::refusing(|| Refusal::Reset, 9);
    look(&open(&MemoryStore::new(), &clock).await, &never).await.unwrap_err();
    assert_eq!(never.asked(), 3);
}

/// An inner `?` leaves the step, as an error of the classifier's type.
#[tokio::test]
async fn an_inner_question_mark_is_classified_too() {
    #[durable_workflow(goal = "pay")]
    async fn inner(session: &Session, #[resource] receiver: &Receiver) -> anyhow::Result<u32> {
        #[side_effect(key = "pay", verify = receiver.find(), classify = Refusal::classify, retry(attempts = 2))]
        let paid = receiver.ask().await?.checked_add(0).ok_or(Refusal::Reset)?;
        Ok(paid)
    }
    let receiver = Receiver::refusing(|| Refusal::Busy(None), 1);
    assert_eq!(inner(&open(&MemoryStore::new(), &ManualClock::default()).await, &receiver).await.unwrap(), 1);
    assert_eq!(receiver.asked(), 2);
}

/// A clock that stands still while somebody waits.
#[derive(Clone, Default)]
struct StandingClock(std::sync::Arc<tokio::sync::Notify>);

impl StandingClock {
    async fn waits(&self) {
        self.0.notified().await;
    }
}

impl Clock for StandingClock {
    fn now(&self) -> durable_runtime::core::time::Timestamp {
        ManualClock::default().now()
    }

    fn sleep_until(
        &self,
        _: durable_runtime::core::time::Timestamp,
    ) -> std::pin::Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        self.0.notify_one();
        Box::pin(std::future::pending())
    }
}
