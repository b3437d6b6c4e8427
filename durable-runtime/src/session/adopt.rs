//! Going on with a session that is not where it was.

use std::path::Path;

use super::Session;
use crate::core::record::Adopt;
use crate::error::{Error, Kind};

/// Vouches for the session in the directory `dir`, which was moved to another file system, copied, restored from a backup, or
/// found after the machine was started anew though it only promised to survive its process.
///
/// Such a session does not open by itself: another copy of it may have gone on, and done what this one has no record of. From
/// this word on every effect without a record starts in doubt, also one that is `idempotent`: it is verified, or asked about.
///
/// Adopt one copy, and make sure that no other is ever opened again: both have the same id, and send the same tokens.
///
/// `by` and `because` are written without what looks like a secret by its shape, and without the values of environment variables of
/// this process. What the program has named to its [`builder`](crate::SessionBuilder::secrets) is not known here: say them without.
///
/// # Errors
///
/// Fails if `by` or `because` is empty, and wherever [`Session::open`] does.
///
/// # Crash safety
///
/// The word is durable when this returns. A kill in the middle leaves a session that still has to be adopted, or one that is.
///
/// # Examples
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), durable_runtime::Error> {
/// # let dir = tempfile::tempdir().expect("a directory for the example");
/// # let dir = dir.path().join("session");
/// durable_runtime::adopt(&dir, "ada", "restored from the backup of last night; the old disk is gone").await?;
/// # Ok(())
/// # }
/// ```
pub async fn adopt(dir: impl AsRef<Path>, by: &str, because: &str) -> Result<(), Error> {
    if by.trim().is_empty() || because.trim().is_empty() {
        return Err(Kind::NotAdopted { place: dir.as_ref().display().to_string() }.into());
    }
    let adopt = Adopt { by: by.to_owned(), because: because.to_owned() };
    Session::builder(dir).adopting(adopt).open().await?.close().await
}
