//! The exploration: every moment of a life, what may befall it there, and what may be left of the disk.

use std::collections::{BTreeSet, HashMap};
use std::fmt::{Debug, Display};

use super::baseline::Baseline;
use super::findings::{Cell, Findings};
use super::judge::{Judgement, Rests, judge, misled};
use super::progress::Progress;
use super::scene::Scene;
use super::trial::{Position, Trial, state_hash};
use crate::broken;
use crate::testing::life::Sessions;
use crate::testing::machine::images::{Images, Model};
use crate::testing::machine::trace::Traced;
use crate::testing::story::{After, Fate, Moment, Plan, Story, When};

/// How far an exploration goes. Counts, and no times: the same on every machine.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// Of the states that a second crash leads to, and each further one, about so many are looked at.
    pub(crate) states: u64,
    /// How many crashes a story has at most.
    pub(crate) depth: u32,
    /// How many orders of tasks are tried, where tasks run side by side.
    pub(crate) seeds: u64,
    /// Of the images of one moment, about so many are looked at.
    pub(crate) images: usize,
    /// The same, where only samples are taken: in later lives, other orders of tasks, and with views.
    pub(crate) samples: usize,
    /// Of the damages to the bytes of a session, so many are done.
    pub(crate) damages: usize,
}

impl Bounds {
    /// For `KillLab::thorough`.
    pub(crate) const THOROUGH: Self =
        Self { states: 100_000, depth: 2, seeds: 4, images: 256, samples: 8, damages: usize::MAX };

    /// Where the work talks to real sockets, and a life takes longer.
    pub(crate) const ONLINE: Self = Self { states: 200, depth: 2, seeds: 2, images: 4, samples: 2, damages: 40 };
}

impl Default for Bounds {
    fn default() -> Self {
        Self { states: 500, depth: 2, seeds: 3, images: 6, samples: 2, damages: 100 }
    }
}

/// Explores stories of one piece of work.
pub(crate) struct Explorer<'a, W, T, F> {
    scene: &'a Scene<'a, W>,
    work: &'a F,
    baseline: &'a Baseline<T>,
    bounds: Bounds,
    pub(crate) findings: Findings,
    progress: Progress,
    seen: HashMap<u64, Cell>,
    rests: Rests,
}

/// How many operations and calls a life has.
type Length = (u64, u64);

/// A state that was reached for the first time, and the length of the life that goes on from it.
struct Reached(Position, Length);

