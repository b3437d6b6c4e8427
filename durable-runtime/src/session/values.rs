//! Values on their way to the log and back: how large they may be, and where large ones are kept.

use super::commit::Shared;
use crate::core::record::{APART_FROM, Kept, Stored};
use crate::store::StoreError;

/// How large a value may be, if nobody says otherwise: in bytes, as it is stored.
pub(super) const MAX_VALUE: usize = 256 * 1024 * 1024;

impl Shared {
    /// The value, if the session takes one of its size.
    pub(super) fn fitting(&self, value: Stored) -> Result<Stored, String> {
        match (value.get().len(), self.settings.max_value) {
            (size, limit) if size > limit => {
                Err(format!("it takes {size} bytes as it is stored, and `max_value` of this session is {limit}"))
            }
            _ => Ok(value),
        }
    }

    /// The value as a record may hold it: a large one is kept apart, and durable before the record is made.
    pub(super) async fn set_apart(&self, value: Stored) -> Result<Stored, StoreError> {
        if value.get().len() > APART_FROM { self.store.set_apart(value).await } else { Ok(value) }
    }

    /// A result that the log has.
    pub(super) async fn recall(&self, result: &Kept) -> Result<Stored, StoreError> {
        match result {
            Kept::Here(value) => self.fetch(value).await,
            Kept::InRecord(seq) => self.fetch(&self.store.recall(*seq).await?).await,
        }
    }

    /// The value itself, of what a record holds. It is not kept: memory does not grow with what was recorded.
    pub(super) async fn fetch(&self, value: &Stored) -> Result<Stored, StoreError> {
        match value.apart() {
            Some(apart) => self.store.fetch(apart).await,
            None => Ok(value.clone()),
        }
    }
}
