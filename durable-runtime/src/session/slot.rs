//! One step while it is reached: from its key to its value.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::Session;
use super::codec::Codec;
use super::former::Gone;
use super::live::Live;
use super::plan::Plan;
use super::run::Reached;
use super::surroundings::{self, Around};
use crate::core::decide::{Decision, decide};
use crate::core::failure::{Failure, FailureKind};
use crate::core::key::StepKey;
use crate::core::meta::{Proof, StepKind};
use crate::core::policy::Limit;
use crate::core::record::{Event, How, Kept, Lost, Withheld};
use crate::core::start::{Cause, Effect};
use crate::core::state::{Life, Step};
use crate::core::step_error::StepError;
use crate::core::text::Text;
use crate::core::time::Timestamp;
use crate::core::way_out::short;
use crate::error::{Error, Kind, Places};
use crate::private::bounds::Classifier;

/// A step that has been reached. Made by [`Run::begin`](super::Run::begin), and asked by the expansion what to do.
pub struct Slot<T, E> {
    pub(super) session: Session,
    pub(super) key: StepKey,
    pub(super) plan: Plan,
    pub(super) title: Option<Arc<str>>,
    pub(super) codec: Codec<T>,
    pub(super) show: fn(&E) -> String,
    pub(super) phase: Phase<T, E>,
    /// When the verifier was asked last.
    pub(super) asked_at: Timestamp,
    /// How many attempts have failed since the budget was last full.
    pub(super) failures: u32,
    /// What the error of the newest attempt is said to prove.
    pub(super) failure: Option<Failure>,
    /// Digest of what the step is given.
    pub(super) args: Option<uuid::Uuid>,
    /// What is known of its result, if that is not kept and is to be got again.
    pub(super) withheld: Option<Withheld>,
    /// Whether its expression, or its verifier, is counted as running.
    pub(super) is_running: AtomicBool,
}

/// What the expression of a step is polled in. Made by [`Slot::effect`].
pub struct InEffect(Around);

impl InEffect {
    /// Polls the expression.
    pub async fn poll<F: Future>(&self, expression: Pin<&mut F>) -> F::Output {
        surroundings::within(&self.0, expression).await
    }
}

impl std::fmt::Debug for InEffect {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("InEffect")
    }
}

/// Where a reached step stands.
pub(super) enum Phase<T, E> {
    /// A proof is needed.
    Doubt { attempt: u32, raised: Raised<E> },
    /// The effect may be running.
    Ready { attempt: u32 },
    /// It happened, and its result is being recorded.
    Recording,
    /// It happened, and its result is not kept: what can give it again is asked.
    Withheld,
    /// Nothing happened, and an error is its result.
    Failed(StepError),
    /// It is settled.
    Closed(Result<Result<T, E>, Error>),
    /// Its outcome has been taken.
    Taken,
}

/// Where a doubt comes from.
pub(super) enum Raised<E> {
    /// From an earlier start.
    Before,
    /// From an attempt of this one.
    Now(Ended<E>, FailureKind),
}

/// How an attempt ended without a value.
pub(super) enum Ended<E> {
    /// With an error.
    Error(E),
    /// It took too long.
    Timeout(Limit),
}

impl<T, E> Slot<T, E> {
    pub(crate) async fn begin(
        session: &Session,
        reached: &Reached,
        title: Option<Text>,
        codec: Codec<T>,
        show: fn(&E) -> String,
    ) -> Self {
        let mut slot = Self {
            session: session.clone(),
            key: reached.key.clone(),
            plan: reached.plan.clone(),
            title: session.worded(title).map(Into::into),
            codec,
            show,
            phase: Phase::Taken,
            asked_at: Timestamp::from_millis(0),
            failures: 0,
            failure: None,
            args: None,
            withheld: None,
            is_running: AtomicBool::new(false),
        };
        match slot.reach(reached) {
            Ok(decision) => slot.obey(decision).await,
            Err(error) => slot.refuse(error).await,
        }
        slot
    }

