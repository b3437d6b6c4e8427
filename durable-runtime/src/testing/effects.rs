//! The outside world of a kill lab: it outlives every crash, and counts what was done to it.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
#[cfg(feature = "testing-http")]
use std::task::Poll;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::ManualClock;
use super::machine::Machine;
use super::machine::trace::Traced;
use super::real::Book;
use super::story::{Fate, Moment};
use crate::clock::Clock as _;
use crate::core::time::Timestamp;

/// What was done to the outside world, each effect by a name of its own: best a step's key, or the token of one.
///
/// Build a fake of what your workflow calls around it. [`apply`](Self::apply) is a request: it lets the lab kill the
/// process before the request is sent, when it is applied and not answered, and when it is answered and not recorded; it
/// lets answers get lost and requests land late. A handle, cheap to clone.
///
/// # Examples
///
/// ```
/// use durable_runtime::testing::{Effects, NoAnswer};
///
/// struct Bank(Effects);
///
/// impl Bank {
///     async fn transfer(&self, token: &str, amount: u64) -> Result<u64, NoAnswer> {
///         self.0.apply(token, || amount).await
///     }
///
///     async fn find(&self, token: &str) -> Option<u64> {
///         self.0.find(token)
///     }
/// }
/// ```
#[derive(Clone)]
pub struct Effects {
    machine: Arc<Machine>,
    clock: ManualClock,
    ledger: Arc<Mutex<Ledger>>,
    servers: Arc<Mutex<Vec<Arc<dyn Serves>>>>,
}

/// The answer of the world did not arrive: what was asked for may have happened, may not have, or may happen yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoAnswer;

impl fmt::Display for NoAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no answer: the connection was lost")
    }
}

impl std::error::Error for NoAnswer {}

/// Why a request of the process has no good answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Miss {
    /// No answer arrives.
    Lost,
    /// The answer is an error, and nothing was done.
    Refused,
    /// The answer is an error, though everything was done.
    Failed,
}

/// Something beside the process that does effects for it, and outlives it.
pub(crate) trait Serves: Send + Sync {
    /// A process is about to begin. Its requests are served with these effects.
    fn begin(&self, effects: &Effects);

    /// The process is over. Once this returns, no request of it is in anybody's hands any more.
    fn end(&self);
}

/// Everything that was done, and what is on its way.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ledger {
    /// Where it is written down, for a world that outlives real processes.
    book: Option<Book>,
    done: BTreeMap<String, Vec<Value>>,
    coming: Vec<Coming>,
    /// How long a request may be on its way; `None` for just under the `settle` of its step.
    lands_within: Option<Duration>,
}

/// A request that will land.
#[derive(Clone, Debug)]
struct Coming {
    effect: String,
    answer: Value,
    once: bool,
    within: Duration,
    /// `None` until the next process is up: a request that its dead sender left behind.
    at: Option<Timestamp>,
}

/// How long a request is on its way that belongs to no step.
const SOON: Duration = Duration::from_secs(1);

impl Effects {
    pub(crate) fn new(machine: &Arc<Machine>, clock: &ManualClock, ledger: Ledger) -> Self {
        Self {
            machine: Arc::clone(machine),
            clock: clock.clone(),
            ledger: Arc::new(Mutex::new(ledger)),
            servers: Arc::default(),
        }
    }

    /// Does an effect, and does it again with every call, as a receiver does that knows no tokens. Gives the answer.
    ///
    /// # Errors
    ///
    /// [`NoAnswer`] if the lab lets the request or its answer get lost.
    pub async fn apply<T>(&self, effect: impl fmt::Display, answer: impl FnOnce() -> T) -> Result<T, NoAnswer>
    where
        T: Serialize + DeserializeOwned,
    {
        self.request(effect.to_string(), answer, false).await
    }

    /// Does an effect once: a repeat, known by its name, is dropped, and gets the answer of the first.
    ///
    /// # Errors
    ///
    /// [`NoAnswer`] if the lab lets the request or its answer get lost.
    pub async fn apply_once<T>(&self, effect: impl fmt::Display, answer: impl FnOnce() -> T) -> Result<T, NoAnswer>
    where
        T: Serialize + DeserializeOwned,
    {
        self.request(effect.to_string(), answer, true).await
    }

    /// Notes an effect that your fake does by itself. The lab counts it, and kills the process just before and just after
    /// it; it can neither lose its answer nor let it land late.
    pub fn note(&self, effect: impl fmt::Display) {
        let (control, effect) = (&self.machine.control, effect.to_string());
        let Some(call) = control.call(true) else { return };
        if let Some(trace) = self.machine.trace().as_mut() {
            trace.push(Traced::Call { number: call, effect: effect.clone(), is_question: false });
        }
        if control.moment(call, Moment::Sent).is_none() {
            self.land(effect, Value::Null, false);
            control.moment(call, Moment::Applied);
        }
    }

