//! How a record changes what is known: the only place where a [`State`] does.

mod opened;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use super::budget::Used;
use super::key;
use super::meta::StepKind;
use super::outline::OutlineStep;
use super::record::{self, Event, How, Kept, Origin, Record};
use super::research::{RESEARCHED, Researched};
use super::state::{
    Action, Cancelled, Doubt, Life, Run, State, Status, Step, TakenBy, Tried, Trouble, Word, Words, keys_in,
};
use super::step_error::StepError;
use super::time::Timestamp;
use super::witness;
use crate::broken::{self, Broken};

/// Why a step is in doubt of which an adopted session has no record.
const COPIED: &str = "the session was moved or restored, and another copy of it may have done this";

/// Who says that nothing happened, if it is not a person.
pub const VERIFIER: &str = "verifier";

/// How many completed actions are kept for readers.
const RECENT: usize = 20;

impl State {
    /// Takes in one record.
    pub fn apply(&mut self, record: &Record) {
        if self.seq == 0 {
            self.is_lossy |= record.seq > 1;
            self.first = record.seq;
        }
        self.seq = record.seq;
        self.epoch = self.epoch.max(record.epoch);
        self.at = self.at.max(record.at);
        self.note_by(&record.event);
        match &record.event {
            Event::Boot(boot) => self.boot(record, boot),
            Event::Checkpoint(point) => {
                self.anchored = record.seq;
                self.goal = point.goal.clone().or(self.goal.take());
            }
            Event::Run(run) => self.run(record, run),
            Event::Code(code) => self.code(code),
            Event::Reserve(reserve) => self.reserve(record, reserve),
            Event::Done(done) => self.done(done),
            Event::Failed(failed) => self.failed(record, failed),
            Event::Absent(absent) => self.absent(absent),
            Event::InDoubt(doubt) => self.asked(record, doubt),
            Event::NotYet(not_yet) => self.not_yet(not_yet),
            Event::Resolve(word) => self.resolve(word),
            Event::Wait(wait) => self.wait(wait),
            Event::Woke(woke) => self.woke(woke),
            Event::Ask(ask) => self.ask(record, ask),
            Event::Answer(answer) => self.answer(answer),
            Event::WordRefused(refused) => self.word_refused(refused),
            Event::Stopped(stopped) => self.stopped(stopped),
            Event::End(end) => self.end(end),
            Event::Cancel(cancel) => self.cancel(record.at, cancel),
            Event::Lost(lost) if lost.adopted => self.doubt_of(&lost.keys, self.adopted.unwrap_or(record.at), COPIED),
            Event::Lost(lost) => {
                self.has_told_of_loss = true;
                self.lost(record, &lost.keys);
            }
            Event::Adopt(_) => {
                self.unprove(record.at);
                self.adopted = Some(record.at);
            }
            Event::Refused(refused) => self.refused(refused),
            Event::Dormant(_) => self.status = Status::Dormant,
            Event::Repaired(_) => self.unprove(record.at),
            Event::Memory(memory) => self.memory.remember(self.seq, memory),
            Event::Artifact(made) => {
                self.memory.made(self.seq, made);
                if !made.forgotten {
                    self.paces.made(self.seq, &made.by.run);
                }
            }
            Event::Turn(turn) => self.paces.tick(self.seq, turn),
            Event::Verdict(verdict) => self.researched(verdict),
            Event::Budget(budget) => {
                let (used, total, iteration, seq) = (budget.used, budget.total, self.iteration, record.seq);
                self.budget = Some(Used { used, total, iteration, seq });
            }
            Event::Note(note) => self.has_told_of_loss |= note.text == witness::began_late(self.first),
            Event::Trim(trim) => self.trim(trim),
            Event::Replayed(_) | Event::Mark(_) | Event::Closed(_) => {}
        }
    }

    /// What stands in front of it has left out what no longer matters, but for how much there was.
    fn trim(&mut self, trim: &record::Trim) {
        self.opened = trim.opened;
        self.left = trim.left;
        self.closed = 0;
    }

