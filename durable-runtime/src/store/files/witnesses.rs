//! What the log and the registry say of the same keys.

use std::collections::{BTreeSet, HashMap};

use super::failed;
use super::layout::REGISTRY;
use super::listing::{Listed, Listing};
use super::snapshot::Snapshot;
use crate::core::record::{Event, Record};
use crate::store::StoreError;

/// Compares the keys of the log with those of the registry, while the log is read.
///
/// Both are in the order in which the keys were reserved as long as nobody else has written either, so in a whole log the
/// next one is known and nothing has to be looked up.
///
/// Where the registry begins with the very bytes that a snapshot has witnessed, both begin behind it.
pub(super) struct Witnesses<'a> {
    listing: Option<Listing<'a>>,
    listed: Listed,
    /// How many keys of the registry the log has named, in their order.
    in_order: usize,
    /// From the first key on that is not the next one: whether the log has named it.
    named: Option<HashMap<String, bool>>,
    /// Keys of the log that the registry lacks, with the record that names them.
    lacks: Vec<(u64, String)>,
    lacking: BTreeSet<String>,
    /// Keys of which the log says that it has lost them.
    lost: Vec<String>,
}

impl<'a> Witnesses<'a> {
    pub(super) fn new(listing: Listing<'a>) -> Self {
        Self { listing: Some(listing), ..Self::none() }
    }

    /// For a reading that asks for no registry.
    pub(super) fn none() -> Self {
        let (lacks, lacking, lost) = (Vec::new(), BTreeSet::new(), Vec::new());
        Self { listing: None, listed: Listed::Missing, in_order: 0, named: None, lacks, lacking, lost }
    }

    /// Reads the registry, as far as the snapshot does not speak for it.
    pub(super) fn begin(&mut self, snapshot: &mut Snapshot<'_>) -> Result<(), StoreError> {
        let Some(listing) = &mut self.listing else { return Ok(()) };
        let unread = failed("read", REGISTRY);
        let Some(end) = snapshot.end() else {
            self.listed = listing.whole().map_err(unread)?;
            return Ok(());
        };
        if let Some(listed) = listing.behind(end.trim.registry).map_err(&unread)? {
            self.listed = listed;
            return Ok(());
        }
        self.listed = listing.whole().map_err(unread)?;
        snapshot.keys()?.iter().for_each(|key| self.name(end.seq, key));
        Ok(())
    }

    /// What was read of the registry.
    pub(super) fn into_listed(self) -> Listed {
        self.listed
    }

    /// The same, while the log is read.
    pub(super) fn listed(&self) -> &Listed {
        &self.listed
    }

    /// Takes in a record of the log. `is_whole`: every record before it has been seen.
    pub(super) fn see(&mut self, record: &Record, is_whole: bool) {
        match &record.event {
            // The first attempt has named it, if the log is whole.
            Event::Reserve(reserve) if is_whole && reserve.attempt > 1 && self.named.is_none() => {}
            Event::Reserve(reserve) => self.name(record.seq, &reserve.key),
            Event::Lost(lost) => {
                lost.keys.iter().for_each(|key| self.name(record.seq, key));
                self.lost.extend(lost.keys.iter().cloned());
            }
            _ => {}
        }
    }

    /// The keys that the registry lacks, and the first record that names each.
    pub(super) fn lacks(&self) -> &[(u64, String)] {
        &self.lacks
    }

    /// The keys of which the log says that it has lost them.
    pub(super) fn lost(&self) -> &[String] {
        &self.lost
    }

    /// The keys that only the registry names.
    pub(super) fn unlogged(&self) -> Vec<String> {
        let is_unlogged = |key: &&str| self.named.as_ref().is_none_or(|named| !named[*key]);
        let from = if self.named.is_some() { 0 } else { self.in_order };
        let listed = self.listed.keys().into_iter().flat_map(|keys| keys.from(from));
        listed.filter(is_unlogged).map(str::to_owned).collect()
    }

