//! Sessions as their records tell them: the only way in which a state comes about.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::value::RawValue;
use uuid::Uuid;

use crate::core::failure::FailureKind;
use crate::core::handoff::Handoff;
use crate::core::key;
use crate::core::meta::{Proof, StepKind};
use crate::core::outline::{Outline, OutlineStep};
use crate::core::record::{
    Absent, Boot, Cancel, Done, Dormant, End, Event, FORMAT, Failed, How, InDoubt, Record, Reserve, Run, Stopped,
    Stored,
};
use crate::core::state::State;
use crate::core::time::Timestamp;
use crate::core::word::Word;

pub(super) const RUN: &str = "payroll/2026-09";

pub(super) struct Story {
    pub(super) state: State,
    at: Timestamp,
    /// What lies in the inbox, if that is looked at.
    inbox: Option<Vec<Word>>,
}

impl Story {
    /// A session that was never opened.
    pub(super) fn new() -> Self {
        let state = State::new(Uuid::from_u128(7), "payer".into());
        Self { state, at: Timestamp::from_millis(1_789_286_700_000), inbox: None }
    }

    /// A session that is in the middle of paying four invoices.
    pub(super) fn payroll() -> Self {
        Self::new().boot().run(RUN, payroll())
    }

    pub(super) fn tell(mut self, event: impl Into<Event>) -> Self {
        self.at = self.at.after(std::time::Duration::from_secs(1));
        let boots = matches!(self.state.seq, 0);
        let epoch = if boots { 1 } else { self.state.epoch };
        self.state.apply(&Record { seq: self.state.seq + 1, epoch, at: self.at, event: event.into() });
        self
    }

    pub(super) fn boot(self) -> Self {
        let (session, iteration) = (self.state.session, self.state.iteration + 1);
        let (identity, library) = (self.state.identity.clone(), "0.1.0".to_owned());
        let durability = "power_safe".to_owned();
        self.tell(Boot {
            session,
            format: FORMAT,
            iteration,
            identity,
            durability,
            library,
            machine_boot: None,
            pid: 4711,
            place: None,
        })
    }

    pub(super) fn run(self, run: &str, outline: Outline) -> Self {
        self.named_run(run, None, outline)
    }

    /// A run, and the shape of the `#[run]` that names it.
    pub(super) fn named_run(self, run: &str, shape: Option<&str>, outline: Outline) -> Self {
        self.tell(Run {
            run: run.into(),
            workflow: outline.name.clone(),
            shape: shape.unwrap_or(run).into(),
            named: shape.is_some(),
            title: None,
            goal: outline.goal.clone(),
            version: None,
            inputs: BTreeMap::new(),
            outline: Arc::new(outline),
        })
    }

    pub(super) fn reserve(self, step: &str, shape: &str, proof: Proof, ask: &str, title: &str) -> Self {
        let key = key::scoped(RUN, step);
        let attempt = self.state.steps.get(&key).map_or(1, |step| step.attempt + 1);
        let token = key::token(self.state.session, &key);
        self.tell(Reserve {
            key: key.into(),
            token: Some(token),
            run: RUN.into(),
            shape: shape.into(),
            attempt,
            proof,
            ask: ask.into(),
            title: Some(title.into()),
            settle_ms: 30_000,
            within_ms: None,
            args: None,
            gives: (proof == Proof::Person).then(|| "Receipt".to_owned()),
        })
    }

    pub(super) fn reserve_pay(self, invoice: u32) -> Self {
        let title = format!("pay $1 to \"{}\"", ["Ada", "Bob", "Cem", "Dora"][invoice as usize % 4]);
        self.reserve(&format!("pay/{invoice:03}"), "pay/{}", Proof::Verify, "treasury", &title)
    }

    pub(super) fn done(self, step: &str, how: How, value: Result<&str, &str>) -> Self {
        let key = key::scoped(RUN, step);
        let known = self.state.steps.get(&key);
        let (shape, title) = known.map_or_else(|| (step.into(), None), |step| (step.shape.clone(), step.title.clone()));
        self.tell(Done {
            key: key.into(),
            run: RUN.into(),
            shape,
            kind: StepKind::SideEffect,
            how,
            attempt: 1,
            title,
            value: value.ok().map(stored),
            unstorable: value.err().map(str::to_owned),
            args: None,
            gives: value.is_err().then(|| "Receipt".to_owned()),
        })
    }

