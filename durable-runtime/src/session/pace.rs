//! The pace of a loop: one recorded turn at a time.

use std::future::Future;
use std::sync::Arc;

use super::Session;
use super::commit::Commit;
use super::live::Live;
use super::noted::News;
use super::surroundings::Around;
use crate::broken::{self, Broken};
use crate::core::noted::{Seen, of_verdict};
use crate::core::pace::{Paced, Rules, Turn};
use crate::core::record;
use crate::core::research::{Research, Researched};
use crate::core::start::Place;
use crate::core::text;
use crate::error::{Error, Refusal};

/// The pace of a loop that might go on for ever without getting on, such as that of an agent. Given by [`Session::pace`].
///
/// One [`turn`](Self::turn) for each round, and the turn says what it is for. What is counted is what the journal says: three
/// turns without a completed action, and one is to explore. An action is an effect, a decision or a whole run; a `#[read]` is
/// none, so let the model be asked in one. Five turns without anything new that was made
/// ([`Memory::artifact`](crate::Memory::artifact)), and one is to build; every eighth is for rest, in which effects are refused
/// before they are reserved. Nothing ends the loop unless [`stop_after`](Self::stop_after) says so.
///
/// The counts belong to the run, and survive restarts. A resumed run is given the turns that were recorded, whatever the
/// settings are now.
///
/// ```
/// use durable_runtime::prelude::*;
/// use durable_runtime::{Error, Turn};
/// # async fn ask_the_model(_: u64, hint: &str) -> Result<String, Error> { Ok(format!("done{hint}")) }
///
/// #[durable_workflow(goal = "answer the ticket")]
/// async fn agent(session: &Session) -> Result<String, Error> {
///     let pace = session.pace();
///     loop {
///         let hint = match pace.turn().await? {
///             Turn::Explore(why) | Turn::Build(why) => why.to_string(),
///             Turn::Rest => continue,
///             _ => String::new(),
///         };
///         let n = pace.number();
///         #[read(key = "model/{n}")]
///         let reply = ask_the_model(n, &hint).await?;
///         if reply.starts_with("done") {
///             return Ok(reply);
///         }
///     }
/// }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Error> {
/// # let dir = tempfile::tempdir().expect("a directory for the example");
/// # let session = Session::open(dir.path().join("session")).await?;
/// # assert_eq!(agent(&session).await?, "done");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Pace<'a> {
    session: &'a Session,
    /// The run whose loop it is.
    scope: Arc<str>,
    rules: Rules,
}

impl Session {
    /// The pace of the loop in the body of a run, or, outside any workflow, of the session.
    pub fn pace(&self) -> Pace<'_> {
        Pace { session: self, scope: Around::of(self).session.scope, rules: Rules::default() }
    }
}

impl Pace<'_> {
    /// After how many turns in a row without a completed action one is to explore: 3 if nothing is said, 0 for never.
    #[must_use]
    pub fn explore_after(mut self, turns: u64) -> Self {
        self.rules.explore_after = turns;
        self
    }

    /// After how many turns in a row without anything new that was made one is to build: 5 if nothing is said, 0 for never.
    #[must_use]
    pub fn build_after(mut self, turns: u64) -> Self {
        self.rules.build_after = turns;
        self
    }

    /// Every how many turns one is for rest: 8 if nothing is said, 0 for never.
    #[must_use]
    pub fn rest_every(mut self, turns: u64) -> Self {
        self.rules.rest_every = turns;
        self
    }

    /// After how many turns in a row without a completed action the loop is to stop: never if nothing is said.
    #[must_use]
    pub fn stop_after(mut self, turns: u64) -> Self {
        self.rules.stop_after = turns;
        self
    }

    /// The next turn of the loop, and what it is for. It lasts until the one after it, or until [`end`](Self::end).
    ///
    /// # Errors
    ///
    /// Fails if the run has stopped, inside a step, or if the disk refuses.
    ///
    /// # Crash safety
    ///
    /// What a turn is for is written when this returns, and durable before any effect of the turn begins. A start that comes
    /// later is given the same.
    #[track_caller]
    pub fn turn(&self) -> impl Future<Output = Result<Turn, Error>> {
        let at = Place::of_caller();
        async move {
            let mut turn = Turn::Work;
            let news = |live: &mut Live| {
                let (next, news) = self.next(live, at)?;
                turn = next;
                Ok(news)
            };
            self.session.note("session.pace().turn()", news).await?;
            Ok(turn)
        }
    }

    /// The number of the turn, from 1; 0 before the first.
    pub fn number(&self) -> u64 {
        self.session.shared.live().start.turn(&self.scope)
    }

    /// The loop is over: what follows it is in no turn, and no longer at rest.
    pub fn end(&self) {
        self.session.shared.live().start.rest(&self.scope, false);
    }

    /// Records what a search for a ready component has found, before anybody builds one by hand.
    ///
    /// # Errors
    ///
    /// Fails if the disk refuses.
    pub fn researched(
        &self,
        component: &str,
        verdict: Research,
        because: &str,
    ) -> impl Future<Output = Result<(), Error>> {
        let [component, because] = [component, because].map(|said| text::clean(&self.session.redact(said), SAID));
        async move {
            let news = |live: &mut Live| {
                let noting = self.session.inside(&self.scope).noting(live, &of_verdict(&component));
                let is_new = noting.seen == Seen::Never && !is_known(live, &component, verdict, &because);
                let record = record::Verdict { component, verdict, because, by: noting.by };
                Ok(News::written(is_new.then(|| record.into())))
            };
            self.session.note("session.pace().researched(..)", news).await
        }
    }

    /// The newest verdicts of the session, at most twenty, the oldest first.
    ///
    /// # Errors
    ///
    /// Fails in the body of a run outside its steps: a resumed run would find later ones.
    pub fn verdicts(&self) -> Result<Vec<Researched>, Error> {
        let live = self.session.shared.live();
        match self.session.body_around(&live) {
            Some(run) => Err(Refusal::InBody { asked: "pace().verdicts()", run }.into()),
            None => Ok(live.state.researched.iter().cloned().collect()),
        }
    }

    fn next(&self, live: &mut Live, at: Place) -> Result<(Turn, News), Error> {
        const HERE: &str = "session.pace().turn()";
        let run = &*self.scope;
        self.session.inside(run).admits(live, HERE)?;
        self.session.is_outside_effects(live, HERE, at)?;
        let none = Paced::default();
        let paced = live.state.paces.of(run).unwrap_or(&none);
        // Outside any workflow nothing is run again: each turn is a new one.
        let number = if run.is_empty() { paced.number } else { live.start.turn(run) } + 1;
        if let Some(turn) = paced.recorded(number).filter(|_| !broken::is(Broken::TurnDecidedAnew)) {
            live.start.take_turn(run, number, turn == Turn::Rest);
            return Ok((turn, News::written(None)));
        }
        let next = paced.next(run, self.rules);
        let turn = next.turn();
        live.start.take_turn(run, next.number, turn == Turn::Rest);
        let promise = if matches!(turn, Turn::Work) { Commit::Written } else { Commit::Anchored };
        Ok((turn, News { events: vec![next.into()], promise }))
    }
}

/// Whether the newest verdict on a component says just this.
fn is_known(live: &Live, component: &str, verdict: Research, because: &str) -> bool {
    let newest = live.state.researched.iter().rfind(|known| known.component == component);
    newest.is_some_and(|known| (known.verdict, &*known.because) == (verdict, because))
}

/// The longest name of a component, or reason, that is kept whole, in bytes.
const SAID: usize = 500;

#[cfg(test)]
mod tests;
