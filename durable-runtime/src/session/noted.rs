//! What is noted beside the steps: the one way by which it comes into the log.

use super::Session;
use super::commit::Commit;
use super::live::Live;
use super::surroundings::{self, Around};
use crate::core::noted::Seen;
use crate::core::record::{By, Event};
use crate::error::{Error, Kind};

/// Something that is about to be noted.
pub(super) struct Noting {
    pub(super) by: By,
    /// What the log knows of it.
    pub(super) seen: Seen,
}

/// What is to be written of it.
pub(super) struct News {
    pub(super) events: Vec<Event>,
    pub(super) promise: Commit,
}

impl News {
    /// Something that the views may tell a little later, if it is anything.
    pub(super) fn written(event: Option<Event>) -> Self {
        Self { events: event.into_iter().collect(), promise: Commit::Written }
    }

    /// Something that the views tell at once, if it is anything.
    pub(super) fn told(events: Vec<Event>) -> Self {
        Self { events, promise: Commit::Told }
    }
}

impl Session {
    /// Whoever notes something of this lane here. What stands in the body of a run is noted again in every start, so it is
    /// counted; what stands in a step or outside any run is not.
    pub(super) fn noting(&self, live: &mut Live, lane: &str) -> Noting {
        let run = Around::of(self).session.scope.to_string();
        let newest = match live.state.runs.get(&run) {
            Some(at) if at.value.is_none() && surroundings::effect_around(self, &live.start).is_none() => {
                at.noted.get(lane).copied()
            }
            _ => return Noting { by: By { run, nth: None }, seen: Seen::Never },
        };
        let nth = live.start.note(&run, lane);
        Noting { by: By { run, nth: Some(nth) }, seen: Seen::of(newest, nth) }
    }

    /// The run in whose body this is called, outside its steps: what is asked there is asked again in every start.
    pub(super) fn body_around(&self, live: &Live) -> Option<String> {
        let run = Around::of(self).session.scope;
        let is_unfinished = live.state.runs.get(&*run).is_some_and(|run| run.value.is_none());
        (is_unfinished && surroundings::effect_around(self, &live.start).is_none()).then(|| run.to_string())
    }

    /// Makes the records of what is noted, if `news` says that there are any to make, and sees them written.
    pub(super) async fn note(
        &self,
        here: &str,
        news: impl FnOnce(&mut Live) -> Result<News, Error>,
    ) -> Result<(), Error> {
        let now = self.shared.clock.now();
        let promise = {
            let mut live = self.shared.live();
            if live.start.closed {
                return Err(Kind::Closed { here: here.to_owned() }.into());
            }
            let News { events, promise } = news(&mut live)?;
            if events.is_empty() {
                return Ok(());
            }
            for event in events {
                live.push(now, event);
            }
            promise
        };
        self.commit(promise).await.map_err(|source| self.not_written(source))
    }
}
