//! Why it happened, as far as a story shows, and what to write instead.

use super::baseline::Told;
use super::judge::Fault;
use super::retold::{LifeRetold, Retold};
use crate::testing::machine::trace::{Said, Traced};
use crate::testing::story::{Fate, When};

/// The likely mistake behind a fault.
pub(crate) fn explain(fault: &Fault, told: &Told, retold: &Retold) -> String {
    match fault {
        Fault::Doubled { effect, wanted, .. } => doubled(effect, *wanted, told, retold),
        Fault::Lost { effect, .. } => lost(effect, told, retold),
        Fault::OtherResult { .. } => OTHER_RESULT.to_owned(),
        Fault::OtherEffect { effect, .. } => format!(
            "what `{effect}` was done with is neither recorded nor an input: a start that goes on has it otherwise (a clock, \
             a count of starts, the world looked at outside of a `#[read]`, a verifier that gives another value than its \
             step). Take it from a step or a `#[read]`, which records it"
        ),
        Fault::OtherValue { key, .. } => format!(
            "the verifier of step `{key}` gives another value than the step itself: let it give what the call gave"
        ),
        Fault::Unsteady(_) => UNSTEADY.to_owned(),
        Fault::Stuck(_) => "the error says what is missing; the story shows what came before".to_owned(),
        Fault::Restless(_) => RESTLESS.to_owned(),
        Fault::Refused(_) | Fault::Touched(_) | Fault::Forgot | Fault::Misled(_) => LIBRARY.to_owned(),
    }
}

const OTHER_RESULT: &str = "the result depends on something that is neither recorded nor in the world (a clock, a \
     random number, a variable that a step changes in passing): take it from a step or a `#[read]`, which records it, \
     or as an input. A read that was not recorded yet is read again, so let the fake answer the same";

/// For a story that does not fail when it is lived through from its beginning.
pub(crate) const FORKED: &str = "the story does not fail when it is lived through from its beginning: the world keeps \
     something beside its effects, so leave out `.forks()`";

pub(crate) const UNSTEADY: &str = "the workflow depends on something that differs from run to run (a clock, a random number, the \
     memory of a process, the order of a hash map): after a crash it goes another way. Take it in a `#[read]`, which \
     records it, or as an input";

const RESTLESS: &str = "something is done beside the workflow each time the process starts: put it into a step";

const LIBRARY: &str = "this is a fault of durable-runtime, not of the workflow: please report it with the replay line";

fn doubled(effect: &str, wanted: usize, told: &Told, retold: &Retold) -> String {
    if let Some(text) = in_no_step(effect, wanted, told, retold) {
        return text;
    }
    let Some(key) = told.step_of(effect).map(str::to_owned).or_else(|| step_in(effect, retold)) else {
        return "the story shows which request was sent twice".to_owned();
    };
    if let Some(text) = several(&key, told) {
        return text;
    }
    let history = History::of(&key, effect, retold);
    if history.most_in_one_attempt > wanted.max(1) {
        return format!(
            "one attempt of step `{key}` asked for it {} times: it tries again inside the step, where nobody can tell whether \
             the first try happened. Try once in a step, and let it fail: the next start verifies",
            history.most_in_one_attempt
        );
    }
    match history.proof.as_str() {
        "verify" if history.was_absent() && retold.lives.iter().any(is_question_unanswered) => format!(
            "the verifier of step `{key}` got no good answer, and took that for a proof that it did not happen: only the \
             receiver's word for it is one (over HTTP a 404). Let every other error out of the verifier with `?`"
        ),
        "verify" if history.was_absent_although_done => format!(
            "the verifier of step `{key}` said that it did not happen, and it had happened: it looks for something else \
             than the effect leaves behind. Let it look for what the call sends (its token, or an id in the key)"
        ),
        "verify" if history.landed_late => format!(
            "the verifier of step `{key}` said that it did not happen, which was true, and the request landed after \
             that: make `settle` longer than a request can be on its way"
        ),
        "idempotent" => format!(
            "step `{key}` is declared idempotent, and its receiver did it with each attempt: pass the token of the key \
             (`key = \"..\" as name`, then `name.token()`) to the receiver. If it is passed, the receiver has forgotten it: prove the effect with \
             `verify`"
        ),
        _ => format!("step `{key}` ran again although its first attempt had happened; the story shows why"),
    }
}

/// The effect belongs to no side effect: it stands in plain code, in a read, or in a branch that only a crash leads to.
fn in_no_step(effect: &str, wanted: usize, told: &Told, retold: &Retold) -> Option<String> {
    if told.outside.contains(effect) {
        return Some(format!(
            "no `#[side_effect]` was running when `{effect}` happened: it stands in plain code or in a `#[read]`, so \
             every start does it again. Put it into a step of its own: `#[side_effect(key = \"..\", verify = ..)]`"
        ));
    }
    let story = Told::of_lives(retold.lives.iter().map(|life| life.trace.as_slice()));
    if wanted > 0 && !story.outside.contains(effect) {
        return None;
    }
    let is_it = |traced: &Traced| matches!(traced, Traced::Done { effect: other } if other == effect);
    let here = retold.lives.iter().filter(|life| life.trace.iter().any(is_it));
    let swallowed = here.clone().find(|life| life.has_error());
    let failed = swallowed.and_then(|life| records(&life.trace).find(|said| said.action == "failed")?.key.clone());
    let cause = failed.map_or_else(|| "an error".to_owned(), |key| format!("the error of step `{key}`"));
    Some(if swallowed.is_some() {
        format!(
            "`{effect}` is done on a path that is taken after {cause} was swallowed, beside the step that may have \
             happened: let the error out with `?`, so that the next start finds out what happened"
        )
    } else {
        format!(
            "a start that goes on does `{effect}`, which the undisturbed run does not do: it takes another path, or sends \
             another name or token (one that is made anew, or hangs on the world, a clock or a count of starts). Take \
             what it hangs on from a `#[read]`, and let a verifier do nothing but look"
        )
    })
}