impl<'a, W, T, E, F> Explorer<'a, W, T, F>
where
    T: PartialEq + Debug,
    E: Display,
    F: AsyncFn(&Sessions, &W) -> Result<T, E>,
{
    pub(crate) fn new(
        scene: &'a Scene<'a, W>,
        work: &'a F,
        baseline: &'a Baseline<T>,
        bounds: Bounds,
        progress: Progress,
    ) -> Self {
        Self {
            scene,
            work,
            baseline,
            bounds,
            findings: Findings::default(),
            progress,
            seen: HashMap::new(),
            rests: Rests::new(),
        }
    }

    /// Explores everything, the simplest stories first.
    pub(crate) fn explore(&mut self) {
        let bounds = self.bounds;
        let plain = self.start(0, false);
        let length = self.length(&plain);
        let mut reached = self.crashes(&plain, length, bounds.images);
        let forgetful = self.errors(&plain, length);
        let watched = self.start(0, true);
        let length = self.length(&watched);
        self.crashes(&watched, length, bounds.samples);
        self.rot(&watched, length);
        reached.extend(self.orders());
        if bounds.depth >= 2 && self.findings.failures.is_empty() {
            self.deeper(2, forgetful);
        }
        for depth in 2..=bounds.depth {
            if !self.findings.failures.is_empty() || reached.is_empty() {
                break;
            }
            reached = self.deeper(depth, reached);
        }
    }

    /// Other orders in which tasks get on. Where no two steps run side by side, something may still be running behind.
    fn orders(&mut self) -> Vec<Reached> {
        let is_concurrent = self.baseline.told.is_concurrent;
        let mut reached = Vec::new();
        for seed in 1..self.bounds.seeds {
            let other = self.start(seed, false);
            self.visit(other.clone());
            let length = self.length(&other);
            reached.extend(self.crashes(&other, length, if is_concurrent { self.bounds.samples } else { 0 }));
        }
        if is_concurrent {
            let tried = self.bounds.seeds.max(1);
            self.findings.leave_out(format!("orders of tasks that run side by side: {tried} were tried, of many more"));
        }
        if is_concurrent && self.baseline.is_online {
            let missed = self.findings.missed;
            self.findings.leave_out(format!(
                "requests that are on their way side by side: the system orders them, so a moment may not come again \
                 ({missed} did not), nor a story be replayed"
            ));
        }
        reached
    }

    fn start(&self, seed: u64, views: bool) -> Position {
        Position::start(Story { seed, views, turns: Vec::new() }, self.scene.ledger())
    }

    fn length(&self, position: &Position) -> Length {
        let mut trial = position.resume(self.scene, self.work);
        trial.live(None, self.work);
        trial.process.machine.control.counted()
    }

    /// Kills the life that begins at `position` at every moment. Gives the states that are new.
    fn crashes(&mut self, position: &Position, length: Length, images: usize) -> Vec<Reached> {
        kills(length).flat_map(|plan| self.disturb(position, plan, images)).collect()
    }

    /// The disk and the network fail at every moment, once and for good. Gives the states in which writes are forgotten.
    fn errors(&mut self, position: &Position, length: Length) -> Vec<Reached> {
        let writes: BTreeSet<_> = self.baseline.trace.iter().filter_map(Traced::write).collect();
        let differs = |plan: &Plan| match (plan.fate, plan.when) {
            // What is not written cannot be written by half.
            (Fate::FailsHalfWay, When::Operation(number)) => writes.contains(&number),
            _ => true,
        };
        let mut forgetful = Vec::new();
        for plan in failures(length, self.baseline.is_online).filter(differs) {
            let reached = self.disturb(position, plan, self.bounds.samples / 2);
            if plan.fate == Fate::Fails {
                forgetful.extend(reached.into_iter().filter(|Reached(position, _)| position.is_forgetful()));
            }
        }
        forgetful
    }

    /// Lets `plan` befall the life that begins at `position`, and looks at what it may leave.
    fn disturb(&mut self, position: &Position, plan: Plan, images: usize) -> Vec<Reached> {
        let Some(trial) = self.live(position, plan) else { return Vec::new() };
        let kept = trial.position(position.story.and(Some(plan), After::Kept));
        let mut reached = Vec::from_iter(self.visit(kept));
        // What is on its way does not care for the disk, and an error of the world leaves it as it is.
        let is_late = matches!(plan.fate, Fate::DiesLate | Fate::FailsLate);
        let models: &[Model] = match plan.fate {
            _ if is_late || images == 0 => &[],
            Fate::Dies => &[Model::Ordered, Model::Weak],
            _ => &[Model::Ordered],
        };
        for &model in models {
            reached.extend(self.power_cuts(position, plan, &trial, model, images));
        }
        reached
    }

    fn power_cuts(
        &mut self,
        position: &Position,
        plan: Plan,
        trial: &Trial<W>,
        model: Model,
        images: usize,
    ) -> Vec<Reached> {
        let left = Images::of(&trial.process.machine.storage(), model);
        let (ledger, now) = (trial.effects.copy(), trial.now());
        let mut reached = Vec::new();
        for image in chosen(left.count(), images) {
            let story = position.story.and(Some(plan), After::Power(model, image));
            let hash = state_hash(left.hash(image), &ledger);
            if !self.knows(hash, &story) {
                reached.extend(self.judge(hash, Position::new(story, left.make(image), ledger.clone(), now)));
            }
        }
        self.findings.images_left_out(left.count().saturating_sub(images));
        reached
    }

    /// A life that is disturbed. `None` if it ended before its moment came.
    fn live(&mut self, position: &Position, plan: Plan) -> Option<Trial<W>> {
        if self.has_bitten() {
            return None;
        }
        let mut trial = position.resume(self.scene, self.work);
        trial.live(Some(plan), self.work);
        let struck = trial.process.machine.control.has_struck();
        self.findings.missed += u64::from(!struck);
        struck.then_some(trial)
    }

    /// Damages every file: where the work is done, where an effect is in doubt, and where one is that is tried again.
    fn rot(&mut self, position: &Position, (_, calls): Length) {
        if self.bounds.damages == 0 {
            return self.findings.leave_out("damage to the files: none was wanted".to_owned());
        }
        let dies = |call, moment| Plan { when: When::Call(call, moment), fate: Fate::Dies };
        let mut lives = vec![(position.clone(), None)];
        if calls > 0 {
            lives.push((position.clone(), Some(dies(calls / 2, Moment::Applied))));
            let unsent = dies(calls / 2, Moment::Sent);
            let again = (self.bounds.depth >= 2).then(|| self.live(position, unsent)).flatten();
            let again = again.map(|trial| trial.position(position.story.and(Some(unsent), After::Kept)));
            lives.extend(again.map(|again| (again, Some(dies(0, Moment::Applied)))));
        }
        let damages = self.bounds.damages / lives.len();
        lives.iter().for_each(|(position, plan)| self.damage(position, *plan, damages));
    }

    /// Damages what this life leaves, in about as many places as are wanted.
    fn damage(&mut self, position: &Position, plan: Option<Plan>, wanted: usize) {
        let mut trial = position.resume(self.scene, self.work);
        trial.live(plan, self.work);
        let (damages, all, stride) = trial.damages(wanted);
        if stride > 1 {
            self.findings.leave_out(format!("damage: every {stride}th of {all} places was tried"));
        }
        for rot in trial.trims().into_iter().chain(damages) {
            let story = position.story.and(plan, After::Rot(rot.clone()));
            let mut damaged = trial.position(story);
            damaged.damage(&rot);
            self.visit(damaged);
        }
    }

    /// Disturbs the lives that go on from these states, as far as the bounds allow, evenly.
    fn deeper(&mut self, depth: u32, reached: Vec<Reached>) -> Vec<Reached> {
        let plans: Vec<(usize, Plan)> = reached
            .iter()
            .enumerate()
            .flat_map(|(index, Reached(_, length))| {
                again(*length, self.baseline.is_online).map(move |plan| (index, plan))
            })
            .collect();
        let (mut found, mut tried) = (Vec::new(), 0);
        let enough = self.findings.states + self.bounds.states;
        found.extend(self.unanswered(&reached));
        for index in scattered(plans.len()) {
            if self.findings.states >= enough {
                break;
            }
            let (parent, plan) = plans[index];
            found.extend(self.disturb(&reached[parent].0, plan, self.bounds.samples));
            tried += 1;
        }
        if tried < plans.len() {
            self.findings.leave_out(format!(
                "crash {depth} of a story: {tried} of {} moments were tried, evenly chosen",
                plans.len()
            ));
        }
        found
    }

    /// Leaves the first requests of every start without a good answer that finds an effect in doubt, whatever the bounds:
    /// one of them is the question whether it happened.
    fn unanswered(&mut self, reached: &[Reached]) -> Vec<Reached> {
        let mut found = Vec::new();
        for Reached(position, length) in reached.iter().filter(|reached| reached.0.story.was_struck_at_a_call()) {
            for plan in failures(*length, self.baseline.is_online).filter(Plan::spoils_an_early_answer) {
                if let Some(trial) = self.live(position, plan) {
                    found.extend(self.visit(trial.position(position.story.and(Some(plan), After::Kept))));
                }
            }
        }
        found
    }

    fn visit(&mut self, position: Position) -> Option<Reached> {
        let hash = position.hash();
        let is_known = self.knows(hash, &position.story) && !position.is_forgetful();
        if is_known { None } else { self.judge(hash, position) }
    }

    /// Whether a protocol that is broken on purpose is caught: there is no more to know of it.
    fn has_bitten(&self) -> bool {
        broken::any() && !self.findings.failures.is_empty()
    }

    /// Counts a state. Whether it was judged before: then it comes to the same.
    fn knows(&mut self, hash: u64, story: &Story) -> bool {
        if self.has_bitten() {
            return true;
        }
        self.findings.states += 1;
        self.progress.tell(&self.findings);
        let known = self.seen.get(&hash).copied();
        if let Some(cell) = known {
            self.findings.note(story, cell);
        }
        known.is_some()
    }

    fn judge(&mut self, hash: u64, position: Position) -> Option<Reached> {
        let mut trial = position.resume(self.scene, self.work);
        let misled = position.story.is_watched_kill().then(|| misled(&trial, self.baseline)).flatten();
        let damaged = position.story.damaged();
        let Judgement { fault, asked, first } = judge(&mut trial, self.baseline, damaged, &mut self.rests, self.work);
        let fault = misled.or(fault);
        let cell = match &fault {
            Some(_) => Cell::Broken,
            None if asked.is_empty() => Cell::Held,
            None => Cell::InDoubt,
        };
        self.findings.distinct += 1;
        self.seen.insert(hash, cell);
        self.findings.note(&position.story, cell);
        // What is asked about where a log was damaged says nothing of the workflow.
        if position.story.damaged().is_none() {
            self.findings.doubts(&asked, &position.story);
        }
        if let Some(fault) = fault {
            self.findings.fail(position.story, fault);
            return None;
        }
        Some(Reached(position, first))
    }
}

