//! From what the log says to what its reader must know.

mod given_up;
mod onward;
mod ways;

use std::collections::HashSet;
use std::sync::Arc;

use super::asides::{self, Asides};
use super::letter::{Handoff, Happened, Invariants, Keys, Named, Next, Place, Unheard, Whereabouts};
use super::room::Typed;
use crate::core::key;
use crate::core::record::{Origin, WordRefused};
use crate::core::state::{Action, Life, Run, State, Step, Trouble};
use crate::core::time::Timestamp;
use crate::core::waits::{Question, Ruling};
use crate::core::word::Word;

/// The most that any list of a letter carries; it says how many more there are.
const LIST: usize = 4;

impl Handoff {
    /// The letter that tells this state.
    pub fn of(state: &State) -> Self {
        Self::made_of(state, None, state.at)
    }

    /// The letter that tells this state to whoever reads it at this instant, and the words that lie in the inbox, which no worker
    /// has taken yet.
    pub fn with_posted(state: &State, posted: &[Word], at: Timestamp) -> Self {
        Self::made_of(state, Some(posted), at)
    }

    fn made_of(state: &State, posted: Option<&[Word]>, at: Timestamp) -> Self {
        let now = Now::of(state, posted, at.max(state.at));
        Self {
            identity: state.identity.clone(),
            iteration: state.iteration,
            seq: state.seq,
            status: state.status,
            whereabouts: now.whereabouts(),
            asides: Asides::of(state, posted.unwrap_or_default()),
            happened: now.happened(),
            next: now.next(),
            invariants: now.invariants(),
            typed: Typed::default(),
        }
    }

    /// The same for a reader who is not in the session's directory: its commands are typed where that one is, and name the session
    /// so, or not at all where they find it by themselves.
    #[must_use]
    pub fn typed_here(self, session: Option<&str>) -> Self {
        Self { typed: Typed::Here(session.map(str::to_owned)), ..self }
    }
}

/// A state, and what of it matters now.
struct Now<'a> {
    state: &'a State,
    /// What lies in the inbox, where that was looked at.
    posted: Option<&'a [Word]>,
    /// When it is read, as far as that is known.
    at: Timestamp,
    /// The runs that words in the inbox give up, which whoever has the session next takes before anything else.
    cancels: Vec<&'a Word>,
    /// Every step that is not settled, the oldest first.
    open: Vec<(&'a Arc<str>, &'a Step)>,
    /// The innermost runs that have not finished, the newest first.
    leaves: Vec<(&'a str, &'a Run)>,
    /// The runs that were given up and have no result, the newest first. What is inside them is not told apart.
    given_up: Vec<(&'a str, &'a Run)>,
}

impl<'a> Now<'a> {
    fn of(state: &'a State, posted: Option<&'a [Word]>, at: Timestamp) -> Self {
        let cancels: Vec<_> = asides::cancels(state, posted.unwrap_or_default()).collect();
        let mut now = Self { state, posted, at, cancels, open: Vec::new(), leaves: Vec::new(), given_up: Vec::new() };
        // Nobody goes on in a run that was given up: a wait of it is for nothing, what did not happen stays undone, and of
        // what did nobody needs the value.
        let is_unknown = |life: &Life| matches!(life, Life::Reserved | Life::Doubt(_));
        let is_wanted = |(_, step): &(&Arc<str>, &Step)| is_unknown(&step.life) || !now.is_given_up(step);
        now.open = state.open_keys().filter(is_wanted).collect();
        (now.leaves, now.given_up) = (now.leaves(), now.given_up());
        now
    }

    fn whereabouts(&self) -> Whereabouts {
        let goal = self.goal();
        let place = |&(run, at): &(&str, &Run)| Place {
            run: run.to_owned(),
            workflow: at.workflow.clone(),
            goal: at.goal.clone().filter(|own| Some(own) != goal.as_ref()),
            phase: self.phase(run, at).filter(|_| at.cancelled.is_none()),
            done: at.done,
            cancelled: at.cancelled.clone(),
        };
        Whereabouts {
            runs: self.leaves.iter().chain(&self.given_up).take(LIST).map(place).collect(),
            more: (self.leaves.len() + self.given_up.len()).saturating_sub(LIST),
            unknown: self.unknown().filter(|(key, _)| self.posted(key).is_none()).count(),
            answered: self.open.iter().filter(|(key, step)| self.is_answered(key, step)).count(),
            asked: self.questions().filter(|question| !self.is_decided(question)).count(),
            overdue: self.questions().filter(|question| self.is_decided(question)).count(),
            asleep: self
                .open_where(|life| matches!(life, Life::Asleep { .. } | Life::Rejected { retry_at: Some(_), .. }))
                .count(),
            halted: self.is_halted(),
            cancelled: self.leaves.is_empty()
                && (!self.given_up.is_empty() || self.last_run().is_some_and(|run| self.is_cancelled(run))),
            begun: !self.state.runs.is_empty() || self.state.opened > 0,
            is_script: self.is_script(),
            goal,
        }
    }

