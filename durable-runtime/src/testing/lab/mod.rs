//! The kill lab: runs a workflow once, then kills it at every moment, starts it again, and looks at what became of it.

mod acknowledged;
pub(super) mod baseline;
mod explain;
mod explore;
mod findings;
pub(super) mod judge;
mod progress;
mod report;
mod retold;
pub(super) mod scene;
mod shrink;
pub(super) mod study;
mod table;
mod tell;
pub(super) mod trial;

use std::fmt::{self, Debug, Display};
use std::time::Duration;

pub use report::{LabVerdict, Report};
pub use table::Table;

use self::explore::Bounds;
use self::scene::Scene;
use super::effects::Effects;
#[cfg(feature = "testing-http")]
use super::http::{HttpService, HttpWorld};
use super::life::Sessions;
use crate::error::Error;
use crate::session::Session;

/// Names the story to live through again, as a report has printed it: `payroll=0:kill@17`.
pub(super) const REPLAY: &str = "DURABLE_REPLAY";

/// The session of a lab that has one.
pub(super) const SESSION: &str = "session";

/// Kills a workflow everywhere, and proves what becomes of it.
///
/// The workflow runs in a process, on a disk and by a clock that exist in memory only. It runs once undisturbed; then
/// the lab disturbs it at every operation of the disk and in every window of an effect, makes everything that may be
/// left, lets it start again until it is done, and compares. Waits cost no time.
///
/// - **The process dies** before each operation; and while the world is called: before the request is sent, when it is
///   applied and not answered, when it is answered and not recorded.
/// - **The power is cut** there: with names in order and the end of each file lost or torn; and with any subset of what
///   was not synced, torn and zeroed.
/// - **A request lands late**, when its sender is dead; **an answer is lost**.
/// - **The disk fails**, once and for good.
/// - **It happens again**, in the start that recovers: a kill, then a power cut.
/// - **A file is damaged**, at every byte.
///
/// In each of these stories every effect must happen as often as in the undisturbed run; the result must be the same; a
/// further start must do nothing; and where a file was damaged, the session may refuse, and change nothing.
///
/// Steps that can end in doubt are answered truthfully, as a person would, and listed by key.
///
/// # Examples
///
/// ```
/// use durable_runtime::prelude::*;
/// use durable_runtime::testing::{Effects, KillLab, NoAnswer};
///
/// #[durable_workflow(goal = "pay {names.len()} people")]
/// async fn payroll(session: &Session, #[resource] bank: &Bank, names: &[String]) -> Result<u64, PayError> {
///     let mut total = 0;
///     for name in names {
///         #[side_effect(key = "pay/{name}" as pay, verify = bank.find(pay).await)]
///         let paid = bank.pay(pay, 100).await?;
///         total += paid;
///     }
///     Ok(total)
/// }
///
/// /// The workflow's bank, for tests.
/// struct Bank(Effects);
///
/// impl Bank {
///     async fn pay(&self, key: &StepKey, amount: u64) -> Result<u64, NoAnswer> {
///         self.0.apply(key, || amount).await
///     }
///
///     async fn find(&self, key: &StepKey) -> Option<u64> {
///         self.0.find(key)
///     }
/// }
///
/// # #[derive(Debug)] struct PayError(String);
/// # impl<E: std::error::Error> From<E> for PayError { fn from(error: E) -> Self { Self(error.to_string()) } }
/// # impl std::fmt::Display for PayError {
/// #     fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { f.write_str(&self.0) }
/// # }
/// // In a `#[test]`:
/// # let states = 100;
/// let names = ["Ada", "Grace"].map(String::from);
/// let report = KillLab::new("payroll", Bank)
/// #   .states(states)
///     .run(async |session, bank| payroll(session, bank, &names).await);
/// report.assert_held();
/// println!("{}", report.table());
/// ```
#[must_use = "a lab does nothing until it runs something"]
pub struct KillLab<W> {
    pub(super) name: String,
    /// The path of the test that the lab stands in, for the processes that are killed for real.
    pub(super) test: Option<String>,
    world: Box<dyn Fn(Effects) -> W>,
    bounds: Bounds,
    forks: bool,
    is_online: bool,
    lands_within: Option<Duration>,
}

