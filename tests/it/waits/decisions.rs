//! A decision is asked once and answered once; the answer is bound to what was shown, and stays.

use std::collections::HashSet;
use std::time::Duration;

use durable_runtime::clock::Clock;
use durable_runtime::core::meta::StepKind;
use durable_runtime::core::record::Event;
use durable_runtime::prelude::*;
use durable_runtime::store::memory::MemoryStore;
use serde::{Deserialize, Serialize};

use super::world::{HOUR, HandClock, count, exiting, holding, of};

#[durable_workflow(goal = "send the summary", inputs = "recorded")]
async fn send(session: &Session, #[resource] shown: u32) -> anyhow::Result<String> {
    #[decision(key = "send", title = "send the summary", ask = "finance", shows = shown)]
    let send: Approval = session.decide().await?;
    Ok(send.to_string())
}

const KEY: &str = "send//send";

async fn asked(store: &MemoryStore, clock: &HandClock) {
    let error = send(&exiting(store, clock).await, 3).await.unwrap_err();
    assert!(of(&error).is_waiting(), "{error}");
}

#[tokio::test]
async fn an_answer_that_comes_while_nobody_waits_is_taken_by_the_next_start_and_by_every_further_one() {
    let (store, clock) = (MemoryStore::new(), HandClock::new());
    asked(&store, &clock).await;
    asked(&store, &clock).await;
    let session = exiting(&store, &clock).await;
    session.answer(KEY).approve().by("Ada", "the sum is right").await.unwrap();
    drop(session);
    for _ in 0..3 {
        let sent = send(&exiting(&store, &clock).await, 3).await.unwrap();
        assert_eq!(sent, "approved by Ada: the sum is right");
    }
    assert_eq!(["ask", "answer", "done"].map(|kind| count(&store, kind)), [1, 1, 1]);
}

#[tokio::test(start_paused = true)]
async fn an_answer_in_the_same_process_wakes_the_step_that_waits() {
    let (store, clock) = (MemoryStore::new(), HandClock::new());
    let session = holding(&store, &clock).await;
    let answers = async {
        while count(&store, "ask") == 0 {
            tokio::task::yield_now().await;
        }
        session.answer(KEY).decline().by("Ada", "too much").await
    };
    let (sent, answered) = tokio::join!(send(&session, 3), answers);
    answered.unwrap();
    assert_eq!(sent.unwrap(), "declined by Ada: too much");
}

#[tokio::test]
async fn a_decision_that_shows_something_else_goes_no_further_before_and_after_its_answer() {
    let (store, clock) = (MemoryStore::new(), HandClock::new());
    asked(&store, &clock).await;
    let halts = async || {
        let session = exiting(&store, &clock).await;
        let error = send(&session, 4).await.unwrap_err().to_string();
        assert!(
            error.contains("it shows something else than was asked about, `shown`: recorded 3, given 4"),
            "{error}"
        );
        let handoff = session.handoff().to_string();
        assert!(handoff.contains("1. FIX the cause of the error above"), "{handoff}");
        session
    };
    let session = halts().await;
    session.answer(KEY).approve().by("Ada", "three is fine").await.unwrap();
    drop(session);
    halts().await;
    assert_eq!(send(&exiting(&store, &clock).await, 3).await.unwrap(), "approved by Ada: three is fine");
}

