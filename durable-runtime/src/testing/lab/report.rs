//! What a lab says in the end.

use super::baseline::Baseline;
use super::findings::Findings;

/// What a lab has found.
#[derive(Debug)]
pub struct Report {
    name: String,
    verdict: Verdict,
    pub(crate) findings: Findings,
}

/// What a workflow is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    Held,
    InDoubt,
    NotMeasured,
    Broken,
    HarnessBroken,
}

impl Report {
    pub(super) fn of<T>(name: String, findings: Findings, baseline: &Baseline<T>) -> Self {
        let verdict = if !findings.failures.is_empty() {
            Verdict::Broken
        } else if findings.doubts.is_empty() {
            Verdict::Held
        } else {
            Verdict::InDoubt
        };
        Self { name, verdict, findings }
    }
    pub(super) fn broken(name: String, why: String) -> Self {
        eprintln!("{why}");
        Self { name, verdict: Verdict::HarnessBroken, findings: Findings::default() }
    }
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }
}
