//! A store of which a kill leaves what was written before it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use durable_runtime::core::record::{Record, Stored};
use durable_runtime::core::view::StateView;
use durable_runtime::store::memory::MemoryStore;
use durable_runtime::store::{Opened, Pending, Posted, Publish, Reader, Store, StoreError, Sync};

/// The store of one process. Once that is dead, nothing of it is written any more: a kill runs no `Drop`.
pub(super) struct Mortal {
    store: MemoryStore,
    dead: Arc<AtomicBool>,
}

impl Mortal {
    pub(super) fn new(store: &MemoryStore, dead: &Arc<AtomicBool>) -> Self {
        Self { store: store.clone(), dead: Arc::clone(dead) }
    }

    fn alive<'a, T: 'a>(&self, write: Pending<'a, T>) -> Pending<'a, T> {
        if self.dead.load(Ordering::Relaxed) { Box::pin(std::future::pending()) } else { write }
    }
}

impl Store for Mortal {
    fn open(&self, reader: Reader) -> Pending<'_, Result<Opened, StoreError>> {
        self.store.open(reader)
    }

    fn peek(&self, reader: Reader) -> Pending<'_, Result<(), StoreError>> {
        self.store.peek(reader)
    }

    fn repair(&self) -> Pending<'_, Result<(), StoreError>> {
        self.store.repair()
    }

    fn append<'a>(&'a self, records: &'a [Record], sync: Sync) -> Pending<'a, Result<(), StoreError>> {
        self.alive(self.store.append(records, sync))
    }

    fn recall(&self, seq: u64) -> Pending<'_, Result<Stored, StoreError>> {
        self.store.recall(seq)
    }

    fn publish_handoff<'a>(&'a self, text: &'a str, how: Publish) -> Pending<'a, Result<(), StoreError>> {
        self.alive(self.store.publish_handoff(text, how))
    }

    fn publish_state<'a>(&'a self, state: &'a StateView) -> Pending<'a, Result<(), StoreError>> {
        self.alive(self.store.publish_state(state))
    }

    fn post<'a>(&'a self, id: uuid::Uuid, text: &'a str) -> Pending<'a, Result<(), StoreError>> {
        self.store.post(id, text)
    }

    fn take<'a>(&'a self, logged: &'a [uuid::Uuid]) -> Pending<'a, Result<Vec<Posted>, StoreError>> {
        self.alive(self.store.take(logged))
    }

    fn release(&self) {
        self.store.release();
    }

    fn place(&self) -> String {
        self.store.place()
    }
}