/// Every moment at which a life of this length can be killed.
fn kills((operations, calls): Length) -> impl Iterator<Item = Plan> {
    let operations = (0..operations).map(|number| Plan { when: When::Operation(number), fate: Fate::Dies });
    let moments = [
        (Moment::Sent, Fate::Dies),
        (Moment::Sent, Fate::DiesLate),
        (Moment::Applied, Fate::Dies),
        (Moment::Answered, Fate::Dies),
    ];
    let calls =
        (0..calls).flat_map(move |call| moments.map(|(moment, fate)| Plan { when: When::Call(call, moment), fate }));
    operations.chain(calls)
}

/// Every moment at which the disk or the network of a life of this length can fail.
fn failures((operations, calls): Length, is_online: bool) -> impl Iterator<Item = Plan> {
    let fates = [Fate::Fails, Fate::FailsHalfWay, Fate::FailsForGood];
    let operations =
        (0..operations).flat_map(move |number| fates.map(|fate| Plan { when: When::Operation(number), fate }));
    let lost = [(Moment::Sent, Fate::Fails), (Moment::Sent, Fate::FailsLate), (Moment::Applied, Fate::Fails)];
    // Where there is a protocol that has error answers, they are another kind of loss. Where timers cost no time, so is an
    // answer that never comes.
    let other = if is_online { Fate::AnswersError } else { Fate::Hangs };
    let moments = move || lost.into_iter().chain([(Moment::Sent, other), (Moment::Applied, other)]);
    let calls = (0..calls)
        .flat_map(move |call| moments().map(move |(moment, fate)| Plan { when: When::Call(call, moment), fate }));
    operations.chain(calls)
}

/// What befalls a life that is not the first.
fn again(length: Length, is_online: bool) -> impl Iterator<Item = Plan> {
    let once = |plan: &Plan| matches!(plan.fate, Fate::Fails | Fate::AnswersError);
    kills(length).chain(failures(length, is_online).filter(once))
}

/// `wanted` of `count`, evenly, the first and the last among them; of one, the first.
fn chosen(count: usize, wanted: usize) -> impl Iterator<Item = usize> {
    let wanted = wanted.min(count);
    let between = count.saturating_sub(1).checked_div(wanted.saturating_sub(1)).unwrap_or_default();
    (0..wanted).map(move |index| if index > 0 && index + 1 == wanted { count - 1 } else { index * between })
}

/// All numbers below `count`, each once, the neighbours far apart.
fn scattered(count: usize) -> impl Iterator<Item = usize> {
    let step = (count * 5 / 8..).find(|&step| gcd(step.max(1), count.max(1)) == 1).unwrap_or(1).max(1);
    (0..count).map(move |index| index * step % count.max(1))
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}
