//! Whether a story has come to the right end.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::{self, Debug, Display};

use serde_json::Value;

use super::acknowledged::{acknowledged, stand};
use super::baseline::Baseline;
use super::trial::{Ending, Trial};
use crate::testing::life::{End, Sessions, is_undecided, stalled};
use crate::testing::machine::images;
use crate::testing::machine::trace::said;

/// What went wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// An effect was done more often than in the run that nothing befell.
    Doubled { effect: String, times: usize, wanted: usize },
    /// An effect was not done, and the work is taken for finished.
    Lost { effect: String, times: usize, wanted: usize },
    /// An effect was done with something else.
    OtherEffect { effect: String, got: String, wanted: String },
    /// The recorded value of a step is another one.
    OtherValue { key: String, got: String, wanted: String },
    /// The result is another one.
    OtherResult { got: String, wanted: String },
    /// Two runs that nothing befell differ.
    Unsteady(String),
    /// The work does not get on.
    Stuck(String),
    /// A session cannot be opened any more, and nobody has damaged it.
    Refused(String),
    /// A start that has nothing to do does something.
    Restless(String),
    /// A refusal has changed the disk.
    Touched(String),
    /// Records were cut off that were acknowledged and can be read.
    Forgot,
    /// The handoff tells a reader to run what may have happened.
    Misled(String),
}

/// What a story comes to, and the doubts on the way.
#[derive(Clone, Debug, Default)]
pub(crate) struct Judgement {
    pub(crate) fault: Option<Fault>,
    /// The keys about which a person was asked.
    pub(crate) asked: BTreeSet<String>,
    /// Operations and calls of the first life.
    pub(crate) first: (u64, u64),
}

/// What one more start did wrong, by the state in which the work was done. Most stories come to one of a few ends.
pub(crate) type Rests = HashMap<u64, Option<Fault>>;

/// Lets a trial end undisturbed, and judges it. In the directory `damaged` somebody has damaged a file: there a refusal is
/// right, if it changes nothing.
pub(crate) fn judge<W, T, E>(
    trial: &mut Trial<W>,
    baseline: &Baseline<T>,
    damaged: Option<&str>,
    rests: &mut Rests,
    work: &impl AsyncFn(&Sessions, &W) -> Result<T, E>,
) -> Judgement
where
    T: PartialEq + Debug,
    E: Display,
{
    let files = |trial: &Trial<W>| damaged.map(|name| images::hash_in(&trial.process.machine.storage(), name));
    let before = files(trial);
    let acknowledged = damaged.map(|name| (name, acknowledged(&trial.process.machine.storage(), name)));
    let Ending { end, asked, first } = trial.finish(Some(baseline), work);
    trial.let_all_land();
    if let (None, End::Done(_), true) = (damaged, &end, turned(trial, baseline)) {
        let fault = doubled(&trial.effects.counts(), baseline);
        return Judgement { fault, asked, first };
    }
    let miscounted = miscounted(&trial.effects.counts(), baseline, &end);
    let stands = acknowledged.is_none_or(|(name, records)| stand(&records, &trial.process.machine.storage(), name));
    let forgot = (!stands).then_some(Fault::Forgot);
    let fault = miscounted.or(forgot).or_else(|| match end {
        End::Done(result) if result == baseline.result => altered(&trial.effects.answers(), baseline)
            .or_else(|| rests.entry(trial.hash()).or_insert_with(|| rest(trial, baseline, work)).clone()),
        End::Refused(refusal) if damaged.is_some() => {
            let is_touched = files(trial) != before && asked.is_empty();
            is_touched.then_some(Fault::Touched(refusal))
        }
        End::Stopped(_) if damaged.is_some() => None,
        // What was decided is gone with the log, be it that nobody had answered in time: so a person is asked.
        End::Stalled(what) if damaged.is_some() && is_undecided(&what) => None,
        end => Some(wrong_end(end, baseline)),
    });
    Judgement { fault, asked, first }
}

/// Whether a step has another result than in the run that nothing befell, and rightly so; the work may then take another way,
/// and come to another end. An error has become the result of a step with `errors = "recorded"`; or the time of a decision was
/// over before it was answered in one of the two, and not in the other.
fn turned<W, T>(trial: &Trial<W>, baseline: &Baseline<T>) -> bool {
    let storage = trial.process.machine.storage();
    let mut logs = storage.visible().filter(|(_, name, _)| *name == "journal.jsonl");
    logs.any(|(session, _, log)| {
        said(log).into_iter().any(|said| {
            let step = baseline.told.steps.get(&(session.to_owned(), said.key.clone().unwrap_or_default()));
            step.is_some_and(|step| match said.action.as_str() {
                "failed" => said.is_result && step.value.is_some(),
                "done" => said.is_expired() != step.is_expired,
                _ => false,
            })
        })
    })
}

