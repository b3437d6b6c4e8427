//! Steps that do nothing and wait: a sleep for an instant, a decision for a person. What the log says of them, and what
//! may happen when one is reached.

use std::collections::VecDeque;
use std::sync::Arc;

use super::digest::sha256;
use super::meta::{Proof, StepKind};
use super::record::{self, How, Kept, Record, Stored};
use super::state::{Action, Gone, Life, State, Step, Tried};
use super::time::Timestamp;
use crate::broken::{self, Broken};

/// What is asked of a person.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// Since when it is asked.
    pub asked_at: Timestamp,
    /// What is shown.
    pub shown: Stored,
    /// Its digest: an answer is an answer to this.
    pub digest: String,
    /// Until when an answer is awaited.
    pub expires: Option<Timestamp>,
    /// What counts if nobody has answered by then.
    pub otherwise: Option<Stored>,
    /// Whether it may have been answered in a part of the log that is gone: then silence is no answer.
    pub may_be_answered: bool,
    /// The answers that were given and taken in, in their order. The first that the step reads a result in counts, and
    /// stays here.
    pub answers: VecDeque<Given>,
}

/// An answer that was given.
#[derive(Clone, Debug, PartialEq)]
pub struct Given {
    /// What was answered.
    pub value: Stored,
    /// Who answered.
    pub by: String,
}

/// What to do with a sleep that is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Nap {
    /// It begins: its end is to be recorded.
    Begins,
    /// It was begun, and ends at this instant.
    Ends(Timestamp),
    /// It is over.
    Over,
    /// See [`Refusal`].
    Refused(Refusal),
}

/// What to do with a decision that is reached.
#[derive(Clone, Debug)]
pub enum Asking {
    /// Nobody has been asked.
    Begins,
    /// It was asked, and is not decided.
    Open,
    /// It is decided.
    Decided(Kept),
    /// An answer, given or to come, would be one to something else than what is shown now.
    ShowsOther,
    /// See [`Refusal`].
    Refused(Refusal),
}

/// Why a wait is not begun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The log that knew its run is gone, and these of its keys are not settled yet.
    Unsettled(Vec<String>),
    /// Its key was recorded as that of another kind of step.
    OtherKind(StepKind),
}

/// What becomes of an open question now.
#[derive(Clone, Debug)]
pub enum Ruling {
    /// A person has answered.
    Answered(Given),
    /// Nobody has, and this counts.
    Expired(Stored),
    /// Nobody has.
    Open {
        /// Whether the time for it is over.
        is_overdue: bool,
    },
}

/// Decides about a sleep. `gone` is what the log has lost of its run.
pub fn nap(step: Option<&Step>, gone: Gone) -> Nap {
    match step {
        None if !gone.unsettled.is_empty() => Nap::Refused(Refusal::Unsettled(gone.unsettled)),
        None => Nap::Begins,
        Some(step) if step.kind != StepKind::Sleep => Nap::Refused(Refusal::OtherKind(step.kind)),
        Some(_) if broken::is(Broken::SleepMeasuredAnew) => Nap::Begins,
        Some(Step { life: Life::Asleep { until }, .. }) => Nap::Ends(*until),
        Some(_) => Nap::Over,
    }
}

/// Decides about a decision that shows something with this digest.
pub fn asking(state: &State, key: &str, digest: &str, gone: Gone) -> Asking {
    match state.steps.get(key) {
        None if !gone.unsettled.is_empty() => Asking::Refused(Refusal::Unsettled(gone.unsettled)),
        None => Asking::Begins,
        Some(step) if step.kind != StepKind::Decision => Asking::Refused(Refusal::OtherKind(step.kind)),
        Some(step) => match (&step.life, state.questions.get(key)) {
            (_, Some(question)) if question.digest != digest => Asking::ShowsOther,
            (Life::Done { value: Ok(value), .. }, _) => Asking::Decided(value.clone()),
            (_, None) => Asking::Begins,
            (_, Some(_)) => Asking::Open,
        },
    }
}