#[tokio::test]
async fn a_word_that_answers_no_open_question_is_refused_and_recorded() {
    let (store, clock) = (MemoryStore::new(), HandClock::new());
    let session = exiting(&store, &clock).await;
    let refused = |answered: Result<(), durable_runtime::Error>| {
        let error = answered.unwrap_err();
        assert!(error.is_nothing_asked(), "{error}");
        error.to_string()
    };
    let early = refused(session.answer(KEY).approve().by("Ada", "early").await);
    assert!(early.contains("no step with this key was ever reached"), "{early}");
    send(&session, 3).await.unwrap_err();
    let other = session.answer(KEY).to_what_was_shown("00").approve().by("Ada", "other").await;
    assert!(refused(other).contains("it answers something else than what is shown"));
    let nameless = refused(session.answer(KEY).approve().by(" ", "no name").await);
    assert!(nameless.contains("it needs a name and a reason"), "{nameless}");
    let resolved = refused(session.resolve(KEY).did_not_happen().by("Ada", "wrong word").await);
    assert!(resolved.contains("say what is decided with `answer`"), "{resolved}");
    session.answer(KEY).approve().by("Ada", "right").await.unwrap();
    // Whether Ada's is an answer is not known before the step reads it.
    session.answer(KEY).decline().by("Bob", "no").await.unwrap();
    drop(session);
    assert_eq!(count(&store, "word_refused"), 4);
    let session = exiting(&store, &clock).await;
    assert_eq!(send(&session, 3).await.unwrap(), "approved by Ada: right");
    let third = refused(session.answer(KEY).decline().by("Eve", "no").await);
    assert!(third.contains("its run is finished, and that is final"), "{third}");
    let handoff = session.handoff().to_string();
    assert!(handoff.contains("A word of `Eve` about `send//send` does not count"), "{handoff}");
    assert_eq!(count(&store, "word_refused"), 6);
}

#[tokio::test]
async fn an_answer_that_does_not_read_as_the_decision_is_refused_where_it_is_said_and_the_question_stays_open() {
    let (store, clock) = (MemoryStore::new(), HandClock::new());
    asked(&store, &clock).await;
    let session = exiting(&store, &clock).await;
    let refused = session.answer(KEY).value("yes").by("Ada", "short").await.unwrap_err();
    assert!(refused.is_nothing_asked() && refused.key() == Some(KEY), "{refused}");
    send(&session, 3).await.unwrap_err();
    let handoff = session.handoff().to_string();
    assert!(handoff.contains("`Approval` is asked for, and it gives"), "{handoff}");
    assert!(handoff.contains("1. ASK finance to decide"), "{handoff}");
    session.answer(KEY).approve().by("Ada", "in full").await.unwrap();
    drop(session);
    assert_eq!(send(&exiting(&store, &clock).await, 3).await.unwrap(), "approved by Ada: in full");
}

mod of_another_type {
    use super::*;

    #[durable_workflow(goal = "send the summary")]
    pub(super) async fn send(session: &Session, #[resource] shown: u32) -> anyhow::Result<bool> {
        #[decision(key = "send", title = "send the summary", ask = "finance", shows = shown)]
        let send: bool = session.decide().await?;
        Ok(send)
    }
}

/// Else the log would ask for what the step refuses, and no answer would count.
#[tokio::test]
async fn a_question_that_was_asked_with_another_type_is_asked_once_more_with_that_of_now() {
    let (store, clock) = (MemoryStore::new(), HandClock::new());
    asked(&store, &clock).await;
    let session = exiting(&store, &clock).await;
    let early = session.answer(KEY).value(&true).by("Ada", "right").await.unwrap_err().to_string();
    assert!(early.contains("`Approval` is asked for") && early.contains("start the worker first"), "{early}");
    of_another_type::send(&session, 3).await.unwrap_err();
    let handoff = session.handoff().to_string();
    assert!(handoff.contains("with `true` for yes, or `false` for no, as ANSWER"), "{handoff}");
    drop(session);
    let session = exiting(&store, &clock).await;
    of_another_type::send(&session, 3).await.unwrap_err();
    assert_eq!(count(&store, "ask"), 2, "it is asked once with each type");
    session.answer(KEY).approve().by("Bob", "right").await.unwrap_err();
    session.answer(KEY).value(&true).by("Ada", "right").await.unwrap();
    drop(session);
    assert!(of_another_type::send(&exiting(&store, &clock).await, 3).await.unwrap());
}