    fn boot(&mut self, record: &Record, boot: &record::Boot) {
        self.session = boot.session;
        self.identity.clone_from(&boot.identity);
        self.iteration = boot.iteration;
        self.epoch = record.epoch;
        self.booted = record.seq;
        self.status = Status::Awake;
        self.boot = Some(TakenBy { durability: boot.durability.clone(), machine: boot.machine_boot.clone() });
        // Whoever reserved these is gone, and has not said how it ended. Later boots leave the instant alone.
        for key in self.open.values() {
            if let Some(step) = self.steps.get_mut(key)
                && matches!(step.life, Life::Reserved)
            {
                step.tried_mut().crashes += 1;
                step.life = Life::in_doubt(Doubt::new(record.at, "the process ended before the attempt did"));
            }
        }
    }

    fn run(&mut self, record: &Record, run: &record::Run) {
        let mut new = Run {
            began: record.seq,
            began_at: record.at,
            workflow: run.workflow.clone(),
            shape: run.shape.clone(),
            named: run.named,
            written: None,
            title: run.title.clone(),
            goal: run.goal.clone(),
            inputs: run.inputs.clone(),
            defaults: BTreeMap::new(),
            outline: Arc::clone(&run.outline),
            version: run.version.unwrap_or(1),
            added: BTreeSet::new(),
            missed: BTreeSet::new(),
            calls: run.outline.calls.iter().cloned().collect(),
            is_lossy: self.is_lossy && self.steps.all().any(|(of, ..)| key::is_inside(of, &run.run)),
            shapes: BTreeMap::new(),
            inner: BTreeMap::new(),
            rewritten: BTreeMap::new(),
            recorded: 0,
            done: 0,
            last_shape: None,
            noted: BTreeMap::new(),
            cancelled: None,
            value: None,
        };
        if let (true, Some(outer)) = (run.named, self.outer(&run.run)) {
            outer.inner.entry(run.shape.clone()).or_insert_with(|| run.run.clone());
            let is_it = |step: &&OutlineStep| step.kind == StepKind::Run && step.shape == run.shape;
            new.written = outer.outline.steps.iter().find(is_it).map(|step| step.key.clone());
        }
        self.active.insert(new.began, run.run.clone());
        self.runs.insert(run.run.clone(), new);
    }

    fn researched(&mut self, record: &record::Verdict) {
        if self.researched.len() == RESEARCHED {
            self.researched.pop_front();
        }
        let (component, verdict, because) = (record.component.clone(), record.verdict, record.because.clone());
        self.researched.push_back(Researched { component, verdict, because, seq: self.seq });
    }

    fn code(&mut self, code: &record::Code) {
        if let Some(run) = self.runs.get_mut(&code.run) {
            run.defaults.extend(code.inputs.clone());
            run.note_code(&code.outline);
        }
    }

    fn reserve(&mut self, record: &Record, reserve: &record::Reserve) {
        let before = self.steps.get(&reserve.key);
        let known = before.map(|step| (step.opened, Arc::clone(&step.shape)));
        // An attempt on top of a doubt proves nothing about the attempts before it.
        let in_doubt = before.filter(|step| matches!(step.life, Life::Reserved | Life::Doubt(_)));
        let unproven = in_doubt.and_then(|step| step.tried().unproven).or(Some((reserve.attempt, record.at)));
        let tried = Tried {
            failures: before.map_or(0, |step| step.tried().failures),
            crashes: before.map_or(0, |step| step.tried().crashes),
            error: before.and_then(|step| step.tried().error.clone()),
            unproven,
            within: reserve.within_ms.map(Duration::from_millis),
            reserved_at: Some(record.at),
            proof: Some(reserve.proof),
            sends_token: reserve.token.is_some(),
            ask: self.names.share(&reserve.ask),
            gives: reserve.gives.clone(),
            settle: Some(Duration::from_millis(reserve.settle_ms)),
        };
        let (is_new, (opened, shape)) = (known.is_none(), self.place(known, &reserve.shape));
        let (run, kind) = (self.names.share(&reserve.run), StepKind::SideEffect);
        let step = Step {
            title: reserve.title.clone(),
            attempt: reserve.attempt,
            args: reserve.args,
            cleans_up: self.cancelled(&reserve.run).is_some(),
            ..Step::new(opened, run, Arc::clone(&shape), kind, Life::Reserved).with(tried)
        };
        self.open.insert(opened, Arc::clone(&reserve.key));
        if is_new {
            self.steps.add(&reserve.key, step);
        } else {
            self.steps.insert(&reserve.key, step);
        }
        self.note_step(&reserve.run, &shape, &reserve.key, is_new);
    }

