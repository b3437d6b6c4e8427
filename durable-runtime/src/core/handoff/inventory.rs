//! What a checkpoint takes stock of.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::letter::{Handoff, Happened};
use super::room::{ROOMS, Room};
use crate::core::state::State;
use crate::core::text;
use crate::core::text::count;

/// The longest goal that is shown whole, in bytes.
const GOAL: usize = 1_000;

/// What a session takes stock of at every checkpoint, in the words of its handoff. Given by
/// [`Session::inventory`](crate::Session::inventory), and a part of `state.json`.
///
/// Its lines are safe to show: what comes from outside is quoted and cut as in the handoff.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Inventory {
    /// What the work is for, if that is known.
    pub goal: Option<String>,
    /// What was completed last.
    pub last_action: Option<String>,
    /// How many steps have their result, and the newest of these results.
    pub running_result: Option<String>,
    /// What comes next.
    pub next_action: Option<String>,
    /// What must never be done again, or is not known yet, or must stay true; one line each.
    pub open_invariants: Vec<String>,
}

impl Inventory {
    /// What this state comes to.
    pub fn of(state: &State) -> Self {
        Handoff::of(state).inventory()
    }
}

impl Handoff {
    /// The same, as a list: both say what one state comes to.
    pub fn inventory(&self) -> Inventory {
        Inventory {
            goal: self.goal().map(|goal| text::clean(goal, GOAL)),
            last_action: self.last_action(),
            running_result: self.running_result(&ROOMS[0]),
            next_action: self.next_action(),
            open_invariants: self.open_invariants(),
        }
    }

    fn running_result(&self, room: &Room) -> Option<String> {
        let done = self.invariants.done.count;
        let (key, result) = self.happened.iter().find_map(|what| match what {
            Happened::Done { step, value: Some(value), .. } => Some((&step.key, room.value(value))),
            Happened::Failed { step, error } => Some((&step.key, room.error(error))),
            Happened::Finished { run, value: Some(value), .. } => Some((&run.key, room.value(value))),
            _ => None,
        })?;
        let all = count(done, "step has its result", "steps have their result");
        Some(format!("{all}; the newest result is that of {}: {result}", room.key(key)))
    }
}

impl fmt::Display for Inventory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines = [
            ("goal", &self.goal),
            ("last completed action", &self.last_action),
            ("running result", &self.running_result),
            ("next action", &self.next_action),
        ];
        for (what, line) in lines {
            writeln!(f, "{what}: {}", line.as_deref().unwrap_or("none"))?;
        }
        f.write_str("open invariants:")?;
        self.open_invariants.iter().try_for_each(|line| write!(f, "\n- {line}"))
    }
}