    pub(super) fn pay(self, invoice: u32) -> Self {
        let value = format!(r#"{{"tx":"tx-{invoice}"}}"#);
        self.reserve_pay(invoice).done(&format!("pay/{invoice:03}"), How::Executed, Ok(&value))
    }

    pub(super) fn failed(self, step: &str, failure: FailureKind, error: &str) -> Self {
        let kind = StepKind::SideEffect;
        let key = key::scoped(RUN, step);
        self.tell(Failed {
            key,
            run: RUN.into(),
            kind,
            attempt: 1,
            failure,
            error: error.into(),
            payload: None,
            retry_at: None,
            spent: true,
            result: None,
        })
    }

    pub(super) fn absent(self, step: &str) -> Self {
        self.tell(Absent {
            key: key::scoped(RUN, step),
            attempt: 1,
            by: "verifier".into(),
            retry_at: None,
            spent: false,
        })
    }

    pub(super) fn asked(self, step: &str, ask: &str, why: &str) -> Self {
        let key = key::scoped(RUN, step);
        let error = format!("step `{key}` is in doubt: nobody here can tell ({why}); ask {ask}");
        self.tell(InDoubt { key, attempt: 1, ask: ask.into(), why: why.into(), gives: Some("Receipt".into()) })
            .stopped(None, &error)
    }

    pub(super) fn stopped(self, key: Option<&str>, error: &str) -> Self {
        self.tell(Stopped {
            run: RUN.into(),
            key: key.map(str::to_owned),
            error: error.into(),
            waits: false,
            cancelled: false,
            missed: Vec::new(),
            origin: None,
        })
    }

    /// Somebody gives a run up.
    pub(super) fn cancel(self, run: &str) -> Self {
        self.tell(Cancel { run: run.into(), by: "Grace".into(), because: "the firm is closed".into(), word: None })
    }

    /// The code of a run that was given up comes to its end.
    pub(super) fn over(self, run: &str) -> Self {
        let error = "run ended without a result".to_owned();
        self.tell(Stopped {
            run: run.into(),
            key: None,
            error,
            waits: false,
            cancelled: true,
            missed: Vec::new(),
            origin: None,
        })
    }

    pub(super) fn end(self, value: &str) -> Self {
        self.tell(End { run: RUN.into(), value: stored(value) })
    }

    pub(super) fn dormant(self) -> Self {
        self.tell(Dormant {})
    }

    /// Whoever reads the letter has looked into the inbox.
    pub(super) fn with_inbox(self, words: Vec<Word>) -> Self {
        Self { inbox: Some(words), ..self }
    }

    /// The letter of whoever has looked into the inbox, and looks at this instant.
    pub(super) fn read_at(&self, at: &str) -> String {
        Handoff::with_posted(&self.state, self.inbox.as_deref().unwrap_or_default(), Timestamp::parse(at).unwrap())
            .to_string()
    }

    pub(super) fn handoff(&self) -> String {
        match &self.inbox {
            Some(words) => Handoff::with_posted(&self.state, words, self.state.at).to_string(),
            None => Handoff::of(&self.state).to_string(),
        }
    }
}

pub(super) fn stored(json: &str) -> Stored {
    RawValue::from_string(json.to_owned()).unwrap().into()
}

/// A workflow that pays invoices in a loop, tells the board, and rests.
pub(super) fn payroll() -> Outline {
    Outline {
        name: "payroll".into(),
        goal: Some("pay 4 invoices".into()),
        invariants: vec!["an invoice is paid at most once".into()],
        entry: vec![0],
        steps: vec![
            step("pay/{invoice.id:03}", "pay/{}", "pay $1 to {invoice.payee}", "pay", &[0, 1]),
            step("wire", "wire", "wire the rest", "pay", &[2]),
            step("summary", "summary", "send the summary to the board", "tell", &[]),
        ],
        calls: Vec::new(),
    }
}

fn step(key: &str, shape: &str, title: &str, phase: &str, next: &[u16]) -> OutlineStep {
    OutlineStep {
        key: key.into(),
        shape: shape.into(),
        title: Some(title.into()),
        kind: StepKind::SideEffect,
        proof: Proof::Verify,
        ask: "treasury".into(),
        phase: Some(phase.into()),
        cleanup: false,
        line: 12,
        next: next.to_vec(),
    }
}
