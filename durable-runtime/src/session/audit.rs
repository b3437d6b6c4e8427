//! The audit of a session: its log and its files, against the checklist of the protocol.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::{post, secrets};
use crate::clock::pause;
use crate::core::audit::{Audit, Beside, Course, Told, made_from};
use crate::core::record::Record;
use crate::core::secrets::Secrets;
use crate::error::{Error, Kind};
use crate::session::boot;
use crate::store::files::{FilesStore, Survey};
use crate::store::{Store as _, StoreError};

/// How long a worker may take from a reservation to its views.
const VIEWS: Duration = Duration::from_millis(200);

/// How often a session is looked at in which something is amiss: a worker may be about to mend it.
const LOOKS: usize = 5;

/// Checks what the session in the directory `dir` has left against the protocol's checklist, line by line: that every effect was
/// reserved under a key of its own, that journal and registry agree, that the anchors are there, that checkpoints, handoff and
/// state are as they should be, and that no file holds a secret.
///
/// It takes no lock and changes nothing, so a worker may hold the session meanwhile: the files are held against the log as it was
/// before them and as it is behind them. What a kill leaves and the next boot mends fails its line all the same, which says so.
/// Secrets are what [`Secrets::new`] says; see [`Audit`] for what is found.
///
/// # Errors
///
/// Fails if there is no session in `dir`, if it is one that a start would refuse, because it is damaged, was moved or is of a newer
/// version (ask [`doctor`](crate::doctor())), or if the disk refuses. That a line of the checklist does not hold is no error.
///
/// # Examples
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), durable_runtime::Error> {
/// # let dir = tempfile::tempdir().expect("a directory for the example");
/// # let dir = dir.path().join("session");
/// # durable_runtime::Session::open(&dir).await?.close().await?;
/// let audit = durable_runtime::audit(&dir).await?;
/// println!("{audit}");
/// assert!(audit.holds());
/// # Ok(())
/// # }
/// ```
pub async fn audit(dir: impl AsRef<Path>) -> Result<Audit, Error> {
    let store = FilesStore::new(dir.as_ref());
    let (mut looks, mut before) = (1, None);
    loop {
        let audit = look(&store, &mut before).await;
        let is_moving = match &audit {
            Ok(audit) => !audit.holds(),
            // Its holder may have cut off a torn tail in the middle of it, or shrunk it.
            Err(StoreError::Damaged(_)) => true,
            Err(_) => false,
        };
        if !is_moving || looks == LOOKS {
            return audit.map_err(|source| Kind::Open { place: store.place(), source }.into());
        }
        looks += 1;
        pause(VIEWS).await;
    }
}

/// What stood in the log at the first look, `before`, the files must have at a later one: how far a busy worker has come since is
/// its own affair.
async fn look(store: &FilesStore, before: &mut Option<Course>) -> Result<Audit, StoreError> {
    let before = match before {
        Some(before) => before,
        None => before.insert(log(store, None).await?.course),
    };
    let found: Arc<Mutex<Vec<String>>> = Arc::default();
    let (secrets, told) = (secrets::known_here(Secrets::new()), Arc::clone(&found));
    let look = move |file: &str, line: u64, text: &str| {
        if let Some(holds) = secrets.find(text) {
            let file = secrets.redact(file);
            let at = if line == 0 { format!("the name {file}") } else { format!("{file} line {line}") };
            told.lock().unwrap_or_else(PoisonError::into_inner).push(format!("{at}: {holds}"));
        }
    };
    let survey = store.survey(Box::new(look)).await?;
    let secrets = std::mem::take(&mut *found.lock().unwrap_or_else(PoisonError::into_inner));
    let after = log(store, survey.handoff.as_deref().and_then(made_from)).await?;
    Ok(Audit::of(store.place(), before, &after, &beside(survey, secrets)))
}

/// What the log says, though it may be replaced while it is read.
async fn log(store: &FilesStore, letter: Option<u64>) -> Result<Told, StoreError> {
    let mut looks = 1;
    loop {
        match read(store, letter).await {
            Err(StoreError::Damaged(_)) if looks < post::LOOKS => looks += 1,
            read => return read,
        }
    }
}

async fn read(store: &FilesStore, letter: Option<u64>) -> Result<Told, StoreError> {
    let told = Arc::new(Mutex::new(None));
    let tell = Arc::clone(&told);
    let reader = move |records: &mut dyn Iterator<Item = Record>| {
        let mut told = Told::new(boot::unread());
        records.for_each(|record| told.add(&record, letter));
        *tell.lock().unwrap_or_else(PoisonError::into_inner) = Some(told);
    };
    store.peek(Box::new(reader)).await?;
    let told = told.lock().unwrap_or_else(PoisonError::into_inner).take();
    Ok(told.unwrap_or_else(|| Told::new(boot::unread())))
}

fn beside(survey: Survey, secrets: Vec<String>) -> Beside {
    let Survey { registry, state, handoff, leftovers, files, unseen } = survey;
    let state = state.map(|state| state.map(Into::into));
    Beside { registry, state, handoff, leftovers, secrets, files, unseen }
}