    fn name(&mut self, seq: u64, key: &str) {
        if self.named.is_none() {
            let listed = self.listed.keys();
            if listed.and_then(|keys| keys.get(self.in_order)).is_some_and(|next| next == key) {
                self.in_order += 1;
                return;
            }
            let listed = listed.into_iter().flat_map(|keys| keys.from(0)).enumerate();
            let named = listed.map(|(place, key)| (key.to_owned(), place < self.in_order));
            self.named = Some(named.collect());
        }
        let named = self.named.as_mut().and_then(|named| named.get_mut(key));
        match named {
            Some(named) => *named = true,
            None if self.lacking.contains(key) => {}
            None => {
                self.lacking.insert(key.to_owned());
                self.lacks.push((seq, key.to_owned()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::lines::Lines;
    use super::super::testkit::{SESSION, record, reserve};
    use super::*;
    use crate::core::record::{Lost, Reserve};

    fn seen(registry: &[&str], log: &[&str]) -> (Vec<String>, Vec<String>) {
        let registry = serde_json::to_vec(registry).unwrap();
        let mut witnesses = of(&registry);
        for (seq, key) in (1..).zip(log) {
            witnesses.see(&record(seq, reserve(key)), true);
        }
        let lacks = witnesses.lacks().iter().map(|(_, key)| key.clone()).collect();
        (lacks, witnesses.unlogged())
    }

    /// Beside a log that was never shrunk.
    fn of(registry: &[u8]) -> Witnesses<'_> {
        let mut witnesses = Witnesses::new(Listing::of(Some(registry)));
        witnesses.begin(&mut Snapshot::new(Lines::new(Box::new(|_| Ok(None))), SESSION)).unwrap();
        witnesses
    }

    /// A further attempt names its key only where the first may be gone, or may have been passed over.
    #[test]
    fn a_further_attempt_stands_for_one_that_is_gone() {
        let again = |key: &str| Reserve { attempt: 2, ..reserve(key) };
        let registry = br#"["a","b"]"#;
        let mut trimmed = of(registry);
        trimmed.see(&record(7, again("c")), false);
        trimmed.see(&record(8, again("a")), true);
        assert_eq!(trimmed.lacks(), [(7, "c".to_owned())]);
        assert_eq!(trimmed.unlogged(), ["b"]);
        let mut whole = of(registry);
        whole.see(&record(1, reserve("a")), true);
        whole.see(&record(2, again("a")), true);
        whole.see(&record(3, reserve("b")), true);
        assert!(whole.lacks().is_empty() && whole.unlogged().is_empty());
    }

    #[test]
    fn a_key_that_the_log_has_lost_is_named_by_it() {
        let registry = br#"["a","b"]"#;
        let mut witnesses = of(registry);
        let lost = Lost { keys: vec!["a".to_owned(), "x".to_owned()], adopted: false };
        witnesses.see(&record(1, lost), true);
        assert_eq!(
            (witnesses.lacks(), witnesses.lost()),
            (&[(1, "x".to_owned())][..], &["a".to_owned(), "x".to_owned()][..])
        );
        assert_eq!(witnesses.unlogged(), ["b"]);
    }

    #[test]
    fn each_lacks_what_only_the_other_names_in_any_order() {
        let none: [&str; 0] = [];
        for (registry, log, lacks, unlogged) in [
            (&["a", "b"][..], &["a", "b"][..], &none[..], &none[..]),
            (&["a", "b", "c"], &["a"], &none, &["b", "c"]),
            (&["c", "a", "b"], &["a", "b"], &none, &["c"]),
            (&["a"], &["a", "b", "b"], &["b"], &none),
            (&["a", "x", "b"], &["a", "b", "c"], &["c"], &["x"]),
            (&["a", "a"], &["a"], &none, &["a"]),
        ] {
            let expected = (lacks.iter().map(|key| key.to_string()), unlogged.iter().map(|key| key.to_string()));
            assert_eq!(seen(registry, log), (expected.0.collect(), expected.1.collect()), "{registry:?} {log:?}");
        }
    }
}