#[tokio::test]
async fn a_decision_gives_any_type_that_can_be_recorded() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    enum Choice {
        Ship,
        Wait { days: u32 },
    }
    #[durable_workflow(goal = "choose")]
    async fn choose(session: &Session) -> anyhow::Result<Choice> {
        #[decision(key = "choose")]
        let choice = session.decide::<Choice>().await?;
        Ok(choice)
    }
    let (store, clock) = (MemoryStore::new(), HandClock::new());
    let session = exiting(&store, &clock).await;
    choose(&session).await.unwrap_err();
    session.answer("choose//choose").value(&Choice::Wait { days: 2 }).by("Ada", "rain").await.unwrap();
    drop(session);
    assert_eq!(choose(&exiting(&store, &clock).await).await.unwrap(), Choice::Wait { days: 2 });
}

#[durable_workflow(goal = "send in time", inputs = "recorded")]
async fn send_in_time(session: &Session, #[resource] reason: &str) -> anyhow::Result<String> {
    #[decision(key = "send", ask = "finance", expires = "24h", on_expiry = reason)]
    let send: Approval = session.decide().await?;
    Ok(send.to_string())
}

#[tokio::test]
async fn when_the_time_is_over_what_was_recorded_with_the_question_counts() {
    let (store, clock) = (MemoryStore::new(), HandClock::new());
    let day = clock.now().after(24 * HOUR);
    send_in_time(&exiting(&store, &clock).await, "too late").await.unwrap_err();
    clock.set(day);
    clock.back(Duration::from_secs(60));
    let session = exiting(&store, &clock).await;
    send_in_time(&session, "another text").await.unwrap_err();
    clock.set(day);
    drop(session);
    let session = exiting(&store, &clock).await;
    for _ in 0..2 {
        assert_eq!(send_in_time(&session, "another text").await.unwrap(), "declined by nobody: too late");
    }
    let late = session.answer("send_in_time//send").approve().by("Ada", "sorry").await.unwrap_err();
    assert!(late.to_string().contains("its run is finished, and that is final"), "{late}");
}

#[tokio::test]
async fn an_answer_that_was_given_in_time_counts_though_it_is_taken_late() {
    let (store, clock) = (MemoryStore::new(), HandClock::new());
    let session = exiting(&store, &clock).await;
    send_in_time(&session, "too late").await.unwrap_err();
    session.answer("send_in_time//send").approve().by("Ada", "in time").await.unwrap();
    drop(session);
    clock.forward(48 * HOUR);
    assert_eq!(send_in_time(&exiting(&store, &clock).await, "too late").await.unwrap(), "approved by Ada: in time");
}

#[tokio::test]
async fn an_answer_that_is_given_late_does_not_count_though_nobody_has_looked_since() {
    let (store, clock) = (MemoryStore::new(), HandClock::new());
    send_in_time(&exiting(&store, &clock).await, "too late").await.unwrap_err();
    clock.forward(48 * HOUR);
    let session = exiting(&store, &clock).await;
    let late = session.answer("send_in_time//send").approve().by("Ada", "sorry").await.unwrap_err();
    assert!(late.to_string().contains("the time for an answer is over"), "{late}");
    assert_eq!(send_in_time(&session, "too late").await.unwrap(), "declined by nobody: too late");
}

#[tokio::test]
async fn a_decision_that_is_overdue_stays_open_and_the_handoff_says_so() {
    #[durable_workflow(goal = "send")]
    async fn due(session: &Session) -> anyhow::Result<bool> {
        #[decision(key = "send", ask = "finance", expires = "1h")]
        let send: Approval = session.decide().await?;
        Ok(send.is_approved())
    }
    let (store, clock) = (MemoryStore::new(), HandClock::new());
    let handoff = async || {
        let session = exiting(&store, &clock).await;
        due(&session).await.unwrap_err();
        session.handoff().to_string()
    };
    let early = handoff().await;
    assert!(early.contains("An answer is due at 2026-09-13T09:00:00.000Z"), "{early}");
    clock.forward(HOUR);
    let late = handoff().await;
    assert!(late.contains("It is overdue: an answer was due at 2026-09-13T09:00:00.000Z"), "{late}");
}

