//! What an exploration has found so far.

use std::collections::{BTreeMap, BTreeSet};

use super::judge::Fault;
use crate::testing::machine::images::Model;
use crate::testing::story::{After, Fate, Story, When};

/// What was found.
#[derive(Clone, Debug, Default)]
pub(crate) struct Findings {
    /// States after a crash, an error or a damage.
    pub(crate) states: u64,
    /// Those that differ.
    pub(crate) distinct: u64,
    /// Moments that did not come again: the work is not the same twice.
    pub(crate) missed: u64,
    /// By the moment of the first crash, and by what it was. Of stories with the usual order of tasks, without views.
    pub(crate) cells: BTreeMap<(When, Column), Cell>,
    /// The states of each group, and the worst of them.
    pub(crate) groups: BTreeMap<Group, (u64, Cell)>,
    /// The keys about which a person was asked, and the first story in which that was.
    pub(crate) doubts: BTreeMap<String, Story>,
    /// The first story of each fault.
    pub(crate) failures: Vec<(Story, Fault)>,
    /// What was not covered, in words.
    pub(crate) left_out: BTreeSet<String>,
    /// Images that were not looked at.
    pub(crate) images_left_out: u64,
}

/// What becomes of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Cell {
    Held,
    InDoubt,
    Broken,
}

/// What befell a session first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Column {
    Kill,
    Power,
    Weak,
    Late,
    Error,
}

/// Stories that are told of together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Group {
    Kill,
    Power,
    Weak,
    Late,
    Error,
    Again,
    Rot,
    Views,
    Orders,
}

impl Findings {
    /// Notes what a story came to.
    pub(crate) fn note(&mut self, story: &Story, cell: Cell) {
        let (group, column) = place(story);
        let (states, worst) = self.groups.entry(group).or_insert((0, Cell::Held));
        *states += 1;
        *worst = cell.max(*worst);
        if let (Some(column), Some(plan)) = (column, story.turns.first().and_then(|turn| turn.plan)) {
            let worst = self.cells.entry((plan.when, column)).or_insert(cell);
            *worst = cell.max(*worst);
        }
    }

    pub(crate) fn doubts(&mut self, asked: &BTreeSet<String>, story: &Story) {
        for key in asked {
            self.doubts.entry(key.clone()).or_insert_with(|| story.clone());
        }
    }

    pub(crate) fn fail(&mut self, story: Story, fault: Fault) {
        if !self.failures.iter().any(|(_, known)| known.is_like(&fault)) {
            self.failures.push((story, fault));
        }
    }

    /// What is not the same twice explains every other fault.
    pub(crate) fn unsteady(&mut self, fault: Fault) {
        self.failures = vec![(Story::default(), fault)];
    }

    pub(crate) fn leave_out(&mut self, what: String) {
        self.left_out.insert(what);
    }

    pub(crate) fn tell_images_left_out(&mut self) {
        if self.images_left_out > 0 {
            self.leave_out(
                "every image of every power cut: at some moments only some were tried, evenly chosen".to_owned(),
            );
        }
    }

    pub(crate) fn images_left_out(&mut self, count: usize) {
        self.images_left_out = self.images_left_out.saturating_add(count as u64);
    }
}

fn place(story: &Story) -> (Group, Option<Column>) {
    let [turn] = story.turns.as_slice() else { return (Group::Again, None) };
    if let After::Rot(_) = turn.after {
        return (Group::Rot, None);
    }
    if story.views {
        return (Group::Views, None);
    }
    if story.seed != 0 {
        return (Group::Orders, None);
    }
    let (group, column) = match (turn.plan.map(|plan| plan.fate), &turn.after) {
        (Some(Fate::DiesLate | Fate::FailsLate), _) => (Group::Late, Column::Late),
        (Some(Fate::Dies), After::Power(Model::Ordered, _)) => (Group::Power, Column::Power),
        (Some(Fate::Dies), After::Power(Model::Weak, _)) => (Group::Weak, Column::Weak),
        (Some(Fate::Dies), _) => (Group::Kill, Column::Kill),
        _ => (Group::Error, Column::Error),
    };
    (group, Some(column))
}
