//! What the macros know of a workflow at compile time. All of it is static.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::policy::Policy;

/// A workflow as its attribute describes it.
#[derive(Debug)]
pub struct WorkflowMeta {
    /// Name of the function.
    pub name: &'static str,
    /// Module that the function stands in.
    pub module: &'static str,
    /// Template of the run key as written; the function's name where none is given.
    pub key: &'static str,
    /// The same with empty holes: `payroll/{}`.
    pub shape: &'static str,
    /// Shapes of the keys that its runs had before, and the names that it had.
    pub formerly: &'static [&'static str],
    /// Shapes of the keys of steps and runs that the code no longer has.
    pub retired: &'static [&'static str],
    /// Version of the code, recorded with each run that it begins; 1 where none is given.
    pub version: u32,
    /// The goal as written, holes included.
    pub goal: Option<&'static str>,
    /// Whether its key, its inputs and its result may hold what looks like a secret.
    pub allows_secrets: bool,
    /// What must stay true whatever happens.
    pub invariants: &'static [&'static str],
    /// The steps in source order.
    pub steps: &'static [StepMeta],
    /// Indexes of the steps that can come first.
    pub entry: &'static [u16],
    /// Names of what its body calls with the session, or awaits, outside its steps: among them the workflows whose runs it
    /// does not name.
    pub calls: &'static [&'static str],
    /// Source file.
    pub file: &'static str,
    /// Line of the function.
    pub line: u32,
}

impl WorkflowMeta {
    /// A workflow that says nothing of itself.
    pub const BARE: Self = Self {
        name: "",
        module: "",
        key: "",
        shape: "",
        formerly: &[],
        retired: &[],
        version: 1,
        goal: None,
        allows_secrets: false,
        invariants: &[],
        steps: &[],
        entry: &[],
        calls: &[],
        file: "",
        line: 0,
    };

    /// One of its steps, by its place among them.
    pub const fn step(&'static self, index: usize) -> &'static StepMeta {
        &self.steps[index]
    }
}

/// A step as its attribute describes it: what it does not say is as in [`StepMeta::BARE`].
#[derive(Debug)]
pub struct StepMeta {
    /// What kind of step it is.
    pub kind: StepKind,
    /// Template of the key as written: `pay/{invoice.id:03}`.
    pub key: &'static str,
    /// The same with empty holes: `pay/{}`.
    pub shape: &'static str,
    /// Shapes of the keys that it had before.
    pub formerly: &'static [&'static str],
    /// The same as written, where a hole of one of them has a format; else none.
    pub formerly_as: &'static [&'static str],
    /// The title as written.
    pub title: Option<&'static str>,
    /// How a doubt about it ends.
    pub proof: Proof,
    /// Whether the step names its key, and so can give its token to the receiver.
    pub sends_token: bool,
    /// Whether an error is a result of the step, once it is proven that nothing happened.
    pub records_errors: bool,
    /// Whether it stands in the body itself: while its expression runs, nothing else of the run does.
    pub alone: bool,
    /// Whether it runs in a run that was given up.
    pub cleanup: bool,
    /// Whether its key and its result may hold what looks like a secret.
    pub allows_secrets: bool,
    /// Whether the code can give a result again that is not kept.
    pub refetches: bool,
    /// Whom to ask when nothing else can tell.
    pub ask: &'static str,
    /// How long a request may still land after its attempt has ended; where none is given as long as its timeout, else
    /// [`DEFAULT_SETTLE`].
    pub settle: Option<Duration>,
    /// How often it is tried, and for how long.
    pub policy: Policy,
    /// The part of the workflow that it belongs to.
    pub phase: Option<&'static str>,
    /// Source file.
    pub file: &'static str,
    /// Line of the step.
    pub line: u32,
    /// Column of the step.
    pub column: u32,
    /// Indexes of the steps that can follow.
    pub next: &'static [u16],
}

impl StepMeta {
    /// A side effect that says nothing of itself.
    pub const BARE: Self = Self {
        kind: StepKind::SideEffect,
        key: "",
        shape: "",
        formerly: &[],
        formerly_as: &[],
        title: None,
        proof: Proof::Person,
        sends_token: false,
        records_errors: false,
        alone: true,
        cleanup: false,
        allows_secrets: false,
        refetches: false,
        ask: "operator",
        settle: None,
        policy: Policy::ONCE,
        phase: None,
        file: "",
        line: 0,
        column: 0,
        next: &[],
    };
}

/// How long absence is not believed after an attempt where the step says nothing of it.
pub const DEFAULT_SETTLE: Duration = Duration::from_secs(30);

/// What a step is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StepKind {
    /// It changes the world.
    SideEffect,
    /// It only looks or computes.
    Read,
    /// It calls another workflow, whose run it names.
    Run,
    /// A person decides.
    Decision,
    /// It waits for an instant.
    Sleep,
}

impl StepKind {
    /// Whether it does nothing but wait.
    pub fn is_wait(self) -> bool {
        match self {
            Self::Decision | Self::Sleep => true,
            Self::SideEffect | Self::Read | Self::Run => false,
        }
    }

    /// What it is called in a sentence.
    pub fn in_words(self) -> &'static str {
        match self {
            Self::SideEffect => "a side effect",
            Self::Read => "a read",
            Self::Run => "a run",
            Self::Decision => "a decision",
            Self::Sleep => "a sleep",
        }
    }
}

/// How a doubt about a step ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Proof {
    /// The step's verifier is asked.
    Verify,
    /// The receiver drops repeats of a token, so the step runs again with it.
    Idempotent,
    /// Only a person can tell.
    Person,
    /// There is no doubt: running it again is harmless.
    NotNeeded,
}
