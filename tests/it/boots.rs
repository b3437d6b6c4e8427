//! What a boot says of what it found.

use insta::assert_snapshot;

use crate::payments::{Directory, Files};

#[tokio::test(start_paused = true)]
async fn the_first_boot_of_a_session_finds_nothing() {
    let directory = Directory::new();
    let session = directory.session().open().await.unwrap();
    let report = session.boot_report();
    assert_eq!((report.iteration(), report.handoff(), report.journal().len()), (1, None, 0));
    assert_eq!(
        report.to_string(),
        "boot 1\namiss: nothing\nin doubt: nothing\nthe last lines of the journal: nothing\nno handoff was left"
    );
}

#[tokio::test(start_paused = true)]
async fn a_boot_after_a_kill_says_what_was_left_and_what_is_in_doubt() {
    let killed = Files::killed_in(2).await;
    let directory = Directory::of(&killed);
    let left = directory.files().handoff().unwrap();
    let session = directory.session().open().await.unwrap();
    let report = session.boot_report();
    assert_eq!(report.in_doubt(), ["four_payments//pay/002"]);
    assert_eq!(report.handoff(), Some(&*left), "byte for byte");
    let lines: Vec<_> = killed.lines().iter().map(|line| line.trim_end()).collect();
    assert_eq!(report.journal(), lines);
}

#[tokio::test(start_paused = true)]
async fn what_is_missing_is_told() {
    let directory = Directory::of(&Files::killed_in(2).await.without(&["handoff.md"]).with("idempotency.json", "[]"));
    let session = directory.session().open().await.unwrap();
    assert_eq!(session.boot_report().handoff(), None);
    assert_snapshot!(session.boot_report().amiss().join("\n"));
}
