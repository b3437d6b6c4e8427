use super::counting::{CountingDisk, Operation};
use super::disk::{Replace, replace};
use super::layout::{HANDOFF, JOURNAL, LOCK, REGISTRY, STATE};
use super::testkit::{boot, note, record, reserve, state};
use super::*;
use crate::core::record::Event;

struct Session {
    directory: tempfile::TempDir,
    disk: CountingDisk<RealDisk>,
}

impl Session {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let disk = CountingDisk::new(RealDisk::new(directory.path().join("session")));
        Self { directory, disk }
    }

    fn store(&self) -> FilesStore {
        FilesStore::on(Arc::new(self.disk.clone()))
    }

    /// A disk that gives an error instead of doing this.
    fn failing(&self, operation: Operation, file: &'static str) -> FilesStore {
        let disk = RealDisk::new(self.directory.path().join("session"));
        let failing = move |call: counting::Call<'_>| {
            let fails = call.operation == operation && call.file == file;
            if fails { Err(io::Error::other("no space")) } else { Ok(()) }
        };
        FilesStore::on(Arc::new(CountingDisk::calling(disk, failing)))
    }

    /// A session that was killed after four reservations, the last result unsynced.
    async fn killed() -> Self {
        let session = Self::new();
        let store = session.store();
        let id = started(&store).await.session.unwrap();
        store.append(&[record(1, boot(id))], Sync::Later).await.unwrap();
        for seq in 2..=5 {
            store.append(&[record(seq, reserve(&format!("pay_{seq}")))], Sync::Now).await.unwrap();
        }
        store.append(&[record(6, note("unsynced"))], Sync::Later).await.unwrap();
        session
    }

    fn syncs(&self) -> u64 {
        self.disk.count(Operation::Sync, JOURNAL)
    }

    fn registry(&self) -> Vec<String> {
        serde_json::from_slice(&self.disk.read(REGISTRY).unwrap()).unwrap()
    }

    /// Every file with its content.
    fn content(&self) -> Vec<Option<Vec<u8>>> {
        [JOURNAL, REGISTRY, STATE, HANDOFF, LOCK].map(|name| self.disk.read(name).ok()).into()
    }
}

async fn started(store: &FilesStore) -> Opened {
    let opened = opened(store).await.unwrap();
    store.repair().await.unwrap();
    opened
}

async fn opened(store: &FilesStore) -> Result<Opened, StoreError> {
    store.open(Box::new(|_| {})).await
}

/// Opens it, and gives its records.
async fn read(store: &FilesStore) -> Vec<Record> {
    let (send, records) = std::sync::mpsc::channel();
    let reader = move |all: &mut dyn Iterator<Item = Record>| all.for_each(|record| send.send(record).unwrap());
    store.open(Box::new(reader)).await.unwrap();
    records.iter().collect()
}

#[tokio::test]
async fn a_thousand_steps_on_a_fresh_session_cost_a_thousand_and_one_syncs() {
    let session = Session::new();
    let store = session.store();
    let id = started(&store).await.session.unwrap();
    store.append(&[record(1, boot(id))], Sync::Later).await.unwrap();
    for step in 0..1_000 {
        let seq = 2 + 2 * step;
        store.append(&[record(seq, reserve(&format!("pay/{step}")))], Sync::Now).await.unwrap();
        store.append(&[record(seq + 1, note("done"))], Sync::Later).await.unwrap();
    }
    store.append(&[record(2_002, note("end"))], Sync::Now).await.unwrap();
    assert_eq!(session.syncs(), 1_001);
    assert_eq!(session.registry().len(), 1_000);
}

#[tokio::test]
async fn a_killed_session_is_found_whole_and_its_unsynced_end_is_made_durable() {
    let session = Session::killed().await;
    let (before, syncs) = (session.content(), session.syncs());
    let store = session.store();
    let opened = opened(&store).await.unwrap();
    assert_eq!((opened.last, opened.durable, opened.torn), (6, 5, None));
    assert_eq!((opened.unlogged.len(), session.registry().len()), (0, 4));
    assert_eq!(opened.tail.len(), 6);
    assert_eq!((session.content(), session.syncs()), (before.clone(), syncs));
    store.repair().await.unwrap();
    assert_eq!((session.content(), session.syncs()), (before, syncs + 1));
    assert_eq!(session.disk.count(Operation::WriteAt, JOURNAL), 1);
}

#[tokio::test]
async fn a_torn_tail_is_cut_before_the_next_record() {
    let session = Session::killed().await;
    session.disk.append(JOURNAL, b"{\"t\":\"19").unwrap();
    let store = session.store();
    let opened = started(&store).await;
    assert_eq!(opened.torn.map(|torn| (torn.bytes, torn.line)), Some((8, 7)));
    store.append(&[record(7, note("behind"))], Sync::Now).await.unwrap();
    drop(store);
    assert_eq!(started(&session.store()).await.last, 7);
}

