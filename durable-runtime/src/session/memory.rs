//! What a session remembers for those who work in it.

use std::future::Future;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::Session;
use super::live::Live;
use super::noted::News;
use crate::core::memory::Artifact;
use crate::core::noted::{self, Seen};
use crate::core::record::{self, By, Stored};
use crate::core::value;
use crate::error::{Error, Refusal, whose};
use crate::store::Opened;

/// What a session remembers for those who work in it and come after it: values by their names, and what was made. Given by
/// [`Session::memory`].
///
/// It stands in the journal and in `state.json`, and outlives crashes, compaction and the loss of `state.json`. It is for the
/// reader, not for the way that a workflow takes: what a workflow goes by is what its steps gave. So the body of a run may
/// note, and the same once more in every start without a trace; and it may look only inside a step, which records what was
/// found:
///
/// ```
/// use durable_runtime::prelude::*;
/// use durable_runtime::{Artifact, Error};
///
/// #[durable_workflow(goal = "write a report")]
/// async fn report(session: &Session) -> Result<u64, Error> {
///     session.memory().set("tone", "dry").await?;
///
///     #[read(key = "pages-so-far")]
///     let pages: Option<u64> = session.memory().get("pages")?;
///
///     session.memory().artifact(Artifact::new("out/report.pdf").about("the final report")).await?;
///     Ok(pages.unwrap_or(0))
/// }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Error> {
/// # let dir = tempfile::tempdir().expect("a directory for the example");
/// let session = Session::open(dir.path().join("session")).await?;
/// session.memory().set("pages", &3_u64).await?;
/// assert_eq!(report(&session).await?, 3);
/// assert_eq!(session.memory().get::<String>("tone")?.as_deref(), Some("dry"));
/// assert_eq!(session.memory().artifacts()?[0].name, "out/report.pdf");
/// # Ok(())
/// # }
/// ```
///
/// A resumed run is at each of its notes again. One that the log has is passed over, even if somebody has changed the value
/// since; so the branches of a run that go on side by side use names of their own.
///
/// # Bounds
///
/// 100 values and 500 artifacts; a name of 480 bytes; 16 KiB for one, 128 KiB for all, as stored. What goes beyond is refused
/// with an error of which [`Error::is_memory_full`] is true, and that names the bound.
#[derive(Clone, Copy, Debug)]
pub struct Memory<'a> {
    session: &'a Session,
}

impl Session {
    /// What the session remembers: values by name, and what was made.
    pub fn memory(&self) -> Memory<'_> {
        Memory { session: self }
    }
}

impl<'a> Memory<'a> {
    /// Remembers a value by its name, instead of the one that it had.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be stored, if it goes beyond a bound, or if the disk refuses.
    ///
    /// # Crash safety
    ///
    /// It is written when this returns, so a kill does not lose it, and durable with the next step. A power cut may lose it;
    /// in a workflow the next start sets it again.
    pub fn set<N: Into<String>, T: Serialize + ?Sized>(
        self,
        name: N,
        value: &T,
    ) -> impl Future<Output = Result<(), Error>> {
        let (name, value) = (name.into(), value::encode_sorted(value));
        async move {
            match value {
                Ok(value) => self.note_value(name, Some(value)).await,
                Err(error) => Err(Refusal::NotStorable { name, error }.into()),
            }
        }
    }

    /// The value of this name; `None` if there is none.
    ///
    /// # Errors
    ///
    /// Fails if the value does not read as a `T`; and in the body of a run outside its steps, for a resumed run would find
    /// what was remembered since.
    pub fn get<T: DeserializeOwned>(self, name: &str) -> Result<Option<T>, Error> {
        let found = self.look("memory().get(..)", |live| live.state.memory.value(name).cloned())?;
        let read = |stored: Stored| {
            value::decode(&stored).map_err(|error| {
                let (name, ty) = (name.to_owned(), std::any::type_name::<T>());
                Refusal::OfOtherType { name, ty, error }.into()
            })
        };
        found.map(read).transpose()
    }

    /// The names of all values, sorted.
    ///
    /// # Errors
    ///
    /// Fails in the body of a run outside its steps: see [`get`](Self::get).
    pub fn names(self) -> Result<Vec<String>, Error> {
        self.look("memory().names()", |live| live.state.memory.values().map(|(name, _)| name.to_owned()).collect())
    }

    /// Forgets the value of this name, if there is one.
    ///
    /// # Errors
    ///
    /// Fails if the disk refuses.
    pub fn remove(self, name: impl Into<String>) -> impl Future<Output = Result<(), Error>> {
        self.note_value(name.into(), None)
    }

