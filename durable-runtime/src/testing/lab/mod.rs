//! The kill lab: runs a workflow once, then kills it at every moment, starts it again, and looks at what became of it.

mod baseline;
mod explore;
mod findings;
mod judge;
mod progress;
mod report;
mod scene;
mod trial;

use std::fmt::{self, Debug, Display};
use std::time::Duration;

pub use report::{Report, Verdict};

use self::baseline::{Baseline, Told};
use self::explore::{Bounds, Explorer};
use self::progress::Progress;
use self::scene::Scene;
use self::trial::Position;
use super::effects::Effects;
use super::life::{End, Sessions};
use super::machine::trace::Traced;
use super::story::Story;
use crate::error::Error;
use crate::session::Session;

/// Kills a workflow everywhere.
pub struct KillLab<W> {
    name: String,
    world: Box<dyn Fn(Effects) -> W>,
    bounds: Bounds,
    forks: bool,
    lands_within: Option<Duration>,
}

/// The session of a lab that has one.
const SESSION: &str = "session";

impl<W> KillLab<W> {
    /// A lab of this name. `world` makes the world that the workflow acts on, around the effects that the lab counts.
    pub fn new(name: impl Into<String>, world: impl Fn(Effects) -> W + 'static) -> Self {
        let bounds = Bounds { states: 4_000, depth: 2, seeds: 4, images: 256, samples: 8, damages: 600 };
        Self { name: name.into(), world: Box::new(world), bounds, forks: false, lands_within: None }
    }

    /// About how many distinct states are judged.
    #[must_use]
    pub fn states(mut self, states: u64) -> Self {
        self.bounds.states = states;
        self
    }

    /// The world keeps nothing but its [`Effects`].
    #[must_use]
    pub fn forks(mut self) -> Self {
        self.forks = true;
        self
    }

    /// Runs `work` in a session, undisturbed, and then kills it everywhere.
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

    /// The same with as many sessions as `work` opens.
    pub fn run_sessions<T, E>(self, work: impl AsyncFn(&Sessions, &W) -> Result<T, E>) -> Report
    where
        T: PartialEq + Debug,
        E: Display,
    {
        let scene = Scene { world: &*self.world, forks: self.forks, is_online: false, lands_within: self.lands_within };
        let baseline = match undisturbed(&scene, &work) {
            Ok(baseline) => baseline,
            Err(why) => return Report::broken(self.name, why),
        };
        let progress = Progress::of(&self.name);
        let mut explorer = Explorer::new(&scene, &work, &baseline, self.bounds, progress);
        explorer.explore();
        Report::of(self.name, explorer.findings, &baseline)
    }
}

/// The run that nothing befalls.
fn undisturbed<W, T, E>(
    scene: &Scene<'_, W>,
    work: &impl AsyncFn(&Sessions, &W) -> Result<T, E>,
) -> Result<Baseline<T>, String>
where
    E: Display,
{
    let mut trial = Position::start(Story::default(), scene.ledger()).resume(scene, work);
    *trial.process.machine.trace() = Some(Vec::new());
    let lived = trial.live(None, work);
    let trace: Vec<Traced> = trial.process.machine.trace().take().unwrap_or_default();
    match lived.end {
        End::Done(result) => Ok(Baseline { result, counts: trial.effects.counts(), told: Told::of(&trace), trace }),
        End::Stopped(error) | End::Refused(error) => Err(error),
        End::Panicked(text) => Err(format!("it panicked: {text}")),
        End::Died | End::Stalled => Err("it waits for something that never comes".to_owned()),
    }
}

/// Why a life has no result.
enum Trouble<E> {
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