    /// A session of plain calls is a script's if that has said how it is started, or has a step open that is its own.
    fn is_script(&self) -> bool {
        let is_said = || self.state.memory.started_by().is_some();
        self.state.runs.is_empty() && (is_said() || self.open.iter().any(|(_, step)| ways::is_of_script(step)))
    }

    fn goal(&self) -> Option<String> {
        let of_run = || {
            let key = self.state.active.values().next().map(String::as_str).or_else(|| self.last_run())?;
            self.state.runs.get(key)?.goal.clone()
        };
        self.state.goal.clone().or_else(of_run)
    }

    fn phase(&self, run: &str, at: &Run) -> Option<String> {
        let step = match self.shape(run, at) {
            Some(shape) => at.outline.steps.iter().find(|step| step.shape == shape),
            None => at.outline.after(None).first().copied(),
        };
        step?.phase.clone()
    }

    /// Where in its code a run is: at its newest open step, or at the last one that was done.
    fn shape<'s>(&'s self, run: &str, at: &'s Run) -> Option<&'s str> {
        let open = self.open.iter().rev().find(|(_, step)| *step.run == *run && !step.shape.is_empty());
        open.map(|(_, step)| &*step.shape).or(at.last_shape.as_deref())
    }

    /// The started steps of which nobody knows the outcome.
    fn unknown(&self) -> impl DoubleEndedIterator<Item = (&'a Arc<str>, &'a Step)> {
        self.open_where(|life| matches!(life, Life::Reserved | Life::Doubt(_)))
    }

    fn answered(&self) -> impl DoubleEndedIterator<Item = (&'a Arc<str>, &'a Step)> {
        self.open_where(|life| matches!(life, Life::Word(_)))
    }

    /// Whether a person has said what becomes of a step, and it has not taken that yet.
    fn is_answered(&self, key: &str, step: &Step) -> bool {
        let has_answer = || self.state.questions.get(key).is_some_and(|question| !question.answers.is_empty());
        matches!(step.life, Life::Word(_)) || self.posted(key).is_some() || (step.life == Life::Asked && has_answer())
    }