    fn done(&mut self, done: &record::Done) {
        if let (true, Some(question)) = (broken::is(Broken::AnswerConsumed), self.questions.get_mut(&*done.key)) {
            question.answers.clear();
            return;
        }
        let Some(step) = self.steps.get_mut(&done.key) else {
            // A read is never reserved.
            let (opened, shape) = self.place(None, &done.shape);
            self.note_step(&done.run, &shape, &done.key, true);
            self.steps.add(&done.key, Step { shape, ..Step::unreserved(opened, done) });
            return self.done(done);
        };
        if step.shape.is_empty() {
            step.shape = self.names.share(&done.shape);
        }
        match done.value {
            Some(_) => self.open.remove(&step.opened),
            // Its value is still asked for.
            None => self.open.insert(step.opened, Arc::clone(&done.key)),
        };
        // One that was only asked about may be of another kind than it was taken for.
        step.kind = done.kind;
        let is_new = !step.life.has_happened();
        let unstorable = || done.unstorable.clone().unwrap_or_default();
        let value = done.value.as_ref().map(|value| Kept::of(self.seq, value));
        step.life = Life::Done { how: done.how, value: value.ok_or_else(unstorable) };
        // What cleans up says nothing of how far its run had come.
        let is_onward = !step.cleans_up && !done.shape.is_empty();
        if done.value.as_ref().is_some_and(|value| value.withheld().is_none()) {
            step.settle();
        } else if done.gives.is_some() {
            step.tried_mut().gives.clone_from(&done.gives);
        }
        if let Some(run) = self.runs.get_mut(&*done.run) {
            run.note_step(&step.shape, &done.key, false);
            run.done += u64::from(is_new);
            run.last_shape = Some(done.shape.clone()).filter(|_| is_onward).or(run.last_shape.take());
        }
        self.acted(done.kind, &done.key);
        let (key, title, value) = (done.key.clone(), done.title.clone(), done.value.clone());
        self.completed(Action { seq: self.seq, key, title, how: done.how, value, error: None, is_run: false });
    }

    /// A step ends with an error for its result: from here on it is settled like one that is done.
    fn concluded(&mut self, step: Step, key: &str, error: StepError) {
        if step.life.has_happened() {
            return;
        }
        self.open.remove(&step.opened);
        self.note_step(&step.run, &step.shape, key, !self.steps.contains_key(key));
        if let Some(run) = self.runs.get_mut(&*step.run) {
            run.done += u64::from(!matches!(step.life, Life::Failed(_)));
            run.last_shape = Some(step.shape.clone()).filter(|shape| !shape.is_empty()).or(run.last_shape.take());
        }
        self.acted(step.kind, key);
        let (key, title) = (Arc::from(key), step.title.clone());
        let mut step = Step { life: Life::Failed(Box::new(error.clone())), ..step };
        step.settle();
        self.steps.insert(&key, step);
        self.completed(Action {
            seq: self.seq,
            key,
            title,
            how: How::Executed,
            value: None,
            error: Some(error),
            is_run: false,
        });
    }

