//! The letter at every stage of the work, as its reader finds it.

use super::story::{RUN, Story, payroll, stored};
use crate::core::failure::FailureKind;
use crate::core::handoff::Handoff;
use crate::core::meta::{Proof, StepKind};
use crate::core::outline::OutlineStep;
use crate::core::pace::TurnKind;
use crate::core::record::{
    Answer, Artifact, Ask, Budget, By, Checkpoint, How, Lost, Memory, NotYet, Origin, Refused, Reserve, Resolve,
    Stopped, Turn, Verdict, WordRefused,
};
use crate::core::research::Research;
use crate::core::time::Timestamp;

#[test]
fn a_first_boot_says_that_nothing_was_done() {
    letter!("first_boot", Story::new().boot());
}

#[test]
fn before_the_first_payment_the_first_step_is_named() {
    letter!("before_the_first", Story::payroll());
}

#[test]
fn between_steps_the_next_one_is_named() {
    letter!("between_steps", Story::payroll().pay(1).pay(2));
}

/// What is noted beside the work is told beside it, in one line each.
#[test]
fn an_agent_at_a_pace_says_how_far_it_is_and_what_it_remembers() {
    let by = || By { run: RUN.into(), nth: Some(1) };
    let made = |name: &str| Artifact { name: name.into(), digest: None, about: None, forgotten: false, by: by() };
    let story = Story::payroll().pay(1).tell(Turn {
        run: RUN.into(),
        number: 4,
        turn: TurnKind::Explore,
        after: 3,
        idle: 0,
        barren: 3,
        stalled: 3,
    });
    let story = story.tell(Memory { name: "contact".into(), value: Some(stored("\"ada\"")), by: by() });
    let story = story.tell(made("out/list.csv")).tell(made("out/report.pdf"));
    let (component, because) = ("retry queue".into(), "backon does it".into());
    let story = story.tell(Verdict { component, verdict: Research::Adopt, because, by: by() });
    letter!("at_a_pace", story.tell(Budget { used: 122_000, total: 200_000, half: true, by: by() }));
}

#[test]
fn a_reserved_key_is_to_be_verified_and_not_to_be_run() {
    letter!("reserved", Story::payroll().pay(1).pay(2).reserve_pay(3));
}

#[test]
fn after_a_crash_the_verifier_decides() {
    letter!("in_doubt_verifier", Story::payroll().pay(1).pay(2).reserve_pay(3).boot());
}

#[test]
fn a_reserved_key_without_a_verifier_is_a_question() {
    let story = Story::payroll().pay(1).reserve("wire", "wire", Proof::Person, "treasury", "wire the rest");
    letter!("reserved_person", story);
}

#[test]
fn a_doubt_that_only_a_person_can_end_says_how_to_answer() {
    let story = Story::payroll().pay(1).reserve("wire", "wire", Proof::Person, "treasury", "wire the rest").boot();
    letter!("in_doubt_person", story.asked("wire", "treasury", "the process ended before the attempt did"));
}

#[test]
fn a_verifier_that_cannot_tell_hands_over_to_a_person() {
    let story = Story::payroll().pay(1).pay(2).reserve_pay(3).boot();
    letter!("verifier_unknown", story.asked("pay/003", "treasury", "the ledger has 2.00 for this reference").dormant());
}

#[test]
fn absence_that_does_not_count_yet_is_a_wait() {
    let key = format!("{RUN}//pay/003");
    let until = Timestamp::from_millis(1_789_286_740_000);
    letter!("not_yet", Story::payroll().pay(1).pay(2).reserve_pay(3).boot().tell(NotYet { key, attempt: 1, until }));
}

#[test]
fn an_idempotent_doubt_is_repeated_with_its_token() {
    let story =
        Story::payroll().pay(1).reserve("summary", "summary", Proof::Idempotent, "operator", "send the summary");
    letter!("in_doubt_idempotent", story.boot());
}

#[test]
fn an_error_that_stays_the_same_is_to_be_mended_before_the_worker_is_started_once_more() {
    let fails = |story: Story, error: &str| {
        story
            .reserve("summary", "summary", Proof::Idempotent, "operator", "send the summary")
            .failed("summary", FailureKind::Unknown, error)
            .boot()
    };
    let told = |errors: &[&str]| {
        let story = errors.iter().fold(Story::payroll(), |story, error| fails(story, error));
        Handoff::of(&story.state).to_string()
    };
    for varied in [&["403", "403"][..], &["403", "403", "502"], &["403", "403", "502", "403"]] {
        assert!(!told(varied).contains("FIX"), "{}", told(varied));
    }
    let story = ["502", "403", "403", "403"].iter().fold(Story::payroll(), |story, error| fails(story, error));
    letter!("in_doubt_idempotent_persists", story);
}

