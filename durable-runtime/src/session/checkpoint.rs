//! A checkpoint that somebody asks for.

use super::Session;
use super::live::Live;
use super::noted::News;
use crate::core::handoff::Handoff;
use crate::core::noted::{CHECKPOINT, Seen};
use crate::core::record::{By, Checkpoint};
use crate::core::state::State;
use crate::core::text;
use crate::error::Error;

/// The longest reason that is kept whole, in bytes.
const WHY: usize = 500;

impl Session {
    /// Writes a checkpoint: what the session takes stock of becomes durable, and `state.json` and `handoff.md` say it. A
    /// session writes one by itself at a boot, before an effect, after an error, at a wait and at its end, and when half of a
    /// [budget](Self::budget) is used; this is for what only you know, such as a model that is to be changed.
    ///
    /// In the body of a workflow it is written once, and passed over by a resumed run.
    ///
    /// # Errors
    ///
    /// Fails if the disk refuses.
    ///
    /// # Crash safety
    ///
    /// It is durable when this returns.
    pub async fn checkpoint(&self, why: &str) -> Result<(), Error> {
        let why = text::clean(&self.redact(why), WHY);
        let news = |live: &mut Live| {
            let noting = self.noting(live, CHECKPOINT);
            let is_new = noting.seen == Seen::Never;
            let checkpoint = is_new.then(|| because(&live.state, why, noting.by).into());
            Ok(News::told(checkpoint.into_iter().collect()))
        };
        self.note("session.checkpoint(..)", news).await
    }
}

/// A checkpoint of this state.
pub(super) fn of(state: &State) -> Checkpoint {
    let handoff = Handoff::of(state);
    Checkpoint {
        goal: state.goal.clone(),
        last: handoff.last_action(),
        next: handoff.next_action(),
        ..Checkpoint::default()
    }
}

/// The same, and why somebody asks for it.
pub(super) fn because(state: &State, why: String, by: By) -> Checkpoint {
    Checkpoint { why: Some(why), by, ..of(state) }
}