    fn failed(&mut self, record: &Record, failed: &record::Failed) {
        let error = failed.result.as_ref().map(|result| StepError::of(failed, result));
        let is_proven = self.steps.get(&failed.key).is_none_or(|step| step.proves(failed));
        if let (true, Some(result), Some(error)) = (failed.failure.is_absence() && is_proven, &failed.result, &error) {
            let opened = self.open_place(&failed.key);
            let known = self.steps.get(&failed.key).cloned();
            let step = known.unwrap_or_else(|| Step::failed_read(opened, failed, result));
            return self.concluded(step, &failed.key, error.clone());
        }
        if let Some(step) = self.steps.get_mut(&failed.key) {
            let (why, retry_at) = (failed.error.clone(), failed.retry_at);
            step.life = match failed.failure.is_absence() && is_proven {
                true => Life::Rejected { error: why, retry_at },
                false => Life::in_doubt(Doubt { error, retry_at, ..Doubt::new(record.at, why) }),
            };
            let before = step.tried_mut().error.take().filter(|(error, _)| **error == *failed.error);
            step.tried_mut().error = Some((failed.error.as_str().into(), before.map_or(0, |(_, times)| times) + 1));
            step.tried_mut().crashes = 0;
            step.tried_mut().failures = if failed.spent { 0 } else { step.tried().failures + 1 };
        }
        // An attempt that is followed by another in the same start stops nothing.
        if failed.spent || failed.retry_at.is_none() {
            self.trouble = Some(Trouble {
                seq: self.seq,
                run: failed.run.clone(),
                key: Some(failed.key.clone()),
                error: failed.error.clone(),
                origin: None,
            });
        }
    }

    fn absent(&mut self, absent: &record::Absent) {
        let settled = self.steps.get(&absent.key).and_then(|step| Some((step, step.life.doubt()?.error.clone()?)));
        if let Some((step, error)) = settled {
            return self.concluded(step.clone(), &absent.key, error);
        }
        if let Some(step) = self.steps.get_mut(&absent.key) {
            let doubt = step.life.doubt();
            let error = doubt.map_or_else(|| format!("did not happen, says {}", absent.by), |doubt| doubt.why.clone());
            let retry_at = absent.retry_at.max(doubt.and_then(|doubt| doubt.retry_at));
            step.life = Life::Rejected { error, retry_at };
            let goes_on = absent.retry_at.is_some() && !absent.spent;
            if goes_on && self.trouble.as_ref().is_some_and(|trouble| trouble.key.as_ref() == Some(&absent.key)) {
                self.trouble = None;
            }
            if absent.spent {
                step.tried_mut().failures = 0;
            }
            if absent.by != VERIFIER {
                // Whoever says so has seen that its process dies, and lets it try again.
                step.tried_mut().crashes = 0;
            }
        }
    }

    fn asked(&mut self, record: &Record, asked: &record::InDoubt) {
        let (opened, key) = (self.open_place(&asked.key), Arc::<str>::from(asked.key.as_str()));
        if !self.steps.contains_key(&key) {
            self.steps.add(&key, Step::unknown(opened, &key));
        }
        let Some(step) = self.steps.get_mut(&key) else { return };
        step.tried_mut().ask = asked.ask.as_str().into();
        step.tried_mut().gives = asked.gives.clone().or_else(|| step.tried().gives.clone());
        // What has happened is asked for its result, and like what has one is never in doubt again.
        if !step.life.has_happened() && !step.life.is_wait() && !matches!(step.life, Life::Failed(_)) {
            let doubt = step.life.doubt();
            let since = match &step.life {
                // It is proven that nothing of it is on its way.
                Life::Rejected { .. } => Timestamp::from_millis(0),
                _ => doubt.map_or(record.at, |doubt| doubt.since),
            };
            let error = doubt.and_then(|doubt| doubt.error.clone());
            let retry_at = doubt.and_then(|doubt| doubt.retry_at);
            let asked_at = doubt.and_then(|doubt| doubt.asked).or(Some(record.at));
            let doubt = Doubt { asked: asked_at, error, retry_at, ..Doubt::new(since, asked.why.clone()) };
            let question = Life::in_doubt(doubt);
            match &mut step.life {
                // A word that came before the question was asked once more stays.
                Life::Word(words) => words.question = question,
                life => *life = question,
            }
            self.open.insert(opened, key);
        }
    }

    fn not_yet(&mut self, not_yet: &record::NotYet) {
        if let Some(Step { life: Life::Doubt(doubt), .. }) = self.steps.get_mut(&not_yet.key) {
            doubt.not_before = Some(not_yet.until);
        }
    }

