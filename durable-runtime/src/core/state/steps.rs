//! The steps of a session, run by run: a finished run takes its own with it.

use std::collections::{BTreeMap, HashMap};

use super::Step;
use crate::core::key;

/// The steps by full key.
#[derive(Debug, Default)]
pub struct Steps {
    /// By the run, and in it by their own part of the key.
    runs: BTreeMap<String, HashMap<String, Step>>,
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

    /// Puts a step there; the one that was there before.
    pub fn insert(&mut self, key: &str, step: Step) -> Option<Step> {
        let (run, own) = split(key);
        self.of_run_mut(run).insert(own.to_owned(), step)
    }

    /// The step of this full key; `new` if there is none yet.
    pub fn get_or_insert_with(&mut self, key: &str, new: impl FnOnce() -> Step) -> &mut Step {
        let (run, own) = split(key);
        self.of_run_mut(run).entry(own.to_owned()).or_insert_with(new)
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.runs.values().map(HashMap::len).sum()
    }

    /// The steps of a run itself, by their own part of the key.
    pub fn of_run(&self, run: &str) -> impl Iterator<Item = (&str, &Step)> {
        self.runs.get(run).into_iter().flatten().map(|(own, step)| (own.as_str(), step))
    }

    /// Every step, with its run and its own part of the key.
    pub fn all(&self) -> impl Iterator<Item = (&str, &str, &Step)> {
        self.runs.iter().flat_map(|(run, steps)| steps.iter().map(|(own, step)| (run.as_str(), own.as_str(), step)))
    }

    /// Forgets the steps of a run, and of those in it; how many there were.
    pub fn forget(&mut self, run: &str) -> usize {
        let inner = keys_in(&self.runs, run);
        let forgotten = inner.iter().map(String::as_str).chain([run]).filter_map(|run| self.runs.remove(run));
        forgotten.map(|steps| steps.len()).sum()
    }

    /// Whether `other` has the same steps, in what `bare` shows of each.
    pub fn same(&self, other: &Self, bare: impl Fn(&Step) -> Step) -> bool {
        let is_there = |run: &str, own: &str, step: &Step| {
            other.runs.get(run).and_then(|steps| steps.get(own)).is_some_and(|other| bare(step) == bare(other))
        };
        self.count() == other.count() && self.all().all(|(run, own, step)| is_there(run, own, step))
    }

    fn of_run_mut(&mut self, run: &str) -> &mut HashMap<String, Step> {
        self.runs.entry(run.to_owned()).or_default()
    }
}

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
