//! What may happen to a step that is reached: the one place that chooses between run, replay, verify and ask.

use std::fmt;
use std::time::Duration;

use super::meta::Proof;
use super::record::Kept;
use super::state::{Gone, Life, Step, Word};
use super::step_error::StepError;
use super::time::Timestamp;
use crate::broken::{self, Broken};

/// What to do with a step.
#[derive(Clone, Debug)]
pub enum Decision {
    /// Reserve this attempt, then run.
    Run {
        /// Number of the attempt.
        attempt: u32,
        /// Not before this instant.
        not_before: Option<Timestamp>,
    },
    /// Give the recorded result.
    Replay(Kept),
    /// Give the recorded error.
    Fail(StepError),
    /// Ask the verifier about this attempt.
    Verify {
        /// Number of the attempt.
        attempt: u32,
    },
    /// A person has said what happened.
    Take(Word),
    /// Nobody here can tell: ask, and go no further.
    Ask {
        /// Number of the attempt.
        attempt: u32,
        /// Why nobody can tell.
        why: String,
    },
    /// It happened, and its result could not be stored; a person can supply it.
    Supply {
        /// Number of the attempt.
        attempt: u32,
        /// Why it could not be stored.
        why: String,
    },
    /// The log that knew this run is gone, and these of its keys are not settled yet.
    SettleFirst(Vec<String>),
}

/// Why a read asks.
const READ_IS_GONE: &str = "its value may stand in a part of the log that is gone: answer with that value, or that it did not happen, and it is read anew";

/// Why a step asks that was a wait when it was recorded.
const WAS_A_WAIT: &str =
    "its key was recorded as a wait, and the code has another kind of step there now: give the step a key of its own";

/// Decides about a step.
///
/// `proof` is what the code says; the recorded one governs a doubt that is already open. `gone` is what the log
/// has lost of this run.
pub fn decide(step: Option<&Step>, proof: Proof, gone: Gone) -> Decision {
    let Some(step) = step else {
        return match gone {
            Gone { unsettled, .. } if !unsettled.is_empty() => Decision::SettleFirst(unsettled),
            // Another value than the one that is gone would lead to other effects, beside those that are done.
            Gone { is_lossy: true, .. } if proof == Proof::NotNeeded => {
                Decision::Ask { attempt: 0, why: READ_IS_GONE.to_owned() }
            }
            Gone { .. } => Decision::Run { attempt: 1, not_before: None },
        };
    };
    let attempt = step.attempt;
    match &step.life {
        Life::Done { value: Ok(value), .. } => Decision::Replay(value.clone()),
        Life::Done { value: Err(why), .. } => Decision::Supply { attempt, why: why.clone() },
        Life::Failed(error) => Decision::Fail((**error).clone()),
        Life::Rejected { retry_at, .. } => Decision::Run { attempt: attempt + 1, not_before: *retry_at },
        Life::Word(words) => Decision::Take(words.first.clone()),
        Life::Asleep { .. } | Life::Asked => Decision::Ask { attempt, why: WAS_A_WAIT.to_owned() },
        // A receiver that drops repeats may have forgotten the one that another copy has sent.
        Life::Doubt(doubt) if gone.is_adopted && attempt == 0 && proof == Proof::Idempotent => {
            Decision::Ask { attempt, why: doubt.why.clone() }
        }
        Life::Reserved | Life::Doubt(_) => settle(step, proof),
    }
}

