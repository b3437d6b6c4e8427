//! `durable note`

use clap::Args;
use durable_runtime::{Artifact, Session};
use serde_json::json;

use super::opening::Opening;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{self, Output};

/// Remember something for those who come after: a value by its name, or what was made
///
/// It stands in `state.json`, under `memory`, and outlives crashes. Never note a secret: name the environment variable that
/// holds it.
#[derive(Args)]
pub(crate) struct Note {
    #[command(flatten)]
    opening: Opening,
    /// The name, or, with --artifact, a path or another name of what was made
    #[arg(value_name = "NAME")]
    name: String,
    /// The value, as text
    #[arg(value_name = "VALUE", required_unless_present_any = ["artifact", "forget"], conflicts_with_all = ["artifact", "forget"])]
    value: Option<String>,
    /// It is something that was made
    #[arg(long)]
    artifact: bool,
    /// The digest of what was made: the same name with another one is something new
    #[arg(long, value_name = "DIGEST", requires = "artifact")]
    digest: Option<String>,
    /// What it is
    #[arg(long, value_name = "TEXT", requires = "artifact")]
    about: Option<String>,
    /// Forget it
    #[arg(long, conflicts_with_all = ["digest", "about"])]
    forget: bool,
}

const NOTED: &str = "It is noted.";

const REDACTED: &str =
    "It is noted, but for what counts as a secret there: name the environment variable that holds that.";

impl Note {
    pub(crate) async fn run(self, output: &Output) -> Result<Exit, Failure> {
        self.opening.refuse_inner("a note")?;
        let session = self.opening.open(|builder| builder).await?;
        let failed = |error| self.opening.session.failed(&error);
        let was_there = self.is_there(&session).map_err(failed);
        let noted = self.take(&session).await.map_err(failed);
        let is_whole = self.is_whole(&session).map_err(failed);
        self.opening.leave(session).await?;
        noted?;
        match (self.forget, was_there?) {
            (false, _) => {
                let is_whole = is_whole?;
                output.answer(
                    &json!({ "noted": self.name, "whole": is_whole }),
                    if is_whole { NOTED } else { REDACTED },
                )?;
            }
            (true, true) => output.answer(&json!({ "forgotten": self.name }), "It is forgotten.")?,
            // A script that is started again does not fail for what it has forgotten before.
            (true, false) => output.answer(&json!({ "forgotten": null }), self.none())?,
        }
        Ok(Exit::DONE)
    }

    /// Whether something is remembered under the name.
    fn is_there(&self, session: &Session) -> Result<bool, durable_runtime::Error> {
        let memory = session.memory();
        match self.artifact {
            true => Ok(memory.artifacts()?.iter().any(|made| made.name == self.name)),
            false => Ok(memory.names()?.contains(&self.name)),
        }
    }

    /// Whether it is remembered as it was given.
    fn is_whole(&self, session: &Session) -> Result<bool, durable_runtime::Error> {
        let memory = session.memory();
        match &self.value {
            Some(value) => Ok(memory.get::<String>(&self.name)?.is_none_or(|kept| kept == *value)),
            None => Ok(memory.artifacts()?.iter().all(|made| made.name != self.name || made.about == self.about)),
        }
    }

    fn none(&self) -> String {
        let what = if self.artifact { "nothing that was made" } else { "no note" };
        format!("There was none: {what} is remembered under `{}`.", output::shown(&self.name, 200))
    }

    async fn take(&self, session: &Session) -> Result<(), durable_runtime::Error> {
        let (memory, name) = (session.memory(), self.name.as_str());
        match (self.artifact, self.forget, &self.value) {
            (true, true, _) => memory.remove_artifact(name).await,
            (true, false, _) => memory.artifact(self.made()).await,
            (false, _, Some(value)) => memory.set(name, value).await,
            (false, ..) => memory.remove(name).await,
        }
    }

    fn made(&self) -> Artifact {
        let mut made = Artifact::new(&self.name);
        if let Some(digest) = &self.digest {
            made = made.digest(digest);
        }
        match &self.about {
            Some(about) => made.about(about),
            None => made,
        }
    }
}
