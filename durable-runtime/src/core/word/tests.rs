mod earlier;

use super::*;
use crate::core::failure::FailureKind;
use crate::core::record::{Ask, Done, Failed, How, InDoubt, NotYet, Record, Reserve, Resolve, WordRefused};

const PAY: &str = "r//pay";
const SEND: &str = "r//send";

/// How long a request may still land, in milliseconds. Every record is a second later than the one before it.
const SETTLE: u64 = 30_000;

fn at(seconds: u64) -> Timestamp {
    Timestamp::from_millis(1_000 * seconds)
}

fn stored(json: &str) -> Stored {
    serde_json::value::RawValue::from_string(json.to_owned()).unwrap().into()
}

fn told(events: impl IntoIterator<Item = Event>) -> State {
    let mut state = State::new(Uuid::nil(), "agent".to_owned());
    for event in events {
        let seq = state.seq + 1;
        state.apply(&Record { seq, epoch: 1, at: at(seq), event });
    }
    state
}

fn reserve(attempt: u32, proof: Proof) -> Event {
    let (key, run, shape, ask) = (PAY.to_owned(), "r".to_owned(), "pay".to_owned(), "treasury".to_owned());
    let (token, title, within_ms, args, gives) = (None, None, None, None, None);
    Reserve {
        key: key.into(),
        run: run.into(),
        shape: shape.into(),
        attempt,
        token,
        proof,
        ask: ask.into(),
        title,
        settle_ms: SETTLE,
        within_ms,
        args,
        gives,
    }
    .into()
}

fn failed() -> Event {
    let (key, run, error) = (PAY.to_owned(), "r".to_owned(), "reset".to_owned());
    let (kind, failure) = (StepKind::SideEffect, FailureKind::Unknown);
    let (payload, retry_at, result) = (None, None, None);
    Failed { key, run, kind, attempt: 1, failure, error, payload, retry_at, spent: false, result }.into()
}

fn asked(attempt: u32) -> Event {
    let (ask, why) = ("treasury".to_owned(), "the ledger is down".to_owned());
    InDoubt { key: PAY.to_owned(), attempt, ask, why, gives: None }.into()
}

fn resolve(by: &str, happened: bool) -> Event {
    let (key, by, because) = (PAY.to_owned(), by.to_owned(), "seen".to_owned());
    Resolve { key, attempt: 1, happened, value: None, by, because, word: None }.into()
}

fn ask(expires: Option<Timestamp>, otherwise: Option<&str>) -> Event {
    let (key, run, shape, title) = (SEND.to_owned(), "r".to_owned(), "send".to_owned(), None);
    let (ask, shown, digest, otherwise) = ("finance".to_owned(), stored("1"), "one".to_owned(), otherwise.map(stored));
    Ask { key, run, shape, title, ask, shown, digest, expires, otherwise, gives: None }.into()
}

fn said(key: &str, says: Says) -> Word {
    Word { id: None, at: None, key: key.to_owned(), says, by: "ada".to_owned(), because: "seen".to_owned() }
}

fn denies() -> Word {
    said(PAY, Says::Resolve { attempt: None, happened: false, value: None })
}

fn happened() -> Word {
    said(PAY, Says::Resolve { attempt: None, happened: true, value: Some(stored("7")) })
}

fn answers() -> Word {
    said(SEND, Says::Answer { digest: None, value: stored("2") })
}

/// What becomes of a word of this instant.
fn judged(state: &State, word: &Word, at: Timestamp) -> String {
    let word = Word { at: Some(at), ..word.clone() };
    state.admit(&word, at).map_or_else(|why| why, |_| "counts".to_owned())
}

#[track_caller]
fn counts(state: &State, word: &Word, at: Timestamp) {
    assert_eq!(judged(state, word, at), "counts");
}

#[track_caller]
fn is_refused(state: &State, word: &Word, at: Timestamp, why: &str) {
    let judged = judged(state, word, at);
    assert!(judged.contains(why), "{judged}");
}

#[test]
fn a_posted_word_is_the_same_after_its_text() {
    let value = stored("340282366920938463463374607431768211455");
    let says = Says::Answer { digest: Some("one".to_owned()), value };
    let word = Word { id: Some(Uuid::nil()), at: Some(at(9)), ..said(SEND, says) };
    let text = serde_json::to_string(&word).unwrap();
    let read: Word = serde_json::from_str(&text).unwrap();
    assert_eq!(serde_json::to_string(&read).unwrap(), text);
    let Event::Answer(answer) = told([ask(None, None)]).admit(&read, at(9)).unwrap() else { panic!("{text}") };
    assert_eq!(answer.value.get(), "340282366920938463463374607431768211455");
}

#[test]
fn a_word_of_an_older_version_says_neither_when_it_was_posted_nor_about_what() {
    let text = r#"{"id":null,"word":"answer","key":"r//send","value":2,"by":"ada","because":"seen"}"#;
    let word: Word = serde_json::from_str(text).unwrap();
    assert_eq!(word.at, None);
    assert!(told([ask(None, None)]).admit(&word, at(0)).is_ok(), "it is judged as of now, which is after the log");
}

