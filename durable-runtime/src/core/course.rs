//! What comes after an attempt that has failed.

use super::failure::FailureKind;
use super::meta::{Proof, StepKind};

/// A failed attempt, as far as it matters for what comes next.
#[derive(Clone, Copy, Debug)]
pub struct Failing {
    /// What the step is.
    pub kind: StepKind,
    /// How a doubt about it ends.
    pub proof: Proof,
    /// What the error proves.
    pub failure: FailureKind,
    /// Whether this attempt stands on one that is in doubt: then it proves nothing about the step.
    pub on_doubt: bool,
    /// How many attempts have failed by now, this one included.
    pub failures: u32,
    /// How many may fail.
    pub attempts: u32,
    /// Whether an error is a result of the step.
    pub records_errors: bool,
}

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Course {
    /// The verifier is asked.
    Verify,
    /// Another attempt, after the wait.
    Again,
    /// A person is asked.
    Ask,
    /// The error is the result.
    Conclude,
    /// The run stops, and the next start tries again.
    GiveUp,
}

impl Failing {
    /// What comes next. Nothing is tried again, and no error is a result, before it is proven that nothing happened, or
    /// the receiver drops repeats.
    pub fn course(self) -> Course {
        let may_retry = self.failure != FailureKind::Rejected && self.failures < self.attempts;
        let is_absent = self.kind != StepKind::SideEffect || (self.failure.is_absence() && !self.on_doubt);
        match (is_absent, self.proof) {
            (true, _) | (false, Proof::Idempotent) if may_retry => Course::Again,
            (true, _) if self.records_errors => Course::Conclude,
            // A refusal for good proves nothing of an attempt that is in doubt, and no repeat ever will.
            (false, Proof::Idempotent) if self.records_errors && self.failure == FailureKind::Rejected => Course::Ask,
            (true, _) | (false, Proof::Idempotent | Proof::NotNeeded) => Course::GiveUp,
            (false, Proof::Verify) => Course::Verify,
            (false, Proof::Person) => Course::Ask,
        }
    }

    /// The same attempt, once it is proven that nothing happened.
    #[must_use]
    pub fn proven_absent(self) -> Self {
        let failure = match self.failure {
            FailureKind::Unknown => FailureKind::Retry,
            known => known,
        };
        Self { failure, on_doubt: false, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST_OF_TWO: Failing = Failing {
        kind: StepKind::SideEffect,
        proof: Proof::Verify,
        failure: FailureKind::Unknown,
        on_doubt: false,
        failures: 1,
        attempts: 2,
        records_errors: false,
    };

    #[test]
    fn an_effect_is_tried_again_only_after_a_proof_or_with_a_token() {
        use Proof::{Idempotent, Person, Verify};
        for (proof, want) in [(Verify, Course::Verify), (Idempotent, Course::Again), (Person, Course::Ask)] {
            let unknown = Failing { proof, ..FIRST_OF_TWO };
            assert_eq!(unknown.course(), want, "{proof:?}");
            assert_eq!(Failing { failure: FailureKind::Retry, ..unknown }.course(), Course::Again);
            assert_eq!(Failing { failure: FailureKind::Rejected, ..unknown }.course(), Course::GiveUp);
            assert_eq!(Failing { failure: FailureKind::Retry, on_doubt: true, ..unknown }.course(), want, "on a doubt");
            assert_eq!(unknown.proven_absent().course(), Course::Again);
        }
    }

    #[test]
    fn a_spent_budget_ends_the_attempts() {
        for failure in [FailureKind::Retry, FailureKind::Unknown] {
            let last = Failing { failures: 2, failure, ..FIRST_OF_TWO }.proven_absent();
            assert_eq!(last.course(), Course::GiveUp);
            assert_eq!(Failing { records_errors: true, ..last }.course(), Course::Conclude);
        }
        let token = Failing { failures: 2, proof: Proof::Idempotent, records_errors: true, ..FIRST_OF_TWO };
        assert_eq!(token.course(), Course::GiveUp, "an error that proves nothing is no result");
        let refused = Failing { failure: FailureKind::Rejected, ..token };
        assert_eq!(refused.course(), Course::Conclude);
        assert_eq!(Failing { on_doubt: true, ..refused }.course(), Course::Ask, "of the attempt that is in doubt");
    }

    #[test]
    fn a_read_does_nothing_whatever_its_error_says() {
        let read = Failing { kind: StepKind::Read, proof: Proof::NotNeeded, ..FIRST_OF_TWO };
        assert_eq!(read.course(), Course::Again);
        assert_eq!(Failing { failures: 2, ..read }.course(), Course::GiveUp);
        assert_eq!(Failing { failures: 2, records_errors: true, ..read }.course(), Course::Conclude);
        assert_eq!(Failing { failure: FailureKind::Rejected, ..read }.course(), Course::GiveUp);
    }
}