/// An effect of the run that nothing befell which happened more often than in it.
fn doubled<T>(counts: &BTreeMap<String, usize>, baseline: &Baseline<T>) -> Option<Fault> {
    let known = baseline.counts.iter().map(|(effect, wanted)| (effect, *wanted, counts.get(effect).copied()));
    let mut doubled =
        known.filter_map(|(effect, wanted, times)| Some((effect, times.filter(|times| *times > wanted)?, wanted)));
    doubled.next().map(|(effect, times, wanted)| Fault::Doubled { effect: effect.clone(), times, wanted })
}

/// What is wrong with an end that is not the one that was wanted.
pub(crate) fn wrong_end<T: Debug>(end: End<T>, baseline: &Baseline<T>) -> Fault {
    match end {
        End::Done(result) => {
            Fault::OtherResult { got: format!("{result:?}"), wanted: format!("{:?}", baseline.result) }
        }
        End::Refused(refusal) => Fault::Refused(refusal),
        End::Stopped(error) => Fault::Stuck(error),
        End::Panicked(text) => Fault::Stuck(format!("it panicked: {text}")),
        End::Stalled(what) => Fault::Stuck(format!("it {}", stalled(&what))),
        End::Died => Fault::Stuck("it never ended".to_owned()),
    }
}

/// The effect that was done too often, or is missing where the work is done.
pub(crate) fn miscounted<T>(counts: &BTreeMap<String, usize>, baseline: &Baseline<T>, end: &End<T>) -> Option<Fault> {
    let is_done = matches!(end, End::Done(_));
    let wanted = |effect: &str| baseline.counts.get(effect).copied().unwrap_or_default();
    let doubled = counts.iter().find(|(effect, times)| **times > wanted(effect));
    if let Some((effect, &times)) = doubled {
        return Some(Fault::Doubled { effect: effect.clone(), times, wanted: wanted(effect) });
    }
    let times = |effect: &str| counts.get(effect).copied().unwrap_or_default();
    let lost = baseline.counts.iter().find(|(effect, wanted)| is_done && times(effect) < **wanted);
    lost.map(|(effect, &wanted)| Fault::Lost { effect: effect.clone(), times: times(effect), wanted })
}

/// The effect that was done with something else. Side by side, what one gives may depend on the order.
fn altered<T>(given: &BTreeMap<String, Vec<Value>>, baseline: &Baseline<T>) -> Option<Fault> {
    if baseline.told.is_concurrent {
        return None;
    }
    let altered = baseline.given.iter().find(|(effect, wanted)| given.get(*effect) != Some(wanted));
    altered.map(|(effect, wanted)| Fault::OtherEffect {
        effect: effect.clone(),
        got: listed(given.get(effect).map_or(&[], Vec::as_slice)),
        wanted: listed(wanted),
    })
}

fn listed(values: &[Value]) -> String {
    values.iter().map(Value::to_string).collect::<Vec<_>>().join(", ")
}

/// The side effect whose recorded value is another one.
fn misrecorded<W, T>(trial: &Trial<W>, baseline: &Baseline<T>) -> Option<Fault> {
    if baseline.told.is_concurrent {
        return None;
    }
    let storage = trial.process.machine.storage();
    let logs = storage.visible().filter(|(_, name, _)| *name == "journal.jsonl");
    let records = logs.flat_map(|(session, _, log)| said(log).into_iter().map(move |said| (session.to_owned(), said)));
    let mut done = records.filter(|(_, said)| said.action == "done");
    done.find_map(|(session, said)| {
        let (key, got) = (said.key?, said.value?);
        let step = baseline.told.steps.get(&(session, key.clone())).filter(|step| !step.proof.is_empty())?;
        let wanted = step.value.as_ref().filter(|wanted| **wanted != got)?;
        Some(Fault::OtherValue { key, got: got.to_string(), wanted: wanted.to_string() })
    })
}

/// One more start, which must do nothing and give the same.
fn rest<W, T, E>(
    trial: &mut Trial<W>,
    baseline: &Baseline<T>,
    work: &impl AsyncFn(&Sessions, &W) -> Result<T, E>,
) -> Option<Fault>
where
    T: PartialEq + Debug,
    E: Display,
{
    if let Some(fault) = misrecorded(trial, baseline) {
        return Some(fault);
    }
    let lived = trial.live(None, work);
    let miscounted = miscounted(&trial.effects.counts(), baseline, &lived.end);
    miscounted.or_else(|| restless(lived.end, trial.process.machine.control.has_acted(), baseline))
}

/// What a start did that had nothing to do.
pub(crate) fn restless<T: PartialEq + Debug>(end: End<T>, has_called: bool, baseline: &Baseline<T>) -> Option<Fault> {
    if has_called {
        return Some(Fault::Restless("it called the world".to_owned()));
    }
    match end {
        End::Done(result) if result == baseline.result => None,
        End::Done(result) => Some(Fault::Restless(format!("it gave {result:?}"))),
        End::Stopped(error) | End::Refused(error) => Some(Fault::Restless(format!("it failed: {error}"))),
        End::Panicked(text) => Some(Fault::Restless(format!("it panicked: {text}"))),
        End::Stalled(what) => Some(Fault::Restless(format!("it {}", stalled(&what)))),
        End::Died => Some(Fault::Restless("it never ended".to_owned())),
    }
}

