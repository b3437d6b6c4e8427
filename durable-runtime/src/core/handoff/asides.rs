//! What a letter says of the session beside its work, one line each, and only where there is something to say.

use super::letter::{Handoff, Keys};
use super::room::{Room, count, joined};
use crate::core::memory::Remembered;
use crate::core::state::State;

/// What there is to say beside the work.
#[derive(Clone, Debug, Default)]
pub(super) struct Asides {
    /// The names of the values that are remembered.
    values: Keys,
    /// What was made, the newest first.
    made: Keys,
}

/// The most names that are carried along.
const LIST: usize = 4;

impl Asides {
    pub(super) fn of(state: &State) -> Self {
        Self { values: values(&state.memory), made: made(&state.memory) }
    }
}

fn values(memory: &Remembered) -> Keys {
    let shown = memory.values().take(LIST).map(|(name, _)| name.into()).collect();
    Keys { shown, count: memory.values().count() as u64 }
}

fn made(memory: &Remembered) -> Keys {
    let all = memory.artifacts();
    Keys { count: all.len() as u64, shown: all.iter().rev().take(LIST).map(|made| made.name.as_str().into()).collect() }
}

impl Handoff {
    /// The lines that follow where the work stands.
    pub(super) fn aside_lines(&self, room: &Room) -> Vec<String> {
        self.asides.remembered(room).into_iter().collect()
    }
}

impl Asides {
    fn remembered(&self, room: &Room) -> Option<String> {
        let list = |keys: &Keys, one, many| {
            (keys.count > 0).then(|| {
                let shown = || keys.shown.iter().take(room.list).map(|key| room.key(key));
                let more = if keys.count > shown().len() as u64 { ", .." } else { "" };
                format!("{} ({}{more})", count(keys.count, one, many), joined(shown(), ", "))
            })
        };
        let parts = [list(&self.values, "value", "values"), list(&self.made, "artifact", "artifacts")];
        let parts: Vec<_> = parts.into_iter().flatten().collect();
        (!parts.is_empty()).then(|| format!("Remembered in `state.json`: {}.", parts.join(" and ")))
    }
}
