//! One start after another: what each of them costs, and at which time of day they may be.

use std::time::Duration;

use durable_runtime::core::time::Timestamp;
use durable_runtime::testing::ManualClock;

use crate::payments::{Bank, Directory, Files, due, four_payments};

/// What the clock of every session here shows at first.
const DIED: Timestamp = Timestamp::from_millis(1_789_286_400_000);

const HOUR: Duration = Duration::from_secs(3600);

/// Each is killed as soon as it has booted.
#[tokio::test(start_paused = true)]
async fn starts_that_are_killed_at_once_cost_two_records_each_and_nothing_happens_twice() {
    let directory = Directory::of(&Files::killed_in(3).await);
    let records = || directory.files().journal().len();
    let before = records();
    for start in 1..=300 {
        let session = directory.session().open().await.unwrap();
        assert_eq!(session.iteration(), 1 + start as u64);
        drop(session);
        assert_eq!(records(), before + 2 * start, "a boot and a checkpoint");
    }
    let bank = Bank::holding(3);
    assert_eq!(four_payments(&directory.session().open().await.unwrap(), &bank, 4).await.unwrap(), 4);
    assert_eq!((bank.ledger(), bank.asked()), (due(4), due(3)[2..].to_vec()));
}

/// The third payment was booked or not when the process died; then somebody sets the clock.
#[tokio::test(start_paused = true)]
async fn a_clock_that_was_set_between_two_starts_neither_loses_a_payment_nor_doubles_one() {
    let files = Files::killed_in(3).await;
    let back = Timestamp::from_millis(DIED.as_millis() - 3_600_000);
    for (case, now) in [("an hour back", back), ("ten years on", DIED.after(HOUR * 24 * 3652))] {
        for booked in [2, 3] {
            let (directory, bank) = (Directory::of(&files), Bank::holding(booked));
            let session = directory.session().clock(ManualClock::at(now)).open().await.unwrap();
            assert_eq!(four_payments(&session, &bank, 4).await.unwrap(), 4, "{case}");
            assert_eq!(bank.ledger(), due(4), "{case}, {booked} booked");
            session.close().await.unwrap();
            let numbers: Vec<_> = directory.files().journal().iter().map(|record| record["seq"].as_u64()).collect();
            assert_eq!(numbers, (1..=numbers.len() as u64).map(Some).collect::<Vec<_>>(), "{case}");
            directory.session().open().await.unwrap();
        }
    }
}