/// The key that a reader of the handoff is led to run, though it may have happened.
///
/// Whoever reads it has nothing else: a reserved step stands there as one to be verified or asked about, or as one that
/// is repeated with its token.
pub(crate) fn misled<W, T>(trial: &Trial<W>, baseline: &Baseline<T>) -> Option<Fault> {
    let storage = trial.process.machine.storage();
    let files = storage.visible().map(|(session, name, content)| (session, name, &content[..]));
    misled_by(files, &trial.effects.counts(), baseline)
}

/// The same, by the files of every session and what was done so far.
pub(crate) fn misled_by<'a, T>(
    files: impl Iterator<Item = (&'a str, &'a str, &'a [u8])>,
    counts: &BTreeMap<String, usize>,
    baseline: &Baseline<T>,
) -> Option<Fault> {
    let mut letters = BTreeMap::new();
    let mut open = BTreeSet::new();
    for (session, name, content) in files {
        match name {
            "handoff.md" => {
                letters.insert(session.to_owned(), String::from_utf8_lossy(content).into_owned());
            }
            "journal.jsonl" => open.extend(unsettled(session, content)),
            _ => {}
        }
    }
    let has_happened =
        |id: &(String, String)| baseline.told.steps.get(id).is_some_and(|step| step.has_happened(counts));
    let asked =
        |session: &str| letters.get(session).map_or("", String::as_str).lines().filter(|line| leads_to_ask(line));
    let is_named = |(session, key): &&(String, String)| asked(session).any(|line| line.contains(&format!("`{key}`")));
    // A letter is short: it names some, and says how many more there are, and where.
    let is_counted = |(session, _): &&(String, String)| {
        let unnamed = open.iter().filter(|id| id.0 == *session && !is_named(id)).count();
        unnamed <= asked(session).map(counted).sum()
    };
    let misled = open.iter().filter(|id| has_happened(id)).find(|id| !is_named(id) && !is_counted(id));
    misled.map(|(_, key)| Fault::Misled(key.clone()))
}

/// How many keys a line speaks of without naming them.
fn counted(line: &str) -> usize {
    let number = line.split_once(UNNAMED).and_then(|(before, _)| before.rsplit(' ').next()?.parse().ok());
    number.unwrap_or_default()
}

const UNNAMED: &str = " more, which `durable keys` lists";

/// The side effects that a log has reserved and not settled.
fn unsettled(session: &str, log: &[u8]) -> BTreeSet<(String, String)> {
    let mut open = BTreeSet::new();
    for said in said(log) {
        let Some(key) = said.key else { continue };
        match said.action.as_str() {
            "reserve" => open.insert((session.to_owned(), key)),
            "done" | "absent" => open.remove(&(session.to_owned(), key)),
            _ => false,
        };
    }
    open
}

fn leads_to_ask(line: &str) -> bool {
    ["VERIFY", "ASK", "NEVER", "WAIT", "same token"].iter().any(|word| line.contains(word))
}

impl Fault {
    /// The effect or key that it is about.
    pub(crate) fn effect(&self) -> Option<&str> {
        match self {
            Self::Doubled { effect, .. } | Self::Lost { effect, .. } | Self::OtherEffect { effect, .. } => Some(effect),
            Self::Misled(key) | Self::OtherValue { key, .. } => Some(key),
            _ => None,
        }
    }

    /// Whether both are the same kind of fault, of the same effect.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other) && self.effect() == other.effect()
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Doubled { effect, times, wanted } => {
                write!(f, "`{effect}` happened {}, and {} where nothing befell", count(*times), count(*wanted))
            }
            Self::Lost { effect, times: 0, .. } => {
                write!(f, "`{effect}` never happened, and the work is taken for done")
            }
            Self::Lost { effect, times, wanted } => {
                let (times, wanted) = (count(*times), count(*wanted));
                write!(f, "`{effect}` happened {times}, and {wanted} where nothing befell; the work is taken for done")
            }
            Self::OtherEffect { effect, got, wanted } => {
                write!(f, "`{effect}` was done and gave {got}, and {wanted} where nothing befell")
            }
            Self::OtherValue { key, got, wanted } => {
                write!(f, "`{key}` is recorded with the value {got}, and with {wanted} where nothing befell")
            }
            Self::OtherResult { got, wanted } => write!(f, "the result is {got}, and {wanted} where nothing befell"),
            Self::Unsteady(what) => write!(f, "two runs that nothing befell differ: {what}"),
            Self::Stuck(error) => write!(f, "start after start, the work does not get on: {error}"),
            Self::Refused(error) => write!(f, "the session cannot be opened any more: {error}"),
            Self::Restless(what) => write!(f, "a start after the end should have done nothing, but {what}"),
            Self::Touched(error) => write!(f, "a refusal has changed the files: {error}"),
            Self::Forgot => f.write_str("records were cut off the log that were acknowledged and can still be read"),
            Self::Misled(key) => write!(f, "the handoff lets a reader run `{key}`, which may have happened"),
        }
    }
}

fn count(times: usize) -> String {
    if times == 1 { "once".to_owned() } else { format!("{times} times") }
}
