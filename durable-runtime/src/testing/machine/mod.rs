//! A machine that can be killed, lose its power, and be started again: a disk in memory, and what befalls whoever uses
//! it.

#[cfg(feature = "__broken")]
pub(crate) mod broken;
mod content;
mod control;
mod disk;
pub(crate) mod images;
mod storage;
pub(crate) mod trace;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

pub(crate) use content::Content;
pub(crate) use control::Control;
pub(crate) use disk::SimulatedDisk;
pub(crate) use storage::Storage;
use trace::Traced;

use super::story::Plan;
use crate::store::files::Operation;

/// A disk, and the process that uses it.
#[derive(Debug, Default)]
pub(crate) struct Machine {
    pub(crate) control: Arc<Control>,
    storage: Mutex<Storage>,
    trace: Mutex<Option<Vec<Traced>>>,
    locks: Mutex<disk::Locks>,
}

impl Machine {
    /// A machine with this disk.
    pub(crate) fn with(storage: Storage) -> Arc<Self> {
        Arc::new(Self { storage: Mutex::new(storage), ..Self::default() })
    }

    /// The machine that this process runs on, and which it ends with `dies` where its plan says so.
    pub(crate) fn real(dies: fn()) -> Arc<Self> {
        let machine = Self { control: Arc::new(Control::of_this_process(dies)), ..Self::default() };
        *machine.trace() = Some(Vec::new());
        Arc::new(machine)
    }

    /// A real disk is about to be asked for something.
    pub(crate) fn before(&self, operation: Operation, file: String) {
        let (number, _) = self.control.operation(operation);
        if let Some(trace) = self.trace().as_mut() {
            trace.push(Traced::operation(number, operation, file, &[]));
        }
    }

    /// A new process begins; the locks of the last one are gone.
    pub(crate) fn begin(&self, plan: Option<Plan>, seed: u64) {
        self.control.begin(plan, seed);
        *self.locks.lock().unwrap_or_else(PoisonError::into_inner) = disk::Locks::default();
    }

    /// How long a request of the running step may be on its way: the shortest `settle` of the open reservations.
    pub(crate) fn settle(&self) -> Option<Duration> {
        let storage = self.storage();
        let mut open = BTreeMap::new();
        for (_, name, content) in storage.visible() {
            for said in if name.ends_with(".jsonl") { trace::said(content) } else { Vec::new() } {
                match said.action.as_str() {
                    "reserve" => open.insert(said.key, said.settle_ms),
                    "done" => open.remove(&said.key),
                    _ => None,
                };
            }
        }
        open.into_values().flatten().min().map(Duration::from_millis)
    }

    /// The disk.
    pub(crate) fn storage(&self) -> MutexGuard<'_, Storage> {
        self.storage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What was done since tracing began, if it has.
    pub(crate) fn trace(&self) -> MutexGuard<'_, Option<Vec<Traced>>> {
        self.trace.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