impl Question {
    /// Until when an answer is still awaited at this instant, if its time is not over.
    pub fn due(&self, now: Timestamp) -> Option<Timestamp> {
        self.expires.filter(|expires| !self.may_be_answered && now < *expires)
    }

    /// Whether silence decides it from this instant on.
    pub fn is_expired(&self, at: Timestamp) -> bool {
        self.otherwise.is_some() && !self.may_be_answered && self.expires.is_some_and(|expires| at >= expires)
    }

    /// What becomes of it at this instant.
    pub fn ruling(&self, now: Timestamp) -> Ruling {
        let is_overdue = !self.may_be_answered && self.expires.is_some_and(|expires| now >= expires);
        match (self.answers.front(), &self.otherwise) {
            (Some(given), _) => Ruling::Answered(given.clone()),
            (None, Some(value)) if is_overdue => Ruling::Expired(value.clone()),
            (None, _) => Ruling::Open { is_overdue },
        }
    }
}

/// The digest of what is shown, from its text with sorted names.
pub fn digest(shown: &str) -> String {
    sha256(shown)
}

impl State {
    pub(super) fn wait(&mut self, wait: &record::Wait) {
        // What was recorded first counts: a sleep ends when it was to end, however often it is reached.
        if self.steps.contains_key(&wait.key) {
            return;
        }
        let life = Life::Asleep { until: wait.until };
        let step = Step::waiting(StepKind::Sleep, &wait.run, &wait.shape, wait.title.as_deref(), life);
        self.begin_wait(&wait.key, step);
    }

    pub(super) fn woke(&mut self, woke: &record::Woke) {
        let is_asleep = |step: &&mut Step| matches!(step.life, Life::Asleep { .. });
        let Some(step) = self.steps.get_mut(&woke.key).filter(is_asleep) else { return };
        let value = Stored::from(serde_json::value::RawValue::NULL.to_owned());
        step.life = Life::Done { how: How::Executed, value: Ok(Kept::Here(value.clone())) };
        self.open.remove(&step.opened);
        let (run, shape, title) = (step.run.clone(), step.shape.clone(), step.title.clone());
        if let Some(run) = self.runs.get_mut(&*run) {
            run.done += 1;
            run.last_shape = Some(shape);
        }
        let (key, how, value) = (woke.key.as_str().into(), How::Executed, Some(value));
        self.completed(Action { seq: self.seq, key, title, how, value, error: None, is_run: false });
    }

    pub(super) fn ask(&mut self, record: &Record, ask: &record::Ask) {
        if let Some(step) = self.steps.get_mut(&ask.key) {
            // What was asked first counts. Only the type of an answer follows the code that reads it.
            let is_same = self.questions.get(&ask.key).is_some_and(|question| question.digest == ask.digest);
            if is_same && step.life == Life::Asked {
                step.tried_mut().gives.clone_from(&ask.gives);
            }
            return;
        }
        let step = Step::waiting(StepKind::Decision, &ask.run, &ask.shape, ask.title.as_deref(), Life::Asked);
        let tried = Tried { ask: ask.ask.as_str().into(), gives: ask.gives.clone(), ..step.tried().clone() };
        self.begin_wait(&ask.key, step.with(tried));
        let (shown, digest, expires) = (ask.shown.clone(), ask.digest.clone(), ask.expires);
        let may_be_answered = self.has_lost(&ask.run);
        let otherwise = ask.otherwise.clone();
        let answers = VecDeque::new();
        let question = Question { asked_at: record.at, shown, digest, expires, otherwise, may_be_answered, answers };
        self.questions.insert(ask.key.clone(), question);
    }

    /// An answer stays with its question for good, if its step does not find that it is none.
    pub(super) fn answer(&mut self, answer: &record::Answer) {
        self.words.extend(answer.word);
        let Some(question) = self.questions.get_mut(&answer.key) else { return };
        if question.digest == answer.digest {
            question.answers.push_back(Given { value: answer.value.clone(), by: answer.by.clone() });
        }
    }