    fn resolve(&mut self, word: &record::Resolve) {
        self.words.extend(word.word);
        let Some(step) = self.steps.get_mut(&word.key) else { return };
        let said = Word { happened: word.happened, value: word.value.clone(), by: word.by.clone() };
        if let Life::Word(words) = &mut step.life {
            words.later.push_back(said);
            return;
        }
        let question = std::mem::replace(&mut step.life, Life::Reserved);
        step.life = Life::Word(Box::new(Words { first: said, later: VecDeque::new(), question }));
    }

    fn stopped(&mut self, stopped: &record::Stopped) {
        if let Some(run) = self.runs.get_mut(&stopped.run) {
            run.missed.extend(stopped.missed.iter().cloned());
        }
        if stopped.waits {
            return;
        }
        if stopped.cancelled {
            if let Some(cancelled) = self.runs.get_mut(&stopped.run).and_then(|run| run.cancelled.as_mut()) {
                cancelled.is_over = true;
            }
            return self.forget_trouble_in(&stopped.run);
        }
        self.troubled(&stopped.run, stopped.key.as_ref(), &stopped.error, stopped.origin.as_deref());
    }

    fn refused(&mut self, refused: &record::Refused) {
        self.troubled(&refused.run, refused.key.as_ref(), &refused.error, refused.origin.as_deref());
    }

    /// An error that repeats the one before it follows from the same, and is about the same step.
    fn troubled(&mut self, run: &str, key: Option<&String>, error: &str, origin: Option<&Origin>) {
        let before = self.trouble.take().filter(|before| error.contains(&before.error));
        let (of_before, before) = match before {
            Some(before) => (before.key.filter(|_| before.run == run), before.origin),
            None => (None, None),
        };
        let origin = origin.cloned().map(Box::new).or(before);
        let (seq, run, key, error) = (self.seq, run.to_owned(), key.cloned().or(of_before), error.to_owned());
        self.trouble = Some(Trouble { seq, run, key, error, origin });
    }

    fn end(&mut self, end: &record::End) {
        let Some(run) = self.runs.get_mut(&end.run) else { return };
        run.value = Some(Kept::of(self.seq, &end.value));
        self.active.remove(&run.began);
        self.close(&end.run);
        let Some(run) = self.runs.get_mut(&end.run) else { return };
        run.settle();
        let title = run.title.as_deref().or(run.goal.as_deref()).map(Arc::from);
        let shape = run.named.then(|| run.shape.clone());
        if let (Some(shape), Some(outer)) = (shape, self.outer(&end.run)) {
            outer.last_shape = Some(shape.into());
        }
        self.paces.acted(self.seq, &end.run);
        let (key, value) = (end.run.as_str().into(), Some(end.value.clone()));
        self.completed(Action { seq: self.seq, key, title, how: How::Executed, value, error: None, is_run: true });
    }

    /// A finished run asks for nothing any more: what it has left open did not happen, or nobody needs its value. Its result
    /// is all that is ever read of it, so what stands in it is forgotten; that each key was reserved, the log still says.
    fn close(&mut self, run: &str) {
        let is_left = |key: &str| self.steps.get(key).is_some_and(|step| key::is_inside(&step.run, run));
        let left: Vec<u64> = self.open.iter().filter(|(_, key)| is_left(key)).map(|(place, _)| *place).collect();
        for place in left {
            let key = self.open.remove(&place);
            let step = key.and_then(|key| self.steps.get(&key));
            self.left += u64::from(step.is_some_and(|step| !step.life.has_happened()));
        }
        self.paces.forget(run);
        self.closed += self.steps.forget(run) as u64;
        for inner in keys_in(&self.runs, run) {
            if let Some(forgotten) = self.runs.remove(&inner) {
                self.active.remove(&forgotten.began);
            }
        }
        for key in keys_in(&self.questions, run) {
            self.questions.remove(&key);
        }
    }

