//! A decision, from the question to its answer.

use std::sync::Arc;

use std::time::Duration;

use super::hold::Wait;
use super::spot::Spot;
use crate::core::meta::StepKind;
use crate::core::record::{Ask, Done, How, Kept, Note, Stored, WordRefused};
use crate::core::state::State;
use crate::core::time::Timestamp;
use crate::core::waits::{Asking, Question, Ruling, asking};
use crate::error::{Error, Kind};
use crate::session::commit::Commit;
use crate::session::inputs;
use crate::session::live::Live;

/// Whether an answer is one; else, why not.
pub(super) type Reads = fn(&Stored) -> Result<(), String>;

/// A decision as it is put.
pub(super) struct Put {
    pub(super) ask: String,
    pub(super) shown: Stored,
    pub(super) digest: String,
    pub(super) expires: Option<Duration>,
    pub(super) otherwise: Option<Stored>,
    /// Type of an answer.
    pub(super) gives: String,
}

/// Asks, unless that was done before, and waits for an answer that `reads`.
pub(super) async fn answered(spot: &mut Spot, put: &Put, reads: Reads) -> Result<Stored, Error> {
    let session = spot.session.clone();
    if let Some(value) = begin(spot, put)? {
        let gone = |source| Kind::Unfetched { key: spot.key.clone(), source };
        return Ok(session.shared.recall(&value).await.map_err(gone)?);
    }
    let unwritten = |source| session.not_written(source);
    session.commit(Commit::Told).await.map_err(unwritten)?;
    loop {
        // What came in time counts, though nobody has looked since.
        session.take_all_words().await?;
        let until = match rule(spot, reads) {
            Ok(value) => {
                // From here on the work goes another way than before: the same after a power cut.
                session.commit(Commit::Durable).await.map_err(unwritten)?;
                return Ok(value);
            }
            Err(until) => until,
        };
        session.commit(Commit::Told).await.map_err(unwritten)?;
        let what = what(&put.ask, until);
        let is_over =
            |state: &State| is_answered(state.questions.get(&spot.key)) || state.cancelled(&session.scope).is_some();
        session.hold(Wait { key: &spot.key, at: spot.at, what: &what, until, outlasts_stop: false }, is_over).await?;
        spot.is_wanted(&session.shared.live())?;
    }
}

fn what(ask: &str, until: Option<Timestamp>) -> String {
    let until = until.map_or_else(String::new, |until| format!(" until {until}"));
    format!("{until} for {ask} to decide").trim_start().to_owned()
}

fn is_answered(question: Option<&Question>) -> bool {
    question.is_some_and(|question| !question.answers.is_empty())
}

/// The value of a decision that is made; else the question is recorded, now or before.
fn begin(spot: &mut Spot, put: &Put) -> Result<Option<Kept>, Error> {
    spot.reach(|spot, live, now| {
        let gone = live.state.gone(&spot.session.scope);
        let expires = put.expires.map(|after| now.after(after));
        match asking(&live.state, &spot.key, &put.digest, gone) {
            Asking::Decided(value) => {
                live.start.replay(&spot.key);
                Ok(Some(value))
            }
            Asking::Open => {
                if let Some((recorded, given)) = live.state.asked_with_other(&spot.key, || put.gives.clone()) {
                    spot.session.shared.tell_of_type(&spot.key, &recorded, &given);
                    renew(spot, put, live, now);
                }
                Ok(None)
            }
            Asking::ShowsOther => Err(shows_other(spot, put, live)),
            Asking::Refused(refusal) => Err(spot.refusal(refusal)),
            Asking::Begins => {
                let (key, run, shape) = (spot.key.clone(), spot.session.scope.to_string(), spot.shape.clone());
                let (ask, shown, digest) = (put.ask.clone(), put.shown.clone(), put.digest.clone());
                let (title, otherwise) = (spot.title.clone(), put.otherwise.clone());
                let gives = Some(put.gives.clone());
                live.push(now, Ask { key, run, shape, title, ask, shown, digest, expires, otherwise, gives });
                Ok(None)
            }
        }
    })
}

/// Asks once more, for the type that the code reads now: whoever answers learns it from the log.
fn renew(spot: &Spot, put: &Put, live: &mut Live, now: Timestamp) {
    let (key, run, shape) = (spot.key.clone(), spot.session.scope.to_string(), spot.shape.clone());
    let (ask, shown, digest) = (put.ask.clone(), put.shown.clone(), put.digest.clone());
    let question = live.state.questions.get(&spot.key);
    let (expires, otherwise) = question.map_or((None, None), |asked| (asked.expires, asked.otherwise.clone()));
    let (title, gives) = (spot.title.clone(), Some(put.gives.clone()));
    live.push(now, Ask { key, run, shape, title, ask, shown, digest, expires, otherwise, gives });
}

fn shows_other(spot: &Spot, put: &Put, live: &Live) -> Error {
    let asked = live.state.questions.get(&spot.key).map_or("", |question| question.shown.get());
    // A question whose digest another version has made may show the same.
    let difference = inputs::difference(&spot.session.shared.secrets, "shown", asked, put.shown.get())
        .unwrap_or_else(|| "its digest is another".to_owned());
    Kind::ShowsOther { key: spot.key.clone(), at: spot.at, difference }.into()
}

/// What the question comes to now, recorded in the same look at what is known: an answer that comes between would be
/// another. Without a ruling, until when an answer is awaited.
fn rule(spot: &Spot, reads: Reads) -> Result<Stored, Option<Timestamp>> {
    let now = spot.session.shared.clock.now();
    let mut live = spot.session.shared.live();
    refuse_unread(spot, &mut live, now, reads);
    let Some(question) = live.state.questions.get(&spot.key) else { return Err(None) };
    let is_told = question.expires.is_some_and(|expires| live.state.at >= expires);
    let (value, how) = match question.ruling(now) {
        Ruling::Answered(given) => (given.value, How::Resolved),
        Ruling::Expired(value) => (value, How::Expired),
        Ruling::Open { is_overdue } => {
            let due = question.due(now);
            if is_overdue && !is_told {
                live.push(now, Note { text: format!("decision `{}` is overdue", spot.key) });
            }
            return Err(due);
        }
    };
    tracing::info!(key = spot.key, ?how, "decided");
    live.push(now, spot.decided(how, value.clone()));
    spot.session.shared.refuse_late(&mut live, now, &spot.key, false);
    Ok(value)
}

/// Refuses the answers that are none, up to the first that is one.
fn refuse_unread(spot: &Spot, live: &mut Live, now: Timestamp, reads: Reads) {
    while let Some(question) = live.state.questions.get(&spot.key)
        && let Some(given) = question.answers.front()
        && let Err(why) = reads(&given.value)
    {
        let (key, by, digest) = (spot.key.clone(), given.by.clone(), Some(question.digest.clone()));
        let refused = WordRefused { key, attempt: None, digest, by, why, word: None, reopens: true };
        spot.session.shared.refuse_word(live, now, refused);
    }
}

impl Spot {
    fn decided(&self, how: How, value: Stored) -> Done {
        Done {
            key: self.key.as_str().into(),
            run: Arc::clone(&self.session.scope),
            shape: self.shape.as_str().into(),
            kind: StepKind::Decision,
            how,
            attempt: 0,
            title: self.title.as_deref().map(Arc::from),
            value: Some(value),
            unstorable: None,
            args: None,
            gives: None,
        }
    }
}
