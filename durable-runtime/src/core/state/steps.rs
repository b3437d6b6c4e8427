//! The steps of a session, run by run: a finished run takes its own with it.

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher as _, BuildHasherDefault, Hasher, RandomState};
use std::sync::Arc;

use super::Step;
use crate::core::key;

/// The steps by full key.
#[derive(Debug, Default)]
pub struct Steps {
    /// By the run.
    runs: BTreeMap<String, OfRun>,
}

/// The steps of one run. None is ever taken out, so they stand in a row, which grows without being looked through.
#[derive(Debug, Default)]
struct OfRun {
    row: Vec<Entry>,
    /// The last step whose own part of the key has this hash, by its place in the row.
    places: HashMap<u64, usize, BuildHasherDefault<Hashed>>,
    /// Keyed anew for each run: whoever names the keys cannot choose their hashes.
    hasher: RandomState,
}

/// A step, and the key that it is found by.
#[derive(Debug)]
struct Entry {
    key: Arc<str>,
    /// Where the own part of the key begins.
    own: usize,
    step: Step,
    /// The step before this one that has the same hash.
    before: Option<usize>,
}

/// The hash of a hash.
#[derive(Debug, Default)]
struct Hashed(u64);

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
        let entry = Entry { key: Arc::clone(key), own: key.len() - own.len(), step, before: None };
        match self.runs.get_mut(run) {
            Some(of_run) => of_run.add(entry),
            None => self.runs.entry(run.to_owned()).or_default().add(entry),
        }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.runs.values().map(|of_run| of_run.row.len()).sum()
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
        forgotten.map(|of_run| of_run.row.len()).sum()
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
        Some(&self.row[self.place(own)?].step)
    }

    fn get_mut(&mut self, own: &str) -> Option<&mut Step> {
        let place = self.place(own)?;
        Some(&mut self.row[place].step)
    }

    fn place(&self, own: &str) -> Option<usize> {
        let mut place = *self.places.get(&self.hasher.hash_one(own))?;
        while self.row[place].own() != own {
            place = self.row[place].before?;
        }
        Some(place)
    }

    /// One that is not there yet.
    fn add(&mut self, entry: Entry) {
        let before = self.places.insert(self.hasher.hash_one(entry.own()), self.row.len());
        self.row.push(Entry { before, ..entry });
    }

    fn all(&self) -> impl Iterator<Item = (&str, &Step)> {
        self.row.iter().map(|entry| (entry.own(), &entry.step))
    }
}

impl Entry {
    fn own(&self) -> &str {
        &self.key[self.own..]
    }
}

impl Hasher for Hashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.0 = self.0.rotate_left(8) ^ u64::from(*byte));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::meta::StepKind;
    use crate::core::state::Life;

    fn entry(key: &str, opened: u64) -> Entry {
        let step = Step::new(opened, "r".into(), "".into(), StepKind::Read, Life::Reserved);
        Entry { key: key.into(), own: "r//".len(), step, before: None }
    }

    /// No two keys have one hash by chance: here they have.
    #[test]
    fn steps_of_one_hash_are_told_apart_by_their_keys() {
        let mut of_run = OfRun::default();
        for (key, opened) in [("r//a", 1), ("r//b", 2), ("r//c", 3)] {
            of_run.add(entry(key, opened));
        }
        let hash = of_run.hasher.hash_one("b");
        of_run.places.insert(hash, 2);
        of_run.row[2].before = Some(1);
        let opened = |own: &str| of_run.get(own).map(|step| step.opened);
        assert_eq!([opened("a"), opened("b"), opened("c"), opened("d")], [Some(1), Some(2), Some(3), None]);
    }
}