#[tokio::test]
async fn a_damaged_log_is_refused_and_nothing_is_changed() {
    let session = Session::killed().await;
    session.disk.write_at(JOURNAL, 40, b"#").unwrap();
    let before = session.content();
    let store = session.store();
    assert!(matches!(opened(&store).await, Err(StoreError::Damaged(damage)) if damage.line == Some(1)));
    assert_eq!(session.content(), before);
    assert!(matches!(store.repair().await, Err(StoreError::Io { .. })));
}

#[tokio::test]
async fn a_held_session_is_refused_at_once_with_its_holder() {
    let session = Session::killed().await;
    let store = session.store();
    started(&store).await;
    store.publish_state(&state(5)).await.unwrap();
    let before = session.content();
    let second = opened(&session.store()).await;
    assert!(matches!(second, Err(StoreError::Busy { holder: Some(holder) }) if holder.starts_with("process 42")));
    session.disk.remove(LOCK).unwrap();
    assert!(matches!(opened(&session.store()).await, Err(StoreError::Busy { .. })));
    assert_eq!(session.content()[..4], before[..4]);
}

#[tokio::test]
async fn a_session_that_is_let_go_writes_nothing_more() {
    let session = Session::killed().await;
    let store = session.store();
    started(&store).await;
    store.release();
    let before = session.content();
    assert!(store.append(&[record(7, note("late"))], Sync::Now).await.is_err());
    assert!(store.publish_handoff("late", Publish::InPlace).await.is_err());
    assert_eq!(session.content(), before);
    started(&session.store()).await;
}

#[tokio::test]
async fn a_deleted_log_is_numbered_on_and_found_again() {
    let session = Session::killed().await;
    let store = session.store();
    let id = started(&store).await.session.unwrap();
    store.publish_state(&state_of(id, 6)).await.unwrap();
    drop(store);
    session.disk.remove(JOURNAL).unwrap();
    let store = session.store();
    let opened = started(&store).await;
    assert_eq!((opened.first, opened.durable, opened.unlogged.len()), (None, 6, 4));
    assert!(store.append(&[record(6, boot(id))], Sync::Now).await.is_err(), "a number that was synced once");
    store.append(&[record(7, boot(id)), record(8, reserve("pay_6"))], Sync::Now).await.unwrap();
    drop(store);
    let opened = started(&session.store()).await;
    assert_eq!((opened.first, opened.last, opened.unlogged.len()), (Some(7), 8, 4));
    assert_eq!(session.registry().len(), 5);
}

fn state_of(id: uuid::Uuid, synced: u64) -> StateView {
    let mut state = state(synced);
    state.durable.session = id;
    state
}

#[tokio::test]
async fn a_failed_sync_poisons_the_log_and_is_never_tried_again() {
    let session = Session::killed().await;
    let store = session.failing(Operation::Sync, JOURNAL);
    opened(&store).await.unwrap();
    assert!(store.repair().await.is_err());
    let session = Session::new();
    let store = session.failing(Operation::Sync, JOURNAL);
    let id = started(&store).await.session.unwrap();
    store.append(&[record(1, boot(id))], Sync::Later).await.unwrap();
    let first = store.append(&[record(2, reserve("pay"))], Sync::Now).await.unwrap_err();
    let second = store.append(&[record(3, note("x"))], Sync::Later).await.unwrap_err();
    assert_eq!(first.to_string(), "sync journal.jsonl: no space");
    assert_eq!(second.to_string(), first.to_string());
    assert_eq!(session.registry(), Vec::<String>::new());
}

#[tokio::test]
async fn a_view_that_cannot_be_written_poisons_nothing() {
    let session = Session::killed().await;
    let store = session.failing(Operation::Rename, STATE);
    started(&store).await;
    assert!(store.publish_state(&state(5)).await.is_err());
    store.append(&[record(7, note("goes on"))], Sync::Now).await.unwrap();
}

#[tokio::test]
async fn what_cannot_be_read_is_never_a_first_session() {
    let session = Session::killed().await;
    for name in [LOCK, JOURNAL, REGISTRY, STATE, HANDOFF] {
        let refused = opened(&session.failing(Operation::Read, name)).await;
        assert!(matches!(refused, Err(StoreError::Io { .. })), "{name}");
    }
}

#[tokio::test]
async fn records_that_do_not_follow_are_refused_unwritten() {
    let session = Session::killed().await;
    let store = session.store();
    started(&store).await;
    for seq in [1, 6] {
        assert!(store.append(&[record(seq, note("x"))], Sync::Now).await.is_err());
    }
    store.append(&[record(7, note("x"))], Sync::Now).await.unwrap();
    assert!(store.append(&[record(9, note("x"))], Sync::Now).await.is_err());
    store.append(&[record(8, note("x"))], Sync::Now).await.unwrap();
}

#[tokio::test]
async fn a_registry_that_was_killed_before_its_key_is_completed() {
    let session = Session::killed().await;
    replace(&session.disk, REGISTRY, b"[\"pay_2\", \"pay_3\", \"pay_4\"]", Replace::Unsynced).unwrap();
    let store = session.store();
    started(&store).await;
    assert_eq!(session.registry(), ["pay_2", "pay_3", "pay_4", "pay_5"]);
}