#[test]
fn a_word_that_was_given_is_taken_by_the_next_start() {
    let story = Story::payroll().pay(1).reserve("wire", "wire", Proof::Person, "treasury", "wire the rest").boot();
    let story = story.asked("wire", "treasury", "the process ended before the attempt did");
    let (by, because) = ("Grace".to_owned(), "bank statement".to_owned());
    letter!(
        "word_given",
        story.tell(Resolve {
            key: format!("{RUN}//wire"),
            attempt: 1,
            happened: true,
            value: None,
            by,
            because,
            word: None
        })
    );
}

pub(super) fn asked() -> Story {
    let (key, run) = (format!("{RUN}//summary"), RUN.to_owned());
    let (title, ask) = (Some("send the summary to the board".to_owned()), "finance".to_owned());
    let (shown, otherwise) = (stored(r#"{"invoices":2,"sum":"2.00"}"#), Some(stored("false")));
    let (shape, digest) = ("summary".to_owned(), "d1".to_owned());
    let expires = Some(Timestamp::from_millis(1_789_286_800_000));
    let gives = Some("bool".to_owned());
    let ask = Ask { key, run, shape, title, ask, shown, digest, expires, otherwise, gives };
    Story::payroll().pay(1).pay(2).tell(ask)
}

fn answer(value: &str) -> Answer {
    let (by, because) = ("Grace".to_owned(), "the sum is right".to_owned());
    let (key, digest, value) = (format!("{RUN}//summary"), "d1".to_owned(), stored(value));
    Answer { key, digest, value, by, because, word: None }
}

#[test]
fn a_decision_says_whom_to_ask_what_is_shown_and_how_to_answer() {
    letter!("asked_to_decide", asked());
}

#[test]
fn a_decision_whose_time_is_over_says_what_then_counts() {
    let late = asked();
    let late = (0..100).fold(late, |story, _| story.tell(Checkpoint::default()));
    letter!("decision_overdue", late);
}

#[test]
fn an_answer_to_a_decision_is_taken_by_the_next_start() {
    letter!("decided", asked().tell(answer("true")).dormant());
}

#[test]
fn an_answer_that_does_not_count_is_told_and_the_question_stays() {
    let (key, by, why) =
        (format!("{RUN}//summary"), "Grace".to_owned(), "`bool` is asked for, and it gives `\"yes\"`".to_owned());
    let refused = WordRefused { key, attempt: None, digest: None, by, why, word: None, reopens: true };
    letter!("answer_refused", asked().tell(answer("\"yes\"")).tell(refused).boot());
}

#[test]
fn a_rejected_step_is_tried_again_by_the_next_start() {
    let story = Story::payroll().pay(1).reserve_pay(2).failed("pay/002", FailureKind::Rejected, "402: card declined");
    let key = format!("{RUN}//pay/002");
    letter!("rejected", story.stopped(Some(&key), "402: card declined").dormant());
}

#[test]
fn an_absent_step_is_tried_again_without_anything_to_fix() {
    letter!("absent", Story::payroll().pay(1).reserve_pay(2).boot().absent("pay/002"));
}

#[test]
fn an_error_says_what_failed_and_to_start_again() {
    letter!("halted_by_an_error", Story::payroll().pay(1).pay(2).stopped(None, "rates.json: no such file").dormant());
}

#[test]
fn a_refusal_outside_any_run_is_something_to_fix() {
    let error = "no goal is known, so step `pay` (src/pay.rs:7) may not be started: give one with \
                 `Session::builder(..).goal(\"..\")` or in a file `mission.md` in the session's directory";
    let error = error.to_owned();
    letter!(
        "refused",
        Story::new().boot().tell(Refused { run: String::new(), key: None, error, origin: None }).dormant()
    );
}

#[test]
fn keys_whose_log_is_gone_are_verified_or_asked_about() {
    let keys = vec![format!("{RUN}//pay/001"), format!("{RUN}//pay/002")];
    letter!("lost", Story::new().boot().tell(Lost { keys, adopted: false }));
}

/// Tried anew, it would come beside what the run has done because of its error.
#[test]
fn where_a_recorded_error_may_be_lost_the_answer_that_it_did_not_happen_is_given_with_care() {
    const CARE: &str = "`--did-not-happen`, which runs it again: never if another key or a person has done it since";
    let lost = |story: Story| story.tell(Lost { keys: vec![format!("{RUN}//voucher")], adopted: false });
    let why = "it did not happen, says its verifier, but its error may stand in a part of the log that is gone";
    let doubt = || Story::payroll().reserve_pay(3).boot();
    let text = lost(doubt()).asked("pay/003", "treasury", why).handoff();
    let line = |text: &str, key: &str| {
        text.lines().find(|line| line.contains("durable resolve") && line.contains(key)).unwrap().to_owned()
    };
    assert!(line(&text, "pay/003").contains(CARE), "{text}");
    assert!(line(&text, "voucher").contains(CARE), "the registry alone knows it: {text}");
    let whole = doubt().asked("pay/003", "treasury", "the ledger does not say").handoff();
    assert!(!whole.contains("never if another key"), "nothing is lost: {whole}");
    let person = |story: Story| story.reserve("wire", "wire", Proof::Person, "treasury", "wire the rest").boot();
    assert!(line(&lost(person(Story::payroll())).handoff(), "wire").contains(CARE));
    letter!("in_doubt_and_lossy", lost(doubt()).asked("pay/003", "treasury", why).dormant());
}

#[test]
fn a_step_of_which_a_person_is_asked_is_no_error() {
    let story = Story::payroll().reserve("wire", "wire", Proof::Person, "treasury", "wire the rest").boot();
    let why = "the process ended before the attempt did".to_owned();
    let story = story.asked("wire", "treasury", &why).reserve_pay(2);
    let (key, place) = (format!("{RUN}//wire"), Some("src/pay.rs:7".to_owned()));
    let origin = Some(Box::new(Origin { key, place, error: why }));
    let (run, error) = (RUN.to_owned(), "the rest stands still".to_owned());
    let text =
        story.tell(Stopped { run, key: None, error, waits: false, cancelled: false, missed: vec![], origin }).handoff();
    assert!(
        text.contains("- Stopped at `payroll/2026-09//wire` (`src/pay.rs:7`), of which nobody here can tell"),
        "{text}"
    );
    assert!(!text.contains("- Error"), "{text}");
}

#[test]
fn a_title_that_nobody_can_fill_in_yet_is_left_out() {
    let text = Story::payroll().pay(1).handoff();
    assert!(text.contains("`pay/{invoice.id:03}` or `wire` (wire the rest)"), "{text}");
}

#[test]
fn a_result_that_could_not_be_stored_is_asked_for() {
    let story = Story::payroll().pay(1).reserve_pay(2).done("pay/002", How::Executed, Err("key must be a string"));
    letter!("not_storable", story.stopped(Some("payroll/2026-09//pay/002"), "the result could not be stored"));
}

#[test]
fn parallel_open_steps_share_a_sentence() {
    let story = (1..=12).fold(Story::payroll(), Story::reserve_pay);
    letter!("parallel", story.boot());
}

#[test]
fn a_nested_run_is_named_with_the_runs_around_it() {
    let mut welcome = payroll();
    welcome.name = "welcome".into();
    welcome.goal = Some("welcome \"Ada\"".into());
    welcome.invariants = vec!["nobody is greeted twice".into()];
    letter!("nested", Story::payroll().pay(1).run(&format!("{RUN}//welcome/7"), welcome));
}

/// The run inside stands at its last step, and the code of the one around it says what comes then.
#[test]
fn a_nested_run_that_is_named_says_what_comes_when_it_is_finished() {
    let (mut year, mut month) = (payroll(), payroll());
    "year".clone_into(&mut year.name);
    year.steps = vec![
        OutlineStep {
            kind: StepKind::Run,
            key: "month/{month:02}".into(),
            shape: "month/{}".into(),
            ..payroll().steps.remove(0)
        },
        OutlineStep { next: Vec::new(), ..payroll().steps.remove(1) },
    ];
    month.steps = vec![OutlineStep { next: Vec::new(), ..payroll().steps.remove(0) }];
    let around = Story::new().boot().run("year", year);
    let inside = around.named_run("year//month/09", Some("month/{}"), month.clone());
    let key = "year//month/09//pay/001".to_owned();
    let (title, ask) = (Some("pay $1 to \"Bob\"".to_owned()), "treasury".to_owned());
    let reserve = Reserve {
        key: key.into(),
        run: "year//month/09".into(),
        shape: "pay/{}".into(),
        attempt: 1,
        token: None,
        proof: Proof::Verify,
        ask: ask.into(),
        title: title.map(Into::into),
        settle_ms: 0,
        within_ms: None,
        args: None,
        gives: None,
    };
    letter!("nested_and_named", inside.tell(reserve));
    let (key, run) = ("year//month/09//day/1".to_owned(), month);
    letter!(
        "nested_deeper",
        Story::new().boot().run("year", payroll()).run("year//month/09", payroll()).run(&key, run)
    );
}

#[test]
fn a_finished_run_leaves_nothing_to_do() {
    letter!("done", Story::payroll().pay(1).pay(2).pay(3).pay(4).end(r#"{"paid":4}"#).dormant());
}

#[test]
fn a_session_that_was_closed_in_the_middle_is_started_again() {
    let goal = Some("close the month".to_owned());
    letter!("dormant", Story::payroll().tell(Checkpoint { goal, ..Checkpoint::default() }).pay(1).dormant());
}

#[test]
fn a_started_key_stands_beside_verify_ask_or_never_and_nothing_else() {
    for proof in [Proof::Verify, Proof::Person, Proof::Idempotent] {
        let reserved = Story::payroll().reserve("wire", "wire", proof, "treasury", "wire the rest");
        for text in [reserved.handoff(), reserved.boot().handoff()] {
            let next = text.split("\n## ").find(|section| section.starts_with("Next action")).unwrap();
            let naming: Vec<_> = next.lines().filter(|line| line.contains("//wire`")).collect();
            let ways = ["VERIFY ", "ASK ", "NEVER run ", "START the worker again if none is running: it asks, "];
            let settled = |line: &&str| ways.iter().any(|way| line[3..].starts_with(way));
            assert!(!naming.is_empty() && naming.iter().all(settled), "{text}");
        }
    }
}

#[test]
fn the_longest_texts_fit_on_a_page() {
    for filler in ["x", "`", "\u{61c}", "<"] {
        let long = filler.repeat(470 / filler.len());
        let mut outline = payroll();
        outline.name.clone_from(&long);
        outline.invariants = vec![long.clone(); 9];
        let mut story = Story::new();
        story.state.identity.clone_from(&long);
        let story = story.boot().run(RUN, outline);
        let mut story = (0..9).fold(story, |story, n| {
            story.reserve(&format!("{n}{long}"), &long, Proof::Person, &format!("{n}{long}"), &long)
        });
        assert!(story.handoff().len() <= 4_096, "{}", story.handoff());
        story = story.boot().stopped(None, &long);
        assert!(story.handoff().len() <= 4_096, "{}", story.handoff());
    }
}

#[test]
fn g71_lines_end_with_a_line_feed_only() {
    let text = Story::payroll().pay(1).reserve_pay(2).handoff();
    assert!(text.ends_with('\n') && !text.ends_with("\n\n"), "{text}");
    assert!(!text.contains('\r') && !text.contains('\\'), "{text}");
}

#[test]
fn the_letter_says_which_record_it_was_made_from() {
    let story = Story::payroll().pay(1);
    assert!(
        Handoff::of(&story.state).to_string().contains(&format!("As of record {} of the journal", story.state.seq))
    );
}

#[test]
fn a_long_history_makes_no_long_letter() {
    let long = (1..=10_000).fold(Story::payroll(), Story::pay);
    let long = (10_001..=10_100).fold(long, Story::reserve_pay);
    assert!(long.handoff().len() < 2_560 && long.handoff().lines().count() <= 40, "{}", long.handoff());
    letter!("long_history", long);
}

#[test]
fn machines_read_the_lines_that_people_read() {
    let handoff = Handoff::of(&Story::payroll().pay(1).reserve_pay(2).state);
    let json = serde_json::to_value(&handoff).unwrap();
    let lines = |section: &str| {
        let lines = json[section].as_array().unwrap().iter().map(|line| line.as_str().unwrap().to_owned());
        lines.collect::<Vec<_>>()
    };
    let page = handoff.to_string();
    for section in ["where_we_are", "what_just_happened", "next_action", "open_invariants"] {
        assert!(!lines(section).is_empty());
        assert!(lines(section).iter().all(|line| page.contains(line)), "{section}");
    }
    let told = json.as_object().unwrap().values().map(|part| part.as_array().map_or(0, Vec::len)).sum::<usize>();
    assert_eq!(told, page.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).count(), "{json}");
    assert_eq!((json["identity"].as_str(), json["iteration"].as_u64()), (Some("payer"), Some(1)));
}