    /// The same as [`find`](Self::find), as a question to the world: it may get lost like any other request.
    ///
    /// # Errors
    ///
    /// [`NoAnswer`] if the lab lets the question or its answer get lost. That proves nothing.
    pub async fn look<T: DeserializeOwned>(&self, effect: impl fmt::Display) -> Result<Option<T>, NoAnswer> {
        let effect = effect.to_string();
        self.ask(effect.clone()).await.map_err(|_| NoAnswer)?;
        Ok(self.find(effect))
    }

    /// The first answer that this effect gave, if it was done and reads as `T`.
    pub fn find<T: DeserializeOwned>(&self, effect: impl fmt::Display) -> Option<T> {
        let answer = self.ledger().done.get(&effect.to_string()).and_then(|answers| answers.first()).cloned()?;
        serde_json::from_value(answer).ok()
    }

    /// How often this effect was done.
    pub fn count(&self, effect: impl fmt::Display) -> usize {
        self.ledger().done.get(&effect.to_string()).map_or(0, Vec::len)
    }

    /// How often each effect was done.
    pub fn counts(&self) -> BTreeMap<String, usize> {
        self.ledger().counts()
    }

    /// What each effect gave, each time.
    pub(crate) fn answers(&self) -> BTreeMap<String, Vec<Value>> {
        self.ledger().done.clone()
    }

    /// A copy of what was done.
    pub(crate) fn copy(&self) -> Ledger {
        self.ledger().clone()
    }

    /// A process begins.
    pub(crate) fn begin_life(&self) {
        self.next_life();
        self.servers().iter().for_each(|server| server.begin(self));
    }

    /// The process is over.
    pub(crate) fn end_life(&self) {
        self.servers().iter().for_each(|server| server.end());
    }

    /// Whether the process reaches these effects over sockets.
    pub(crate) fn is_online(&self) -> bool {
        !self.servers().is_empty()
    }

    fn servers(&self) -> MutexGuard<'_, Vec<Arc<dyn Serves>>> {
        self.servers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next process is up: what its dead predecessor left on its way will land.
    pub(crate) fn next_life(&self) {
        let now = self.clock.now();
        let mut ledger = self.ledger();
        ledger.coming.iter_mut().for_each(|coming| {
            coming.at.get_or_insert(now.after(coming.within));
        });
    }

    /// A request that is on its way for a while, just not longer than the `settle` of its step.
    fn delay(&self, effect: String, answer: Value, once: bool, fate: Fate) {
        let settle = || self.machine.settle().unwrap_or(SOON).saturating_sub(Duration::from_millis(1));
        let within = self.ledger().lands_within.unwrap_or_else(settle);
        let at = (fate == Fate::FailsLate).then(|| self.clock.now().after(within));
        self.ledger().coming.push(Coming { effect, answer, once, within, at });
    }

    async fn request<T>(&self, effect: String, answer: impl FnOnce() -> T, once: bool) -> Result<T, NoAnswer>
    where
        T: Serialize + DeserializeOwned,
    {
        let json = || serde_json::to_value(answer()).unwrap_or_default();
        let given = self.call(effect, json, once).await.map_err(|_| NoAnswer)?;
        serde_json::from_value(given).map_err(|_| NoAnswer)
    }

    /// A request, with its windows. Gives this answer, or that of the first one if `once` drops a repeat; never returns
    /// once the process is dead. The answer is made when the request is on its way: one that gets lost makes none.
    pub(crate) async fn call(&self, effect: String, answer: impl FnOnce() -> Value, once: bool) -> Result<Value, Miss> {
        let control = &self.machine.control;
        let Some(call) = control.call(true) else { return std::future::pending().await };
        if let Some(trace) = self.machine.trace().as_mut() {
            trace.push(Traced::Call { number: call, effect: effect.clone(), is_question: false });
        }
        control.turn().await;
        let fate = control.moment(call, Moment::Sent);
        if let Some(fate @ (Fate::DiesLate | Fate::FailsLate)) = fate {
            self.delay(effect, answer(), once, fate);
            befall(Some(fate), Miss::Refused).await?;
            return Err(Miss::Lost);
        }
        befall(fate, Miss::Refused).await?;
        let answer = answer();
        let first = self.land(effect, answer.clone(), once);
        self.passes(call, Moment::Applied).await?;
        control.turn().await;
        self.passes(call, Moment::Answered).await?;
        Ok(first.unwrap_or(answer))
    }