#[tokio::test]
async fn temporary_files_of_a_kill_are_removed() {
    let session = Session::killed().await;
    for name in ["state.json.tmp", "handoff.md.tmp", "idempotency.json.tmp"] {
        session.disk.create(name, b"half").unwrap();
    }
    let store = session.store();
    opened(&store).await.unwrap();
    assert!(session.disk.read("state.json.tmp").is_ok());
    store.repair().await.unwrap();
    assert!(session.disk.read("state.json.tmp").is_err());
}

#[tokio::test]
async fn a_process_safe_session_never_syncs_and_a_power_safe_boot_syncs_all_of_it() {
    let session = Session::new();
    let store = session.store().durability(Durability::ProcessSafe);
    let id = started(&store).await.session.unwrap();
    let mut first = boot(id);
    first.durability = Durability::ProcessSafe.as_str().to_owned();
    store.append(&[record(1, first), record(2, reserve("pay"))], Sync::Now).await.unwrap();
    store.append(&[record(3, note("x"))], Sync::Now).await.unwrap();
    assert_eq!((session.syncs(), session.registry()), (0, vec!["pay".to_owned()]));
    drop(store);
    let len = session.disk.read(JOURNAL).unwrap().len();
    let opened = started(&session.store()).await;
    assert_eq!((opened.durable, session.syncs()), (2, 1));
    assert_eq!(session.disk.count(Operation::WriteAt, JOURNAL), 1);
    assert_eq!(session.disk.read(JOURNAL).unwrap().len(), len);
}

#[tokio::test]
async fn a_handoff_in_place_is_one_write_and_as_short_as_it_can_be() {
    let session = Session::killed().await;
    let store = session.store();
    started(&store).await;
    store.publish_handoff("# Handoff\n", Publish::Renamed).await.unwrap();
    assert_eq!(session.disk.read(HANDOFF).unwrap(), b"# Handoff\n");
    let writes = session.disk.count(Operation::WriteAt, HANDOFF);
    store.publish_handoff("# Newer\n", Publish::InPlace).await.unwrap();
    store.publish_handoff("# New\n", Publish::InPlace).await.unwrap();
    assert_eq!(session.disk.count(Operation::WriteAt, HANDOFF), writes + 2);
    assert_eq!(session.disk.read(HANDOFF).unwrap(), b"# New\n   \n");
    drop(store);
    assert_eq!(opened(&session.store()).await.unwrap().handoff.as_deref(), Some("# New\n"));
}

/// What a session does in its life, until the disk dies. Returns the keys whose effects were allowed to start.
async fn live(store: &FilesStore) -> Vec<String> {
    let mut started = Vec::new();
    let _: Result<(), StoreError> = async {
        let opened = opened(store).await?;
        store.repair().await?;
        let id = opened.session.unwrap();
        let first = opened.last + 1;
        store.append(&[record(first, boot(id))], Sync::Later).await?;
        store.publish_handoff("boot\n", Publish::Renamed).await?;
        for step in 0..3 {
            let seq = first + 1 + 2 * step;
            let key = format!("pay/{seq}");
            store.append(&[record(seq, reserve(&key))], Sync::Now).await?;
            store.publish_handoff("verify\n", Publish::InPlace).await?;
            started.push(key);
            store.append(&[record(seq + 1, note("done"))], Sync::Later).await?;
            store.publish_state(&state_of(id, seq)).await?;
        }
        Ok(())
    }
    .await;
    started
}

#[tokio::test]
async fn a_session_killed_before_any_operation_knows_every_effect_that_started() {
    for killed_at in 0.. {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().join("session");
        let dies = move |call: counting::Call<'_>| {
            if call.number >= killed_at { Err(io::Error::other("killed")) } else { Ok(()) }
        };
        let disk = CountingDisk::calling(RealDisk::new(&root), dies);
        let mut started = live(&FilesStore::on(Arc::new(disk.clone()))).await;
        // The second life may be killed too: in the middle of a recovery.
        let again = CountingDisk::calling(RealDisk::new(&root), dies);
        started.extend(live(&FilesStore::on(Arc::new(again))).await);

        let records = read(&FilesStore::new(&root)).await;
        let key = |record: &Record| match &record.event {
            Event::Reserve(reserve) => Some(reserve.key.to_string()),
            _ => None,
        };
        let known: Vec<_> = records.iter().filter_map(key).collect();
        assert!(started.iter().all(|key| known.contains(key)), "killed at {killed_at}");
        if disk.total() <= killed_at {
            return;
        }
    }
}

#[tokio::test]
async fn a_directory_of_another_machine_is_refused_before_anything_is_made_unless_it_is_allowed() {
    let session = Session::new();
    for kind in ["nfs4", "cifs"] {
        let elsewhere = || FilesStore::on(Arc::new(session.disk.clone().on_network(kind)));
        let refused = opened(&elsewhere()).await.unwrap_err().to_string();
        for words in [kind, "may grant its lock twice", "allow_network_file_system()"] {
            assert!(refused.contains(words), "{refused}");
        }
        assert_eq!(session.disk.total(), 0, "nothing was touched");
    }
    let allowed = FilesStore::on(Arc::new(session.disk.clone().on_network("nfs4"))).allow_network_file_system();
    started(&allowed).await;
}
