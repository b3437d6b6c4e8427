//! What a session does about a secret: a key or an input that holds one is refused, words lose it, and a result is withheld.

use super::Session;
use super::commit::{Commit, Shared};
use super::run::Run;
use super::slot::{Phase, Slot};
use crate::broken::{self, Broken};
use crate::core::key::KeyProblem;
use crate::core::meta::{Proof, StepKind};
use crate::core::record::{APART_FROM, How, Stored, Withheld};
use crate::core::secrets::Secrets;
use crate::core::state::Life;
use crate::core::text::Text;
use crate::error::Error;
use crate::verdict::Verdict;

/// With the values of this process's own variables that have telling names.
pub(super) fn known_here(secrets: Secrets) -> Secrets {
    let text = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
        Some((name.into_string().ok()?, value.into_string().ok()?))
    };
    secrets.with_variables(std::env::vars_os().filter_map(text))
}

/// Why an input is refused.
pub(super) fn in_input(holds: &str) -> String {
    format!(
        "it holds what looks like a secret ({holds}), and would be written into the journal; name a variable by an `EnvRef`, or, if it is none, write `secrets = \"allow\"` into the attribute of the workflow"
    )
}

impl Shared {
    /// Why a value of a person is refused that holds a secret.
    pub(super) fn discreet(&self, value: &Stored) -> Result<(), String> {
        discreet(&self.secrets, value)
    }
}

/// Refuses a value of a person that holds a secret.
pub(super) fn discreet(secrets: &Secrets, value: &Stored) -> Result<(), String> {
    match secrets.find(value.get()) {
        Some(holds) => Err(format!(
            "its value holds what looks like a secret ({holds}), and would be written into the journal: say it without"
        )),
        None => Ok(()),
    }
}

impl Session {
    /// The text without what counts as a secret in this session: the form in which it may be part of a result that is kept. See
    /// [`Secrets`].
    pub fn redact<'t>(&self, text: &'t str) -> std::borrow::Cow<'t, str> {
        self.shared.secrets.redact(text)
    }

    /// The words of a title or a goal, without the secrets that fill its holes.
    pub(super) fn worded(&self, text: Option<Text>) -> Option<String> {
        text.map(|text| self.shared.secrets.redact(&text.into_string()).into_owned())
    }

    /// The key, unless it holds a secret. One that is recorded is written already.
    pub(super) fn fit_to_be_told(&self, key: String, allows: bool) -> Result<String, KeyProblem> {
        match self.shared.secrets.find(&key).filter(|_| !allows) {
            Some(holds) if !self.knows(&key) => Err(KeyProblem::Secret(holds.to_owned())),
            _ => Ok(key),
        }
    }

    /// The key as an error may show it.
    pub(super) fn told_as(&self, key: String, problem: Option<&KeyProblem>) -> String {
        match problem {
            Some(KeyProblem::Secret(_)) => self.shared.secrets.redact(&key).into_owned(),
            _ => key,
        }
    }

    fn knows(&self, key: &str) -> bool {
        let state = &self.shared.live().state;
        state.steps.contains_key(key) || state.runs.contains_key(key)
    }
}

impl Run {
    /// The result of the run, unless it holds a secret.
    pub(super) fn without_secrets(&self, result: Stored) -> Result<Stored, String> {
        match self.session().shared.secrets.find(result.get()).filter(|_| !self.allows_secrets()) {
            Some(holds) => Err(format!(
                "it holds what looks like a secret ({holds}), and would be written into the journal; if it is none, write `secrets = \"allow\"` into the attribute of the workflow"
            )),
            None => Ok(result),
        }
    }
}

impl<T, E> Slot<T, E> {
    /// The result as the log may hold it: one with a secret is withheld, and that is told at once.
    pub(super) fn without_secrets(&self, result: Stored) -> Stored {
        let secrets = &self.session.shared.secrets;
        let Some(holds) = secrets.find(result.get()).filter(|_| !self.plan.allows_secrets) else { return result };
        self.tell_of_secret(holds);
        let rest = (result.get().len() <= APART_FROM).then(|| secrets.redact_json(result.get()));
        let rest = rest.and_then(|rest| serde_json::value::RawValue::from_string(rest).ok()).map(Stored::from);
        let withheld = Withheld { holds: holds.to_owned(), rest };
        Stored::withhold(withheld).unwrap_or(result)
    }

    fn tell_of_secret(&self, holds: &str) {
        let then = match (self.plan.kind, self.fetches_again()) {
            (StepKind::Read, _) => "a resumed run reads it again",
            (_, true) => "a resumed run asks for it again",
            (_, false) => {
                "a resumed run stops there and asks a person: say how to get it again, `refetch = ..`, or, if it is no secret, `secrets = \"allow\"`"
            }
        };
        tracing::warn!(key = %self.key, holds, "the result holds what looks like a secret, and is not kept: {then}");
        if self.session.shared.settings.speaks {
            crate::run::say(&format!(
                "the result of `{}` holds what looks like a secret ({holds}), and is not kept: {then}",
                self.key
            ));
        }
    }

    fn fetches_again(&self) -> bool {
        self.plan.refetches || self.plan.proof == Proof::Verify
    }

    /// Gets a result that was not kept.
    pub(super) async fn fetch_again(&mut self, holds: String) {
        match self.plan.kind {
            StepKind::SideEffect if broken::is(Broken::WithheldDoneAgain) => {
                self.again(self.recorded_result().0 + 1, None).await
            }
            _ if self.fetches_again() => self.phase = Phase::Withheld(holds),
            // To look once more is harmless.
            StepKind::Read => self.phase = Phase::Ready { attempt: 0 },
            _ => self.ask_for_value(&holds, "and nothing in the code can give it again").await,
        }
    }

    /// Takes what was got again. Nothing is recorded of it: the step is done.
    pub(super) async fn fetched_again(&mut self, holds: String, verdict: Verdict<T>) {
        let why = match verdict {
            Verdict::Happened(value) => match (self.codec.encode)(&value).and_then(|json| (self.codec.decode)(&json)) {
                Ok(value) => {
                    self.session.shared.live().start.replay(self.key.as_str());
                    self.phase = Phase::Closed(Ok(Ok(value)));
                    return;
                }
                Err(error) => format!("and what was got again cannot be read back: {error}"),
            },
            Verdict::DidNotHappen => "and where it was to be got again there is none".to_owned(),
            Verdict::NotYet(_) => "and where it was to be got again there is none yet".to_owned(),
            Verdict::Unknown(why) => format!("and to get it again failed: {why}"),
        };
        self.ask_for_value(&holds, &why).await;
    }

    /// From here on it is a result that could not be stored: a person supplies one.
    async fn ask_for_value(&mut self, holds: &str, why: &str) {
        let why = format!("it holds what looks like a secret ({holds}), so it was not kept, {why}");
        let (attempt, how) = self.recorded_result();
        self.session.shared.push(self.result(attempt, how, Err(why.clone())));
        if let Err(source) = self.session.commit(Commit::Told).await {
            return self.not_recorded(source);
        }
        let error: Error = self.not_storable(why);
        self.refuse(error).await;
    }

    fn recorded_result(&self) -> (u32, How) {
        let live = self.session.shared.live();
        match live.state.steps.get(self.key.as_str()) {
            Some(step) => match step.life {
                Life::Done { how, .. } => (step.attempt, how),
                _ => (step.attempt, How::Executed),
            },
            None => (0, How::Executed),
        }
    }
}
