//! An attempt that ended without a value: what its error proves, and what comes next.

use super::commit::Commit;
use super::slot::{Ended, Phase, Raised, Slot};
use crate::broken::{self, Broken};
use crate::core::course::{Course, Failing};
use crate::core::failure::{Failure, FailureKind};
use crate::core::fold::VERIFIER;
use crate::core::meta::{Proof, StepKind};
use crate::core::record::{Absent, ErrorResult, Failed};
use crate::core::start::Cause;
use crate::core::time::Timestamp;
use crate::error::{Error, Kind};

impl<T, E> Slot<T, E> {
    /// Records how the attempt ended, and does what comes next.
    pub(super) async fn ended(&mut self, ended: Ended<E>, failure: Failure) {
        let (attempt, text) = (self.attempt(), self.words(&ended));
        self.failures += 1;
        let failing = self.failing(failure.kind());
        let course = match failing.course() {
            Course::Verify if broken::is(Broken::RetriedUnverified) => Course::Again,
            course => course,
        };
        let retry_at = self.retry_at(course, &failure);
        let told = self.session.shared.secrets.redact(&text);
        tracing::warn!(key = %self.key, error = &*told, attempt, ?course, "attempt failed");
        let result = self.result_of(failing, course, &failure);
        let spent = matches!(course, Course::GiveUp | Course::Conclude);
        let (kind, payload) = (self.recorded_kind(failure.kind()), failure.payload());
        let failed = self.failure(attempt, text.clone());
        self.session.shared.push(Failed { failure: kind, payload, retry_at, spent, result, ..failed });
        if broken::is(Broken::ErrorTakenForAbsence) {
            self.session.shared.push(self.absence(attempt));
            return self.give_up(ended).await;
        }
        match course {
            Course::Verify => self.phase = Phase::Doubt { attempt, raised: Raised::Now(ended, failure.kind()) },
            Course::Again => return self.try_again(attempt, retry_at).await,
            Course::Conclude => return self.conclude_recorded().await,
            Course::GiveUp => return self.give_up(ended).await,
            Course::Ask => {
                self.session.shared.push(self.question(attempt, text.clone()));
                self.stop_in_doubt(text);
                self.phase = Phase::Closed(self.outcome_in_doubt(ended, attempt));
            }
        }
        if let Err(source) = self.session.commit(Commit::Told).await {
            self.not_recorded(source);
        }
    }

    /// The attempt that raised the doubt did nothing: goes on as its step says. The absence is recorded with the instant
    /// of the next attempt, so that a kill between the two loses neither.
    pub(super) async fn did_nothing(&mut self, attempt: u32, ended: Ended<E>, kind: FailureKind) {
        let failing = self.failing(kind).proven_absent();
        let course = failing.course();
        let retry_at = self.retry_at(course, &Failure::unknown()).max(self.recorded_retry_at());
        let spent = matches!(course, Course::GiveUp | Course::Conclude);
        let absence = Absent { retry_at, spent, ..self.absence(attempt) };
        if let Some(word) = self.push_absence(absence) {
            return self.take(word).await;
        }
        match course {
            Course::Again => self.try_again(attempt, retry_at).await,
            Course::Conclude => self.conclude_recorded().await,
            Course::GiveUp | Course::Verify | Course::Ask => self.give_up(ended).await,
        }
    }

    /// Waits, and makes the next attempt.
    async fn try_again(&mut self, attempt: u32, retry_at: Option<Timestamp>) {
        if let Err(source) = self.session.commit(Commit::Told).await {
            return self.not_recorded(source);
        }
        self.again(attempt + 1, retry_at).await;
    }