#[test]
fn a_word_about_an_effect_counts_only_where_a_person_is_asked() {
    for (proof, why) in [(Proof::Verify, "its verifier is asked first"), (Proof::Idempotent, "nobody is asked")] {
        let begun = || [reserve(1, proof), failed()];
        is_refused(&told(begun()), &happened(), at(99), why);
        is_refused(&told([reserve(1, proof)]), &happened(), at(99), "it may be running right now");
        counts(&told(begun().into_iter().chain([asked(1)])), &happened(), at(99));
    }
    counts(&told([reserve(1, Proof::Person), failed()]), &happened(), at(99));
    is_refused(&told([reserve(1, Proof::Person)]), &happened(), at(99), "it may be running right now");
    let lost = record::Lost { keys: vec![PAY.to_owned()], adopted: false };
    counts(&told([lost.into()]), &denies(), at(99));
}

#[test]
fn a_word_from_before_it_was_asked_does_not_count() {
    let state = told([reserve(1, Proof::Person), failed(), asked(1), asked(1)]);
    is_refused(&state, &happened(), at(2), "before this was asked at 1970-01-01T00:00:03.000Z");
    counts(&state, &happened(), at(3));
    let state = told([reserve(1, Proof::Person), failed()]);
    is_refused(&state, &happened(), Timestamp::from_millis(1_999), "before this was asked");
    counts(&state, &happened(), at(2));
    let state = told([reserve(1, Proof::Person), ask(None, None)]);
    is_refused(&state, &answers(), at(1), "before this was asked");
    counts(&state, &answers(), at(2));
}

#[test]
fn that_it_did_not_happen_counts_no_sooner_than_from_the_verifier() {
    let state = told([reserve(1, Proof::Verify), failed(), asked(1)]);
    is_refused(&state, &denies(), at(31), "a late request may still arrive until 1970-01-01T00:00:32.000Z");
    counts(&state, &denies(), at(32));
    counts(&state, &happened(), at(3));
    let until = at(60);
    let not_yet = NotYet { key: PAY.to_owned(), attempt: 1, until };
    let state = told([reserve(1, Proof::Verify), failed(), asked(1), not_yet.into()]);
    is_refused(&state, &denies(), at(59), "until 1970-01-01T00:01:00.000Z");
    counts(&state, &denies(), until);
    counts(&told([reserve(1, Proof::Person), failed()]), &denies(), at(3));
}

#[test]
fn a_word_about_another_attempt_does_not_count() {
    let word = |attempt| said(PAY, Says::Resolve { attempt, happened: false, value: None });
    let keys = vec![PAY.to_owned()];
    let state = told([record::Lost { keys, adopted: false }.into()]);
    counts(&state, &word(None), at(1));
    counts(&state, &word(Some(0)), at(1));
    is_refused(&state, &word(Some(1)), at(1), "it is about attempt 1");
    // A question about the first attempt says nothing of the second.
    let state = told([reserve(1, Proof::Verify), failed(), asked(1), reserve(2, Proof::Verify), failed()]);
    is_refused(&state, &word(Some(1)), at(99), "it is about attempt 1, and the newest is attempt 2");
    is_refused(&state, &word(None), at(99), "its verifier is asked first");
}

#[test]
fn an_answer_counts_until_something_else_does() {
    let timed = told([ask(Some(at(50)), Some("0"))]);
    counts(&timed, &answers(), Timestamp::from_millis(49_999));
    is_refused(&timed, &answers(), at(50), "the time for an answer is over since 1970-01-01T00:00:50.000Z");
    counts(&told([ask(Some(at(50)), None)]), &answers(), at(70));
    let lost = record::Lost { keys: Vec::new(), adopted: false };
    counts(&told([ask(Some(at(50)), Some("0")), lost.into()]), &answers(), at(70));
}

#[test]
fn what_is_said_here_and_now_is_said_after_the_log_whatever_the_clock_shows() {
    let state = told([reserve(1, Proof::Person), failed(), asked(1), ask(None, None)]);
    assert!(state.admit(&denies(), at(0)).is_ok() && state.admit(&answers(), at(0)).is_ok());
    assert_eq!(state.bind(answers(), at(0)).unwrap().at, Some(at(4)));
}

#[test]
fn a_word_that_is_to_be_posted_is_bound_to_what_is_open() {
    let state = told([reserve(1, Proof::Person), failed(), reserve(2, Proof::Person), failed(), ask(None, None)]);
    let bound = state.bind(denies(), at(9)).unwrap();
    assert!(matches!(bound.says, Says::Resolve { attempt: Some(2), happened: false, value: None }), "{bound:?}");
    let bound = state.bind(answers(), at(9)).unwrap();
    assert!(matches!(bound.says, Says::Answer { digest: Some(digest), .. } if digest == "one"));
}

#[test]
fn a_word_without_key_name_or_reason_says_which_it_lacks() {
    let state = told([ask(None, None)]);
    let lacks = |word: Word| match state.admit(&word, at(9)) {
        Err(why) => why,
        Ok(event) => panic!("{event:?}"),
    };
    assert!(lacks(Word { key: String::new(), ..answers() }).contains("no key"));
    assert!(lacks(Word { by: "  ".to_owned(), ..answers() }).contains("a name and a reason"));
    assert!(lacks(Word { because: String::new(), ..answers() }).contains("a name and a reason"));
}

