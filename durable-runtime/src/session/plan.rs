//! What a step says of itself, whoever wrote it: an attribute, or a plain call.

use std::borrow::Cow;
use std::time::Duration;

use crate::core::meta::{DEFAULT_SETTLE, Proof, StepKind, StepMeta};
use crate::core::policy::Policy;
use crate::core::start::Place;
use crate::core::state::State;

/// A step as the session needs it.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) kind: StepKind,
    /// The key as written.
    pub(crate) template: Cow<'static, str>,
    pub(crate) shape: Cow<'static, str>,
    pub(crate) proof: Proof,
    pub(crate) sends_token: bool,
    pub(crate) records_errors: bool,
    /// Whether nothing else of its run goes on while its expression runs.
    pub(crate) alone: bool,
    /// Whether it runs in a run that was given up.
    pub(crate) cleanup: bool,
    /// Whether its key and its result may hold what looks like a secret.
    pub(crate) allows_secrets: bool,
    /// Whether the code can give a result again that is not kept.
    pub(crate) refetches: bool,
    /// Whom to ask.
    pub(crate) ask: Cow<'static, str>,
    pub(crate) settle: Option<Duration>,
    pub(crate) policy: Policy,
    pub(crate) place: Place,
}

impl Plan {
    /// How long a request may still land after its attempt has ended. One that was not answered in time is on its way for
    /// as long as that again.
    pub(crate) fn settle(&self) -> Duration {
        self.settle.or(self.policy.timeout.map(|limit| limit.length)).unwrap_or(DEFAULT_SETTLE)
    }

    /// Whether it is not begun any more: its run was given up, and it does not clean up.
    pub(crate) fn is_given_up(&self, run: &str, state: &State) -> bool {
        !self.cleanup && state.cancelled(run).is_some()
    }
}

impl From<&'static StepMeta> for Plan {
    fn from(meta: &'static StepMeta) -> Self {
        Self {
            kind: meta.kind,
            template: meta.key.into(),
            shape: meta.shape.into(),
            proof: meta.proof,
            sends_token: meta.sends_token,
            records_errors: meta.records_errors,
            alone: meta.alone,
            cleanup: meta.cleanup,
            allows_secrets: meta.allows_secrets,
            refetches: meta.refetches,
            ask: meta.ask.into(),
            settle: meta.settle,
            policy: meta.policy,
            place: Place { file: meta.file, line: meta.line },
        }
    }
}