    fn cancel(&mut self, at: Timestamp, cancel: &record::Cancel) {
        self.words.extend(cancel.word);
        let Some(run) = self.runs.get_mut(&cancel.run) else { return };
        let (by, because) = (cancel.by.clone(), cancel.because.clone());
        run.cancelled = Some(Cancelled { by, because, at, is_over: false });
        let title = run.title.as_deref().or(run.goal.as_deref()).map(Arc::from);
        let key = cancel.run.as_str().into();
        self.remember(Action { seq: self.seq, key, title, how: How::Executed, value: None, error: None, is_run: true });
        self.forget_trouble_in(&cancel.run);
    }

    /// Nobody has to deal any more with what went wrong in a run that was given up.
    fn forget_trouble_in(&mut self, run: &str) {
        self.trouble = self.trouble.take().filter(|trouble| !key::is_inside(&trouble.run, run));
    }

    /// The run around a run.
    fn outer(&mut self, run: &str) -> Option<&mut Run> {
        self.runs.get_mut(key::around(run).next()?)
    }

    /// The end of the log is gone. What it proved absent may have been tried again since; and the keys that only the
    /// registry knows were reserved.
    fn lost(&mut self, record: &Record, keys: &[String]) {
        self.unprove(record.at);
        self.lose_answers();
        self.is_lossy = true;
        for key in self.active.values() {
            if let Some(run) = self.runs.get_mut(key) {
                run.is_lossy = true;
            }
        }
        self.doubt_of(keys, record.at, "the log that reserved it is gone");
    }

    /// Takes steps for started of which there is no reservation.
    fn doubt_of(&mut self, keys: &[String], since: Timestamp, why: &str) {
        for key in keys {
            let opened = self.open_place(key);
            let key = Arc::<str>::from(key.as_str());
            self.steps.insert(&key, Step::lost(opened, since, &key, why));
            self.open.insert(opened, key);
        }
    }

    /// What was proven, or said, not to have happened may have been tried again in a record that is gone.
    fn unprove(&mut self, at: Timestamp) {
        if broken::is(Broken::AbsenceKept) {
            return;
        }
        for key in self.open.values() {
            let Some(step) = self.steps.get_mut(key) else { continue };
            if step.life.is_absent() {
                let error = step.life.doubt().and_then(|doubt| doubt.error.clone());
                let retry_at = match &step.life {
                    Life::Rejected { retry_at, .. } => *retry_at,
                    life => life.doubt().and_then(|doubt| doubt.retry_at),
                };
                let why = "the end of the log is gone: it may have been tried again";
                step.life = Life::in_doubt(Doubt { error, retry_at, ..Doubt::new(at, why) });
            }
        }
    }

    /// Lets a run know the steps that it has recorded.
    pub(super) fn note_step(&mut self, run: &str, shape: &str, key: &str, is_new: bool) {
        if let Some(run) = self.runs.get_mut(run) {
            run.note_step(shape, key, is_new);
        }
    }

    /// The place of a step among all that were ever opened, and its shape: those that are known of it, or the next place. One
    /// which is called otherwise since keeps the shape that it was first recorded with.
    fn place(&mut self, known: Option<(u64, Arc<str>)>, shape: &str) -> (u64, Arc<str>) {
        match known {
            Some((opened, known)) if !known.is_empty() => (opened, known),
            Some((opened, _)) => (opened, self.names.share(shape)),
            None => {
                self.opened += 1;
                (self.opened, self.names.share(shape))
            }
        }
    }

    /// The place of a step among all that were ever opened: its old one, or the next.
    pub(super) fn open_place(&mut self, key: &str) -> u64 {
        if let Some(step) = self.steps.get(key) {
            return step.opened;
        }
        self.opened += 1;
        self.opened
    }

    /// Who only looks has not acted.
    fn acted(&mut self, kind: StepKind, key: &str) {
        if kind != StepKind::Read {
            self.paces.acted(self.seq, key);
        }
    }

    pub(super) fn completed(&mut self, action: Action) {
        self.completed = action.seq;
        self.trouble = None;
        self.refused_words.clear();
        self.refused_before = 0;
        self.remember(action);
    }

    fn remember(&mut self, action: Action) {
        if self.recent.len() == RECENT {
            self.recent.pop_front();
        }
        self.recent.push_back(action);
    }
}
