//! Steps without attributes: the same life, called by hand.

use std::borrow::Cow;
use std::panic::Location;
use std::pin::pin;
use std::time::Duration;

use serde::Serialize;

use super::Session;
use super::codec::{self, Codec};
use super::panic;
use super::plan::Plan;
use super::proof::{Asks, Prove, Proven, Unasked, Unproven};
use super::run::Reached;
use super::slot::Slot;
use super::surroundings::Around;
use crate::core::failure::Failure;
use crate::core::key::{self, StepKey};
use crate::core::meta::{Proof, StepKind};
use crate::core::policy::{Limit, Policy, Whose};
use crate::core::start::Place;
use crate::core::step_error::StepError;
use crate::core::text::Text;
use crate::error::{Error, Kind};
use crate::private::bounds::{Failing, Recordable};

impl Session {
    /// A step that changes the world, without an attribute: what `#[side_effect]` does, for keys that are known at run time
    /// only, and for code that no macro can read.
    ///
    /// In a workflow the key belongs to its run; outside any it stands alone, and the session needs a goal. What the macro
    /// checks is checked when the step is reached, and only then: above all that a key is used once in a start. Such a key
    /// is recorded as one of no place in the code, so nobody misses it when the code has changed.
    ///
    /// # Examples
    ///
    /// ```
    /// use durable_runtime::{Error, Session};
    /// # struct Bank;
    /// # impl Bank {
    /// #     async fn find(&self, _: impl ToString) -> Result<Option<u32>, Error> { Ok(None) }
    /// #     async fn transfer(&self, _: impl ToString, _: u32) -> Result<u32, Error> { Ok(17) }
    /// # }
    ///
    /// async fn pay(session: &Session, bank: &Bank, id: u32) -> Result<u32, Error> {
    ///     session
    ///         .side_effect(format!("pay/{id}"))
    ///         .title(format!("pay invoice {id}"))
    ///         .verify(|key| async move { bank.find(key.token()).await })
    ///         .run(|key| async move { bank.transfer(key.token(), id).await })
    ///         .await
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Error> {
    /// # let dir = tempfile::tempdir().expect("a directory for the example");
    /// let session = Session::builder(dir.path().join("session")).goal("pay one invoice").open().await?;
    /// assert_eq!(pay(&session, &Bank, 3).await?, 17);
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn side_effect(&self, key: impl Into<String>) -> SideEffect<'_, Unproven> {
        SideEffect { step: Step::new(self, key.into(), StepKind::SideEffect), proof: Unproven }
    }

    /// A step that only reads or computes, without an attribute: what `#[read]` does.
    ///
    /// ```
    /// use durable_runtime::{Error, Session};
    /// # async fn rate(_: &str) -> Result<u32, Error> { Ok(3) }
    ///
    /// async fn fixed(session: &Session, currency: &str) -> Result<u32, Error> {
    ///     session.read(format!("rate/{currency}")).run(|| async move { rate(currency).await }).await
    /// }
    /// # let _ = fixed;
    /// ```
    #[track_caller]
    pub fn read(&self, key: impl Into<String>) -> Read<'_> {
        Read { step: Step::new(self, key.into(), StepKind::Read) }
    }
}

/// A side effect that is not run yet. Made by [`Session::side_effect`]; it runs once it is said who ends a doubt about it.
#[must_use = "a step does nothing until it is run"]
#[derive(Debug)]
pub struct SideEffect<'a, P> {
    step: Step<'a>,
    proof: P,
}

/// A read that is not run yet. Made by [`Session::read`].
#[must_use = "a step does nothing until it is run"]
#[derive(Debug)]
pub struct Read<'a> {
    step: Step<'a>,
}

/// What a step says of itself, as far as it is said.
#[derive(Debug)]
struct Step<'a> {
    session: &'a Session,
    key: String,
    title: Option<String>,
    /// As JSON.
    args: Option<Result<String, String>>,
    plan: Plan,
}