impl<W> KillLab<W> {
    /// A lab of this name, which stands in its reports. `world` makes the world that the workflow acts on, of any type,
    /// around the effects that the lab counts.
    pub fn new(name: impl Into<String>, world: impl Fn(Effects) -> W + 'static) -> Self {
        Self {
            name: name.into(),
            test: None,
            world: Box::new(world),
            bounds: Bounds::default(),
            forks: false,
            is_online: false,
            lands_within: None,
        }
    }

    /// Of the states that a second crash leads to, and each further one, about so many are looked at; 500 if this is not
    /// called. Single crashes are all tried.
    pub fn states(mut self, states: u64) -> Self {
        self.bounds.states = states;
        self
    }

    /// How many crashes a story has at most, damaged files aside; 2 if this is not called. One is always tried.
    pub fn depth(mut self, crashes: u32) -> Self {
        self.bounds.depth = crashes;
        self
    }

    /// How many damages to the files are tried, evenly chosen among all that can be done to their bytes; 100 if this is not
    /// called. With 0 none is tried, and no file is lost or cut either.
    pub fn damages(mut self, damages: usize) -> Self {
        self.bounds.damages = damages;
        self
    }

    /// How many orders are tried in which tasks that run side by side get on; 3 if this is not called.
    pub fn orders(mut self, orders: u64) -> Self {
        self.bounds.seeds = orders;
        self
    }

    /// How long a request may be on its way after its sender has died or given up. If this is not called it lands just
    /// before the `settle` of its step is over: what the workflow says is believed. Say here what is true of the service
    /// that you call.
    pub fn lands_within(mut self, time: Duration) -> Self {
        self.lands_within = Some(time);
        self
    }

    /// The world keeps nothing but its [`Effects`], so it can be made anew from them in the middle of a story. Without
    /// this every story is lived through from its beginning, which takes about twice as long.
    pub fn forks(mut self) -> Self {
        self.forks = true;
        self
    }

    /// The work talks to real sockets. A life takes longer then, so the bounds are lower; and the timers of tokio are
    /// real, while waits of the session still cost no time.
    pub fn online(mut self) -> Self {
        self.is_online = true;
        self.bounds = Bounds::ONLINE;
        self
    }

    /// Looks closer than a test has time for: at 256 images of each power cut, and at every byte of every file.
    pub fn thorough(mut self) -> Self {
        self.bounds = Bounds { states: self.bounds.states, depth: self.bounds.depth, ..Bounds::THOROUGH };
        self
    }

    /// Runs `work` in a session, undisturbed, and then disturbs it in every way.
    ///
    /// With `DURABLE_REPLAY` set to a line that a report has printed, only that story is lived through, and told.
    pub fn run<T, E>(self, work: impl AsyncFn(&Session, &W) -> Result<T, E>) -> Report
    where
        T: PartialEq + Debug,
        E: Display,
    {
        self.run_sessions(async |sessions: &Sessions, world: &W| {
            let session = sessions.open(SESSION).await.map_err(Trouble::Open)?;
            work(&session, world).await.map_err(Trouble::Work)
        })
    }

    /// The same, with as many sessions as `work` opens. They live and die in one process.
    pub fn run_sessions<T, E>(self, work: impl AsyncFn(&Sessions, &W) -> Result<T, E>) -> Report
    where
        T: PartialEq + Debug,
        E: Display,
    {
        study::study(&self.scene(), self.bounds, &work)
    }

    pub(super) fn scene(&self) -> Scene<'_, W> {
        let Self { name, world, forks, is_online, lands_within, .. } = self;
        Scene { name, world: &**world, forks: *forks, is_online: *is_online, lands_within: *lands_within }
    }
}

#[cfg(feature = "testing-http")]
impl KillLab<HttpWorld> {
    /// A lab whose world is a service on loopback, which the work calls with a client of its own.
    pub fn http(name: impl Into<String>, service: HttpService) -> Self {
        Self::new(name, move |effects| service.serve(effects)).online().forks()
    }
}

impl<W> Debug for KillLab<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KillLab").field("name", &self.name).field("bounds", &self.bounds).finish_non_exhaustive()
    }
}

/// Why a life has no result.
pub(super) enum Trouble<E> {
    Open(Error),
    Work(E),
}

impl<E: Display> Display for Trouble<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Open(error) => Display::fmt(error, f),
            Self::Work(error) => Display::fmt(error, f),
        }
    }
}
