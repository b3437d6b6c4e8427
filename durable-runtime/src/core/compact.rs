//! What of a log still matters, where it is shrunk: the records that it leaves out change nothing of what the others say.
//!
//! A finished run is its key and its result: nothing that stands in it is ever read again. That each of its keys was
//! reserved is kept beside the records, by whoever shrinks the log.

use std::collections::HashSet;

use uuid::Uuid;

use super::key;
use super::record::{Event, Record, Stored, Trim, Witnessed};
use super::state::{State, Step};
use super::witness;

/// The records of `records` that are kept, and the `trim` behind them; nothing of a log that must stay as it is.
///
/// # Errors
///
/// Fails with what would be lost, if anything would.
pub fn shrunk(records: &[Record]) -> Result<Vec<Record>, &'static str> {
    let state = fold(records);
    let Some(mut compaction) = Compaction::of(&state) else { return Ok(Vec::new()) };
    let mut kept: Vec<_> = records.iter().filter(|record| compaction.keeps(record)).cloned().collect();
    kept.push(trim(&state, kept.len() as u64, 0, Witnessed::default()));
    state.same(&fold(&kept))?;
    Ok(kept)
}

/// The record that closes what was kept of a log that says this.
pub fn trim(state: &State, records: u64, closed: u64, registry: Witnessed) -> Record {
    let trim = Trim { records, opened: state.opened, left: state.left, closed, registry };
    Record { seq: state.seq, epoch: state.epoch, at: state.at, event: trim.into() }
}

fn fold(records: &[Record]) -> State {
    let mut state = State::new(Uuid::nil(), String::new());
    records.iter().for_each(|record| state.apply(record));
    state
}

/// Chooses the records of a log that are kept.
#[derive(Debug)]
pub struct Compaction<'a> {
    state: &'a State,
    open: HashSet<&'a str>,
    recent: HashSet<&'a str>,
    /// Behind the last completed action everything is kept.
    completed: u64,
    /// Whether a record of a step that is still open has come by.
    has_open: bool,
    /// What a record that is kept remembers, and a later one may have forgotten.
    superseded: HashSet<String>,
}

impl<'a> Compaction<'a> {
    /// For a log that says this; `None` if it has lost records: what those that are left must prove, nobody knows.
    pub fn of(state: &'a State) -> Option<Self> {
        (!state.is_lossy).then(|| Self {
            state,
            open: state.open.values().map(|key| &**key).collect(),
            recent: state.recent.iter().map(|action| &*action.key).collect(),
            completed: state.completed,
            has_open: false,
            superseded: HashSet::new(),
        })
    }

    /// Whether a record is kept. They come in the order of the log.
    pub fn keeps(&mut self, record: &Record) -> bool {
        if matches!(record.event, Event::Trim(_) | Event::Closed(_)) {
            return false;
        }
        let key = record.event.key();
        self.has_open |= key.is_some_and(|key| self.open.contains(key));
        let is_noted = self.is_noted(record);
        is_noted
            || record.seq == self.state.first
            || record.seq == self.state.booted
            || record.seq == self.state.anchored
            || record.seq > self.completed
            || key.is_some_and(|key| self.speaks_of(key, record.event.is_of_run()))
            || self.is_told(&record.event)
    }

    /// Whether what is said of a step or of a run is still read by anyone.
    fn speaks_of(&self, key: &str, is_run: bool) -> bool {
        let mut around = key::around(key);
        let is_forgotten = match is_run {
            true => around.any(|run| self.state.is_finished(run)),
            false => around.next().is_some_and(|run| self.state.is_finished(run)),
        };
        !is_forgotten || self.recent.contains(key)
    }

    /// Whether it is what is remembered, or something by which an unfinished run goes on as it did; or forgets what such a
    /// record remembers.
    fn is_noted(&mut self, record: &Record) -> bool {
        let (state, event) = (self.state, &record.event);
        let is_paced = state.paces.needs(record.seq, event);
        let Some((lane, _)) = event.noted() else { return is_paced };
        if event.forgets() && self.superseded.remove(&lane) {
            return true;
        }
        let goes_on_by = is_paced || state.is_newest_noted(record.seq, event);
        if goes_on_by && !event.forgets() {
            self.superseded.insert(lane);
        }
        goes_on_by
            || state.memory.is_current(record.seq, event)
            || state.budget.is_some_and(|budget| budget.seq == record.seq)
            || state.researched.iter().any(|verdict| verdict.seq == record.seq)
    }