fn lost(effect: &str, told: &Told, retold: &Retold) -> String {
    let Some(key) = told.step_of(effect) else {
        return format!(
            "no `#[side_effect]` was running when `{effect}` happened: a start that goes on behind it never does it. Put \
             it into a step of its own"
        );
    };
    if let Some(text) = several(key, told) {
        return text;
    }
    let history = History::of(key, effect, retold);
    if history.was_verified {
        return format!(
            "the verifier of step `{key}` said that it had happened, and it had not: it finds something that was there \
             before, or something else. Let it look for what the call sends (its token, or an id in the key)"
        );
    }
    if retold.lives.iter().any(answers_error) {
        return format!(
            "step `{key}` took an error that the receiver answered for a success: check the status, and let the error out \
             (with reqwest: `.error_for_status()?`)"
        );
    }
    if retold.lives.iter().any(has_no_answer) {
        return format!(
            "step `{key}` took a request without an answer for a success: its error was swallowed inside the step, or it \
             is left running behind it. Await it inside the step, and let its error out with `?`"
        );
    }
    format!(
        "step `{key}` was recorded as done before `{effect}` had happened: something is left running in the background. \
         Await it inside the step"
    )
}

/// One step that does several effects.
fn several(key: &str, told: &Told) -> Option<String> {
    let effects = told.steps.iter().find(|((_, other), _)| other == key).map(|(_, step)| &step.effects)?;
    let names: Vec<_> = effects.keys().map(|effect| format!("`{effect}`")).collect();
    (names.len() > 1).then(|| {
        format!(
            "step `{key}` does more than one effect ({}): a crash between them leaves a part, and its verifier sees \
             another. Give each a step of its own",
            names.join(", ")
        )
    })
}

fn has_no_answer(life: &LifeRetold) -> bool {
    life.plan()
        .is_some_and(|plan| matches!(plan.when, When::Call(..)) && !matches!(plan.fate, Fate::Dies | Fate::DiesLate))
}

fn answers_error(life: &LifeRetold) -> bool {
    life.plan().is_some_and(|plan| plan.fate == Fate::AnswersError)
}

/// A question that the world did not answer, or answered with an error.
fn is_question_unanswered(life: &LifeRetold) -> bool {
    let Some(When::Call(struck, _)) = life.plan().map(|plan| plan.when) else { return false };
    let is_it = |traced: &Traced| matches!(traced, Traced::Call { number, is_question: true, .. } if *number == struck);
    life.trace.iter().any(is_it)
}

/// What a story says of one step and one effect.
#[derive(Debug, Default)]
struct History {
    proof: String,
    most_in_one_attempt: usize,
    was_absent_although_done: bool,
    landed_late: bool,
    was_verified: bool,
}

impl History {
    fn of(key: &str, effect: &str, retold: &Retold) -> Self {
        let mut history = Self::default();
        let mut done = 0;
        for life in &retold.lives {
            let mut in_attempt = 0;
            for traced in &life.trace {
                match traced {
                    Traced::Done { effect: other } if other == effect => done += 1,
                    Traced::Call { effect: other, is_question: false, .. } if other == effect => in_attempt += 1,
                    _ => {}
                }
                history.most_in_one_attempt = history.most_in_one_attempt.max(in_attempt);
                for said in records(std::slice::from_ref(traced)).filter(|said| said.key.as_deref() == Some(key)) {
                    if said.action == "reserve" {
                        in_attempt = 0;
                    }
                    history.record(said, done > 0);
                }
            }
        }
        history
    }

    /// Whether the verifier has said that it did not happen.
    fn was_absent(&self) -> bool {
        self.was_absent_although_done || self.landed_late
    }

    fn record(&mut self, said: &Said, is_done: bool) {
        match said.action.as_str() {
            "reserve" => self.proof = said.proof.clone().unwrap_or_default(),
            "absent" if is_done => self.was_absent_although_done = true,
            "absent" => self.landed_late = true,
            "done" => self.was_verified |= said.how.as_deref() == Some("verified"),
            _ => {}
        }
    }
}

/// The step that was running when the effect happened, by the story alone.
fn step_in(effect: &str, retold: &Retold) -> Option<String> {
    let told = Told::of_lives(retold.lives.iter().map(|life| life.trace.as_slice()));
    told.step_of(effect).map(str::to_owned)
}

fn records(trace: &[Traced]) -> impl Iterator<Item = &Said> {
    trace.iter().flat_map(|traced| match traced {
        Traced::Operation { records, .. } => records.as_slice(),
        Traced::Call { .. } | Traced::Done { .. } => &[],
    })
}
