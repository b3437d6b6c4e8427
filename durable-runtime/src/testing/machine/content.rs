//! What a file holds: shared by all images that hold the same, and hashed once.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

/// The bytes of a file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Content(Arc<Body>);

#[derive(Debug, Default)]
struct Body {
    bytes: Vec<u8>,
    hash: OnceLock<u64>,
}

impl Content {
    /// Changes the bytes, for this handle only.
    pub(super) fn edit(&mut self, change: impl FnOnce(&mut Vec<u8>)) {
        if let Some(body) = Arc::get_mut(&mut self.0) {
            change(&mut body.bytes);
            body.hash.take();
        } else {
            let mut bytes = self.0.bytes.clone();
            change(&mut bytes);
            *self = bytes.into();
        }
    }

    /// The same for the same bytes.
    pub(super) fn digest(&self) -> u64 {
        *self.0.hash.get_or_init(|| {
            let mut hasher = DefaultHasher::new();
            hasher.write(&self.0.bytes);
            hasher.finish()
        })
    }
}

impl From<Vec<u8>> for Content {
    fn from(bytes: Vec<u8>) -> Self {
        Self(Arc::new(Body { bytes, hash: OnceLock::new() }))
    }
}

impl Deref for Content {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0.bytes
    }
}

impl Hash for Content {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.digest().hash(state);
    }
}

impl PartialEq for Content {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || **self == **other
    }
}