#[tokio::test]
async fn a_decision_is_a_step_of_its_outline_and_its_handoff_says_how_to_answer() {
    let outline = outline!(send);
    let step = &outline.steps[0];
    assert_eq!((step.key.as_str(), step.kind, step.ask.as_str()), ("send", StepKind::Decision, "finance"));
    let (store, clock) = (MemoryStore::new(), HandClock::new());
    let session = exiting(&store, &clock).await;
    send(&session, 3).await.unwrap_err();
    let handoff = session.handoff().to_string();
    let wanted = "1. ASK finance to decide `send//send` (send the summary). What is shown: `3`. The answer, typed in this \
                  directory: `durable decide send//send approve --by WHO --because WHY`; or with `decline`. If a file in \
                  `inbox/` names this key, it is answered: ask nobody. A running worker takes it";
    assert!(handoff.contains(wanted), "{handoff}");
}

#[tokio::test]
async fn what_was_shown_is_recorded_with_its_digest() {
    let (store, clock) = (MemoryStore::new(), HandClock::new());
    asked(&store, &clock).await;
    let records = store.records();
    let ask = records.iter().find_map(|record| match &record.event {
        Event::Ask(ask) => Some(ask),
        _ => None,
    });
    let ask = ask.unwrap();
    // printf 3 | sha256sum
    assert_eq!(ask.digest, "4e07408562bedb8b60ce05c1decfe3ad16b72230967de01f640b7e4729b49fce");
    assert_eq!((ask.shown.get(), ask.ask.as_str()), ("3", "finance"));
}

#[tokio::test]
async fn what_is_shown_and_given_may_be_computed() {
    #[durable_workflow(goal = "send")]
    async fn sum(session: &Session, one: u32, two: i32) -> anyhow::Result<bool> {
        #[decision(key = "send", shows = one + two.unsigned_abs())]
        let send: Approval = session.decide().await?;
        #[decision(key = "again", shows = -two)]
        let again: Approval = session.decide().await?;
        #[side_effect(key = "act", args = one as u64 + 1, in_doubt = "ada")]
        let is_low = one < 9;
        Ok(send.is_approved() && again.is_approved() && is_low)
    }
    let (store, clock) = (MemoryStore::new(), HandClock::new());
    for key in ["sum//send", "sum//again"] {
        let session = exiting(&store, &clock).await;
        sum(&session, 3, 4).await.unwrap_err();
        session.answer(key).approve().by("Ada", "fine").await.unwrap();
    }
    assert!(sum(&exiting(&store, &clock).await, 3, 4).await.unwrap());
}

/// What is shown is the same, in whatever order a process goes through it.
#[tokio::test]
async fn a_set_that_is_shown_is_bound_by_its_elements() {
    #[durable_workflow(goal = "send to {names.len()}", nondeterminism = "allow")]
    async fn to(session: &Session, #[resource] names: &HashSet<String>) -> anyhow::Result<Approval> {
        #[decision(key = "send", ask = "finance", shows = (names, 3))]
        let send: Approval = session.decide().await?;
        Ok(send)
    }
    let (store, clock) = (MemoryStore::new(), HandClock::new());
    let names = |of: std::ops::Range<u32>| of.map(|name| name.to_string()).collect::<HashSet<_>>();
    for _ in 0..4 {
        let error = to(&exiting(&store, &clock).await, &names(0..40)).await.unwrap_err();
        assert!(of(&error).is_waiting(), "another set with the same elements: {error}");
    }
    let error = to(&exiting(&store, &clock).await, &names(1..41)).await.unwrap_err();
    assert!(error.to_string().contains("it shows something else"), "{error}");
}