    #[cfg(feature = "testing-http")]
    pub(crate) fn attach(&self, server: Arc<dyn Serves>) {
        self.servers().push(server);
    }

    /// The first answer of the first effect of which this is true.
    #[cfg(feature = "testing-http")]
    pub(crate) fn first<T>(&self, is_it: impl Fn(&str, &Value) -> Option<T>) -> Option<T> {
        let ledger = self.ledger();
        ledger.done.iter().find_map(|(effect, answers)| is_it(effect, answers.first()?))
    }

    /// A question, which changes nothing. It may get lost like any other request, and so may its answer.
    pub(crate) async fn ask(&self, question: String) -> Result<(), Miss> {
        let control = &self.machine.control;
        let Some(call) = control.call(false) else { return std::future::pending().await };
        if let Some(trace) = self.machine.trace().as_mut() {
            trace.push(Traced::Call { number: call, effect: question, is_question: true });
        }
        control.turn().await;
        befall(control.moment(call, Moment::Sent), Miss::Refused).await?;
        self.passes(call, Moment::Applied).await?;
        self.passes(call, Moment::Answered).await
    }

    /// What a request comes to that waits outside of the process, where it would wait for ever once the process is dead.
    #[cfg(feature = "testing-http")]
    pub(crate) async fn unless_dead<T>(&self, request: impl Future<Output = Result<T, Miss>>) -> Result<T, Miss> {
        let mut request = std::pin::pin!(request);
        std::future::poll_fn(|context| match request.as_mut().poll(context) {
            Poll::Pending => self.machine.control.poll_killed(context).map(|()| Err(Miss::Lost)),
            ready @ Poll::Ready(_) => ready,
        })
        .await
    }

    async fn passes(&self, call: u64, moment: Moment) -> Result<(), Miss> {
        befall(self.machine.control.moment(call, moment), Miss::Failed).await
    }

    /// The effect is applied; if it is a repeat that is dropped, the answer of the first.
    fn land(&self, effect: String, answer: Value, once: bool) -> Option<Value> {
        let first = self.ledger().land(effect.clone(), answer, once);
        if first.is_none() {
            self.trace(effect);
        }
        first
    }

    fn trace(&self, effect: String) {
        if let Some(trace) = self.machine.trace().as_mut() {
            trace.push(Traced::Done { effect });
        }
    }

    /// The ledger, with everything in it that has landed by now.
    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        let mut ledger = self.ledger.lock().unwrap_or_else(PoisonError::into_inner);
        let now = self.clock.now();
        let landed = ledger.coming.extract_if(.., |coming| coming.at.is_some_and(|at| at <= now));
        for Coming { effect, answer, once, .. } in landed.collect::<Vec<_>>() {
            if ledger.land(effect.clone(), answer, once).is_none() {
                self.trace(effect);
            }
        }
        ledger
    }
}

/// What becomes of a request that meets this fate; `error` is what it means that it is answered with an error.
async fn befall(fate: Option<Fate>, error: Miss) -> Result<(), Miss> {
    match fate {
        None => Ok(()),
        Some(Fate::Dies | Fate::DiesLate | Fate::Hangs) => std::future::pending().await,
        Some(Fate::AnswersError) => Err(error),
        Some(_) => Err(Miss::Lost),
    }
}

impl Ledger {
    pub(crate) fn landing_within(within: Option<Duration>) -> Self {
        Self { lands_within: within, ..Self::default() }
    }

    /// What stands in this book, which goes on with what is done from now on.
    pub(crate) fn kept_in(book: Book) -> Self {
        let mut ledger = Self::default();
        for (effect, answer) in book.read() {
            ledger.done.entry(effect).or_default().push(answer);
        }
        Self { book: Some(book), ..ledger }
    }

    /// How often each effect was done.
    pub(crate) fn counts(&self) -> BTreeMap<String, usize> {
        self.done.iter().map(|(effect, answers)| (effect.clone(), answers.len())).collect()
    }

    fn land(&mut self, effect: String, answer: Value, once: bool) -> Option<Value> {
        let answers = self.done.entry(effect.clone()).or_default();
        if once && let Some(first) = answers.first() {
            return Some(first.clone());
        }
        if let Some(book) = &self.book {
            book.write(&effect, &answer);
        }
        answers.push(answer);
        None
    }

    /// A text that is the same for the same past and the same future.
    pub(crate) fn hash(&self, hasher: &mut impl std::hash::Hasher) {
        use std::hash::Hash as _;
        for (effect, answers) in &self.done {
            (effect, answers).hash(hasher);
        }
        for coming in &self.coming {
            (&coming.effect, coming.once).hash(hasher);
        }
    }
}

impl fmt::Debug for Effects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.counts()).finish()
    }
}