    /// Whether a proof is needed. The verifier is asked right after this, and what it says holds for this instant.
    pub fn in_doubt(&mut self) -> bool {
        self.asked_at = self.session.shared.clock.now();
        let asks = matches!(self.phase, Phase::Doubt { .. } | Phase::Withheld);
        self.note_effect(asks);
        asks
    }

    /// Whether its result was not kept: what can give it again is asked.
    pub fn is_withheld(&self) -> bool {
        let asks = matches!(self.phase, Phase::Withheld);
        self.note_effect(asks);
        asks
    }

    /// Whether the step is to run: its attempt is reserved.
    pub fn may_run(&self) -> bool {
        let runs = matches!(self.phase, Phase::Ready { .. });
        self.note_effect(runs);
        runs
    }

    /// What the expression of the step, or of its verifier, is polled in where other steps may run beside it: a step
    /// that it reaches is refused.
    pub fn effect(&self) -> InEffect {
        InEffect(Around::effect(&self.session, self.as_effect()))
    }

    /// Lets an attempt take as long as it may. One that takes longer is dropped, and has no outcome here: it is in doubt.
    pub async fn limit<V>(&mut self, attempt: impl Future<Output = V>) -> Option<V> {
        let Some(limit) = self.plan.policy.timeout else { return Some(attempt.await) };
        let outcome = crate::clock::limit(limit.length, attempt).await;
        if outcome.is_none() {
            self.note_effect(false);
            self.ended(Ended::Timeout(limit), Failure::unknown()).await;
        }
        outcome
    }

    /// Notes what the error of an attempt proves, if it is one.
    pub fn classify(&mut self, outcome: &Result<T, E>, classify: impl FnOnce(&E) -> Failure) {
        self.failure = outcome.as_ref().err().map(classify);
    }

    /// The same by what `classify` computes.
    pub fn classify_by(&mut self, outcome: &Result<T, E>, computed: impl Classifier<E>) {
        self.classify(outcome, |error| computed.classify(error));
    }

    /// Records what the step gave.
    pub async fn finish(&mut self, outcome: Result<T, E>) {
        self.note_effect(false);
        match outcome {
            Ok(value) => self.done(value, How::Executed).await,
            Err(error) => {
                let failure = self.failure.take().unwrap_or_else(Failure::unknown);
                self.ended(Ended::Error(error), failure).await;
            }
        }
    }

    /// Records what a step gave that cannot fail.
    pub async fn finish_value(&mut self, value: T) {
        self.note_effect(false);
        self.done(value, How::Executed).await;
    }

    /// What the step comes to.
    ///
    /// # Errors
    ///
    /// Fails if the step was refused, or is in doubt.
    pub fn close(mut self) -> Result<Result<T, E>, Error> {
        match std::mem::replace(&mut self.phase, Phase::Taken) {
            Phase::Closed(outcome) => outcome,
            phase => Err(self.left(&phase)),
        }
    }

    /// Why a step that was left in this phase has no outcome.
    pub(super) fn left(&self, phase: &Phase<T, E>) -> Error {
        match phase {
            Phase::Doubt { attempt, .. } | Phase::Ready { attempt } => self.doubted(*attempt, LEFT),
            Phase::Withheld | Phase::Recording | Phase::Failed(_) | Phase::Closed(_) | Phase::Taken => {
                self.doubted(0, LEFT)
            }
        }
    }

    /// What a step comes to that cannot fail.
    ///
    /// # Errors
    ///
    /// See [`close`](Self::close).
    pub fn close_value(self) -> Result<T, Error> {
        let (show, way) = (self.show, Box::new(self.way_out()));
        self.close()?.map_err(|error| Kind::InDoubt { attempt: 0, why: show(&error), way }.into())
    }

    /// Notes whether the expression of the step, or of its verifier, is running; and if so, whether nothing else of the
    /// run is.
    pub(super) fn note_effect(&self, is_running: bool) {
        let busy = &self.session.shared.busy;
        match (self.is_running.swap(is_running, Ordering::AcqRel), is_running) {
            (false, true) => drop(busy.fetch_add(1, Ordering::AcqRel)),
            (true, false) => drop(busy.fetch_sub(1, Ordering::AcqRel)),
            (false, false) | (true, true) => {}
        }
        if !self.plan.alone {
            return;
        }
        let start = &mut self.session.shared.live().start;
        match is_running {
            true => start.begin_alone(&self.session.scope, self.as_effect()),
            false => start.end_alone(&self.session.scope, self.key.as_str()),
        }
    }

