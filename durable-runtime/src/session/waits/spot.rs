//! A step that waits, from when it is reached until it has its result.

use crate::core::key::{self, KeyProblem};
use crate::core::record::Refused;
use crate::core::start::{Cause, Place, Stop};
use crate::core::text::Text;
use crate::core::time::Timestamp;
use crate::core::waits::Refusal;
use crate::error::{CancelText, Error, Kind, Places};
use crate::session::Session;
use crate::session::live::Live;
use crate::session::run::Reached;
use crate::session::surroundings::Around;

/// Where a wait stands, and what it is known by.
#[derive(Debug)]
pub(super) struct Spot {
    pub(super) session: Session,
    pub(super) key: String,
    /// Shape of the template; empty for a plain call, which no outline knows.
    pub(super) shape: String,
    pub(super) title: Option<String>,
    pub(super) at: Place,
    template: String,
    problem: Option<KeyProblem>,
    /// What whoever drops the wait could write instead.
    pub(super) dropped_by: &'static str,
    /// Whether somebody waits here.
    is_open: bool,
}

impl Spot {
    /// What an attribute has made of the step.
    pub(super) fn of(session: &Session, reached: &Reached, title: Option<Text>) -> Self {
        let plan = &reached.plan;
        Self {
            session: session.clone(),
            key: reached.to_string(),
            shape: plan.shape.to_string(),
            title: session.worded(title),
            at: plan.place,
            template: plan.template.to_string(),
            problem: reached.problem.clone(),
            dropped_by: "",
            is_open: false,
        }
    }

    /// What a plain call says: it belongs to the run whose body calls.
    pub(super) fn plain(session: &Session, key: String, at: Place) -> Self {
        let session = Around::of(session).session;
        let full = key::scoped(&session.scope, &key);
        // A secret first: a key that is refused for something else is told as it is.
        let told = session.fit_to_be_told(full.clone(), false);
        let problem = told.and_then(|full| key::check_part(&key).and_then(|()| key::check(&full))).err();
        let [full, key] = [full, key].map(|key| session.told_as(key, problem.as_ref()));
        Self {
            session,
            key: full,
            shape: String::new(),
            title: None,
            at,
            template: key,
            problem,
            dropped_by: "",
            is_open: false,
        }
    }

    /// Words of the caller, as they may be told.
    pub(super) fn said(&self, words: String) -> String {
        self.session.redact(&words).into_owned()
    }

    /// Reaches the step, and lets `decide` say what to do, in one look at what is known.
    pub(super) fn reach<T>(
        &mut self,
        decide: impl FnOnce(&Self, &mut Live, Timestamp) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let (session, at) = (self.session.clone(), self.at);
        let now = session.shared.clock.now();
        let mut live = session.shared.live();
        session.admits(&live, &self.key)?;
        session.is_outside_effects(&live, &self.key, at)?;
        session.is_complete(&live, &self.key, at)?;
        self.is_wanted(&live)?;
        if let Some(problem) = self.problem.clone() {
            return Err(Kind::BadKey { template: self.template.clone(), at, problem }.into());
        }
        if let Some(first) = live.start.reach_step(&session.scope, &self.key, at) {
            return Err(Kind::KeyReused { key: self.key.clone(), places: Places { first, again: at } }.into());
        }
        self.is_open = true;
        decide(self, &mut live, now)
    }

    /// Refuses to wait in a run that was given up. What came of a wait is known as ever.
    pub(super) fn is_wanted(&self, live: &Live) -> Result<(), Error> {
        let is_over = live.state.steps.get(&self.key).is_some_and(|step| step.life.has_happened());
        match live.state.cancelled(&self.session.scope).filter(|_| !is_over) {
            Some(cancelled) => {
                Err(Kind::Cancelled { here: self.key.clone(), cancelled: CancelText::of(cancelled) }.into())
            }
            None => Ok(()),
        }
    }

    /// Why it is not begun.
    pub(super) fn refusal(&self, refusal: Refusal) -> Error {
        let (key, at, run) = (self.key.clone(), self.at, self.session.scope.to_string());
        match refusal {
            Refusal::Unsettled(lost) => Kind::LogLost { key, at, run, lost: lost.join(", ") }.into(),
            Refusal::OtherKind(kind) => Kind::AnotherStep { key, at, recorded: kind.in_words() }.into(),
        }
    }

    /// It has its result.
    pub(super) fn end(&mut self) {
        self.is_open = false;
    }

    /// Refuses the step, records why, and stops the run.
    pub(super) async fn refuse(&mut self, error: Error) -> Error {
        self.is_open = false;
        if error.is_stopped() || error.is_waiting() {
            return error;
        }
        if error.is_cancelled() {
            self.session.give_up(&self.key, self.at, &error);
            return error;
        }
        let (why, run) = (error.to_string(), self.session.scope.to_string());
        self.stop(why.clone(), error.cause());
        let origin = self.session.shared.live().origin(&run, &why);
        let refused = Refused { run, key: Some(self.key.clone()), error: why, origin };
        self.session.tell(refused).await.err().unwrap_or(error)
    }

    fn stop(&self, why: String, cause: Cause) {
        let stop = Stop { key: self.key.clone(), place: Some(self.at), why, cause, way: None };
        self.session.shared.live().start.refuse(&self.session.scope, &stop);
    }
}

impl Drop for Spot {
    /// Going on without what a wait was for would choose another path.
    fn drop(&mut self) {
        if self.is_open {
            tracing::warn!(key = self.key, "wait dropped before it ended");
            self.stop(format!("the wait was dropped before it ended{}", self.dropped_by), Cause::Error);
        }
    }
}
