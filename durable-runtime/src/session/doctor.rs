//! What is wrong with a session, and what of it can be put right.

use std::fmt;
use std::path::Path;

use crate::error::{Error, Kind};
use crate::store::files::{Examined, FilesStore, Finding, Remedy};
use crate::store::{Store as _, StoreError};

/// Looks at the session in the directory `dir`, as a boot would, and changes nothing. It holds the session until the diagnosis is
/// dropped.
///
/// # Errors
///
/// Fails if another process holds the session, or if the disk refuses. That a session is damaged is no error here.
///
/// # Examples
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), durable_runtime::Error> {
/// # let dir = tempfile::tempdir().expect("a directory for the example");
/// # let dir = dir.path().join("session");
/// # durable_runtime::Session::open(&dir).await?.close().await?;
/// let diagnosis = durable_runtime::doctor(&dir).await?;
/// println!("{diagnosis}");
/// if diagnosis.is_repairable() {
///     for original in diagnosis.repair().await? {
///         println!("the original is kept as {original}");
///     }
/// }
/// # Ok(())
/// # }
/// ```
pub async fn doctor(dir: impl AsRef<Path>) -> Result<Diagnosis, Error> {
    let store = FilesStore::new(dir.as_ref());
    let place = store.place();
    match store.examine().await {
        Ok(examined) => Ok(Diagnosis { place, examined }),
        Err(source) => Err(Kind::Open { place, source }.into()),
    }
}

/// What was found. Made by [`doctor`].
pub struct Diagnosis {
    place: String,
    examined: Examined,
}

impl Diagnosis {
    /// Everything that is not as a session leaves it.
    pub fn findings(&self) -> &[Finding] {
        self.examined.findings()
    }

    /// Whether the session opens as it is: nothing of it needs a repair or a person.
    pub fn opens(&self) -> bool {
        let needs_nobody = |finding: &Finding| matches!(finding.remedy, Remedy::None | Remedy::Boot(_));
        self.findings().iter().all(needs_nobody)
    }

    /// Whether [`repair`](Self::repair) would do anything.
    pub fn is_repairable(&self) -> bool {
        self.findings().iter().any(|finding| matches!(finding.remedy, Remedy::Repair(_)))
    }

    /// Puts right what it is provable for that nothing is lost, and leaves the rest. Gives the names, in the directory, under
    /// which the originals lie from now on: nothing is deleted.
    ///
    /// # Errors
    ///
    /// Fails if the disk refuses.
    ///
    /// # Crash safety
    ///
    /// The original is durable under its other name before a new content takes the old one, in one step. A kill in between leaves
    /// what was there, and perhaps a copy of it.
    pub async fn repair(self) -> Result<Vec<String>, Error> {
        let Self { place, examined } = self;
        let repaired = tokio::task::spawn_blocking(move || examined.repair()).await;
        let gone = |error| StoreError::io("repair", std::io::Error::other(error));
        repaired.unwrap_or_else(|error| Err(gone(error))).map_err(|source| Kind::NotWritten { place, source }.into())
    }
}

impl fmt::Display for Diagnosis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "session `{}`:", self.place)?;
        if self.findings().is_empty() {
            writeln!(f, "- everything is in order")?;
        }
        self.findings().iter().try_for_each(|finding| writeln!(f, "- {finding}"))
    }
}

impl fmt::Debug for Diagnosis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Diagnosis").field("place", &self.place).field("findings", &self.findings()).finish()
    }
}