    fn as_effect(&self) -> Effect {
        Effect { key: self.key.to_string(), place: self.plan.place }
    }

    fn reach(&mut self, reached: &Reached) -> Result<Decision, Error> {
        let at = self.plan.place;
        let mut live = self.session.shared.live();
        self.session.admits(&live, self.key.as_str())?;
        self.session.is_outside_effects(&live, self.key.as_str(), at)?;
        self.session.is_complete(&live, self.key.as_str(), at)?;
        let template = || self.plan.template.to_string();
        if let Some(problem) = reached.problem.clone() {
            return Err(Kind::BadKey { template: template(), at, problem }.into());
        }
        self.args = reached.args.clone().transpose().map_err(|error| Kind::BadArgs { key: template(), at, error })?;
        if let Some(first) = live.start.reach_step(&self.session.scope, self.key.as_str(), at) {
            return Err(Kind::KeyReused { key: self.key.to_string(), places: Places { first, again: at } }.into());
        }
        if !live.state.steps.contains_key(self.key.as_str()) {
            if let Some(Gone { former, run, shape }) = reached.gone.clone() {
                return Err(Kind::FormerGone { key: self.key.to_string(), at, former, run, shape }.into());
            }
            if let Some(otherwise) = reached.otherwise.clone() {
                return Err(otherwise.refuses(at).into());
            }
            // What belongs to a run that was given up is refused for that.
            if !self.is_given_up(&live.state) {
                self.session.leaves_nothing(&live, self.key.as_str(), at)?;
                self.session.is_not_anew(&live, self.key.as_str(), &self.plan.shape, at)?;
            }
        }
        self.tell_of_insertion(&live);
        let recorded = live.state.steps.get(self.key.as_str()).and_then(|step| step.title.clone());
        let (shape, title) = (&self.plan.shape, self.title.as_deref());
        self.session.shared.tell_of_title(&mut live, shape, self.key.as_str(), recorded.as_deref(), title);
        let gives = || short(self.codec.type_name);
        if let Some((recorded, now)) = live.state.asked_with_other(self.key.as_str(), gives) {
            self.session.shared.tell_of_type(self.key.as_str(), &recorded, &now);
        }
        let gone = live.state.gone(&self.session.scope);
        if gone.is_adopted
            && self.plan.kind == StepKind::SideEffect
            && !live.state.steps.contains_key(self.key.as_str())
        {
            let now = self.session.shared.clock.now();
            live.push(now, Lost { keys: vec![self.key.to_string()], adopted: true });
        }
        let step = live.state.steps.get(self.key.as_str());
        if let (Some(recorded), Some(given)) = (step.and_then(|step| step.args), self.args)
            && recorded != given
        {
            return Err(Kind::ArgsChanged { key: self.key.to_string(), at, recorded, given }.into());
        }
        // What something else gave is no result of an effect, which would be passed over for it.
        let is_other = |step: &&Step| {
            step.kind.is_wait()
                || (step.kind == StepKind::Read
                    && self.plan.kind == StepKind::SideEffect
                    && matches!(step.life, Life::Done { .. } | Life::Failed(_)))
        };
        if let Some(recorded) = step.filter(is_other).map(|step| step.kind) {
            return Err(Kind::AnotherStep { key: self.key.to_string(), at, recorded: recorded.in_words() }.into());
        }
        self.failures = step.map_or(0, |step| step.tried().failures);
        Ok(decide(step, self.plan.proof, gone))
    }

