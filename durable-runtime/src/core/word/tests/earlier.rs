use super::*;
use crate::core::outline::Outline;
use crate::core::word::Earlier;

fn approval(by: &str, approved: bool) -> Word {
    let value = serde_json::json!({"approved": approved, "by": by, "because": format!("{by} has looked")});
    let says = Says::Answer { digest: None, value: stored(&value.to_string()) };
    Word { by: by.to_owned(), ..said(SEND, says) }
}

fn of(by: &str, second: u64, word: Word) -> Word {
    Word { id: Some(Uuid::from_u128(second.into())), at: Some(at(second)), by: by.to_owned(), ..word }
}

/// Who has said something else than this word, which is of a time after all others.
fn who(state: &State, word: &Word, posted: &[Word]) -> Option<String> {
    state.contradicted(word, posted, at(99)).map(|earlier| earlier.by)
}

#[test]
fn who_says_the_same_contradicts_nobody() {
    let state = told([reserve(1, Proof::Person), failed(), ask(None, None)]);
    let posted = [of("bob", 9, denies()), of("eve", 9, answers())];
    assert_eq!(who(&state, &denies(), &posted), None);
    assert_eq!(who(&state, &answers(), &posted), None);
    assert_eq!(who(&state, &happened(), &posted).as_deref(), Some("bob"));
    let other = said(SEND, Says::Answer { digest: None, value: stored("3") });
    let earlier = state.contradicted(&other, &posted, at(99));
    assert_eq!(earlier, Some(Earlier { by: "eve".to_owned(), posted: Some(Uuid::from_u128(9)) }));
    let spaced = said(SEND, Says::Answer { digest: None, value: stored(" 2 ".trim()) });
    assert_eq!(who(&state, &spaced, &posted), None);
    assert_eq!(who(&state, &denies(), &[]), None);
}

#[test]
fn the_order_of_members_is_no_contradiction_and_no_value_is_the_value_of_nothing() {
    let state = told([reserve(1, Proof::Person), failed(), ask(None, None)]);
    let says = |json: &str| said(SEND, Says::Answer { digest: None, value: stored(json) });
    let posted = [of("bob", 9, says(r#"{"a":1,"b":2}"#))];
    assert_eq!(who(&state, &says(r#"{"b":2,"a":1}"#), &posted), None);
    assert_eq!(who(&state, &says(r#"{"b":2,"a":2}"#), &posted).as_deref(), Some("bob"));
    let gave =
        |value: Option<&str>| said(PAY, Says::Resolve { attempt: None, happened: true, value: value.map(stored) });
    assert_eq!(who(&state, &gave(None), &[of("bob", 9, gave(Some("null")))]), None);
    assert_eq!(who(&state, &gave(None), &[of("bob", 9, gave(Some("7")))]).as_deref(), Some("bob"));
}

#[test]
fn two_who_approve_for_reasons_of_their_own_say_the_same() {
    let state = told([ask(None, None)]);
    let posted = [of("bob", 9, approval("bob", true))];
    assert_eq!(who(&state, &approval("eve", true), &posted), None);
    assert_eq!(who(&state, &approval("eve", false), &posted).as_deref(), Some("bob"));
    // In another's name it is a value like any other.
    let forged = Word { by: "mallory".to_owned(), ..approval("eve", true) };
    assert_eq!(who(&state, &forged, &posted).as_deref(), Some("bob"));
}

#[test]
fn of_those_that_lie_there_the_first_that_would_count_decides() {
    let state = told([reserve(1, Proof::Person), failed(), ask(None, None)]);
    let other = said(SEND, Says::Answer { digest: None, value: stored("3") });
    let elsewhere = said(SEND, Says::Answer { digest: Some("two".to_owned()), value: stored("4") });
    let early = of("dan", 1, other.clone());
    let posted = [of("eve", 9, other), of("bob", 8, answers()), early, of("cid", 7, elsewhere)];
    assert_eq!(who(&state, &answers(), &posted), None);
    let fourth = said(SEND, Says::Answer { digest: None, value: stored("4") });
    assert_eq!(who(&state, &fourth, &posted).as_deref(), Some("bob"));
}

#[test]
fn what_is_in_the_log_came_before_all_that_lies_there_and_is_not_found_twice() {
    let answer = |word| {
        let (key, digest, value) = (SEND.to_owned(), "one".to_owned(), stored("2"));
        let (by, because) = ("ada".to_owned(), "seen".to_owned());
        Event::from(record::Answer { key, digest, value, by, because, word })
    };
    let doubt = || [reserve(1, Proof::Person), failed(), ask(None, None)];
    let state = told(doubt().into_iter().chain([resolve("ada", true), answer(None)]));
    assert_eq!(who(&state, &of("bob", 9, denies()), &[of("eve", 9, denies())]).as_deref(), Some("ada"));
    let other = of("bob", 9, said(SEND, Says::Answer { digest: None, value: stored("3") }));
    let earlier = state.contradicted(&other, std::slice::from_ref(&other), at(99));
    assert_eq!(earlier, Some(Earlier { by: "ada".to_owned(), posted: None }));
    // One that is logged, and was no result of its step, still lies there until its name is removed.
    let none = WordRefused {
        key: SEND.to_owned(),
        attempt: None,
        digest: None,
        by: "ada".to_owned(),
        why: "no result".to_owned(),
        word: None,
        reopens: true,
    };
    let state = told(doubt().into_iter().chain([answer(Some(Uuid::from_u128(9))), none.into()]));
    assert_eq!(who(&state, &other, &[of("ada", 9, answers())]), None);
}

#[test]
fn nobody_answers_a_decision_whose_run_was_given_up_and_what_is_in_doubt_is_answered_all_the_same() {
    let outline = Outline {
        name: "r".to_owned(),
        goal: None,
        invariants: Vec::new(),
        entry: Vec::new(),
        steps: Vec::new(),
        calls: Vec::new(),
    };
    let began = record::Run {
        run: "r".to_owned(),
        workflow: "r".to_owned(),
        shape: "r".to_owned(),
        named: false,
        title: None,
        goal: None,
        version: None,
        inputs: [].into(),
        outline: outline.into(),
    };
    let (run, by, because) = ("r".to_owned(), "bob".to_owned(), "not wanted".to_owned());
    let cancel = record::Cancel { run, by, because, word: None };
    let state = told([began.into(), reserve(1, Proof::Person), failed(), ask(None, None), cancel.into()]);
    is_refused(&state, &answers(), at(99), "run `r` was cancelled by bob (not wanted) at 1970-01-01T00:00:05.000Z");
    is_refused(&state, &answers(), at(99), "nothing is left to decide");
    counts(&state, &denies(), at(99));
}
