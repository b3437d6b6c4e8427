//! The pace of an agent's loop: that it does not go on without getting on.
//!
//! What counts is what the log says, and not what the agent says of itself: completed actions, which are effects, decisions and
//! runs but not reads, and things that were made.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::key;
use super::record;

/// After how many turns something is forced; 0 for never.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Turns in a row without a completed action, until one explores.
    pub explore_after: u64,
    /// Turns in a row without anything new that was made, until one builds.
    pub build_after: u64,
    /// Each turn whose number is a multiple of it rests.
    pub rest_every: u64,
    /// Turns in a row without a completed action, until the loop is to stop.
    pub stop_after: u64,
}

impl Default for Rules {
    fn default() -> Self {
        Self { explore_after: 3, build_after: 5, rest_every: 8, stop_after: 0 }
    }
}

/// What one turn of a loop is for. Given by [`Pace::turn`](crate::Pace::turn).
#[must_use = "what a turn is for is for the loop to do"]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Turn {
    /// The work.
    Work,
    /// To look around: too many turns have completed nothing.
    Explore(Why),
    /// To make something, however small: too many turns have made nothing.
    Build(Why),
    /// To take stock. Effects and artifacts are refused.
    Rest,
    /// To end the loop: far too many turns have completed nothing. Only with [`Pace::stop_after`](crate::Pace::stop_after).
    Stop(Why),
}

/// Why a turn is not for work. Its [`Display`](fmt::Display) is a sentence for whoever does the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Why {
    lacks: Lacks,
    turns: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lacks {
    Action,
    Artifact,
}

impl Why {
    /// For how many turns in a row nothing came of it.
    pub fn turns(self) -> u64 {
        self.turns
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let turns = if self.turns == 1 { "1 turn".to_owned() } else { format!("{} turns", self.turns) };
        match self.lacks {
            Lacks::Action => {
                write!(f, "no action was completed in {turns}: look at the world, the journal and what is pending")
            }
            Lacks::Artifact => write!(f, "nothing was made in {turns}: make something that can be looked at"),
        }
    }
}

/// The kind of a turn, as a record has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnKind {
    /// [`Turn::Work`].
    #[default]
    Work,
    /// [`Turn::Explore`].
    Explore,
    /// [`Turn::Build`].
    Build,
    /// [`Turn::Rest`].
    Rest,
    /// [`Turn::Stop`].
    Stop,
}

impl Turn {
    fn of(kind: TurnKind, turns: u64) -> Self {
        let why = |lacks| Why { lacks, turns };
        match kind {
            TurnKind::Work => Self::Work,
            TurnKind::Explore => Self::Explore(why(Lacks::Action)),
            TurnKind::Build => Self::Build(why(Lacks::Artifact)),
            TurnKind::Rest => Self::Rest,
            TurnKind::Stop => Self::Stop(why(Lacks::Action)),
        }
    }
}

impl record::Turn {
    /// What it is for.
    pub fn turn(&self) -> Turn {
        Turn::of(self.turn, self.after)
    }
}

/// What the log knows of the turns of one loop.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Paced {
    /// How many there were.
    pub number: u64,
    /// The record of the last of them.
    pub seq: u64,
    /// What each was for that was not for work, and after how many turns.
    forced: BTreeMap<u64, (TurnKind, u64)>,
    /// Turns in a row without a completed action, as of the last turn; from an exploration on they count anew.
    idle: u64,
    /// The same of something new that was made.
    barren: u64,
    /// Turns in a row without a completed action, explorations included.
    stalled: u64,
    /// The record of the last completed action.
    acted: u64,
    /// The record of the last thing that was made.
    pub made: u64,
}

impl Paced {
    /// What the turn of this number was for; `None` if there was none.
    pub fn recorded(&self, number: u64) -> Option<Turn> {
        let (kind, turns) = self.forced.get(&number).copied().unwrap_or_default();
        (number <= self.number).then(|| Turn::of(kind, turns))
    }

