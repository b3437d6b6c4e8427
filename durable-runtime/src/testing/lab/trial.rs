//! One session and its world, through as many lives as it takes.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::time::Duration;

use super::baseline::Baseline;
use super::scene::Scene;
use crate::clock::Clock as _;
use crate::core::time::Timestamp;
use crate::testing::ManualClock;
use crate::testing::effects::{Effects, Ledger};
use crate::testing::life::{Answers, End, Lived, Process, Sessions};
use crate::testing::machine::images::{Images, hash};
use crate::testing::machine::{Machine, Storage};
use crate::testing::story::{After, Decay, Plan, Rot, Story};

/// A machine, a world, and the process that stands between them.
pub(crate) struct Trial<W> {
    pub(crate) process: Process,
    pub(crate) effects: Effects,
    world: W,
    seed: u64,
}

/// Where a story has come to: all that a further life depends on, but for what a world keeps to itself.
#[derive(Clone, Debug)]
pub(crate) struct Position {
    pub(crate) story: Story,
    storage: Storage,
    ledger: Ledger,
    now: Timestamp,
}

/// How a trial ended that was left undisturbed.
#[derive(Debug)]
pub(crate) struct Ending<T> {
    pub(crate) end: End<T>,
    /// The keys about which a person was asked on the way.
    pub(crate) asked: BTreeSet<String>,
    /// How many operations and calls its first life took.
    pub(crate) first: (u64, u64),
}

/// More lives than any session needs that gets on.
pub(crate) const LIVES: u32 = 16;

/// So many lives in a row may end with an error and no question.
pub(crate) const ERRORS: u32 = 3;

impl<W> Trial<W> {
    /// A trial on a disk, in a world to which this was done.
    pub(crate) fn new(scene: &Scene<'_, W>, story: &Story, storage: Storage, ledger: Ledger, now: Timestamp) -> Self {
        let machine = Machine::with(storage);
        let clock = ManualClock::at(now);
        let effects = Effects::new(&machine, &clock, ledger);
        let world = (scene.world)(effects.clone());
        let process = Process {
            machine,
            clock,
            views: story.views,
            is_online: scene.is_online || effects.is_online(),
            answers: Answers::new(),
            ground: None,
        };
        Self { process, effects, world, seed: story.seed }
    }

    /// One life.
    pub(crate) fn live<T, E: Display>(
        &mut self,
        plan: Option<Plan>,
        work: &impl AsyncFn(&Sessions, &W) -> Result<T, E>,
    ) -> Lived<T> {
        self.process.clock.advance(Duration::from_secs(1));
        self.process.machine.begin(plan, self.seed);
        self.effects.begin_life();
        let lived = self.process.live(&self.world, work);
        self.effects.end_life();
        self.process.answers.clear();
        lived
    }

    /// Lives until the work is done, or gets on no more. Every question is answered truthfully.
    pub(crate) fn finish<T, E: Display>(
        &mut self,
        baseline: Option<&Baseline<T>>,
        work: &impl AsyncFn(&Sessions, &W) -> Result<T, E>,
    ) -> Ending<T> {
        let (mut asked, mut first, mut errors) = (BTreeSet::new(), None, 0);
        for _ in 0..LIVES {
            let lived = self.live(None, work);
            let first = *first.get_or_insert_with(|| self.process.machine.control.counted());
            asked.extend(lived.asked.iter().map(|(_, key)| key.clone()));
            let is_over = match (&lived.end, baseline) {
                (End::Done(_) | End::Stopped(_), Some(baseline)) if !lived.asked.is_empty() => {
                    self.answer(baseline, &lived.asked);
                    false
                }
                (End::Stopped(_), _) => {
                    errors += 1;
                    errors == ERRORS
                }
                _ => true,
            };
            if is_over {
                return Ending { end: lived.end, asked, first };
            }
        }
        Ending { end: End::Stalled(Vec::new()), asked, first: first.unwrap_or_default() }
    }

    /// A person answers truthfully what is asked. Whoever is asked looks when everything has landed.
    pub(crate) fn answer<T>(&mut self, baseline: &Baseline<T>, asked: &[(String, String)]) {
        self.process.clock.advance(Duration::from_secs(60 * 60));
        self.process.answers = baseline.answers(&self.effects.counts(), asked);
    }

    /// Everything that is on its way lands.
    pub(crate) fn let_all_land(&self) {
        self.effects.next_life();
        self.process.clock.advance(Duration::from_secs(366 * 24 * 60 * 60));
    }

