//! A session in memory, for documentation and tests.

use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use uuid::Uuid;

use super::{Opened, Pending, Posted, Publish, Reader, Store, StoreError, Sync};
use crate::core::compact;
use crate::core::record::{Event, Record, Stored};
use crate::core::view::StateView;

/// Keeps a session as long as one handle to it lives. A clone is another handle to the same session: one at a time can
/// hold it, and dropping that one gives it free, as the death of a process does.
#[derive(Debug)]
pub struct MemoryStore {
    shared: Arc<Mutex<Shared>>,
    holds: AtomicBool,
}

#[derive(Debug)]
struct Shared {
    session: Uuid,
    held: bool,
    records: Vec<Record>,
    durable: u64,
    registry: Vec<String>,
    state: Option<StateView>,
    handoff: Option<String>,
    inbox: BTreeMap<Uuid, String>,
}

impl MemoryStore {
    /// A new session.
    pub fn new() -> Self {
        let shared = Shared {
            session: Uuid::new_v4(),
            held: false,
            records: Vec::new(),
            durable: 0,
            registry: Vec::new(),
            state: None,
            handoff: None,
            inbox: BTreeMap::new(),
        };
        Self { shared: Arc::new(Mutex::new(shared)), holds: AtomicBool::new(false) }
    }

    /// The log.
    pub fn records(&self) -> Vec<Record> {
        self.shared().records.clone()
    }

    /// The handoff that was published last.
    pub fn handoff(&self) -> Option<String> {
        self.shared().handoff.clone()
    }

    /// The state that was published last.
    pub fn state(&self) -> Option<StateView> {
        self.shared().state.clone()
    }

    /// The session, for the handle that holds it.
    fn held(&self) -> Result<MutexGuard<'_, Shared>, StoreError> {
        if self.holds.load(Ordering::Acquire) {
            return Ok(self.shared());
        }
        Err(StoreError::io("use memory", io::Error::other("the session is not open")))
    }

    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new()
    }
}

impl Clone for MemoryStore {
    fn clone(&self) -> Self {
        Self { shared: Arc::clone(&self.shared), holds: AtomicBool::new(false) }
    }
}

impl Drop for MemoryStore {
    fn drop(&mut self) {
        self.release();
    }
}

impl Store for MemoryStore {
    fn open(&self, reader: Reader) -> Pending<'_, Result<Opened, StoreError>> {
        Box::pin(async move {
            let mut shared = self.shared();
            if std::mem::replace(&mut shared.held, true) {
                return Err(StoreError::Busy { holder: Some("this process".to_owned()) });
            }
            self.holds.store(true, Ordering::Release);
            reader(&mut shared.records.clone().into_iter());
            Ok(shared.opened())
        })
    }

    fn peek(&self, reader: Reader) -> Pending<'_, Result<(), StoreError>> {
        let records = self.records();
        Box::pin(async move {
            reader(&mut records.into_iter());
            Ok(())
        })
    }

    fn repair(&self) -> Pending<'_, Result<(), StoreError>> {
        Box::pin(async move {
            self.held()?.sync();
            Ok(())
        })
    }

    fn append<'a>(&'a self, records: &'a [Record], sync: Sync) -> Pending<'a, Result<(), StoreError>> {
        Box::pin(async move {
            // As with a disk, others come to their turn meanwhile: what only works without is found here.
            tokio::task::yield_now().await;
            let mut shared = self.held()?;
            shared.records.extend_from_slice(records);
            if sync != Sync::Later {
                shared.sync();
            }
            Ok(())
        })
    }

    fn recall(&self, seq: u64) -> Pending<'_, Result<Stored, StoreError>> {
        Box::pin(async move {
            let shared = self.held()?;
            let found = shared.records.iter().find(|record| record.seq == seq && record.event.result().is_some());
            let missing = || StoreError::io(format!("recall record {seq}"), io::ErrorKind::NotFound.into());
            found.and_then(|record| record.event.result()).cloned().ok_or_else(missing)
        })
    }

    fn compact(&self) -> Pending<'_, Result<bool, StoreError>> {
        Box::pin(async move {
            let mut shared = self.held()?;
            shared.sync();
            let lost =
                |what| StoreError::io(format!("shrink the log without losing {what}"), io::ErrorKind::Other.into());
            let kept = compact::shrunk(&shared.records).map_err(lost)?;
            if kept.is_empty() {
                return Ok(false);
            }
            shared.records = kept;
            Ok(true)
        })
    }

    fn publish_handoff<'a>(&'a self, text: &'a str, _: Publish) -> Pending<'a, Result<(), StoreError>> {
        Box::pin(async move {
            self.held()?.handoff = Some(text.to_owned());
            Ok(())
        })
    }

    fn publish_state<'a>(&'a self, state: &'a StateView) -> Pending<'a, Result<(), StoreError>> {
        Box::pin(async move {
            self.held()?.state = Some(state.clone());
            Ok(())
        })
    }

    fn post<'a>(&'a self, id: Uuid, text: &'a str) -> Pending<'a, Result<(), StoreError>> {
        self.shared().inbox.insert(id, text.to_owned());
        Box::pin(std::future::ready(Ok(())))
    }

    fn take<'a>(&'a self, logged: &'a [Uuid]) -> Pending<'a, Result<Vec<Posted>, StoreError>> {
        Box::pin(async move {
            let mut shared = if logged.is_empty() { self.shared() } else { self.held()? };
            shared.inbox.retain(|id, _| !logged.contains(id));
            let posted = |(&id, text): (&Uuid, &String)| Posted { name: id.to_string(), id, text: Ok(text.clone()) };
            Ok(shared.inbox.iter().map(posted).collect())
        })
    }

    fn release(&self) {
        if self.holds.swap(false, Ordering::AcqRel) {
            self.shared().held = false;
        }
    }

    fn place(&self) -> String {
        "memory".to_owned()
    }
}

impl Shared {
    fn opened(&self) -> Opened {
        Opened {
            session: Some(self.session),
            first: self.records.first().map(|record| record.seq),
            last: self.records.last().map_or(0, |record| record.seq),
            durable: self.durable,
            unlogged: Vec::new(),
            place: None,
            exposed: Vec::new(),
            state: self.state.clone(),
            handoff: self.handoff.clone(),
            torn: None,
            tail: Vec::new(),
        }
    }

    /// Takes all that was appended for synced, and its keys into the registry.
    fn sync(&mut self) {
        let durable = self.durable;
        for record in self.records.iter().filter(|record| record.seq > durable) {
            self.durable = record.seq;
            if let Event::Reserve(reserve) = &record.event
                && !self.registry.iter().any(|key| *key == *reserve.key)
            {
                self.registry.push(reserve.key.to_string());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::record::Mark;
    use crate::core::time::Timestamp;

    fn record(seq: u64) -> Record {
        Record { seq, epoch: 1, at: Timestamp::from_millis(0), event: Mark {}.into() }
    }

    #[tokio::test]
    async fn a_dropped_session_is_opened_again_with_its_records() {
        let store = MemoryStore::new();
        let first = store.clone();
        first.open(Box::new(|_| {})).await.unwrap();
        first.append(&[record(1), record(2)], Sync::Later).await.unwrap();
        assert!(matches!(store.open(Box::new(|_| {})).await, Err(StoreError::Busy { .. })));
        drop(first);
        let opened = store.open(Box::new(|records| assert_eq!(records.count(), 2))).await.unwrap();
        assert_eq!((opened.last, opened.durable), (2, 0));
    }
}