    /// The next turn: what it is for, as its record says.
    pub fn next(&self, run: &str, rules: Rules) -> record::Turn {
        let number = self.number + 1;
        // Nothing can come of a rest, and before the first turn nothing could.
        let counts = self.number > 0 && self.kind(self.number) != TurnKind::Rest;
        let more = |count: u64, last: u64| match counts {
            true if last > self.seq => 0,
            true => count + 1,
            false => count,
        };
        let (mut idle, mut barren) = (more(self.idle, self.acted), more(self.barren, self.made));
        let stalled = more(self.stalled, self.acted);
        let is_due = |count: u64, after: u64| after > 0 && count >= after;
        let (turn, after) = match () {
            () if is_due(stalled, rules.stop_after) => (TurnKind::Stop, stalled),
            () if rules.rest_every > 0 && number.is_multiple_of(rules.rest_every) => (TurnKind::Rest, 0),
            () if is_due(idle, rules.explore_after) => (TurnKind::Explore, std::mem::take(&mut idle)),
            () if is_due(barren, rules.build_after) => (TurnKind::Build, std::mem::take(&mut barren)),
            () => (TurnKind::Work, 0),
        };
        record::Turn { run: run.to_owned(), number, turn, after, idle, barren, stalled }
    }

    /// What the newest turn is for.
    pub fn newest(&self) -> (u64, Turn) {
        let (kind, turns) = self.forced.get(&self.number).copied().unwrap_or_default();
        (self.number, Turn::of(kind, turns))
    }

    fn kind(&self, number: u64) -> TurnKind {
        self.forced.get(&number).map_or(TurnKind::Work, |(kind, _)| *kind)
    }

    fn tick(&mut self, seq: u64, turn: &record::Turn) {
        self.number = turn.number;
        self.seq = seq;
        (self.idle, self.barren, self.stalled) = (turn.idle, turn.barren, turn.stalled);
        if turn.run.is_empty() {
            // Outside any workflow nothing is run again: only the newest is ever asked for.
            self.forced.clear();
        }
        if turn.turn != TurnKind::Work {
            self.forced.insert(turn.number, (turn.turn, turn.after));
        }
    }
}

/// The loops of a session, by the full key of their run; empty outside any workflow.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Paces(BTreeMap<String, Paced>);

impl Paces {
    /// What is known of the loop of a run.
    pub fn of(&self, run: &str) -> Option<&Paced> {
        self.0.get(run)
    }

    /// The loop that has turned last, and the run that it is of.
    pub fn newest(&self) -> Option<(&str, &Paced)> {
        self.0.iter().max_by_key(|(_, paced)| paced.seq).map(|(run, paced)| (run.as_str(), paced))
    }

    /// Whether a record still counts: a run that goes on turns again as it did.
    pub fn needs(&self, seq: u64, event: &record::Event) -> bool {
        match event {
            record::Event::Turn(turn) => {
                self.0.get(&turn.run).is_some_and(|paced| !turn.run.is_empty() || paced.seq == seq)
            }
            record::Event::Artifact(_) => self.0.values().any(|paced| paced.made == seq),
            _ => false,
        }
    }

    pub(super) fn tick(&mut self, seq: u64, turn: &record::Turn) {
        self.0.entry(turn.run.clone()).or_default().tick(seq, turn);
    }

    /// An action of this full key was completed.
    pub(super) fn acted(&mut self, seq: u64, key: &str) {
        self.each_around(key, |paced| paced.acted = seq);
    }

    /// Something was made in this run.
    pub(super) fn made(&mut self, seq: u64, run: &str) {
        if let Some(paced) = self.0.get_mut(run) {
            paced.made = seq;
        }
        self.each_around(run, |paced| paced.made = seq);
    }

    /// A run is over, and all that is inside it.
    pub(super) fn forget(&mut self, run: &str) {
        self.0.retain(|of, _| !key::is_inside(of, run));
    }

    fn each_around(&mut self, key: &str, change: impl Fn(&mut Paced)) {
        if self.0.is_empty() {
            return;
        }
        for run in key::around(key).chain(std::iter::once("")) {
            if let Some(paced) = self.0.get_mut(run) {
                change(paced);
            }
        }
    }
}

#[cfg(test)]
mod tests;