#[test]
fn an_unknown_key_is_met_with_the_open_one_that_ends_alike() {
    let state = told([ask(None, None)]);
    let unknown = |key: &str| judged(&state, &Word { key: key.to_owned(), ..answers() }, at(9));
    assert!(unknown("send").contains("did you mean `r//send`?"));
    assert!(!unknown("mail").contains("did you mean"));
}

#[test]
fn words_about_an_effect_are_kept_until_one_is_read_and_none_is_lost_with_an_older_one() {
    let doubt = || [reserve(1, Proof::Person), failed(), resolve("ada", true), resolve("bob", false)];
    let first = |state: &State| match &state.steps.get(PAY).unwrap().life {
        Life::Word(words) => Some(words.first.by.clone()),
        _ => None,
    };
    let none = || {
        let (key, by, why) = (PAY.to_owned(), "ada".to_owned(), "no result".to_owned());
        Event::from(WordRefused { key, attempt: Some(1), digest: None, by, why, word: None, reopens: true })
    };
    let state = told(doubt());
    assert_eq!(first(&state).as_deref(), Some("ada"));
    counts(&state, &happened(), at(9));
    let late = state.late(PAY, false);
    assert_eq!((late.len(), late[0].by.as_str()), (1, "bob"));
    assert!(late[0].why.contains("ada has answered before"), "{late:?}");
    assert_eq!(first(&told(doubt().into_iter().chain([none()]))).as_deref(), Some("bob"));
    // A question that is asked once more meanwhile, and an error elsewhere, take none of them away.
    assert_eq!(first(&told(doubt().into_iter().chain([asked(1)]))).as_deref(), Some("ada"));
    let state = told(doubt().into_iter().chain([none(), none()]));
    assert!(matches!(state.steps.get(PAY).unwrap().life, Life::Doubt(_)) && state.late(PAY, false).is_empty());
}

#[test]
fn a_result_that_came_by_itself_makes_every_word_late() {
    let (key, run, shape) = (PAY.to_owned(), "r".to_owned(), "pay".to_owned());
    let state = told([reserve(1, Proof::Person), failed(), resolve("ada", true)]);
    assert_eq!(state.late(PAY, true).len(), 1);
    let (title, unstorable, args) = (None, None, None);
    let (kind, how, value) = (StepKind::SideEffect, How::Verified, Some(stored("7")));
    let done = Done {
        key: key.into(),
        run: run.into(),
        shape: shape.into(),
        kind,
        how,
        attempt: 1,
        title,
        value,
        unstorable,
        args,
        gives: None,
    };
    let state = told([reserve(1, Proof::Person), failed(), done.into()]);
    is_refused(&state, &denies(), at(9), "it is known that it happened");
}

fn ask_for(gives: &str, expires: Option<Timestamp>) -> Event {
    let Event::Ask(asked) = ask(expires, None) else { panic!("no question") };
    Ask { gives: Some(gives.to_owned()), ..asked }.into()
}

#[test]
fn a_value_that_cannot_be_what_is_asked_for_is_known_where_it_is_said() {
    let gives = |value: &str| said(SEND, Says::Answer { digest: None, value: stored(value) });
    let state = told([ask_for("bool", None)]);
    assert_eq!(state.misfit(&gives("true")), None);
    let (wanted, given) = ("bool".to_owned(), "\"yes\"".to_owned());
    assert_eq!(state.misfit(&gives("\"yes\"")), Some(Misfit { wanted, given }));
    assert_eq!(told([ask_for("Receipt", None)]).misfit(&gives("true")), None, "its step finds out");
    let asked =
        InDoubt { key: PAY.into(), attempt: 1, ask: "ada".into(), why: "killed".into(), gives: Some("()".into()) };
    let state = told([reserve(1, Proof::Person), asked.into()]);
    assert_eq!(state.misfit(&denies()), None);
    assert_eq!(state.misfit(&said(PAY, Says::Resolve { attempt: None, happened: true, value: None })), None);
    assert_eq!(state.misfit(&happened()).map(|misfit| misfit.given), Some("7".to_owned()));
}

/// Else the log would ask for what the step refuses, and refuse what the step asks for.
#[test]
fn a_question_that_is_asked_once_more_is_asked_with_the_type_of_now_and_is_the_same_else() {
    let mut state = told([ask_for("Approval", Some(at(60)))]);
    let other = |state: &State, now: &str| state.asked_with_other(SEND, || now.to_owned());
    assert_eq!(other(&state, "shop::Approval"), None, "a path says nothing");
    assert_eq!(other(&state, "bool"), Some(("Approval".to_owned(), "bool".to_owned())));
    state.apply(&Record { seq: 2, epoch: 1, at: at(2), event: ask_for("bool", Some(at(90))) });
    assert_eq!(other(&state, "bool"), None);
    assert_eq!(state.questions[SEND].expires, Some(at(60)));
    counts(&state, &answers(), at(3));
}