    /// Remembers that something was made: a path, a name, or an [`Artifact`] with its digest and what it is.
    ///
    /// # Errors
    ///
    /// Fails if it goes beyond a bound, or if the disk refuses.
    ///
    /// # Crash safety
    ///
    /// See [`set`](Self::set). It says nothing of the file itself: making that is a step.
    pub fn artifact(self, artifact: impl Into<Artifact>) -> impl Future<Output = Result<(), Error>> {
        let artifact = artifact.into();
        let lane = noted::of_artifact(&artifact.name);
        async move {
            self.has_no_secret(&artifact.name)?;
            let news = |live: &mut Live, seen, by: By| {
                if !live.state.memory.is_made_news(&artifact.name, Some(&artifact), seen) {
                    return Ok(None);
                }
                if let Some((run, number)) = live.start.resting(&by.run) {
                    let (name, whose) = (artifact.name, whose(run));
                    return Err(Refusal::NothingMade { name, number, whose }.into());
                }
                let full = |bound| Refusal::Full { name: artifact.name.clone(), bound };
                live.state.memory.admit_made(&artifact).map_err(full)?;
                let Artifact { name, digest, about } = artifact;
                Ok(Some(record::Artifact { name, digest, about, forgotten: false, by }.into()))
            };
            self.note(&lane, news).await
        }
    }

    /// What was made, the oldest first.
    ///
    /// # Errors
    ///
    /// Fails in the body of a run outside its steps: see [`get`](Self::get).
    pub fn artifacts(self) -> Result<Vec<Artifact>, Error> {
        self.look("memory().artifacts()", |live| live.state.memory.artifacts().into_iter().cloned().collect())
    }

    /// Forgets that something was made. Nothing becomes of the thing itself.
    ///
    /// # Errors
    ///
    /// Fails if the disk refuses.
    pub fn remove_artifact(self, name: impl Into<String>) -> impl Future<Output = Result<(), Error>> {
        let name = name.into();
        let lane = noted::of_artifact(&name);
        async move {
            let news = |live: &mut Live, seen, by| {
                let forget = record::Artifact { name, digest: None, about: None, forgotten: true, by };
                Ok(live.state.memory.is_made_news(&forget.name, None, seen).then(|| forget.into()))
            };
            self.note(&lane, news).await
        }
    }

    async fn note_value(self, name: String, value: Option<Stored>) -> Result<(), Error> {
        self.has_no_secret(&name)?;
        let lane = noted::of_value(&name);
        let value = value.map(|value| self.without_secrets(&name, value));
        let news = |live: &mut Live, seen, by| {
            if !live.state.memory.is_news(&name, value.as_ref(), seen) {
                return Ok(None);
            }
            if let Some(value) = &value {
                live.state.memory.admit(&name, value).map_err(|bound| Refusal::Full { name: name.clone(), bound })?;
            }
            Ok(Some(record::Memory { name, value, by }.into()))
        };
        self.note(&lane, news).await
    }

    /// Refuses a name that holds a secret.
    fn has_no_secret(self, name: &str) -> Result<(), Error> {
        let secrets = &self.session.shared.secrets;
        match secrets.find(name) {
            Some(holds) => {
                let (name, holds) = (secrets.redact(name).into_owned(), holds.to_owned());
                Err(Refusal::SecretName { name, holds }.into())
            }
            None => Ok(()),
        }
    }

    /// The value with a mark in the place of each secret, which is told at once. A text is words, as an error is: what stands
    /// behind a name such as `password` goes, too.
    fn without_secrets(self, name: &str, value: Stored) -> Stored {
        let secrets = &self.session.shared.secrets;
        let clean = match value.get().starts_with('"') {
            true => secrets.redact(value.get()).into_owned(),
            false => secrets.redact_json(value.get()),
        };
        if clean == value.get() {
            return value;
        }
        tracing::warn!(name, "what is to be remembered holds what looks like a secret, which is left out");
        RawValue::from_string(clean).map_or(value, Stored::from)
    }

    async fn note(
        self,
        lane: &str,
        news: impl FnOnce(&mut Live, Seen, By) -> Result<Option<record::Event>, Error>,
    ) -> Result<(), Error> {
        let noted = |live: &mut Live| {
            let noting = self.session.noting(live, lane);
            news(live, noting.seen, noting.by).map(News::written)
        };
        self.session.note(lane, noted).await
    }

    fn look<T>(self, asked: &'static str, find: impl FnOnce(&Live) -> T) -> Result<T, Error> {
        let live = self.session.shared.live();
        match self.session.body_around(&live) {
            Some(run) => Err(Refusal::InBody { asked, run }.into()),
            None => Ok(find(&live)),
        }
    }
}

/// What `state.json` remembers that a log which has lost records does not.
pub(super) fn recalled(live: &Live, opened: &Opened) -> Vec<record::Event> {
    let Some(view) = &opened.state else { return Vec::new() };
    let (memory, is_newer) = (&live.state.memory, view.durable.seq > opened.last);
    let by = By::default;
    let values = view.memory.values.iter().filter(|(name, value)| match memory.value(name) {
        Some(known) => is_newer && known != *value,
        None => true,
    });
    let values =
        values.map(|(name, value)| record::Memory { name: name.clone(), value: Some(value.clone()), by: by() }.into());
    let known = memory.artifacts();
    let made = view.memory.made().filter(|made| match known.iter().find(|known| known.name == made.name) {
        Some(known) => is_newer && **known != *made,
        None => true,
    });
    let made = made.map(|Artifact { name, digest, about }| {
        record::Artifact { name, digest, about, forgotten: false, by: by() }.into()
    });
    values.chain(made).collect()
}

#[cfg(test)]
mod tests;
