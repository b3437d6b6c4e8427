//! What settles each open step.

use std::collections::BTreeMap;

use super::{LIST, Now, named};
use crate::core::handoff::letter::{Caller, Decide, Denied, Group, Target, Way};
use crate::core::key;
use crate::core::meta::Proof;
use crate::core::state::{Doubt, Life, Step};
use crate::core::time::Timestamp;
use crate::core::waits::Question;
use crate::core::word::{Says, Word};

/// The type of what a step of `durable once` gives.
const ONCE: &str = "ExitAndOutput";

impl Now<'_> {
    pub(super) fn groups(&self) -> BTreeMap<(Way, Caller), Group> {
        let mut groups: BTreeMap<(Way, Caller), Group> = BTreeMap::new();
        for &(key, step) in &self.open {
            let Some(way) = self.way(key, step) else { continue };
            // Of a step whose log is gone it is not known whether it sends its token.
            let token = step.tried().sends_token.then(|| key::token(self.state.session, key));
            let gives = || step.tried().gives.clone();
            let target = || Target { step: named(key, step), token, gives: gives(), attempt: step.attempt };
            let by = (way, caller(step));
            match groups.get_mut(&by) {
                Some(group) if group.others.len() < LIST => group.others.push(target()),
                Some(group) => group.more += 1,
                None => {
                    let ((way, caller), first, others) = (by.clone(), target(), Vec::new());
                    let may_be_posted = self.posted.is_none_or(|words| words.iter().any(|word| *word.key == **key));
                    groups.insert(by, Group { way, caller, first, others, more: 0, may_be_posted });
                }
            }
        }
        groups
    }

    /// The word in the inbox that answers the open question about a step.
    pub(super) fn posted(&self, key: &str) -> Option<&Word> {
        let counts = |word: &&Word| {
            let is_admitted = self.state.admit(word, word.at.unwrap_or(self.state.at)).is_ok();
            word.key == key && !matches!(word.says, Says::Cancel) && is_admitted && self.state.misfit(word).is_none()
        };
        self.posted?.iter().find(counts)
    }

    /// What settles a step; `None` if it is settled.
    fn way(&self, key: &str, step: &Step) -> Option<Way> {
        if let Some(word) = self.posted(key) {
            return Some(Way::Posted { by: word.by.clone() });
        }
        Some(match &step.life {
            Life::Reserved => self.doubtful(step, true, None),
            Life::Doubt(doubt) => match doubt.not_before {
                Some(until) => Way::NotYet { until, given_up: self.is_given_up(step) },
                None => self.doubtful(step, false, Some(doubt)),
            },
            Life::Word(words) => {
                let is_error = step.life.doubt().is_some_and(|doubt| doubt.error.is_some());
                Way::Word { happened: words.first.happened, is_error }
            }
            Life::Rejected { retry_at, .. } => Way::Retry { fix: self.is_stopped_by(key, step), until: *retry_at },
            Life::Done { value: Err(_), .. } => Way::Supply { who: who(step) },
            Life::Asleep { until } => Way::Sleep { until: *until },
            Life::Asked => decision(step, self.state.questions.get(key)?, self.at),
            Life::Failed(_) | Life::Done { value: Ok(_), .. } => return None,
        })
    }

    fn doubtful(&self, step: &Step, running: bool, doubt: Option<&Doubt>) -> Way {
        let (asked, given_up) = (doubt.is_some_and(|doubt| doubt.asked.is_some()), self.is_given_up(step));
        let is_known = doubt.is_some_and(|doubt| doubt.error.is_some());
        let denied = match (given_up, is_known) {
            (true, _) => Denied::GivenUp,
            (false, true) => Denied::IsError,
            (false, false) if self.state.has_lost(&step.run) => Denied::MayDouble,
            (false, false) => Denied::Runs,
        };
        match step.tried().proof {
            Some(Proof::Verify) if !asked => Way::Verify { running, given_up },
            Some(Proof::Idempotent) if !asked && !given_up => Way::Repeat { running, persists: step.persists() },
            None if !asked => Way::Lost { who: who(step) },
            Some(Proof::Verify) => Way::AskIfUnseen { who: who(step), denied },
            _ => Way::Ask { running, who: who(step), denied },
        }
    }
}

/// How a decision is reached at this instant.
fn decision(step: &Step, question: &Question, at: Timestamp) -> Way {
    let Question { shown, expires, otherwise, may_be_answered, answers, .. } = question;
    match answers.front() {
        Some(given) => Way::Decided { by: given.by.clone() },
        None => Way::Decide(Box::new(Decide {
            who: who(step),
            shown: shown.get().to_owned(),
            expires: expires.filter(|_| !may_be_answered),
            may_be_answered: *may_be_answered,
            is_overdue: expires.is_some_and(|expires| at >= expires),
            otherwise: otherwise.as_ref().map(|value| value.get().to_owned()),
            gives: step.tried().gives.clone(),
        })),
    }
}

fn who(step: &Step) -> String {
    if step.tried().ask.is_empty() { "operator".to_owned() } else { step.tried().ask.to_string() }
}

/// Whether it is known to be a step of `durable once`.
pub(super) fn is_of_script(step: &Step) -> bool {
    matches!(caller(step), Caller::Once)
}

/// What its next start is: a step outside any run may be one of `durable once`.
fn caller(step: &Step) -> Caller {
    match step.tried().gives.as_deref() {
        _ if !step.run.is_empty() => Caller::Worker,
        Some(ONCE) => Caller::Once,
        Some(_) => Caller::Worker,
        None => Caller::Either,
    }
}
