//! The teeth of the kill lab: every protocol that is broken on purpose is caught, and for the right reason.

mod changed;
mod workflows;

use durable_runtime::Broken;
use durable_runtime::testing::LabVerdict;
use workflows::Work;

const DOUBLED: &str = "happened 2 times, and once where nothing befell";
const ASTRAY: &str = "happened once, and 0 times where nothing befell";
const LOST: &str = "never happened, and the work is taken for done";
const OTHER_RESULT: &str = "the result is";
const REFUSED: &str = "the session cannot be opened any more";
const UNREADABLE: &str = "its recorded value cannot be read: blobs/";
const STUCK: &str = "start after start, the work does not get on";
const RESTLESS: &str = "a start after the end should have done nothing";
const TOUCHED: &str = "a refusal has changed the files";
const FORGOT: &str = "records were cut off the log that were acknowledged and can still be read";
const MISLED: &str = "the handoff lets a reader run";

/// Breaks a protocol: the lab must find this fault in this work.
macro_rules! caught {
    ($($test:ident: $broken:ident, $work:ident, $fault:ident;)+) => {
        $(#[test]
        fn $test() {
            let report = Broken::$broken.during(|| Work::$work.report());
            assert_eq!(report.verdict(), LabVerdict::Broken, "not caught\n{report}");
            let text = report.to_string();
            let faults: Vec<_> = text.lines().filter(|line| line.starts_with("BROKEN: ")).collect();
            assert!(faults.iter().any(|fault| fault.contains($fault)), "caught for another reason\n{report}");
        })+

        const CAUGHT: &[(&str, Broken)] = &[$((stringify!($test), Broken::$broken)),+];
    };
}

caught! {
    reservation_not_synced: ReservationNotSynced, Payments, DOUBLED;
    reserved_after_effect: ReservedAfterEffect, Payments, DOUBLED;
    reserve_error_ignored: ReserveErrorIgnored, Payments, DOUBLED;
    done_before_effect: DoneBeforeEffect, Letters, LOST;
    names_not_synced: NamesNotSynced, Payments, REFUSED;
    directory_not_synced: DirectoryNotSynced, Payments, DOUBLED;
    id_not_synced: IdNotSynced, Payments, REFUSED;
    read_not_synced: ReadNotSynced, Orders, REFUSED;
    read_not_rewritten: ReadNotRewritten, Payments, REFUSED;
    torn_tail_kept: TornTailKept, Payments, RESTLESS;
    torn_taken_for_damage: TornTakenForDamage, Payments, REFUSED;
    failed_sync_retried: FailedSyncRetried, Payments, REFUSED;
    failed_append_retried: FailedAppendRetried, Payments, REFUSED;
    poison_forgotten: PoisonForgotten, Both, DOUBLED;
    boot_writes_first: BootWritesFirst, Payments, TOUCHED;
    lock_ignored: LockIgnored, Rivals, RESTLESS;
    registry_not_written: RegistryNotWritten, Payments, DOUBLED;
    registry_not_read: RegistryNotRead, Payments, DOUBLED;
    reservation_forgotten: ReservationForgotten, Payments, DOUBLED;
    result_forgotten: ResultForgotten, Ticket, OTHER_RESULT;
    handoff_not_published: HandoffNotPublished, Payments, MISLED;
    checksum_ignored: ChecksumIgnored, Payments, REFUSED;
    mark_ignored: MarkIgnored, Payments, FORGOT;
    mark_runs_ahead: MarkRunsAhead, Payments, REFUSED;
    gap_ignored: GapIgnored, Ticket, OTHER_RESULT;
    absence_kept: AbsenceKept, Payments, DOUBLED;
    attempt_not_shown: AttemptNotShown, Payments, DOUBLED;
    reserved_taken_for_done: ReservedTakenForDone, Letters, LOST;
    not_verified: NotVerified, Payments, DOUBLED;
    absence_believed_early: AbsenceBelievedEarly, Payments, DOUBLED;
    settled_since_reserved: SettledSinceReserved, Payments, DOUBLED;
    unknown_taken_for_absent: UnknownTakenForAbsent, Whispers, DOUBLED;
    error_taken_for_absence: ErrorTakenForAbsence, Payments, DOUBLED;
    retried_unverified: RetriedUnverified, Persistent, DOUBLED;
    person_taken_for_happened: PersonTakenForHappened, Cheques, LOST;
    person_taken_for_absent: PersonTakenForAbsent, Cheques, DOUBLED;
    stopped_run_goes_on: StoppedRunGoesOn, Fallback, ASTRAY;
    other_result_recorded: OtherResultRecorded, Payments, OTHER_RESULT;
    value_not_as_stored: ValueNotAsStored, Receipts, OTHER_RESULT;
    blob_not_synced: BlobNotSynced, Scans, UNREADABLE;
    read_not_recorded: ReadNotRecorded, Ticket, OTHER_RESULT;
    former_key_forgotten: FormerKeyForgotten, Renamed, STUCK;
    uncalled_forgotten: UncalledForgotten, Moved, STUCK;
    rewritten_forgotten: RewrittenForgotten, Padded, DOUBLED;
    same_inputs_forgotten: SameInputsForgotten, Renumbered, DOUBLED;
    token_of_attempt: TokenOfAttempt, Orders, ASTRAY;
    sleep_measured_anew: SleepMeasuredAnew, Nap, OTHER_RESULT;
    word_before_verifier: WordBeforeVerifier, Gossip, DOUBLED;
    answer_consumed: AnswerConsumed, Ballot, OTHER_RESULT;
    cancel_not_synced: CancelNotSynced, Trip, STUCK;
    snapshot_not_synced: SnapshotNotSynced, Archive, REFUSED;
    snapshot_name_not_synced: SnapshotNameNotSynced, Archive, REFUSED;
    turn_decided_anew: TurnDecidedAnew, Rounds, ASTRAY;
    noted_anew: NotedAnew, Diary, OTHER_RESULT;
    withheld_done_again: WithheldDoneAgain, Keys, DOUBLED;
}

