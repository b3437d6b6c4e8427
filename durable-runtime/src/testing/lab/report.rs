//! What a lab says in the end.

use std::fmt;

use super::findings::{Cell, Findings, Group};
use super::table::Table;
use crate::testing::story::Story;

/// What a lab has found. Its text is for people; [`table`](Self::table) is for a snapshot.
#[derive(Debug)]
#[must_use = "a lab proves nothing until somebody looks: `report.assert_held()`"]
pub struct Report {
    name: String,
    verdict: LabVerdict,
    why: Option<String>,
    findings: Findings,
    table: Table,
    failures: Vec<Failure>,
    /// The first story in which a person was asked about each key.
    asked: Vec<(String, String)>,
}

/// One fault, and its shortest story.
#[derive(Clone, Debug)]
pub(super) struct Failure {
    pub(super) fault: String,
    pub(super) because: String,
    pub(super) story: String,
    pub(super) replay: String,
}

/// What a workflow is worth, the worst last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum LabVerdict {
    /// Every effect happened as often as in the run that nothing befell, the result was the same, and a further start did
    /// nothing.
    Held,
    /// The same, but a person had to be asked on the way. [`Report::in_doubt`] names the keys.
    InDoubt,
    /// Nothing was proven: no effect was seen, or this machine lacks what is needed.
    NotMeasured,
    /// In some story an effect happened twice or never, or the result was another one.
    Broken,
    /// The run that nothing befell did not end well, so there is nothing to compare with.
    HarnessBroken,
}

impl Report {
    pub(super) fn of(
        name: String,
        findings: Findings,
        table: Table,
        failures: Vec<Failure>,
        why: Option<String>,
    ) -> Self {
        let verdict = match &why {
            _ if !failures.is_empty() => LabVerdict::Broken,
            Some(_) => LabVerdict::NotMeasured,
            None if findings.doubts.is_empty() => LabVerdict::Held,
            None => LabVerdict::InDoubt,
        };
        let replay = |(key, story): (&String, &Story)| (key.clone(), replay_line(&name, story));
        let asked = findings.doubts.iter().map(replay).collect();
        Self { name, verdict, why, findings, table, failures, asked }
    }

    /// The lab itself could not work.
    pub(super) fn harness_broken(name: String, why: String) -> Self {
        Self {
            verdict: LabVerdict::HarnessBroken,
            ..Self::of(name, Findings::default(), Table::default(), Vec::new(), Some(why))
        }
    }

    /// What the workflow is worth.
    pub fn verdict(&self) -> LabVerdict {
        self.verdict
    }

    /// Every moment of the undisturbed run, and what becomes of a session that is disturbed there.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// The full keys of the steps that can end in doubt.
    pub fn in_doubt(&self) -> impl Iterator<Item = &str> {
        self.asked.iter().map(|(key, _)| key.as_str())
    }

    /// How many states were looked at after a crash, an error or a damage.
    pub fn states(&self) -> u64 {
        self.findings.states
    }

    /// How many of them differ.
    pub fn distinct_states(&self) -> u64 {
        self.findings.distinct
    }

    /// What the lab did not try, in words.
    pub fn not_covered(&self) -> impl Iterator<Item = &str> {
        self.findings.left_out.iter().map(String::as_str)
    }

    /// Passes if the verdict is [`LabVerdict::Held`].
    ///
    /// # Panics
    ///
    /// With the whole report, if it is not.
    #[track_caller]
    pub fn assert_held(&self) {
        assert!(self.verdict == LabVerdict::Held, "\n{self}");
    }

    /// Passes if the verdict is [`LabVerdict::Held`], or if a person was asked about these full keys and no others.
    ///
    /// # Panics
    ///
    /// With the whole report, if it is not.
    #[track_caller]
    pub fn assert_asks_only(&self, keys: &[&str]) {
        let is_known = self.in_doubt().all(|key| keys.contains(&key));
        assert!(is_known && self.verdict <= LabVerdict::InDoubt, "\n{self}");
    }
}

/// The line that lets a test live through one story again.
pub(super) fn replay_line(name: &str, story: &Story) -> String {
    let thread = std::thread::current();
    let test = thread.name().filter(|name| *name != "main").unwrap_or_default();
    // A quote ends the text for a shell.
    let name = name.replace('\'', "'\\''");
    format!("{}='{name}={story}' cargo test {test} -- --exact --nocapture", super::REPLAY)
}

impl fmt::Display for LabVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Held => "Held",
            Self::InDoubt => "InDoubt",
            Self::NotMeasured => "NotMeasured",
            Self::Broken => "Broken",
            Self::HarnessBroken => "HarnessBroken",
        })
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {}", self.name, self.verdict)?;
        if let Some(why) = &self.why {
            writeln!(f, "  {why}")?;
        }
        let Findings { states, distinct, groups, left_out, .. } = &self.findings;
        if *states > 0 {
            writeln!(f, "  {states} states after a crash, an error or a damage, {distinct} of them distinct")?;
        }
        for (group, (states, worst)) in groups {
            writeln!(f, "  {:<8}{states:>8}  {}", worst.word(), group.words())?;
        }
        for (key, replay) in &self.asked {
            writeln!(f, "  a person is asked about `{key}`; the first story: {replay}")?;
        }
        for failure in &self.failures {
            write!(f, "\n{failure}")?;
        }
        for left_out in left_out {
            writeln!(f, "  not covered: {left_out}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "BROKEN: {}", self.fault)?;
        writeln!(f, "  because: {}", self.because)?;
        write!(f, "{}", self.story)?;
        writeln!(f, "  replay: {}", self.replay)
    }
}

impl Cell {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Held => "held",
            Self::InDoubt => "doubt",
            Self::Broken => "BROKEN",
        }
    }
}

impl Group {
    fn words(self) -> &'static str {
        match self {
            Self::Kill => "the process is killed",
            Self::Power => "the power is cut: names in order, the end of each file lost or torn",
            Self::Weak => "the power is cut: any subset of what was not synced, torn or zeroed",
            Self::Late => "a request lands after its sender is dead, or has given up",
            Self::Error => "the disk or the network fails, once and for good",
            Self::Again => "a later start is disturbed too",
            Self::Rot => "a byte of a file is flipped, sixteen are zeroed, or the file is cut: right or refused",
            Self::Views => "with the files for readers: kills and power cuts, and what the handoff says",
            Self::Orders => "other orders of tasks that run side by side",
        }
    }
}
