//! What a letter says of the session beside its work, one line each, and only where there is something to say.

use super::letter::{Handoff, Keys};
use super::room::{Room, joined};
use crate::core::budget::Used;
use crate::core::memory::Remembered;
use crate::core::pace::Turn;
use crate::core::research::Researched;
use crate::core::state::State;
use crate::core::text::count;
use crate::core::word::{Says, Word};

/// What there is to say beside the work.
#[derive(Clone, Debug, Default)]
pub(super) struct Asides {
    /// The runs that words in the inbox give up, and whose words those are.
    cancels: Vec<(String, String)>,
    /// How the work is started again.
    started_by: Option<String>,
    /// How much is used of the context of whoever does the work.
    used: Option<Used>,
    /// The run whose loop has turned last, the number of the turn, and what it is for.
    turn: Option<(String, u64, Turn)>,
    /// The newest verdict on a component.
    researched: Option<Researched>,
    /// The names of the values that are remembered.
    values: Keys,
    /// What was made, the newest first.
    made: Keys,
}

/// The most names that are carried along.
const LIST: usize = 4;

impl Asides {
    pub(super) fn of(state: &State, posted: &[Word]) -> Self {
        let cancels = cancels(state, posted).map(|word| (word.key.clone(), word.by.clone())).collect();
        // The context of an earlier boot is gone with its process.
        let used = state.budget.filter(|budget| budget.iteration == state.iteration);
        let turn = state.paces.newest().map(|(run, paced)| (run.to_owned(), paced.newest()));
        let turn = turn.map(|(run, (number, turn))| (run, number, turn));
        let researched = state.researched.back().cloned();
        Self {
            cancels,
            started_by: state.memory.started_by(),
            used,
            turn,
            researched,
            values: values(&state.memory),
            made: made(&state.memory),
        }
    }
}

/// The words in the inbox that give runs up, and that count.
pub(super) fn cancels<'a>(state: &State, posted: &'a [Word]) -> impl Iterator<Item = &'a Word> {
    let counts = |word: &&Word| state.admit(word, word.at.unwrap_or(state.at)).is_ok();
    posted.iter().filter(|word| matches!(word.says, Says::Cancel)).filter(counts)
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
        let asides = &self.asides;
        [
            asides.cancels(room),
            asides.start(room),
            asides.context(),
            asides.pace(room),
            asides.researched(room),
            asides.remembered(room),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

impl Asides {
    /// Whether it is said how the work is started.
    pub(super) fn tells_start(&self) -> bool {
        self.started_by.is_some()
    }

    fn cancels(&self, room: &Room) -> Option<String> {
        let (run, by) = self.cancels.first()?;
        let more = match self.cancels.len() - 1 {
            0 => String::new(),
            more => format!(", and so do words about {}", count(more, "other", "others")),
        };
        let (run, by) = (room.key(run), room.claimed(by));
        Some(format!(
            "A word of {by} waits in `inbox/` that CANCELS {run}{more}: the next worker takes it, and begins nothing new there."
        ))
    }

    fn start(&self, room: &Room) -> Option<String> {
        self.started_by.as_ref().map(|command| format!("The work is started with {}.", room.shown(command)))
    }

    fn context(&self) -> Option<String> {
        let used = self.used?;
        let then = match used.is_past_half() {
            true => " That is more than half, so a checkpoint was written: the next worker is to have a fresh context.",
            false => "",
        };
        let Used { used: of, total, .. } = used;
        Some(format!("Context budget: {of} of {total} used ({} %).{then}", used.percent()))
    }

    fn pace(&self, room: &Room) -> Option<String> {
        let (run, number, turn) = self.turn.as_ref()?;
        let of = if run.is_empty() { String::new() } else { format!(" of {}", room.key(run)) };
        let what = match turn {
            Turn::Work => "to work".to_owned(),
            Turn::Explore(why) => format!("to EXPLORE, for {why}"),
            Turn::Build(why) => format!("to BUILD, for {why}"),
            Turn::Rest => "to REST: no effect is begun in it, and nothing made".to_owned(),
            Turn::Stop(why) => format!("to STOP, for {why}"),
        };
        Some(format!("Pace: in turn {number}{of} the worker is {what}."))
    }

    fn researched(&self, room: &Room) -> Option<String> {
        let Researched { component, verdict, because, .. } = self.researched.as_ref()?;
        Some(format!("Verdict given on {}: {verdict}, because {}.", room.claimed(component), room.claimed(because)))
    }

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