fn settle(step: &Step, code: Proof) -> Decision {
    let attempt = step.attempt;
    let ask = |why: String| Decision::Ask { attempt, why };
    let again = |not_before| Decision::Run { attempt: attempt + 1, not_before };
    match step.tried().proof.unwrap_or(code) {
        Proof::Verify if broken::is(Broken::ReservedTakenForDone) => {
            Decision::Take(Word { happened: true, value: None, by: "nobody".to_owned() })
        }
        Proof::Verify if broken::is(Broken::NotVerified) => again(None),
        Proof::Person if broken::is(Broken::PersonTakenForHappened) => {
            Decision::Take(Word { happened: true, value: None, by: "nobody".to_owned() })
        }
        Proof::Person if broken::is(Broken::PersonTakenForAbsent) => again(None),
        Proof::Verify if code == Proof::Verify => Decision::Verify { attempt },
        Proof::Verify => ask("the step was reserved with a verifier, and the code has none any more".to_owned()),
        Proof::Idempotent if step.life.doubt().is_some_and(|doubt| doubt.asked.is_some()) => {
            ask(step.life.doubt().map_or_else(String::new, |doubt| doubt.why.clone()))
        }
        Proof::Idempotent => again(step.life.doubt().and_then(|doubt| doubt.retry_at)),
        Proof::Person | Proof::NotNeeded => ask(step.life.doubt().map_or_else(String::new, |doubt| doubt.why.clone())),
    }
}

/// Why a further attempt is left to a person, though the step's own proof would allow it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Barred {
    /// Its process died so often in the middle of it.
    Crashes(u32),
    /// Its receiver remembers a token for this long only, and an attempt in doubt is older.
    Forgotten(Duration),
    /// The same, and the log that knew how old it is is gone.
    Undated(Duration),
}

/// Whether a further attempt may be made at `now`. `within` is how long the code says that its receiver remembers a token.
pub fn barred(step: &Step, within: Option<Duration>, now: Timestamp, crash_limit: Option<u32>) -> Option<Barred> {
    if crash_limit.is_some_and(|limit| step.tried().crashes >= limit) {
        return Some(Barred::Crashes(step.tried().crashes));
    }
    let in_doubt = matches!(step.life, Life::Reserved | Life::Doubt(_));
    // Only the registry remembers such an attempt: it has no number.
    let is_undated = in_doubt && step.tried().proof.is_none() && step.tried().unproven.is_none_or(|(nth, _)| nth == 0);
    if let Some(within) = within.filter(|_| is_undated) {
        return Some(Barred::Undated(within));
    }
    let within = step.tried().within.filter(|_| in_doubt && step.tried().proof == Some(Proof::Idempotent))?;
    let (_, since) = step.tried().unproven?;
    (now > since.after(within)).then_some(Barred::Forgotten(within))
}

