//! What a session does about a secret: a key or an input that holds one is refused, words lose it, and a result is withheld.

use std::time::Duration;

use super::Session;
use super::commit::{Commit, Shared};
use super::run::Run;
use super::slot::{Phase, Slot};
use crate::broken::{self, Broken};
use crate::core::key::KeyProblem;
use crate::core::meta::{Proof, StepKind};
use crate::core::record::{APART_FROM, How, Stored, Withheld};
use crate::core::secrets::Secrets;
use crate::core::state::{Life, Step};
use crate::core::text::Text;
use crate::core::way_out::short;
use crate::error::{Error, Kind};
use crate::verdict::Verdict;

/// With the values of this process's own variables that have telling names.
pub(super) fn known_here(secrets: Secrets) -> Secrets {
    let text = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
        Some((name.into_string().ok()?, value.into_string().ok()?))
    };
    secrets.with_variables(std::env::vars_os().filter_map(text))
}

/// What a person is told of a result that is not kept.
const HOLDS: &str = "it holds what looks like a secret";

/// Whoever is to give a result again and says "not yet" is not asked again before this.
const SHORTEST_WAIT: Duration = Duration::from_secs(1);

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
        if let Some(name) = self.session.shared.settings.speaks {
            crate::run::tell(
                name,
                &format!(
                    "the result of `{}` holds what looks like a secret ({holds}), and is not kept: {then}",
                    self.key
                ),
            );
        }
    }

    fn fetches_again(&self) -> bool {
        self.plan.refetches || self.plan.proof == Proof::Verify
    }

    /// Whether a result that a person was asked for can be got again by now: the code has learned how.
    pub(super) fn may_fetch(&self, why: &str) -> bool {
        self.plan.refetches || why.starts_with(HOLDS) && self.plan.proof == Proof::Verify
    }

    /// Gets a result that was not kept.
    pub(super) async fn fetch_again(&mut self, withheld: Withheld) {
        match self.plan.kind {
            StepKind::SideEffect if broken::is(Broken::WithheldDoneAgain) => {
                return self.again(self.recorded_result().0 + 1, None).await;
            }
            _ if self.fetches_again() => self.phase = Phase::Withheld,
            // To look once more is harmless.
            StepKind::Read => self.phase = Phase::Ready { attempt: 0 },
            _ => return self.ask_for_value(&withheld.holds).await,
        }
        self.withheld = Some(withheld);
    }

    /// Takes what was got again, or goes no further in this start: the next one asks again.
    pub(super) async fn fetched_again(&mut self, verdict: Verdict<T>) {
        let why = match verdict {
            Verdict::Happened(value) => match self.withheld.take() {
                Some(withheld) => return self.got_again(withheld, value).await,
                None => return,
            },
            Verdict::NotYet(after) => {
                let until = self.session.shared.clock.now().after(after.max(SHORTEST_WAIT));
                if let Err(error) = self.rest(until).await {
                    self.phase = Phase::Closed(Err(error));
                }
                return;
            }
            Verdict::DidNotHappen => "there is none where it was looked for".to_owned(),
            Verdict::Unknown(why) => why,
        };
        self.not_fetched(&why).await;
    }

    /// What was got again is the result, if it can be. Nothing is recorded of it: the step is done.
    pub(super) async fn got_again(&mut self, withheld: Withheld, value: T) {
        let read = (self.codec.encode)(&value).and_then(|json| Ok(((self.codec.decode)(&json)?, json)));
        match read {
            // A person was asked for it, and need not answer any more.
            Ok(read) if self.is_asked_for() => self.record(Ok(read), self.recorded_result().1).await,
            Ok((value, json)) if withheld.may_be(json.get()) => {
                self.session.shared.live().start.replay(self.key.as_str());
                self.phase = Phase::Closed(Ok(Ok(value)));
            }
            // Other effects would follow from it, beside those that have happened.
            Ok(_) => self.not_fetched("what was got is another result than before").await,
            Err(error) => self.not_fetched(&format!("what was got cannot be read back: {error}")).await,
        }
    }

    fn is_asked_for(&self) -> bool {
        let live = self.session.shared.live();
        let life = live.state.steps.get(self.key.as_str()).map(|step| &step.life);
        matches!(life, Some(Life::Done { value: Err(_), .. }))
    }

    async fn not_fetched(&mut self, why: &str) {
        let (key, at, why) = (self.key.to_string(), self.plan.place, why.to_owned());
        self.refuse(Kind::NotFetched { key, at, why, gives: short(self.codec.type_name) }.into()).await;
    }

    /// Nothing gives it again: a person supplies it, as one that could not be stored.
    async fn ask_for_value(&mut self, holds: &str) {
        let why = format!("{HOLDS} ({holds}), so it was not kept, and nothing in the code can give it again");
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
            Some(Step { attempt, life: Life::Done { how, .. }, .. }) => (*attempt, *how),
            step => (step.map_or(0, |step| step.attempt), How::Executed),
        }
    }
}
