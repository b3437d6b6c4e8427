//! The run that nothing befalls: what every other story must come to.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use uuid::Uuid;

use crate::core::key;
use crate::testing::life::Answers;
use crate::testing::machine::trace::{Said, Traced};

/// A run that nothing has befallen.
#[derive(Debug)]
pub(crate) struct Baseline<T> {
    pub(crate) result: T,
    pub(crate) counts: BTreeMap<String, usize>,
    /// What each effect gave, each time.
    pub(crate) given: BTreeMap<String, Vec<Value>>,
    pub(crate) trace: Vec<Traced>,
    pub(crate) told: Told,
    /// Whether the work talks to real sockets.
    pub(crate) is_online: bool,
}

/// What a trace says of steps and effects.
#[derive(Debug, Default)]
pub(crate) struct Told {
    /// The steps by session and full key.
    pub(crate) steps: BTreeMap<(String, String), StepTold>,
    /// Effects that were done while no step was running.
    pub(crate) outside: BTreeSet<String>,
    /// Whether two steps were ever running at once.
    pub(crate) is_concurrent: bool,
}

/// What a trace says of one step.
#[derive(Clone, Debug, Default)]
pub(crate) struct StepTold {
    pub(crate) proof: String,
    /// Its effects, and how often each had happened in the whole world once this step had done it.
    pub(crate) effects: BTreeMap<String, usize>,
    pub(crate) value: Option<Value>,
    /// Whether its time was over before anybody answered.
    pub(crate) is_expired: bool,
}

impl Told {
    pub(crate) fn of(trace: &[Traced]) -> Self {
        Self::of_lives([trace])
    }

    /// What the traces of several lives say. With a life ends whatever was running in it.
    pub(crate) fn of_lives<'a>(traces: impl IntoIterator<Item = &'a [Traced]>) -> Self {
        let mut told = Self::default();
        let mut times: BTreeMap<&str, usize> = BTreeMap::new();
        for trace in traces {
            let mut open = BTreeSet::new();
            for traced in trace {
                match traced {
                    Traced::Operation { file, records, .. } => {
                        let session = file.rsplit_once('/').map_or("", |(session, _)| session);
                        records.iter().for_each(|said| told.record(session, said, &mut open));
                    }
                    Traced::Done { effect } => {
                        let times = times.entry(effect).or_default();
                        *times += 1;
                        told.done(effect, *times, &open);
                    }
                    Traced::Call { .. } => {}
                }
            }
        }
        told
    }

    /// A text in which every token of a step is followed by the key that it belongs to.
    pub(crate) fn with_keys(&self, text: &str) -> String {
        self.steps.keys().fold(text.to_owned(), |text, (session, key)| {
            let token = key::token(session_id(session), key).to_string();
            text.replace(&format!("`{token}`"), &format!("`{token}` (the token of `{key}`)"))
        })
    }

    /// The key of the step that does this effect.
    pub(crate) fn step_of(&self, effect: &str) -> Option<&str> {
        self.steps.iter().find(|(_, step)| step.effects.contains_key(effect)).map(|((_, key), _)| key.as_str())
    }

    fn record(&mut self, session: &str, said: &Said, open: &mut BTreeSet<(String, String)>) {
        let Some(key) = &said.key else { return };
        let id = (session.to_owned(), key.clone());
        match said.action.as_str() {
            "reserve" => {
                let step = self.steps.entry(id.clone()).or_default();
                step.proof = said.proof.clone().unwrap_or_default();
                open.insert(id);
                self.is_concurrent |= open.len() > 1;
            }
            "failed" => {
                open.remove(&id);
            }
            "done" => {
                open.remove(&id);
                let step = self.steps.entry(id).or_default();
                (step.value, step.is_expired) = (said.value.clone(), said.is_expired());
            }
            _ => {}
        }
    }

    /// An effect belongs to the step that it is named after; one with a name of its own to the step that is running.
    fn done(&mut self, effect: &str, times: usize, open: &BTreeSet<(String, String)>) {
        let named = open.iter().filter(|(session, key)| is_named_after(effect, session, key)).cloned();
        let mut steps: Vec<_> = named.collect();
        if steps.is_empty() {
            steps.extend(open.iter().cloned());
        }
        if steps.is_empty() {
            self.outside.insert(effect.to_owned());
        }
        for step in steps {
            self.steps.entry(step).or_default().effects.entry(effect.to_owned()).or_insert(times);
        }
    }
}

impl StepTold {
    /// Whether an effect of it is among what was done. Another step may do the same before it.
    pub(crate) fn has_happened(&self, counts: &BTreeMap<String, usize>) -> bool {
        self.effects.iter().any(|(effect, times)| counts.get(effect).is_some_and(|done| done >= times))
    }
}

/// Whether an effect has the name of a step: its key, the part of it that is its own, or its token.
fn is_named_after(effect: &str, session: &str, key: &str) -> bool {
    let own = key.rsplit_once(key::SCOPE).map_or(key, |(_, own)| own);
    effect == key || effect == own || effect == key::token(session_id(session), key).to_string()
}

/// The id that a session of this name has in a lab.
pub(crate) fn session_id(session: &str) -> Uuid {
    Uuid::new_v5(&Uuid::NAMESPACE_OID, session.as_bytes())
}

impl<T> Baseline<T> {
    /// What somebody says who looks into the books of the world.
    pub(crate) fn answers(&self, counts: &BTreeMap<String, usize>, asked: &[(String, String)]) -> Answers {
        let answer = |question: &(String, String)| {
            let step = self.told.steps.get(question)?;
            let withheld = step.value.as_ref().and_then(withheld);
            // What a read gave is not in the books; whoever is asked remembers it, unless it was a secret.
            let is_remembered = step.proof.is_empty() && withheld.is_none();
            let happened = is_remembered || step.has_happened(counts);
            happened.then(|| withheld.or_else(|| step.value.clone()).unwrap_or_default())
        };
        asked.iter().map(|question| (question.clone(), answer(question))).collect()
    }
}

/// What is known of a value that is not kept.
fn withheld(value: &Value) -> Option<Value> {
    value.get("$withheld").map(|withheld| withheld.get("rest").cloned().unwrap_or_default())
}
