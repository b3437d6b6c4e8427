//! The context budget of an agent: how much is used, and a checkpoint when that is half of it.

use std::future::Future;

use super::Session;
use super::checkpoint;
use super::live::Live;
use super::noted::News;
use super::surroundings::Around;
use crate::core::budget::Budget;
use crate::core::noted::{BUDGET, Seen};
use crate::core::record::{self, By};
use crate::core::start::Place;
use crate::error::{Error, Refusal};

impl Session {
    /// Records how much of a context budget is used, of how much there is: tokens, or whatever else it is counted in. When
    /// half of it is used a checkpoint is written, and the caller is told, so that the context can be handed over or made
    /// smaller before it is spent.
    ///
    /// A context belongs to the process and to the run whose body tells of it, or, outside any workflow, to the session. It
    /// begins anew with each start. What falls below half again, because the context was made smaller, is told of once more
    /// when half is used the next time. What this gives depends on nothing but what was told before in the same start: so a
    /// resumed run that tells the same is given the same, and writes nothing twice. More used than there is, is
    /// [`Budget::Spent`].
    ///
    /// ```
    /// use durable_runtime::prelude::*;
    /// use durable_runtime::{Budget, Error};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Error> {
    /// # let dir = tempfile::tempdir().expect("a directory for the example");
    /// let session = Session::open(dir.path().join("session")).await?;
    /// assert_eq!(session.budget(60_000, 200_000).await?, Budget::Fine);
    /// assert_eq!(session.budget(104_000, 200_000).await?, Budget::HalfUsed);
    /// assert_eq!(session.budget(110_000, 200_000).await?, Budget::Low);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if the total is 0, inside a step (a resumed run would not be there again), or if the disk refuses.
    ///
    /// # Crash safety
    ///
    /// The checkpoint is durable when this returns [`Budget::HalfUsed`].
    #[track_caller]
    pub fn budget(&self, used: u64, total: u64) -> impl Future<Output = Result<Budget, Error>> {
        let at = Place::of_caller();
        async move {
            let mut told = Budget::Fine;
            let news = |live: &mut Live| {
                let (budget, news) = self.tell_of_use(live, used, total, at)?;
                told = budget;
                Ok(news)
            };
            self.note(HERE, news).await?;
            Ok(told)
        }
    }

    fn tell_of_use(&self, live: &mut Live, used: u64, total: u64, at: Place) -> Result<(Budget, News), Error> {
        self.is_outside_effects(live, HERE, at)?;
        if total == 0 {
            return Err(Refusal::NoBudget { used, at }.into());
        }
        let noting = self.noting(live, BUDGET);
        let is_past = Budget::of(used, total, false).is_past_half();
        let was_past = live.start.pass_half(&Around::of(self).session.scope, is_past);
        let told = Budget::of(used, total, was_past);
        let half = is_past && !was_past;
        // A resumed run tells of it again, and the log need not hear that. But half of the context of this process is news.
        let by = match noting.seen {
            Seen::Never => noting.by,
            _ if half => By { nth: None, ..noting.by },
            _ => return Ok((told, News::written(None))),
        };
        let budget = record::Budget { used, total, half, by }.into();
        if !half {
            return Ok((told, News::written(Some(budget))));
        }
        let why = format!("half of the context budget is used: {used} of {total}");
        let checkpoint = checkpoint::because(&live.state, why, By::default());
        Ok((told, News::told(vec![budget, checkpoint.into()])))
    }
}

const HERE: &str = "session.budget(..)";

#[cfg(test)]
mod tests;