/// The settings that steps of both kinds have.
macro_rules! settings {
    () => {
        /// The step in words.
        pub fn title(mut self, title: impl Into<String>) -> Self {
            self.step.title = Some(self.step.said(title.into()));
            self
        }

        /// What the step is given: the same key with other arguments is an error. Only a digest of them is kept.
        pub fn args<A: Serialize + ?Sized>(mut self, args: &A) -> Self {
            self.step.args = Some(codec::canonical(args));
            self
        }

        /// Its key and its result may hold what looks like a secret: it is written as it is.
        pub fn allow_secrets(mut self) -> Self {
            self.step.plan.allows_secrets = true;
            self
        }

        /// How many attempts may fail in one start, the first included. Default: one.
        pub fn attempts(mut self, attempts: u32) -> Self {
            self.step.plan.policy.attempts = attempts.max(1);
            self
        }

        /// The waits between attempts: the first one, and the longest; each is twice the one before. Default: 200 ms and
        /// 30 s.
        pub fn backoff(mut self, first: Duration, longest: Duration) -> Self {
            self.step.plan.policy.backoff.first = first;
            self.step.plan.policy.backoff.longest = longest;
            self
        }

        /// How long an attempt may take. One that takes longer is in doubt.
        pub fn timeout(mut self, timeout: Duration) -> Self {
            self.step.plan.policy.timeout = Some(Limit { length: timeout, of: Whose::Step });
            self
        }
    };
}

impl<'a, P> SideEffect<'a, P> {
    settings!();

    /// How long after an attempt the verifier may still miss it. Default: the timeout, else 30 s.
    pub fn settle(mut self, settle: Duration) -> Self {
        self.step.plan.settle = Some(settle);
        self
    }

    /// How long the receiver of an idempotent step remembers the token.
    pub fn within(mut self, within: Duration) -> Self {
        self.step.plan.policy.within = Some(within);
        self
    }

    /// The verifier: asked when the step is in doubt. It gives what the `verify` argument of `#[side_effect]` gives.
    pub fn verify<V: Fn(StepKey) -> F, F: Future>(self, verify: V) -> SideEffect<'a, Asks<V>> {
        self.proven_by(Proof::Verify, Asks(verify))
    }

    /// The receiver drops repeats of a token, or repeats do no harm.
    pub fn idempotent(self) -> SideEffect<'a, Unasked> {
        self.proven_by(Proof::Idempotent, Unasked)
    }

    fn proven_by<Q>(mut self, proof: Proof, by: Q) -> SideEffect<'a, Q> {
        self.step.plan.proof = proof;
        SideEffect { step: self.step, proof: by }
    }
}

impl<'a> SideEffect<'a, Unproven> {
    /// Whom to ask when the step is in doubt: nothing else can tell.
    pub fn in_doubt(mut self, who: impl Into<String>) -> SideEffect<'a, Unasked> {
        self.step.plan.ask = self.step.said(who.into()).into();
        self.proven_by(Proof::Person, Unasked)
    }
}

impl<V> SideEffect<'_, Asks<V>> {
    /// Whom to ask when the verifier cannot tell. Default: `operator`.
    pub fn in_doubt(mut self, who: impl Into<String>) -> Self {
        self.step.plan.ask = self.step.said(who.into()).into();
        self
    }
}

impl<P> SideEffect<'_, P>
where
    Self: Proven,
{
    /// Runs it, as often as its attempts and proofs allow, or gives its recorded value.
    ///
    /// # Errors
    ///
    /// Gives the error of the effect, which stops the run around it until the next start, or the reason why the step is not
    /// run.
    ///
    /// # Crash safety
    ///
    /// The reservation is durable before the effect starts. What happened is never run again.
    pub async fn run<T, E, F>(self, effect: impl Fn(StepKey) -> F) -> Result<T, E>
    where
        T: Recordable,
        E: Failing + From<Error>,
        F: Future<Output = Result<T, E>>,
        P: Prove<T>,
    {
        self.run_classified(effect, |_| Failure::unknown()).await
    }

    /// The same, with a function that says what an error proves.
    ///
    /// # Errors
    ///
    /// See [`run`](Self::run).
    ///
    /// # Crash safety
    ///
    /// See [`run`](Self::run).
    pub async fn run_classified<T, E, F>(
        self,
        effect: impl Fn(StepKey) -> F,
        classify: impl Fn(&E) -> Failure,
    ) -> Result<T, E>
    where
        T: Recordable,
        E: Failing + From<Error>,
        F: Future<Output = Result<T, E>>,
        P: Prove<T>,
    {
        let outcome = live(self.step, &effect, &classify, &self.proof).await.and_then(Slot::close);
        outcome.unwrap_or_else(|error| Err(error.into()))
    }

    /// The same, with an error for a value once it is proven that nothing happened: `errors = "recorded"`.
    ///
    /// # Errors
    ///
    /// Gives the reason why the step is not run, or has no result.
    ///
    /// # Crash safety
    ///
    /// See [`run`](Self::run).
    pub async fn run_recorded<T, E, F>(
        mut self,
        effect: impl Fn(StepKey) -> F,
        classify: impl Fn(&E) -> Failure,
    ) -> Result<Result<T, StepError>, Error>
    where
        T: Recordable,
        E: Failing,
        F: Future<Output = Result<T, E>>,
        P: Prove<T>,
    {
        self.step.plan.records_errors = true;
        live(self.step, &effect, &classify, &self.proof).await.and_then(Slot::close_recorded)
    }
}

