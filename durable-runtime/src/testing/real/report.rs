//! What real kills have found.

use std::collections::BTreeMap;
use std::fmt;

use super::lab::Lab;
use super::strike::Strike;
use super::trial::Outcome;
use crate::testing::lab::judge::Fault;
use crate::testing::lab::{LabVerdict, REPLAY};

/// What real kills of a workflow have found. Its `Display` is the report for people.
#[must_use = "a report that nobody looks at proves nothing"]
#[derive(Debug)]
pub struct RealReport {
    means: &'static str,
    name: String,
    deed: &'static str,
    /// What starts the test alone, in a shell.
    again: String,
    /// How many strikes there were of each kind.
    points: BTreeMap<String, u64>,
    /// Lives that were over before their moment came.
    missed: u64,
    failures: Vec<Failure>,
    doubts: BTreeMap<String, Strike>,
    left_out: Vec<String>,
    not_measured: Vec<String>,
    broken: Option<String>,
    /// Whether this process is the child of another lab, or replays a strike of one, and measures nothing.
    passes_by: bool,
}

/// A fault, and the first strike that led to it.
#[derive(Debug)]
struct Failure {
    strike: Strike,
    fault: Fault,
    lives: Vec<String>,
    /// How many strikes led to one like it.
    points: u64,
}

impl RealReport {
    pub(super) fn new(means: &'static str, name: String) -> Self {
        Self {
            means,
            name,
            deed: "kill",
            again: String::new(),
            points: BTreeMap::new(),
            missed: 0,
            failures: Vec::new(),
            doubts: BTreeMap::new(),
            left_out: Vec::new(),
            not_measured: Vec::new(),
            broken: None,
            passes_by: false,
        }
    }

    pub(super) fn not_measured(means: &'static str, name: String, why: String) -> Self {
        let report = Self { not_measured: vec![why], ..Self::new(means, name) };
        eprintln!("{report}");
        report
    }

    pub(super) fn passed_by(means: &'static str, name: String) -> Self {
        Self { passes_by: true, ..Self::new(means, name) }
    }

    pub(super) fn knows(&mut self, lab: &Lab<'_>) {
        self.deed = lab.ground.deed();
        self.again = lab.launcher.again();
    }

    pub(super) fn break_off(&mut self, why: String) {
        self.broken = Some(why);
    }

    pub(super) fn leave_out(&mut self, what: &str) {
        self.left_out.push(what.to_owned());
    }

    /// The strike that this lab is to replay, if the environment asks for one.
    pub(super) fn replayed(&self) -> Option<String> {
        let wanted = std::env::var(REPLAY).ok()?;
        wanted.strip_prefix(&format!("{}:{}:", self.means, self.name)).map(str::to_owned)
    }

    /// Whether the environment asks for a strike of another lab that kills real processes: then this one has nothing
    /// to do.
    pub(super) fn is_replayed_elsewhere(&self) -> bool {
        let wanted = std::env::var(REPLAY).unwrap_or_default();
        (wanted.starts_with("real:") || wanted.starts_with("strace:")) && self.replayed().is_none()
    }

    pub(super) fn note(&mut self, outcome: Outcome) {
        let Outcome { strike, has_struck, fault, asked, lives } = outcome;
        if has_struck {
            *self.points.entry(strike.kind(self.deed)).or_default() += 1;
        } else {
            self.missed += 1;
        }
        for key in asked {
            self.doubts.entry(key).or_insert_with(|| strike.clone());
        }
        let Some(fault) = fault else { return };
        match self.failures.iter_mut().find(|known| known.fault.is_like(&fault)) {
            Some(known) => known.points += 1,
            None => self.failures.push(Failure { strike, fault, lives, points: 1 }),
        }
    }

    /// What the workflow is worth.
    pub fn verdict(&self) -> LabVerdict {
        if !self.failures.is_empty() {
            LabVerdict::Broken
        } else if self.broken.is_some() {
            LabVerdict::HarnessBroken
        } else if self.points() == 0 {
            LabVerdict::NotMeasured
        } else if self.doubts.is_empty() {
            LabVerdict::Held
        } else {
            LabVerdict::InDoubt
        }
    }

    /// How many processes were struck.
    pub fn points(&self) -> u64 {
        self.points.values().sum()
    }

    /// What was not measured here, and why.
    pub fn not_measured_here(&self) -> &[String] {
        &self.not_measured
    }

    /// The keys about which a person was asked.
    pub fn in_doubt(&self) -> impl Iterator<Item = &str> {
        self.doubts.keys().map(String::as_str)
    }

    /// Does nothing if the verdict is [`Held`](LabVerdict::Held).
    ///
    /// # Panics
    ///
    /// With the report, for every other verdict. Where steps end in doubt by design, or nothing may be measured on some
    /// machines, look at the [`verdict`](Self::verdict) instead.
    #[expect(clippy::panic, reason = "an assertion of a test")]
    #[track_caller]
    pub fn assert_held(&self) {
        if self.verdict() != LabVerdict::Held && !self.passes_by {
            panic!("{self}");
        }
    }

    fn replay(&self, strike: &Strike) -> String {
        format!("{REPLAY}='{}:{}:{strike}' {}", self.means, self.name, self.again)
    }
}

impl fmt::Display for RealReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {}, by real processes ({})", self.name, self.verdict(), self.means)?;
        for (kind, points) in &self.points {
            writeln!(f, "  {points:>6} x {kind}")?;
        }
        for failure in &self.failures {
            self.tell(failure, f)?;
        }
        let lines = |f: &mut fmt::Formatter<'_>, head: &str, lines: &[String]| {
            lines.iter().try_for_each(|line| writeln!(f, "  {head}: {line}"))
        };
        for (key, strike) in &self.doubts {
            writeln!(f, "  a person is asked about `{key}`: {}", self.replay(strike))?;
        }
        if self.missed > 0 {
            writeln!(f, "  not covered: {} moments did not come again: the work is not the same twice", self.missed)?;
        }
        lines(f, "not covered", &self.left_out)?;
        lines(f, "not measured here", &self.not_measured)?;
        self.broken.iter().try_for_each(|why| writeln!(f, "  the harness is broken: {why}"))
    }
}

impl RealReport {
    fn tell(&self, failure: &Failure, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Failure { strike, fault, lives, points } = failure;
        writeln!(f, "  {fault}")?;
        for (number, life) in lives.iter().enumerate() {
            writeln!(f, "    life {}: {life}", number + 1)?;
        }
        if *points > 1 {
            writeln!(f, "    and the like at {} other moments", points - 1)?;
        }
        writeln!(f, "    {}", self.replay(strike))
    }
}