    /// The disk becomes what this makes of it.
    pub(crate) fn suffer(&self, after: &After) {
        let mut storage = self.process.machine.storage();
        match after {
            After::Kept => {}
            After::Power(model, image) => {
                let images = Images::of(&storage, *model);
                *storage = images.make(*image);
            }
            After::Rot(rot) => damage(&mut storage, rot),
        }
    }

    /// What the clock of the trial shows.
    pub(crate) fn now(&self) -> Timestamp {
        self.process.clock.now()
    }

    /// Damages to single bytes of the files, about as many as are wanted: each `stride`th of all that can be done, with the
    /// stride and how many there are.
    pub(crate) fn damages(&self, wanted: usize) -> (Vec<Rot>, usize, usize) {
        let storage = self.process.machine.storage();
        let all: usize = storage.visible().map(|(.., content)| content.len() * Decay::BYTES.len()).sum();
        let stride = all.div_ceil(wanted.max(1)).max(1);
        let (mut damages, mut next) = (Vec::new(), 0);
        for (directory, name, content) in storage.visible() {
            let here = content.len() * Decay::BYTES.len();
            while next < here {
                let (offset, how) = (next / Decay::BYTES.len(), Decay::BYTES[next % Decay::BYTES.len()]);
                damages.push(Rot { file: format!("{directory}/{name}"), offset, how });
                next += stride;
            }
            next -= here;
        }
        (damages, all, stride)
    }

    /// See [`Position::hash`].
    pub(crate) fn hash(&self) -> u64 {
        state_hash(hash(&self.process.machine.storage()), &self.effects.copy())
    }

    /// Every damage that a hand does to a log: a line is gone, or all from it on.
    pub(crate) fn trims(&self) -> Vec<Rot> {
        let storage = self.process.machine.storage();
        let mut trims = Vec::new();
        for (directory, name, content) in storage.visible().filter(|(_, name, _)| name.ends_with(".jsonl")) {
            let starts = (0..content.len()).filter(|&at| at == 0 || content[at - 1] == b'\n');
            for (offset, how) in starts.flat_map(|offset| Decay::LINES.map(|how| (offset, how))) {
                trims.push(Rot { file: format!("{directory}/{name}"), offset, how });
            }
        }
        trims
    }

    /// Where the trial stands, after this story.
    pub(crate) fn position(&self, story: Story) -> Position {
        Position {
            story,
            storage: self.process.machine.storage().clone(),
            ledger: self.effects.copy(),
            now: self.process.clock.now(),
        }
    }
}

fn damage(storage: &mut Storage, rot: &Rot) {
    if let Some((directory, name)) = rot.file.rsplit_once('/') {
        storage.damage(directory, name, |content| rot.how.apply(content, rot.offset));
    }
}

impl Position {
    pub(crate) fn new(story: Story, storage: Storage, ledger: Ledger, now: Timestamp) -> Self {
        Self { story, storage, ledger, now }
    }

    /// The same, with one file damaged.
    pub(crate) fn damage(&mut self, rot: &Rot) {
        damage(&mut self.storage, rot);
    }

    /// Before anything has happened.
    pub(crate) fn start(story: Story, ledger: Ledger) -> Self {
        Self { story, storage: Storage::default(), ledger, now: ManualClock::default().now() }
    }

    /// A trial that goes on from here. A world that keeps something to itself must live through the story again.
    pub(crate) fn resume<W, T, E: Display>(
        &self,
        scene: &Scene<'_, W>,
        work: &impl AsyncFn(&Sessions, &W) -> Result<T, E>,
    ) -> Trial<W> {
        if scene.forks || self.story.turns.is_empty() {
            return Trial::new(scene, &self.story, self.storage.clone(), self.ledger.clone(), self.now);
        }
        let start = Self::start(self.story.clone(), scene.ledger());
        let mut trial = Trial::new(scene, &self.story, Storage::default(), start.ledger, start.now);
        for turn in &self.story.turns {
            trial.live(turn.plan, work);
            trial.suffer(&turn.after);
        }
        trial
    }

    /// Whether the system has forgotten writes that can still be read: the disk looks as after a kill, and a power cut
    /// shows that it is another.
    pub(crate) fn is_forgetful(&self) -> bool {
        self.storage.is_forgetful()
    }

    /// The same for positions from which everything goes on alike.
    pub(crate) fn hash(&self) -> u64 {
        state_hash(hash(&self.storage), &self.ledger)
    }
}

/// The same for disks and worlds from which everything goes on alike.
pub(crate) fn state_hash(disk: u64, ledger: &Ledger) -> u64 {
    use std::hash::{DefaultHasher, Hash as _, Hasher as _};
    let mut hasher = DefaultHasher::new();
    disk.hash(&mut hasher);
    ledger.hash(&mut hasher);
    hasher.finish()
}
