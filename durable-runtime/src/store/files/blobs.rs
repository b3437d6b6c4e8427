//! Values that are too large for a line of the log: one file each, durable before the record that names it.
//!
//! A file is named after what it holds, so the name is its checksum, and whatever a crash has left under a name is either
//! that or is written over.

use std::io::ErrorKind;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::value::RawValue;
use uuid::Uuid;

use super::disk::{Disk, remove_leftover};
use super::failed;
use super::layout::{BLOBS, temporary};
use crate::core::record::{APART_FROM, Apart, Stored};
use crate::store::{Damage, StoreError};

/// The values of a held session that are kept apart.
pub(super) struct Blobs {
    disk: Arc<dyn Disk>,
    session: Uuid,
    /// Held by whoever writes, for two may write the same value at once; whether the directory is known to be there.
    is_made: Mutex<bool>,
}

impl Blobs {
    pub(super) fn new(disk: Arc<dyn Disk>, session: Uuid) -> Self {
        Self { disk, session, is_made: Mutex::new(false) }
    }

    /// Whether a value is kept apart.
    pub(super) fn takes(value: &Stored) -> bool {
        value.apart().is_none() && value.get().len() > APART_FROM
    }

    /// Makes the value durable, whatever the session's durability is: no later boot would sync it.
    pub(super) fn put(&self, value: &Stored) -> Result<Stored, StoreError> {
        let text = value.get();
        let name = Uuid::new_v5(&self.session, text.as_bytes());
        let file = path(name);
        let mut is_made = self.is_made.lock().unwrap_or_else(PoisonError::into_inner);
        if !*is_made {
            self.disk.create_inner(BLOBS).map_err(failed("create", BLOBS))?;
            self.disk.sync_dir().map_err(failed("sync the directory of", BLOBS))?;
            *is_made = true;
        }
        self.write(&file, text.as_bytes()).map_err(failed("write", &file))?;
        let stands_for_it = Stored::set_apart(Apart { name, len: text.len() as u64 });
        stands_for_it.map_err(|error| failed("name", &file)(error.into()))
    }

    fn write(&self, file: &str, bytes: &[u8]) -> std::io::Result<()> {
        let temporary = temporary(file);
        remove_leftover(&*self.disk, &temporary)?;
        self.disk.create(&temporary, bytes)?;
        self.disk.sync(&temporary)?;
        self.disk.rename(&temporary, file)?;
        self.disk.sync_inner(BLOBS)
    }

    /// Reads a value, and believes it only if it is what was written.
    pub(super) fn get(&self, apart: Apart) -> Result<Stored, StoreError> {
        let file = path(apart.name);
        let damaged = |what: &str| {
            let what = format!("it {what}; put back a copy that holds what was recorded");
            StoreError::Damaged(Damage { file: file.clone(), line: None, key: None, what })
        };
        // What has grown is not read: it may be larger than memory.
        let read = self.disk.identity(&file).and_then(|found| match found.len == apart.len {
            true => self.disk.read(&file).map(Some),
            false => Ok(None),
        });
        let bytes = match read {
            Ok(Some(bytes)) => bytes,
            Ok(None) => return Err(damaged("is not what was recorded")),
            Err(error) if error.kind() == ErrorKind::NotFound => return Err(damaged("is missing")),
            Err(error) => return Err(failed("read", &file)(error)),
        };
        if bytes.len() as u64 != apart.len || Uuid::new_v5(&self.session, &bytes) != apart.name {
            return Err(damaged("is not what was recorded"));
        }
        let json = String::from_utf8(bytes).ok().and_then(|text| RawValue::from_string(text).ok());
        json.and_then(Stored::written).ok_or_else(|| damaged("is no value"))
    }
}

fn path(name: Uuid) -> String {
    format!("{BLOBS}/{name}")
}

#[cfg(test)]
mod tests;
