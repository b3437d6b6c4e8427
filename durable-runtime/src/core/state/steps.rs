//! The steps of a session, run by run: a finished run takes its own with it.

use std::borrow::Borrow;
use std::collections::{BTreeMap, HashMap};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::Step;
use crate::core::key;

/// The steps by full key.
#[derive(Debug, Default)]
pub struct Steps {
    /// By the run.
    runs: BTreeMap<String, OfRun>,
}

/// The steps of one run. None is ever taken out, so they stand in a row, which grows without being copied.
#[derive(Debug, Default)]
struct OfRun {
    steps: Vec<Step>,
    /// Where each stands, by its own part of the key.
    places: HashMap<Own, usize>,
}

/// A full key that is found by the part of it which is the step's own: so the key is held once.
#[derive(Clone, Debug)]
struct Own {
    full: Arc<str>,
    /// Where the own part begins.
    from: usize,
}

impl Steps {
    /// The step of this full key.
    pub fn get(&self, key: &str) -> Option<&Step> {
        let (run, own) = split(key);
        self.runs.get(run)?.get(own)
    }

    /// The step of this full key, to change it.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Step> {
        let (run, own) = split(key);
        self.runs.get_mut(run)?.get_mut(own)
    }

    /// Whether there is one.
    pub fn contains_key(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// Puts a step there, in the place of one that was there before.
    pub fn insert(&mut self, key: &Arc<str>, step: Step) {
        match self.get_mut(key) {
            Some(known) => *known = step,
            None => self.add(key, step),
        }
    }

    /// Puts a step there, where there is none yet.
    pub fn add(&mut self, key: &Arc<str>, step: Step) {
        let (run, own) = split(key);
        let own = Own { full: Arc::clone(key), from: key.len() - own.len() };
        match self.runs.get_mut(run) {
            Some(of_run) => of_run.add(own, step),
            None => self.runs.entry(run.to_owned()).or_default().add(own, step),
        }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.runs.values().map(|of_run| of_run.steps.len()).sum()
    }

    /// The steps of a run itself, by their own part of the key.
    pub fn of_run(&self, run: &str) -> impl Iterator<Item = (&str, &Step)> {
        self.runs.get(run).into_iter().flat_map(OfRun::all)
    }

    /// Every step, with its run and its own part of the key.
    pub fn all(&self) -> impl Iterator<Item = (&str, &str, &Step)> {
        self.runs.iter().flat_map(|(run, of_run)| of_run.all().map(|(own, step)| (run.as_str(), own, step)))
    }

    /// Forgets the steps of a run, and of those in it; how many there were.
    pub fn forget(&mut self, run: &str) -> usize {
        let inner = keys_in(&self.runs, run);
        let forgotten = inner.iter().map(String::as_str).chain([run]).filter_map(|run| self.runs.remove(run));
        forgotten.map(|of_run| of_run.steps.len()).sum()
    }

    /// Whether `other` has the same steps, in what `bare` shows of each.
    pub fn same(&self, other: &Self, bare: impl Fn(&Step) -> Step) -> bool {
        let is_there = |run: &str, own: &str, step: &Step| {
            let of_run = other.runs.get(run);
            of_run.and_then(|of_run| of_run.get(own)).is_some_and(|other| bare(step) == bare(other))
        };
        self.count() == other.count() && self.all().all(|(run, own, step)| is_there(run, own, step))
    }
}

impl OfRun {
    fn get(&self, own: &str) -> Option<&Step> {
        self.steps.get(*self.places.get(own)?)
    }

    fn get_mut(&mut self, own: &str) -> Option<&mut Step> {
        self.steps.get_mut(*self.places.get(own)?)
    }

    /// One that is not there yet.
    fn add(&mut self, own: Own, step: Step) {
        self.places.insert(own, self.steps.len());
        self.steps.push(step);
    }

    fn all(&self) -> impl Iterator<Item = (&str, &Step)> {
        self.places.iter().filter_map(|(own, place)| Some((own.text(), self.steps.get(*place)?)))
    }
}

impl Own {
    fn text(&self) -> &str {
        &self.full[self.from..]
    }
}

impl Borrow<str> for Own {
    fn borrow(&self) -> &str {
        self.text()
    }
}

impl Hash for Own {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.text().hash(state);
    }
}

impl PartialEq for Own {
    fn eq(&self, other: &Self) -> bool {
        self.text() == other.text()
    }
}

impl Eq for Own {}

/// The keys of what stands in a run, at any depth.
pub fn keys_in<T>(all: &BTreeMap<String, T>, run: &str) -> Vec<String> {
    let within = key::scoped(run, "");
    let keys = all.range(within.clone()..).map(|(key, _)| key);
    keys.take_while(|key| key.starts_with(&within)).cloned().collect()
}

/// The run that a step stands in, empty outside any, and its own part of the key.
fn split(key: &str) -> (&str, &str) {
    key::split(key).unwrap_or(("", key))
}