    /// The decisions that nobody has answered.
    fn questions(&self) -> impl Iterator<Item = &'a Question> {
        let asked = self.open_where(|life| matches!(life, Life::Asked));
        let asked = asked.filter(|(key, step)| !self.is_answered(key, step));
        asked.filter_map(|(key, _)| self.state.questions.get(&**key))
    }

    /// Whether silence has decided it.
    fn is_decided(&self, question: &Question) -> bool {
        matches!(question.ruling(self.at), Ruling::Expired(_))
    }

    fn open_where(&self, is: fn(&Life) -> bool) -> impl DoubleEndedIterator<Item = (&'a Arc<str>, &'a Step)> {
        self.open.iter().copied().filter(move |(_, step)| is(&step.life))
    }

    fn happened(&self) -> Vec<Happened> {
        let is_told =
            |(key, step): &(&Arc<str>, &Step)| step.life.doubt().is_some_and(|doubt| self.says(key, &doubt.why));
        let started = self.unknown().rev().find(is_told).or_else(|| self.unknown().next_back());
        let asked = started.or_else(|| self.answered().next_back());
        let why = asked.and_then(|(_, step)| step.life.doubt()).map(|doubt| doubt.why.as_str());
        // A stop that only repeats why a step is in doubt is told once, and no longer when that has been answered.
        let repeated = asked.as_ref().is_some_and(is_told);
        let error = self.state.trouble.as_ref().filter(|_| !repeated).map(|trouble| self.told(trouble));
        let started =
            started.map(|(key, step)| Happened::Started { step: named(key, step), why: why.map(str::to_owned) });
        error
            .into_iter()
            .chain(started)
            .chain(self.absent())
            .chain(self.answers())
            .chain(self.refused_words())
            .chain(self.completed())
            .collect()
    }

    /// Whether what stopped the work is this error of this step. Another step may have failed in the same words.
    fn says(&self, key: &str, error: &str) -> bool {
        self.state.trouble.as_ref().is_some_and(|trouble| {
            let names = |about: &str| about == key || trouble.error.contains(&format!("`{key}`"));
            let is_origin = trouble.origin.as_deref().is_some_and(|origin| origin.key == key);
            trouble.error.contains(error) && (is_origin || trouble.key.as_deref().is_none_or(names))
        })
    }

    /// The newest attempt of which it is proven that nothing happened, where its error is not told as what stopped the work.
    fn absent(&self) -> Option<Happened> {
        self.open.iter().rev().find_map(|(key, step)| match &step.life {
            Life::Rejected { error, .. } if !self.says(key, error) => {
                Some(Happened::Absent { step: named(key, step), error: error.clone() })
            }
            _ => None,
        })
    }

    fn answers(&self) -> impl Iterator<Item = Happened> {
        self.answered().rev().take(1).filter_map(|(key, step)| {
            let Life::Word(words) = &step.life else { return None };
            let word = &words.first;
            Some(Happened::Answered { step: named(key, step), by: word.by.clone(), happened: word.happened })
        })
    }

    fn refused_words(&self) -> Option<Happened> {
        let told = |WordRefused { key, by, why, .. }: &WordRefused| {
            let (key, by, why) = (key.clone(), by.clone(), why.clone());
            Unheard { key, by, why }
        };
        let words: Vec<_> = self.state.refused_words.iter().rev().map(told).collect();
        let more = usize::try_from(self.state.refused_before).unwrap_or(usize::MAX);
        (!words.is_empty()).then_some(Happened::WordsRefused { words, more })
    }

    fn completed(&self) -> impl Iterator<Item = Happened> {
        self.state.recent.iter().rev().take(LIST).map(|action| {
            let named = Named { key: action.key.clone(), title: action.title.clone() };
            let value = action.value.clone();
            if let Some(error) = &action.error {
                Happened::Failed { step: named, error: error.to_string() }
            } else if action.is_run {
                let cancelled = self.state.runs.get(&*action.key).and_then(|run| run.cancelled.clone());
                match (value, cancelled) {
                    (None, Some(cancelled)) => Happened::Cancelled { run: named, cancelled },
                    (value, cancelled) => Happened::Finished { run: named, value, cancelled: cancelled.is_some() },
                }
            } else {
                Happened::Done { step: named, how: action.how, value }
            }
        })
    }

    fn next(&self) -> Vec<Next> {
        let mut next: Vec<_> = self.groups().into_values().map(Next::Settle).collect();
        let mut fix = self.halted_elsewhere();
        let leaf = self.leaves.first().copied();
        if let Some((run, given_up)) = leaf.and_then(|(run, _)| Some((run, self.needs(run)?))) {
            fix = false;
            next.insert(0, Next::Needs { run: run.to_owned(), given_up });
        }
        match leaf {
            // Until the cause is gone the worker comes no further, whatever else is open.
            Some((run, at)) if fix => next.insert(0, Next::Go(self.course(run, at, fix))),
            Some((run, at)) => {
                next.extend(self.cleans_up_in(run));
                next.push(Next::Go(self.course(run, at, fix)));
            }
            None if fix => next.push(Next::Fix),
            None if self.ends_given_up() => next.extend(self.given_up.first().map(|run| self.gives_up(*run))),
            None if !next.is_empty() => {}
            None if self.state.runs.is_empty() && self.state.opened == 0 => {
                next.push(Next::Begin { is_script: self.is_script() })
            }
            None => {
                let (run, cancelled) = (self.last_run(), self.last_run().is_some_and(|run| self.is_cancelled(run)));
                next.push(Next::Nothing { run: run.map(str::to_owned), cancelled });
            }
        }
        let taken = self.cancels.first().map(|word| Next::Take { run: word.key.clone(), by: word.by.clone() });
        taken.into_iter().chain(next).collect()
    }

    /// The run inside this one that was given up, and whose result this one needs to go on.
    fn needs(&self, run: &str) -> Option<String> {
        let trouble = self.state.trouble.as_ref().filter(|trouble| trouble.run == run)?;
        let needed = &trouble.origin.as_ref()?.key;
        self.is_cancelled(needed).then(|| needed.clone())
    }

    /// What a run inside this one that was given up has to clean up, before this one can go on.
    fn cleans_up_in(&self, run: &str) -> Option<Next> {
        let owes = |(key, at): &&(&str, &Run)| {
            key::is_inside(key, run) && !is_over(at) && at.outline.steps.iter().any(|step| step.cleanup)
        };
        self.given_up.iter().find(owes).map(|given_up| self.gives_up(*given_up))
    }

    /// Whether an error stopped the work that no open step speaks of.
    fn halted_elsewhere(&self) -> bool {
        let is_told = |(key, step): &(&Arc<str>, &Step)| !step.life.is_wait() && self.is_stopped_by(key, step);
        self.is_halted() && !self.open.iter().any(is_told)
    }

    /// Whether the last error still stops something. Who ends a session in which no run is left says that it does not.
    fn is_halted(&self) -> bool {
        self.state.has_unmended_trouble() || (self.state.trouble.is_some() && !self.leaves.is_empty())
    }

    /// Whether the last error is about this step: it names the step, or the run that the step left open.
    fn is_stopped_by(&self, key: &str, step: &Step) -> bool {
        self.state.trouble.as_ref().is_some_and(|trouble| match &trouble.key {
            Some(about) => about == key,
            None => *step.run == *trouble.run || key::around(&step.run).any(|run| run == trouble.run),
        })
    }

    /// The run that was finished or given up last.
    fn last_run(&self) -> Option<&'a str> {
        self.state.recent.iter().rev().find(|action| action.is_run).map(|action| &*action.key)
    }

    /// Whether what comes last is a run that was given up and has no result: it may clean up, or no other was finished since.
    fn ends_given_up(&self) -> bool {
        let is_last =
            self.last_run().is_none_or(|last| self.state.runs.get(last).is_some_and(|run| run.value.is_none()));
        self.given_up.first().is_some_and(|(_, run)| is_last || !is_over(run))
    }

    /// An error that follows from another is told with that one, in whose words there would be no room for it.
    fn told(&self, trouble: &Trouble) -> Happened {
        let run = Some(&trouble.run).filter(|run| !run.is_empty());
        let at = trouble.key.as_ref().or(run).cloned();
        let asks = |key: &String| self.state.steps.get(key).and_then(|step| step.life.doubt()?.asked).is_some();
        match trouble.origin.as_deref() {
            Some(Origin { key, place, error }) => {
                let then = at.filter(|at| at != key);
                let (place, error, is_doubt) = (place.clone(), error.clone(), asks(key));
                Happened::Error { at: Some(key.clone()), place, error, then, is_doubt }
            }
            None => {
                let is_doubt = trouble.key.as_ref().is_some_and(asks);
                Happened::Error { at, place: None, error: trouble.error.clone(), then: None, is_doubt }
            }
        }
    }

    fn invariants(&self) -> Invariants {
        let started = self.open_where(|life| matches!(life, Life::Reserved | Life::Doubt(_) | Life::Word(_)));
        let unstored = self.open_where(|life| matches!(life, Life::Done { .. }));
        let is_stored = |action: &&Action| !action.is_run && (action.value.is_some() || action.error.is_some());
        // A result that was not kept may be asked for again, and given once more.
        let mut seen: HashSet<_> = self.open.iter().map(|(key, _)| *key).collect();
        let done =
            self.state.recent.iter().rev().filter(is_stored).filter(|action| seen.insert(&action.key)).take(LIST);
        let settled = self.state.opened.saturating_sub(self.state.open.len() as u64 + self.state.left);
        Invariants {
            stated: self.stated(),
            started: keys(started),
            unstored: keys(unstored),
            done: Keys { shown: done.map(|action| Arc::clone(&action.key)).collect(), count: settled },
        }
    }

    /// What the code of the runs says must stay true, each sentence once.
    fn stated(&self) -> Keys {
        let finished = self.last_run().filter(|_| self.leaves.is_empty());
        let runs = self.state.active.values().map(String::as_str).take(LIST).chain(finished);
        let outlines = runs.filter_map(|run| self.state.runs.get(run)).map(|run| &run.outline);
        let mut seen = HashSet::new();
        let all = outlines.flat_map(|outline| &outline.invariants).filter(|text| seen.insert(text.as_str()));
        let all: Vec<_> = all.collect();
        Keys { count: all.len() as u64, shown: all.into_iter().take(LIST).map(|text| text.as_str().into()).collect() }
    }
}

fn named(key: &Arc<str>, step: &Step) -> Named {
    Named { key: Arc::clone(key), title: step.title.clone() }
}

fn keys<'a>(steps: impl Iterator<Item = (&'a Arc<str>, &'a Step)>) -> Keys {
    let mut keys = Keys::default();
    for (key, _) in steps {
        keys.count += 1;
        if keys.shown.len() < LIST {
            keys.shown.push(Arc::clone(key));
        }
    }
    keys
}

/// Whether the code of a run that was given up has come to its end since.
fn is_over(run: &Run) -> bool {
    run.cancelled.as_ref().is_some_and(|cancelled| cancelled.is_over)
}