impl Read<'_> {
    settings!();

    /// Reads, or gives the recorded value.
    ///
    /// # Errors
    ///
    /// Gives the error of the read, which stops the run around it until the next start, or the reason why it is not run.
    pub async fn run<T, E, F>(self, read: impl Fn() -> F) -> Result<T, E>
    where
        T: Recordable,
        E: Failing + From<Error>,
        F: Future<Output = Result<T, E>>,
    {
        let outcome = live(self.step, &|_| read(), &|_: &E| Failure::unknown(), &Unasked).await.and_then(Slot::close);
        outcome.unwrap_or_else(|error| Err(error.into()))
    }
}

/// The life of a step, as the expansion of an attribute has it.
async fn live<T: Recordable, E: Failing, F: Future<Output = Result<T, E>>>(
    step: Step<'_>,
    effect: &impl Fn(StepKey) -> F,
    classify: &impl Fn(&E) -> Failure,
    proof: &impl Prove<T>,
) -> Result<Slot<T, E>, Error> {
    let title = step.title.as_deref().map(|title| Text::new(&[title], &[]));
    let (session, reached) = step.reached()?;
    let key = StepKey::clone(&reached);
    let mut slot = Slot::begin(&session, &reached, title, Codec::new(), panic::told).await;
    // Others may run beside it.
    let inside = slot.effect();
    while slot.in_doubt() {
        slot.proof(inside.poll(pin!(proof.ask(key.clone()))).await).await;
    }
    while slot.may_run() {
        let attempt = pin!(effect(key.clone()));
        if let Some(outcome) = slot.limit(inside.poll(attempt)).await {
            slot.classify(&outcome, classify);
            slot.finish(outcome).await;
        }
        while slot.in_doubt() {
            slot.proof(inside.poll(pin!(proof.ask(key.clone()))).await).await;
        }
    }
    Ok(slot)
}

impl<'a> Step<'a> {
    #[track_caller]
    fn new(session: &'a Session, key: String, kind: StepKind) -> Self {
        let at = Location::caller();
        let proof = if kind == StepKind::Read { Proof::NotNeeded } else { Proof::Person };
        let plan = Plan {
            kind,
            template: Cow::Owned(key.clone()),
            shape: Cow::Borrowed(""),
            proof,
            sends_token: kind == StepKind::SideEffect,
            records_errors: false,
            alone: false,
            cleanup: false,
            allows_secrets: false,
            refetches: false,
            ask: Cow::Borrowed("operator"),
            settle: None,
            policy: Policy::ONCE,
            place: Place { file: at.file(), line: at.line() },
        };
        Self { session, key, title: None, args: None, plan }
    }

    /// Words of the caller, as they may be told.
    fn said(&self, words: String) -> String {
        self.session.redact(&words).into_owned()
    }

    /// The step in the run that calls it, or in none.
    fn reached(mut self) -> Result<(Session, Reached), Error> {
        let session = Around::of(self.session).session;
        if session.scope.is_empty() {
            let live = session.shared.live();
            if live.state.goal.is_none() {
                let (key, at) = (self.said(self.key.clone()), self.plan.place);
                let outside = |run| Kind::OutsideRun { what: format!("step `{key}`"), at, run };
                let kind = live.under_way().map(outside);
                return Err(kind.unwrap_or(Kind::NoGoalHere { key, at }).into());
            }
        }
        // A secret first: a key that is refused for something else is told as it is.
        let full = session.fit_to_be_told(key::scoped(&session.scope, &self.key), self.plan.allows_secrets);
        let full = full.and_then(|full| {
            key::check_part(&self.key)?;
            key::check(&full).map(|()| full)
        });
        if let Err(problem) = &full {
            self.key = session.told_as(self.key, Some(problem));
            self.plan.template = self.key.clone().into();
        }
        let (full, problem) = full.map_or_else(|problem| (self.key.clone(), Some(problem)), |full| (full, None));
        let reached = Reached {
            key: StepKey::new(session.id(), full),
            plan: self.plan,
            problem,
            args: None,
            gone: None,
            otherwise: None,
        };
        let reached = match self.args {
            Some(args) => reached.given(args),
            None => reached,
        };
        Ok((session, reached))
    }
}