    /// The end of the log is gone, and with it any answer.
    pub(super) fn lose_answers(&mut self) {
        for question in self.questions.values_mut().filter(|question| question.answers.is_empty()) {
            question.may_be_answered = true;
        }
    }

    /// The instants after `now` at which something goes on that waits.
    pub fn wakes_after(&self, now: Timestamp) -> impl Iterator<Item = Timestamp> {
        let wanted = |step: &Step| !self.is_given_up(step);
        let wakes = move |(key, step): (&str, &Step)| match &step.life {
            Life::Asleep { until } => Some(*until).filter(|_| wanted(step)),
            Life::Asked => self.questions.get(key).and_then(|question| question.due(now)).filter(|_| wanted(step)),
            Life::Rejected { retry_at, .. } => retry_at.filter(|_| wanted(step)),
            Life::Doubt(doubt) => doubt.not_before.max(doubt.retry_at),
            Life::Reserved | Life::Word(_) | Life::Failed(_) | Life::Done { .. } => None,
        };
        self.open_steps().filter_map(wakes).filter(move |until| *until > now)
    }

    fn begin_wait(&mut self, key: &str, step: Step) {
        let (opened, key) = (self.open_place(key), Arc::<str>::from(key));
        self.note_step(&step.run, &step.shape, &key, true);
        self.steps.insert(&key, Step { opened, ..step });
        self.open.insert(opened, key);
    }
}