    /// The error stops the run; the next start tries again.
    pub(super) async fn give_up(&mut self, ended: Ended<E>) {
        let text = self.words(&ended);
        self.stop(text.clone(), Cause::Error);
        self.phase = Phase::Closed(match ended {
            Ended::Error(_) if self.plan.records_errors => Err(self.unproven(&text)),
            Ended::Error(error) => Ok(Err(error)),
            Ended::Timeout(_) => Err(self.timed_out(text)),
        });
        if let Err(source) = self.session.commit(Commit::Told).await {
            self.not_recorded(source);
        }
    }

    fn outcome_in_doubt(&self, ended: Ended<E>, attempt: u32) -> Result<Result<T, E>, Error> {
        match ended {
            Ended::Error(error) if !self.plan.records_errors => Ok(Err(error)),
            ended => Err(self.doubted(attempt, &self.words(&ended))),
        }
    }

    fn words(&self, ended: &Ended<E>) -> String {
        match ended {
            Ended::Error(error) => (self.show)(error),
            Ended::Timeout(limit) => format!("no answer within {limit}"),
        }
    }

    fn timed_out(&self, why: String) -> Error {
        Kind::TimedOut { key: self.key.to_string(), at: self.plan.place, why }.into()
    }

    fn failing(&self, failure: FailureKind) -> Failing {
        let attempt = self.attempt();
        let live = self.session.shared.live();
        let oldest = live.state.steps.get(self.key.as_str()).and_then(|step| step.tried().unproven);
        Failing {
            kind: self.plan.kind,
            proof: self.plan.proof,
            failure,
            on_doubt: oldest.is_some_and(|(oldest, _)| oldest < attempt),
            failures: self.failures,
            attempts: self.plan.policy.attempts,
            records_errors: self.plan.records_errors,
        }
    }

    /// When the next attempt may be made: after the wait of this step, and not before its receiver wants to be asked.
    fn retry_at(&self, course: Course, failure: &Failure) -> Option<Timestamp> {
        let now = self.session.shared.clock.now();
        let wait = self.plan.policy.backoff.wait(self.failures, self.key.token());
        let backoff = (course == Course::Again).then(|| now.after(wait));
        backoff.max(failure.until(now))
    }

    /// A read does nothing, so its error proves that nothing happened.
    fn recorded_kind(&self, kind: FailureKind) -> FailureKind {
        match (self.plan.kind, kind) {
            (StepKind::SideEffect, kind) => kind,
            (_, FailureKind::Unknown) => FailureKind::Rejected,
            (_, kind) => kind,
        }
    }

    /// What makes the error the result of the step, if it is, or will be as soon as it is proven that nothing happened.
    fn result_of(&self, failing: Failing, course: Course, failure: &Failure) -> Option<ErrorResult> {
        let is_last = || failing.proven_absent().course() == Course::Conclude;
        let is_asked = matches!(course, Course::Verify | Course::Ask);
        let is_result = course == Course::Conclude || (is_asked && is_last());
        let (shape, title, code) =
            (self.plan.shape.to_string(), self.title.as_deref().map(str::to_owned), failure.code());
        is_result.then_some(ErrorResult { shape, title, code })
    }

    /// The record of a failed attempt of which nothing is known but that it failed.
    pub(super) fn failure(&self, attempt: u32, error: String) -> Failed {
        Failed {
            key: self.key.to_string(),
            run: self.session.scope.to_string(),
            kind: self.plan.kind,
            attempt,
            failure: FailureKind::Unknown,
            error,
            payload: None,
            retry_at: None,
            spent: false,
            result: None,
        }
    }

    pub(super) fn absence(&self, attempt: u32) -> Absent {
        Absent { key: self.key.to_string(), attempt, by: VERIFIER.to_owned(), retry_at: None, spent: false }
    }

    fn unproven(&self, why: &str) -> Error {
        let key = self.key.to_string();
        match self.plan.proof {
            Proof::Idempotent => Kind::Unproven { key, at: self.plan.place, why: why.to_owned() }.into(),
            Proof::Verify | Proof::Person | Proof::NotNeeded => self.doubted(self.attempt(), why),
        }
    }
}