impl fmt::Display for Barred {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Crashes(count) => write!(
                f,
                "the process ended {count} times in a row in the middle of it, as often as `crash_limit` allows: find out why, then answer"
            ),
            Self::Forgotten(within) => write!(
                f,
                "its receiver remembers a token for {}, and it is longer ago that the step was begun: a repeat may count as new",
                humantime::format_duration(*within)
            ),
            Self::Undated(within) => write!(
                f,
                "its receiver remembers a token for {}, and the log that knew when the step was begun is gone: a repeat may count as new",
                humantime::format_duration(*within)
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::meta::StepKind;
    use crate::core::record::How;
    use crate::core::state::{Doubt, Tried};

    fn step(proof: Option<Proof>, life: Life) -> Step {
        let unproven = Some((2, Timestamp::from_millis(0)));
        let tried = Tried { unproven, proof, sends_token: true, ask: "treasury".into(), ..Tried::default() };
        Step { attempt: 2, ..Step::new(1, "r".into(), "s".into(), StepKind::SideEffect, life) }.with(tried)
    }

    fn tried(step: Step, within: Option<Duration>, crashes: u32) -> Step {
        let tried = Tried { within, crashes, ..step.tried().clone() };
        step.with(tried)
    }

    fn gone() -> Gone {
        Gone { unsettled: vec!["pay/1".to_owned()], is_lossy: true, ..Gone::default() }
    }

    fn doubt() -> Life {
        Life::in_doubt(Doubt::new(Timestamp::from_millis(0), "killed"))
    }

    fn name(step: Option<&Step>, code: Proof) -> String {
        let decision = format!("{:?}", decide(step, code, Gone::default()));
        decision.split([' ', '(']).next().unwrap().to_owned()
    }

    #[test]
    fn every_doubt_ends_as_it_was_declared_when_it_began() {
        use Proof::{Idempotent, Person, Verify};
        let table = [
            (Some(Verify), Verify, "Verify"),
            (Some(Idempotent), Verify, "Run"),
            (Some(Person), Verify, "Ask"),
            (Some(Verify), Person, "Ask"),
            (Some(Verify), Idempotent, "Ask"),
            (Some(Person), Idempotent, "Ask"),
            (Some(Idempotent), Person, "Run"),
            (None, Verify, "Verify"),
            (None, Idempotent, "Run"),
            (None, Person, "Ask"),
        ];
        for (recorded, code, wanted) in table {
            assert_eq!(name(Some(&step(recorded, doubt())), code), wanted, "recorded {recorded:?}, code {code:?}");
            assert_eq!(name(Some(&step(recorded, Life::Reserved)), code), wanted, "reserved is not done");
        }
    }

    #[test]
    fn what_is_known_is_never_run_again() {
        let value = Kept::Here(serde_json::value::to_raw_value(&1).unwrap().into());
        let done = step(Some(Proof::Idempotent), Life::Done { how: How::Executed, value: Ok(value) });
        assert_eq!(name(Some(&done), Proof::Idempotent), "Replay");
        let failed =
            step(Some(Proof::Verify), Life::Failed(Box::new(StepError::rejected("no such account".to_owned()))));
        for code in [Proof::Verify, Proof::Idempotent, Proof::Person, Proof::NotNeeded] {
            assert_eq!(name(Some(&failed), code), "Fail");
        }
        let unstorable = step(None, Life::Done { how: How::Executed, value: Err("a map with tuple keys".into()) });
        assert_eq!(name(Some(&unstorable), Proof::Verify), "Supply");
    }

    #[test]
    fn proven_absence_is_a_new_attempt() {
        let rejected = step(Some(Proof::Verify), Life::Rejected { error: "refused".into(), retry_at: None });
        assert!(matches!(decide(Some(&rejected), Proof::Verify, gone()), Decision::Run { attempt: 3, .. }));
    }

    #[test]
    fn a_new_key_waits_for_the_lost_ones() {
        assert!(matches!(decide(None, Proof::Verify, gone()), Decision::SettleFirst(_)));
        let lossy = || Gone { is_lossy: true, ..Gone::default() };
        assert!(matches!(decide(None, Proof::Verify, lossy()), Decision::Run { attempt: 1, .. }));
        assert!(matches!(decide(None, Proof::NotNeeded, lossy()), Decision::Ask { .. }));
        assert!(matches!(decide(None, Proof::Verify, Gone::default()), Decision::Run { attempt: 1, .. }));
    }

    #[test]
    fn an_attempt_that_is_left_to_a_person_says_why() {
        let after = |seconds: u64| Timestamp::from_millis(1000 * seconds);
        let day = Duration::from_secs(86_400);
        let repeated = tried(step(Some(Proof::Idempotent), doubt()), Some(day), 3);
        assert_eq!(barred(&repeated, None, after(86_400), None), None);
        assert_eq!(barred(&repeated, None, after(86_401), None), Some(Barred::Forgotten(day)));
        assert_eq!(barred(&repeated, None, after(0), Some(4)), None);
        assert_eq!(barred(&repeated, None, after(0), Some(3)), Some(Barred::Crashes(3)));
        let rejected = Life::Rejected { error: "refused".into(), retry_at: None };
        let absent = tried(step(Some(Proof::Idempotent), rejected), Some(day), 0);
        assert_eq!(barred(&absent, None, after(90_000), None), None, "what did nothing is no repeat");
        let unproven = Some((0, Timestamp::from_millis(0)));
        let lost = step(None, doubt()).with(Tried { unproven, ..Tried::default() });
        assert_eq!(barred(&lost, Some(day), after(0), None), Some(Barred::Undated(day)));
        assert_eq!(barred(&lost, None, after(0), None), None, "its receiver remembers it for ever");
    }
}
