//! A step, as the first record that speaks of it has it.

use std::sync::Arc;

use crate::core::key::SCOPE;
use crate::core::meta::{Proof, StepKind};
use crate::core::record;
use crate::core::state::{Doubt, Life, Step, Tried};
use crate::core::time::Timestamp;

impl Step {
    /// Whether an attempt that did nothing proves that the step did nothing: it stands on no attempt that is in doubt.
    pub(super) fn proves(&self, failed: &record::Failed) -> bool {
        self.kind == StepKind::Read || self.tried().unproven.is_none_or(|(oldest, _)| oldest == failed.attempt)
    }

    /// A step that has its result without ever having been reserved: a read.
    pub(super) fn unreserved(opened: u64, done: &record::Done) -> Self {
        let (run, shape, title) = (done.run.clone(), done.shape.clone(), done.title.clone());
        let unreserved = Self::unread(opened, run, shape, title);
        Self { kind: done.kind, attempt: done.attempt, args: done.args, ..unreserved }
    }

    /// A read whose result is an error.
    pub(super) fn failed_read(opened: u64, failed: &record::Failed, result: &record::ErrorResult) -> Self {
        Self::unread(
            opened,
            failed.run.as_str().into(),
            result.shape.as_str().into(),
            result.title.as_deref().map(Arc::from),
        )
    }

    fn unread(opened: u64, run: Arc<str>, shape: Arc<str>, title: Option<Arc<str>>) -> Self {
        Self { title, ..Self::new(opened, run, shape, StepKind::Read, Life::Reserved) }
    }

    /// A read that may have been recorded in a part of the log that is gone.
    pub(super) fn unknown(opened: u64, key: &str) -> Self {
        let lost = Self::lost(opened, Timestamp::from_millis(0), key, "");
        let tried = Tried { proof: Some(Proof::Person), sends_token: false, ..lost.tried().clone() };
        Self { kind: StepKind::Read, ..lost.with(tried) }
    }

    /// A step of which only the registry knows that it was reserved.
    pub(super) fn lost(opened: u64, since: Timestamp, key: &str, why: &str) -> Self {
        let run = key.rsplit_once(SCOPE).map_or("", |(run, _)| run);
        let tried = Tried { unproven: Some((0, since)), sends_token: true, ask: "operator".into(), ..Tried::default() };
        let life = Life::in_doubt(Doubt::new(since, why));
        Self::new(opened, run.into(), "".into(), StepKind::SideEffect, life).with(tried)
    }
}