    /// A step that the code has taken on since the run began, before what the run has recorded: it just runs.
    fn tell_of_insertion(&self, live: &Live) {
        let Some(run) = live.state.runs.get(&*self.session.scope) else { return };
        let is_new = run.added.contains(&*self.plan.shape) && !live.state.steps.contains_key(self.key.as_str());
        if is_new && run.recorded >= live.start.steps_reached(&self.session.scope) {
            tracing::warn!(key = %self.key, at = %self.plan.place, "step is new, before recorded progress: it runs");
        }
    }

    async fn obey(&mut self, decision: Decision) {
        let told = || self.session.shared.secrets.redact(&format!("{decision:?}")).into_owned();
        tracing::debug!(key = %self.key, decision = told(), "step reached");
        match decision {
            Decision::Run { attempt, not_before } => self.again(attempt, not_before).await,
            Decision::Verify { attempt } => self.phase = Phase::Doubt { attempt, raised: Raised::Before },
            Decision::Take(word) => self.take(word).await,
            Decision::Ask { attempt, why } => self.ask(attempt, why).await,
            Decision::Replay(stored) => self.replay(&stored).await,
            Decision::Fail(error) => {
                self.session.shared.live().start.replay(self.key.as_str());
                self.conclude(error).await;
            }
            Decision::Supply { why, .. } if self.may_fetch(&why) => {
                self.fetch_again(Withheld { holds: why, rest: None }).await;
            }
            Decision::Supply { why, .. } => {
                self.refuse(self.not_storable(why)).await;
            }
            Decision::SettleFirst(lost) => {
                let (key, run) = (self.key.to_string(), self.session.scope.to_string());
                self.refuse(Kind::LogLost { key, at: self.plan.place, run, lost: lost.join(", ") }.into()).await;
            }
        }
    }

    /// Gives the recorded result.
    async fn replay(&mut self, recorded: &Kept) {
        let key = self.key.to_string();
        let refusal = match self.session.shared.recall(recorded).await {
            Err(source) => Kind::Unfetched { key, source },
            Ok(stored) if let Some(withheld) = stored.withheld() => return self.fetch_again(withheld).await,
            Ok(stored) => match (self.codec.decode)(&stored) {
                Ok(value) => {
                    self.session.shared.live().start.replay(self.key.as_str());
                    self.phase = Phase::Closed(Ok(Ok(value)));
                    return;
                }
                Err(error) => Kind::Undecodable { key, ty: self.codec.type_name, error },
            },
        };
        self.refuse(refusal.into()).await;
    }
}

const LEFT: &str = "the step was left before it ended";
const DROPPED: &str = "the step was dropped before it ended";

/// Who drops a step most often, and what to write so that nobody need.
const DROPPED_BY: &str = ", as a `select!` or a `tokio::time::timeout` around it does, or a `?` that a macro hides in it; to limit its time write `timeout = \"30s\"` into its attribute, and to let an error out, a `?` that can be seen";

impl<T, E> Drop for Slot<T, E> {
    /// A reserved effect that is dropped may have happened: its run stops, and the next start finds out. So does the run
    /// of one that was dropped while it was verified or recorded: going on without it would choose another path.
    fn drop(&mut self) {
        self.note_effect(false);
        let attempt = match self.phase {
            Phase::Ready { .. } if self.plan.kind == StepKind::Read && !std::thread::panicking() => return,
            Phase::Ready { attempt } => Some(attempt),
            Phase::Doubt { .. } | Phase::Withheld | Phase::Recording => None,
            Phase::Closed(_) | Phase::Failed(_) | Phase::Taken => return,
        };
        let panic = super::panic::running();
        let hint = if panic.is_some() { "" } else { DROPPED_BY };
        let why = panic.unwrap_or_else(|| DROPPED.to_owned());
        tracing::warn!(key = %self.key, why = &*self.session.shared.secrets.redact(&why), "step left");
        if let Some(attempt) = attempt {
            self.session.shared.push(Event::from(self.failure(attempt, why.clone())));
            if self.plan.proof == Proof::Person {
                return self.stop_in_doubt(why + hint);
            }
        }
        self.stop(why + hint, Cause::Error);
    }
}

impl<T, E> std::fmt::Debug for Slot<T, E> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Slot").field("key", &self.key).finish_non_exhaustive()
    }
}
