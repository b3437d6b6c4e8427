//! A step, as the first record that speaks of it has it.

use crate::core::key::SCOPE;
use crate::core::meta::{Proof, StepKind};
use crate::core::record;
use crate::core::state::{Doubt, Life, Step};
use crate::core::time::Timestamp;

impl Step {
    /// Whether an attempt that did nothing proves that the step did nothing: it stands on no attempt that is in doubt.
    pub(super) fn proves(&self, failed: &record::Failed) -> bool {
        self.kind == StepKind::Read || self.unproven.is_none_or(|(oldest, _)| oldest == failed.attempt)
    }

    /// A step that has its result without ever having been reserved: a read.
    pub(super) fn unreserved(opened: u64, done: &record::Done) -> Self {
        let (run, shape, title) = (done.run.clone(), done.shape.clone(), done.title.clone());
        let unreserved = Self::unread(opened, run, shape, title);
        Self { kind: done.kind, attempt: done.attempt, args: done.args, ..unreserved }
    }

    /// A read whose result is an error.
    pub(super) fn failed_read(opened: u64, failed: &record::Failed, result: &record::ErrorResult) -> Self {
        Self::unread(opened, failed.run.clone(), result.shape.clone(), result.title.clone())
    }

    pub(super) fn unread(opened: u64, run: String, shape: String, title: Option<String>) -> Self {
        Self {
            opened,
            run,
            shape,
            kind: StepKind::Read,
            title,
            attempt: 0,
            failures: 0,
            crashes: 0,
            unproven: None,
            args: None,
            within: None,
            reserved_at: None,
            proof: None,
            sends_token: false,
            ask: String::new(),
            gives: None,
            settle: None,
            cleans_up: false,
            life: Life::Reserved,
        }
    }

    /// A read that may have been recorded in a part of the log that is gone.
    pub(super) fn unknown(opened: u64, key: &str) -> Self {
        let lost = Self::lost(opened, Timestamp::from_millis(0), key, "");
        Self { kind: StepKind::Read, proof: Some(Proof::Person), sends_token: false, ..lost }
    }

    /// A step of which only the registry knows that it was reserved.
    pub(super) fn lost(opened: u64, since: Timestamp, key: &str, why: &str) -> Self {
        let run = key.rsplit_once(SCOPE).map_or("", |(run, _)| run);
        Self {
            opened,
            run: run.to_owned(),
            shape: String::new(),
            kind: StepKind::SideEffect,
            title: None,
            attempt: 0,
            failures: 0,
            crashes: 0,
            unproven: Some((0, since)),
            args: None,
            within: None,
            reserved_at: None,
            proof: None,
            sends_token: true,
            ask: "operator".to_owned(),
            gives: None,
            settle: None,
            cleans_up: false,
            life: Life::Doubt(Doubt::new(since, why)),
        }
    }
}