#[test]
fn every_broken_protocol_has_the_test_of_its_name() {
    let names: Vec<_> = CAUGHT.iter().map(|(test, _)| test.replace('_', "-")).collect();
    assert_eq!(names, Broken::ALL.iter().map(ToString::to_string).collect::<Vec<_>>());
    assert_eq!(CAUGHT.iter().map(|(_, broken)| *broken).collect::<Vec<_>>(), Broken::ALL);
}

/// Catching is no accident: with nothing broken, the same work holds.
macro_rules! held {
    ($($test:ident: $work:ident asks $keys:expr;)+) => {
        $(#[test]
        fn $test() {
            let report = Work::$work.report();
            report.assert_asks_only(&$keys);
            assert_eq!(report.in_doubt().count(), $keys.len(), "{report}");
        })+
    };
}

held! {
    whole_payments: Payments asks [""; 0];
    whole_letters: Letters asks [""; 0];
    whole_orders: Orders asks [""; 0];
    whole_cheques: Cheques asks ["cheques//cheque/1", "cheques//cheque/2"];
    whole_whispers: Whispers asks ["whispers//whisper"];
    whole_ticket: Ticket asks [""; 0];
    whole_fallback: Fallback asks [""; 0];
    whole_both: Both asks [""; 0];
    whole_persistent: Persistent asks [""; 0];
    whole_receipts: Receipts asks [""; 0];
    whole_scans: Scans asks [""; 0];
    whole_renamed: Renamed asks [""; 0];
    whole_moved: Moved asks [""; 0];
    whole_padded: Padded asks [""; 0];
    whole_renumbered: Renumbered asks [""; 0];
    whole_rivals: Rivals asks [""; 0];
    whole_nap: Nap asks [""; 0];
    whole_gossip: Gossip asks [""; 0];
    whole_ballot: Ballot asks [""; 0];
    whole_trip: Trip asks [""; 0];
    whole_archive: Archive asks [""; 0];
    whole_rounds: Rounds asks [""; 0];
    whole_diary: Diary asks [""; 0];
    whole_keys: Keys asks [""; 0];
}