impl Step {
    /// A step that does nothing, so that nothing can be in doubt.
    fn waiting(kind: StepKind, run: &str, shape: &str, title: Option<&str>, life: Life) -> Self {
        let tried = Tried { proof: Some(Proof::NotNeeded), ..Tried::default() };
        Self { title: title.map(Arc::from), ..Self::new(0, run.into(), shape.into(), kind, life).with(tried) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::record::{Event, Record};

    fn stored(json: &str) -> Stored {
        serde_json::value::RawValue::from_string(json.to_owned()).unwrap().into()
    }

    fn told(events: impl IntoIterator<Item = Event>) -> State {
        let mut state = State::new(uuid::Uuid::nil(), "agent".to_owned());
        for event in events {
            let seq = state.seq + 1;
            state.apply(&Record { seq, epoch: 1, at: Timestamp::from_millis(seq), event });
        }
        state
    }

    fn wait(until: u64) -> Event {
        let (key, run, shape, why) = ("r//s".to_owned(), "r".to_owned(), "s".to_owned(), "sleep".to_owned());
        record::Wait { key, run, shape, title: None, until: Timestamp::from_millis(until), why }.into()
    }

    fn ask(expires: Option<u64>, otherwise: Option<&str>) -> Event {
        let (key, run, shape) = ("r//d".to_owned(), "r".to_owned(), "d".to_owned());
        let (ask, shown, digest) = ("finance".to_owned(), stored("1"), "one".to_owned());
        let (expires, otherwise) = (expires.map(Timestamp::from_millis), otherwise.map(stored));
        record::Ask { key, run, shape, title: None, ask, shown, digest, expires, otherwise, gives: None }.into()
    }

    fn answer(digest: &str, value: &str) -> Event {
        let (key, digest, value) = ("r//d".to_owned(), digest.to_owned(), stored(value));
        let (by, because) = ("ada".to_owned(), "seen".to_owned());
        record::Answer { key, digest, value, by, because, word: None }.into()
    }

    fn refused(reopens: bool) -> Event {
        let (key, by, why) = ("r//d".to_owned(), "ada".to_owned(), "no".to_owned());
        record::WordRefused { key, attempt: None, digest: None, by, why, word: None, reopens }.into()
    }

    fn nap_of(state: &State) -> Nap {
        nap(state.steps.get("r//s"), Gone::default())
    }

    fn asking_of(state: &State, digest: &str) -> String {
        let asking = format!("{:?}", asking(state, "r//d", digest, Gone::default()));
        asking.split([' ', '(', '{']).next().unwrap().to_owned()
    }

    #[test]
    fn the_first_instant_of_a_sleep_counts_and_it_ends_once() {
        let woke = || record::Woke { key: "r//s".to_owned() }.into();
        assert_eq!(nap_of(&told([])), Nap::Begins);
        assert_eq!(nap_of(&told([wait(70), wait(90)])), Nap::Ends(Timestamp::from_millis(70)));
        assert_eq!(nap_of(&told([wait(70), woke()])), Nap::Over);
        let again = told([wait(70), woke(), wait(90), woke()]);
        assert_eq!((nap_of(&again), again.recent.len(), again.open.len()), (Nap::Over, 1, 0));
    }

    #[test]
    fn the_first_answer_to_what_was_shown_stands_first_and_stays() {
        let state = told([ask(None, None), answer("two", "2"), answer("one", "3"), refused(false), answer("one", "4")]);
        let question = &state.questions["r//d"];
        assert!(
            matches!(question.ruling(Timestamp::from_millis(0)), Ruling::Answered(given) if given.value.get() == "3")
        );
        assert_eq!(asking_of(&state, "one"), "Open");
        assert_eq!(asking_of(&state, "two"), "ShowsOther");
    }

    #[test]
    fn an_answer_that_was_no_result_gives_way_to_the_next_and_then_the_question_is_open_again() {
        let answers = || [ask(None, None), answer("one", "3"), answer("one", "4"), refused(true)];
        let ruling = |state: &State| state.questions["r//d"].ruling(Timestamp::from_millis(0));
        assert!(matches!(ruling(&told(answers())), Ruling::Answered(given) if given.value.get() == "4"));
        let none = told(answers().into_iter().chain([refused(true)]));
        assert!(matches!(ruling(&none), Ruling::Open { is_overdue: false }));
    }

    #[test]
    fn silence_counts_from_its_instant_on_and_only_if_that_was_said() {
        let at = Timestamp::from_millis;
        let ruling = |otherwise, answers: bool, now| {
            let answered = answers.then(|| answer("one", "3"));
            let state = told([ask(Some(50), otherwise)].into_iter().chain(answered));
            format!("{:?}", state.questions["r//d"].ruling(at(now)))
        };
        assert!(ruling(Some("0"), false, 49).starts_with("Open { is_overdue: false"));
        assert!(ruling(Some("0"), false, 50).starts_with("Expired"));
        assert!(ruling(Some("0"), true, 50).starts_with("Answered"), "an answer counts, however late it is taken");
        assert!(ruling(None, false, 50).starts_with("Open { is_overdue: true"));
    }

    #[test]
    fn silence_does_not_count_where_an_answer_may_be_gone() {
        let lost = || record::Lost { keys: Vec::new(), adopted: false }.into();
        let state = told([ask(Some(50), Some("0")), lost()]);
        let question = &state.questions["r//d"];
        assert!(question.may_be_answered);
        assert!(matches!(question.ruling(Timestamp::from_millis(90)), Ruling::Open { is_overdue: false }));
        assert_eq!(question.due(Timestamp::from_millis(0)), None);
        let state = told([ask(Some(50), Some("0")), answer("one", "3"), lost()]);
        assert!(!state.questions["r//d"].may_be_answered, "what was answered stays answered");
    }

    #[test]
    fn a_key_of_another_kind_is_neither_slept_nor_decided() {
        let state = told([wait(70)]);
        let asking = asking(&state, "r//s", "one", Gone::default());
        assert!(matches!(asking, Asking::Refused(Refusal::OtherKind(StepKind::Sleep))));
        let state = told([ask(None, None)]);
        let nap = nap(state.steps.get("r//d"), Gone::default());
        assert_eq!(nap, Nap::Refused(Refusal::OtherKind(StepKind::Decision)));
    }

    #[test]
    fn nothing_is_begun_before_the_lost_keys_are_settled() {
        let gone = || Gone { unsettled: vec!["r//pay".to_owned()], is_lossy: true, ..Gone::default() };
        assert_eq!(nap(None, gone()), Nap::Refused(Refusal::Unsettled(gone().unsettled)));
        assert!(matches!(asking(&told([]), "r//d", "one", gone()), Asking::Refused(Refusal::Unsettled(_))));
    }
}