    fn is_told(&self, event: &Event) -> bool {
        match event {
            // How often the process has died in the middle of an open step, and what was proven of it before.
            Event::Boot(_) | Event::Repaired(_) => self.has_open,
            Event::Lost(_) | Event::Adopt(_) => true,
            Event::Note(note) => note.text == witness::began_late(self.state.first),
            _ => false,
        }
    }
}

impl Event {
    /// The key of the step or of the run that it speaks of, where what it says is a part of its life.
    pub fn key(&self) -> Option<&str> {
        Some(match self {
            Self::Run(run) => &run.run,
            Self::Code(code) => &code.run,
            Self::End(end) => &end.run,
            Self::Cancel(cancel) => &cancel.run,
            Self::Stopped(stopped) if stopped.cancelled || !stopped.missed.is_empty() => &stopped.run,
            Self::Reserve(reserve) => &reserve.key,
            Self::Done(done) => &done.key,
            Self::Failed(failed) => &failed.key,
            Self::Absent(absent) => &absent.key,
            Self::InDoubt(doubt) => &doubt.key,
            Self::NotYet(not_yet) => &not_yet.key,
            Self::Resolve(word) => &word.key,
            Self::Wait(wait) => &wait.key,
            Self::Woke(woke) => &woke.key,
            Self::Ask(ask) => &ask.key,
            Self::Answer(answer) => &answer.key,
            Self::WordRefused(refused) => &refused.key,
            Self::Boot(_)
            | Self::Checkpoint(_)
            | Self::Stopped(_)
            | Self::Replayed(_)
            | Self::Repaired(_)
            | Self::Lost(_)
            | Self::Adopt(_)
            | Self::Refused(_)
            | Self::Memory(_)
            | Self::Artifact(_)
            | Self::Budget(_)
            | Self::Turn(_)
            | Self::Verdict(_)
            | Self::Note(_)
            | Self::Mark(_)
            | Self::Dormant(_)
            | Self::Trim(_)
            | Self::Closed(_) => return None,
        })
    }

    /// The result that it records, if it is one that is not kept at hand: see [`Kept`](super::record::Kept).
    pub fn result(&self) -> Option<&Stored> {
        match self {
            Self::Done(done) => done.value.as_ref(),
            Self::End(end) => Some(&end.value),
            _ => None,
        }
    }

    fn is_of_run(&self) -> bool {
        matches!(self, Self::Run(_) | Self::Code(_) | Self::End(_) | Self::Cancel(_) | Self::Stopped(_))
    }

    /// The keys that it says were reserved.
    pub fn reserved(&self) -> impl Iterator<Item = &str> {
        let (one, many): (Option<&str>, &[String]) = match self {
            Self::Reserve(reserve) => (Some(&reserve.key), &[]),
            Self::Lost(lost) => (None, &lost.keys),
            Self::Closed(closed) => (None, &closed.keys),
            _ => (None, &[]),
        };
        one.into_iter().chain(many.iter().map(String::as_str))
    }
}

impl State {
    /// Whether another state says the same to whoever goes on from here; the first thing in which it does not.
    ///
    /// # Errors
    ///
    /// Fails with the name of what differs.
    pub fn same(&self, other: &Self) -> Result<(), &'static str> {
        let head = |state: &Self| {
            let numbers = [state.iteration, state.epoch, state.at.as_millis(), state.first, state.opened, state.left];
            let flags = (state.status, state.is_lossy, state.has_told_of_loss, state.adopted);
            (state.session, state.identity.clone(), numbers, flags, state.boot.clone(), state.goal.clone())
        };
        let bare = |step: &Step| Step { opened: 0, ..step.clone() };
        let open = |state: &Self| state.open.values().cloned().collect::<Vec<_>>();
        let parts = [
            ("what the session is", head(self) == head(other)),
            ("runs", self.runs == other.runs && self.active == other.active),
            ("open steps", open(self) == open(other)),
            ("steps", self.steps.same(&other.steps, bare)),
            ("questions", self.questions == other.questions),
            ("refused words", self.refused_words == other.refused_words && self.refused_before == other.refused_before),
            ("completed actions", self.recent == other.recent),
            ("what is remembered", self.memory == other.memory),
            ("the budget", self.budget == other.budget),
            ("turns", self.paces == other.paces),
            ("verdicts", self.researched == other.researched),
            ("trouble", self.trouble == other.trouble),
        ];
        parts.iter().find(|(_, same)| !same).map_or(Ok(()), |(what, _)| Err(*what))
    }
}

#[cfg(test)]
mod tests;
