//! A world that counts, and sessions in it.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use durable_runtime::Session;
use durable_runtime::store::memory::MemoryStore;
use durable_runtime::testing::ManualClock;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

#[derive(Default)]
pub(super) struct World {
    acts: Mutex<Vec<String>>,
    is_open: AtomicBool,
}

impl World {
    pub(super) fn act(&self, what: &str) -> anyhow::Result<u32> {
        let mut acts = self.acts.lock().unwrap();
        acts.push(what.to_owned());
        Ok(u32::try_from(acts.len())?)
    }

    /// Acts, and its answer is lost on the way.
    pub(super) fn act_unheard(&self, what: &str) -> anyhow::Result<u32> {
        self.act(what)?;
        Err(anyhow::anyhow!("connection reset"))
    }

    pub(super) fn find(&self, what: &str) -> Option<u32> {
        let at = self.acts.lock().unwrap().iter().position(|act| act == what)?;
        u32::try_from(at + 1).ok()
    }

    pub(super) async fn until(&self, what: &str) {
        while self.find(what).is_none() {
            tokio::task::yield_now().await;
        }
    }

    pub(super) fn acts(&self) -> Vec<String> {
        self.acts.lock().unwrap().clone()
    }

    /// Fails in the first start, so that there is a second.
    pub(super) fn last(&self) -> anyhow::Result<()> {
        if self.is_open.swap(true, Ordering::Relaxed) { Ok(()) } else { Err(anyhow::anyhow!("closed")) }
    }
}

/// What can be read back and never written.
#[derive(Debug)]
pub(super) struct Unstorable<T>(pub(super) T);

impl<T> Serialize for Unstorable<T> {
    fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(serde::ser::Error::custom("it cannot be written"))
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Unstorable<T> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::deserialize(deserializer).map(Unstorable)
    }
}

pub(super) async fn open(store: &MemoryStore) -> Session {
    open_at(store, &ManualClock::default()).await
}

/// The next start. What the last one had begun to write may still be on its way.
pub(super) async fn open_at(store: &MemoryStore, clock: &ManualClock) -> Session {
    loop {
        match Session::builder("memory").store(store.clone()).clock(clock.clone()).open().await {
            Err(error) if error.is_locked() => tokio::task::yield_now().await,
            opened => return opened.unwrap(),
        }
    }
}

/// A process that is killed once nothing in it moves any more. Time must be paused.
pub(super) async fn killed<T>(work: impl Future<Output = T>) {
    assert!(tokio::time::timeout(Duration::from_secs(60), work).await.is_err(), "it was to hang");
}

pub(super) async fn hang_if(hangs: bool) {
    if hangs {
        std::future::pending::<()>().await;
    }
}
