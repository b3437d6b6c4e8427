//! What can go wrong, said so that the reader knows what to do next.

mod noted;
mod told;

use std::collections::BTreeSet;
use std::fmt;
use std::time::SystemTime;

use uuid::Uuid;

pub(crate) use self::noted::{Refusal, whose};
pub(crate) use self::told::{CancelText, Places, StopText};
use crate::core::key::KeyProblem;
use crate::core::start::{Cause, Place};
use crate::core::time::Timestamp;
use crate::core::way_out::{ADOPT, DOCTOR, ELSEWHERE, GOAL, RESOLVE, WayOut};
use crate::outcome::Outcome;
use crate::store::StoreError;

/// Why a session, a run or a step goes no further.
///
/// Opaque: ask it with the predicates, or show it. Its text names the key, the place in the source and the way out.
pub struct Error(Box<Kind>);

/// What every refusal says whose run had stopped before.
pub(crate) const STOPPED: &str = "stopped in this start at `";

#[derive(Debug, thiserror::Error)]
pub(crate) enum Kind {
    #[error("session `{place}` cannot be opened: {source}{}", doctor(source))]
    Open { place: String, source: StoreError },
    #[error("the sessions under `{place}` cannot be listed: {error}; name the directory that holds them")]
    NotListed { place: String, error: std::io::Error },
    #[error("session `{place}` cannot be read: {source}")]
    NotRead { place: String, source: StoreError },
    #[error(
        "step `{key}` ({at}) was not started: its reservation could not be made durable: {source}; free what is missing and start again"
    )]
    NotReserved { key: String, at: Place, source: StoreError },
    #[error(
        "step `{key}` ({at}) may have happened, but its result could not be recorded: {source}; the next start finds out"
    )]
    NotRecorded { key: String, at: Place, source: StoreError },
    #[error("session `{place}` could not be written: {source}; start again once the cause is gone")]
    NotWritten { place: String, source: StoreError },
    #[error(
        "step `{}` is in doubt: attempt {attempt} may have happened and nobody here can tell ({why}); {way}", .way.key
    )]
    InDoubt { attempt: u32, why: String, way: Box<WayOut> },
    #[error(
        "step `{key}` happened, but its result could not be stored ({why}); it will not run again: give the `{gives}` that it gave with `session.resolve(\"{key}\").happened(&value).by(\"who\", \"why\").await`; {}",
        ELSEWHERE
    )]
    NotStorable { key: String, why: String, gives: String },
    #[error(
        "the result of step `{key}` ({at}) could not be got again: {why}; it will not run again, for it has happened; the result holds what looks like a secret, so it was not kept, and the next start asks for it again; if nothing can give it, say what the `{gives}` was with `session.resolve(\"{key}\").happened(&value).by(\"who\", \"why\").await`; {}",
        ELSEWHERE
    )]
    NotFetched { key: String, at: Place, why: String, gives: String },
    #[error(
        "step `{key}` ({at}) failed, and nothing proves that it did not happen: {why}; the next start does it again, as its `idempotent` allows; if it fails for good, write `verify = ..` instead of `idempotent`, so that its error is a result once it is proven that nothing happened"
    )]
    Unproven { key: String, at: Place, why: String },
    #[error("step `{key}` ({at}) gave {why}, and nothing came of it; the next start tries again")]
    TimedOut { key: String, at: Place, why: String },
    #[error(
        "step `{key}` ({at}) was given other arguments than before (of which only a digest is kept: {given} now, {recorded} then); nothing was run: give it what it was given before, or put what differs into the key"
    )]
    ArgsChanged { key: String, at: Place, recorded: Uuid, given: Uuid },
    #[error(
        "the `args` of step `{key}` ({at}) cannot be compared with what is recorded: {error}; name what can be written as JSON"
    )]
    BadArgs { key: String, at: Place, error: String },
    #[error("`{run}` {why}; the next start goes on from there")]
    Panicked { run: String, why: String },
    #[error(
        "step `{key}` ({at}) has an error for its result ({error}), and the code has no `errors = \"recorded\"` on it any more; write it again"
    )]
    ErrorRecorded { key: String, at: Place, error: String },
    #[error("`{here}` was refused: run `{run}` stopped in this start {stop}{}", .stop.then("start again to go on"))]
    Stopped { here: String, run: String, stop: StopText },
    #[error(
        "key `{key}` is reached twice in one start, {places}; put what differs from one to the next (an id) into the key, or, if it is a run, into the `#[run(key = ..)]` of its call, for runs that begin from now on: what this one has recorded under the key would run again under another"
    )]
    KeyReused { key: String, places: Places },
    #[error(
        "run `{run}` is reached twice in one start: workflow `{workflow}` ({at}) is called in a loop, or at two places, and its runs have one key; give each call a name, `#[run(key = \"{workflow}/{{n}}\", formerly = [\"{shape}\"])]` with what differs from one to the next (an id) in the place of `n`: the first of them to be reached goes on with what is recorded"
    )]
    RunReused { run: String, workflow: String, at: Place, shape: String },
    #[error(
        "run `{run}` of workflow `{workflow}` ({at}) was entered for `{first}` in this start, and here for `{again}`: it is one run for both, and what it gave for the one is no result for the other; write a `key` on the workflow with what differs from one to the other, `#[durable_workflow(key = \"{workflow}/{{kind}}\")]`, where `kind` is an input"
    )]
    RunOfOtherTypes { run: String, workflow: String, at: Place, first: String, again: String },
    #[error("key template \"{template}\" ({at}): {}", .problem.in_template(.template))]
    BadKey { template: String, at: Place, problem: KeyProblem },
    #[error(
        "run `{run}` belongs to workflow `{recorded}`, and `{given}` ({at}) asks for the same key; give one of them another `key`, or, if it is the same workflow under a new name, write `formerly = [\"{recorded}\"]` on it"
    )]
    KeyConflict { run: String, recorded: String, given: String, at: Place },
    #[error(
        "run `{run}` ({at}) was not begun: run `{unfinished}` of workflow `{workflow}` is unfinished and was not entered in this start; finish that one first, or give it up for ever with `session.cancel(\"{unfinished}\")`, or, if `{workflow}` is called otherwise now, write `formerly = [\"{former}\"]` on it"
    )]
    UnfinishedRun { run: String, at: Place, unfinished: String, workflow: String, former: String },
    #[error(
        "run `{run}` ({at}) was not begun: its workflow `{workflow}` has run here as `{known}`, and its key has another template now; under another key its effects would happen again, so nothing was run: write `formerly = [\"{former}\"]` on it, or give it its old key back"
    )]
    RunRekeyed { run: String, at: Place, workflow: String, known: String, former: String },
    #[error(
        "run `{run}` ({at}) was not begun: run `{known}` of its workflow `{workflow}` was begun with inputs that are recorded the same, so either the key of `{workflow}` is written otherwise now (`{key}`), or it names a part of an input that the recorded form leaves out; under another key its effects would happen again, so nothing was run: give it its old key back, or write what it was, as a key with its holes, into `formerly = [\"..\"]` on it; if the key is as it was, have that part recorded (no `#[serde(skip)]`), and call it once more with what gave that key; or give that run up for ever with `session.cancel(\"{known}\")`"
    )]
    RunOfSameInputs { run: String, at: Place, workflow: String, known: String, key: &'static str },
    #[error(
        "run `{run}` was begun with another input, {difference}; give the recorded one, begin another run with another `key`, or write `#[durable_workflow(inputs = \"recorded\")]` to go on with what was recorded"
    )]
    InputChanged { run: String, difference: String },
    #[error(
        "run `{run}`: the recorded input `{input}` no longer reads as `{ty}`: {error}; keep the type able to read what it wrote, or begin another run with another `key`"
    )]
    InputUndecodable { run: String, input: String, ty: &'static str, error: String },
    #[error(
        "run `{run}` was begun without the input `{input}`; say what such a run sees, `#[input(default = ..)]`, or begin another run with another `key`"
    )]
    InputMissing { run: String, input: String },
    #[error(
        "input `{input}` of workflow `{workflow}` ({at}) cannot be recorded: {error}; give what identifies it, or mark it `#[resource]`"
    )]
    InputNotStorable { workflow: String, input: String, at: Place, error: String },
    #[error(
        "`{key}`: the recorded result no longer reads as `{ty}`: {error}; nothing was run: keep the type able to read what it wrote, or give the new one to a step with another key, in runs that begin from now on (`version`, `session.began_at()`)"
    )]
    Undecodable { key: String, ty: &'static str, error: String },
    #[error("`{key}` was not gone on with: its recorded value cannot be read: {source}")]
    Unfetched { key: String, source: StoreError },
    #[error("run `{run}` was not gone on with: its recorded input `{input}` cannot be read: {source}")]
    InputUnfetched { run: String, input: String, source: StoreError },
    #[error("run `{run}` finished, but its result cannot be recorded as `{ty}`: {error}; return what can be stored")]
    ResultNotStorable { run: String, ty: &'static str, error: String },
    #[error(
        "step `{key}` ({at}) was not started: the log of run `{run}` is gone, and these effects of it are not settled yet: {lost}; let their steps be reached first, or answer for each with {}; {}",
        RESOLVE,
        ELSEWHERE
    )]
    LogLost { key: String, at: Place, run: String, lost: String },
    #[error(
        "no goal is known, so nothing may be started: write `goal = \"..\"` in the attribute of workflow `{workflow}` ({at}), or give one with {} or in a file `mission.md` in the session's directory",
        GOAL
    )]
    NoGoal { workflow: String, at: Place },
    #[error(
        "session `{place}` has no goal, so it was not opened, and nothing was changed: give one (`--goal` on the command line, {}), or write it into a file `mission.md` in that directory",
        GOAL
    )]
    NoGoalYet { place: String },
    #[error(
        "session `{place}` is that of workflow `{workflow}` (run `{run}`), so nothing of a script is begun in it, and nothing was changed: name a session of its own (`-s DIR` on the command line), or, where it is meant, say so (`--join`)"
    )]
    OfWorkflow { place: String, workflow: String, run: String },
    #[error(
        "session `{place}` is for another goal, and nothing was changed: it is for `{recorded}`, and `{given}` was given; name a session of its own (`-s DIR` on the command line), give no goal to go on with that work, or, where its goal has changed, say so (`--join`)"
    )]
    OtherGoal { place: String, recorded: String, given: String },
    #[error(
        "no goal is known, so step `{key}` ({at}) may not be started: give one with {} or in a file `mission.md` in the session's directory",
        GOAL
    )]
    NoGoalHere { key: String, at: Place },
    #[error(
        "{what} ({at}) may not be started: it is in no run, and no goal of its own is known; run `{run}` is under way, and a task that it spawns is outside it: give the task the session of that run, `session.clone()`, or wait for it in the run, `tokio::join!(one, other)`; if it is work of its own, give its workflow a `goal`, or the session, `Session::builder(..).goal(\"..\")`"
    )]
    OutsideRun { what: String, at: Place, run: String },
    #[error(
        "run `{run}` ({at}) was not gone on with: {keys} of it is recorded, and the code has no step with such a key any more; under another its effects would happen again, so nothing was run: where the step is called otherwise now, write `formerly = [\"{shape}\"]` on it, and where it is gone, `retired = [\"{shape}\"]` on the workflow (or both, where it stands in a workflow that this one calls, there with its full key, `formerly = [\"{outer}//{shape}\"]`); or give it its old key back{others}"
    )]
    StepVanished { run: String, keys: String, shape: String, outer: String, others: String, at: Place },
    #[error(
        "run `{run}` ({at}) was not gone on with: {keys} in it was named by a `#[run]`, and the code has none with such a key any more; under another its effects would happen again, so nothing was run: where the call is named otherwise now, write `formerly = [\"{shape}\"]` into its `#[run]`, and where it is gone, `retired = [\"{shape}\"]` on the workflow; or give it its old key back{others}"
    )]
    RunVanished { run: String, keys: String, shape: String, others: String, at: Place },
    #[error(
        "run `{run}` ({at}) was not gone on with: {what} `{key}` in it is recorded under a key that was written `{before}`, and the code writes `{now}`, of which other keys come; under another its effects would happen again, so nothing was run: write `formerly = [\"{before}\"]` {on}, or give it its old key back"
    )]
    KeyRewritten {
        run: String,
        at: Place,
        what: &'static str,
        key: String,
        before: String,
        now: String,
        on: &'static str,
    },
    #[error(
        "`{here}` ({at}) goes no further: run `{known}` of workflow `{workflow}` is recorded, and run `{run}` neither calls `{workflow}` any more without naming the run nor has reached it by another name; under another key its effects would happen again, so nothing new was begun: where `{workflow}` itself has another name now, write `formerly = [\"{workflow}\"]` on it; where the call is named now, write `formerly = [\"{shape}\"]` into its `#[run]`; where a step of it stands in `{outer}` itself now, `formerly = [\"{known}//..\"]` on the step; and where it is gone, `retired = [\"{shape}\"]` on `{outer}`; or call it as before"
    )]
    CallVanished { here: String, at: Place, run: String, known: String, workflow: String, shape: String, outer: String },
    #[error(
        "step `{key}` ({at}) was not begun: it was `{former}` formerly, and run `{run}`, in which that stood, is finished, so what it gave is known no more; under another key its effect could happen again: call that workflow as before where the run was begun so (`session.began_at()`); or, if the step is to run all the same, take `formerly` out, and write `retired = [\"{shape}\"]` on the workflow"
    )]
    FormerGone { key: String, at: Place, former: String, run: String, shape: String },
    #[error(
        "run `{run}` ({at}) was not gone on with: step `{key}` of it is retired, and nobody knows whether it happened; to retire a step says nothing of what it did: ask {ask}, then answer with `session.resolve(\"{key}\")`; {}",
        ELSEWHERE
    )]
    RetiredInDoubt { run: String, key: String, ask: String, at: Place },
    #[error(
        "run `{run}` was begun by version {began} of workflow `{workflow}`, and this program has version {given} ({at}), which is older; start the newer program again"
    )]
    BegunByNewer { run: String, workflow: String, began: u32, given: u32, at: Place },
    #[error("`session.{asked}` is about the run of a workflow, and was called outside any; call it in the body of one")]
    NoRun { asked: &'static str },
    #[error(
        "`#[run]` ({at}) names run `{run}`, and its expression entered no run of this session; put it on the call of a workflow with its `.await`, and not around `tokio::spawn`, whose task enters runs of its own"
    )]
    NotEntered { run: String, at: Place },
    #[error(
        "`#[run]` ({at}) names one run, `{run}`, and workflow `{workflow}` ({second}) is the second that its expression enters; give each call a `#[run]` of its own"
    )]
    NamedTwice { run: String, at: Place, workflow: String, second: Place },
    #[error(
        "run `{run}` did not finish: it ended without reaching {keys}, which it recorded in an earlier start{instead}; a key may depend on inputs and recorded results alone: put the clock, a random number or a query into a `#[read]`, and start again; if it is the code that changed, {way}; or give the run up with `session.cancel(\"{run}\")`"
    )]
    StepUnreached { run: String, keys: String, instead: String, way: String, shapes: Vec<String> },
    #[error(
        "`{here}` ({at}) was not begun: an earlier start of run `{run}` ended without reaching {keys}, {alike}, and this one has not reached that either, so its keys come from what is not recorded, and this would be one effect more; a key may depend on inputs and recorded results alone: put the clock, a random number or a query into a `#[read]`, see what has happened under the recorded keys, and then write the step with a key of another template, and `retired = [\"{shape}\"]` on the workflow; or give the run up with `session.cancel(\"{run}\")`"
    )]
    KeyAnew { here: String, at: Place, run: String, keys: String, alike: &'static str, shape: String },
    #[error(
        "`{here}` ({at}) was refused: it is reached inside the expression of step `{outer}` ({place}), which a replay does not run, and so would not be reached again; take it out of that step: let the step give what is needed, and if all that it does is to call a workflow, make it a `#[run(key = ..)]`, or no step at all"
    )]
    InEffect { here: String, at: Place, outer: String, place: Place },
    #[error(
        "`{here}` was not begun: {cancelled}; a cancelled run begins no new effects, but for steps with `cleanup`, and this holds for every later start"
    )]
    Cancelled { here: String, cancelled: CancelText },
    #[error(
        "run `{run}` ended without a result, `{undone}` in it was not begun: {cancelled}; what is undone stays undone, and no start changes it"
    )]
    EndedCancelled { run: String, undone: String, cancelled: CancelText },
    #[error(
        "run `{run}` was given up while its code was running, {cancelled}, and not all that cleans up in it was reached; start it again: from its first line on it knows, and cleans up"
    )]
    NotCleanedUp { run: String, cancelled: CancelText },
    #[error(
        "run `{run}` goes no further, for what it needs gives no result: {cancelled}; give this run up too, `session.cancel(\"{run}\")`, or write `errors = \"later\"` into the `#[run]` of the call, and it goes on without that"
    )]
    NeedsCancelled { run: String, cancelled: CancelText },
    #[error(
        "run `{run}` was cancelled, and step `{key}` in it is in doubt: to cancel says nothing of what has happened; see whether it has, and answer with `session.resolve(\"{key}\")`; {}",
        ELSEWHERE
    )]
    CancelledInDoubt { run: String, key: String },
    #[error("run `{run}` was not cancelled: {why}")]
    NotCancelled { run: String, why: String },
    #[error(
        "a run with `errors = \"later\"` has failed {stop}{}; so `{here}` ({at}) was refused: until the next start only such runs are begun beside it, since what goes on from it would go another way once it has not failed", .stop.then("")
    )]
    AfterLater { here: String, at: Place, stop: StopText },
    #[error(
        "a run with `errors = \"later\"` has failed {stop}; so run `{run}` is incomplete{}",
        .stop.then("start again, and what has failed is tried again")
    )]
    Incomplete { run: String, stop: StopText },
    #[error(
        "run `{run}` cannot finish: run `{inner}` inside it has not finished; await it before the end, or, where the code calls it no more, write `retired = [\"{shape}\"]` on the workflow"
    )]
    OpenRun { run: String, inner: String, shape: String },
    #[error("`{here}` was refused: run `{run}` around it is finished; start nothing that outlives the workflow")]
    Finished { here: String, run: String },
    #[error("`{here}` was refused: the session was closed; start nothing after `close`")]
    Closed { here: String },
    #[error(
        "run `{run}` cannot finish: step `{key}` in it is in doubt and was not reached in this start; let the workflow reach it, and it is settled or asked about"
    )]
    OpenDoubt { run: String, key: String },
    #[error(
        "no program can inherit the lock of session `{place}`: {source}; start none that acts for it, or free what is missing and start again"
    )]
    NotLent { place: String, source: StoreError },
    #[error("step `{key}` ({at}) waits {what}; start again once that is over")]
    Waiting { key: String, at: Place, what: String, until: Option<Timestamp> },
    #[error(
        "step `{key}` ({at}) was not begun: its key was recorded as that of {recorded}; give the step a key of its own"
    )]
    AnotherStep { key: String, at: Place, recorded: &'static str },
    #[error(
        "decision `{key}` ({at}) goes no further: it shows something else than was asked about, {difference}; show that again, or ask anew under another key"
    )]
    ShowsOther { key: String, at: Place, difference: String },
    #[error("what decision `{key}` ({at}) shows cannot be recorded: {error}; show what can be written as JSON")]
    NotShown { key: String, at: Place, error: String },
    #[error("the word was not left for session `{place}`: {source}{}", post_again(source))]
    NotPosted { place: String, source: StoreError },
    #[error(
        "the word about `{key}` was not left for session `{place}`: {by} has said something else before ({}), and the first word counts that the step reads a result in; remove no file, but start the worker, if none is running: it takes that one, and where that is no result the question is open again", where_said(*.posted)
    )]
    AnsweredOtherwise { key: String, place: String, by: String, posted: Option<Uuid> },
    #[error("the word{} does not count: {why}", about(.key))]
    NothingAsked { key: String, why: String },
    #[error(
        "the word about `{key}` does not count: `{wanted}` is asked for, and it gives `{given}`; give one, or, if the code gives another type there now, start the worker first: it asks for that"
    )]
    OfOtherType { key: String, wanted: String, given: String },
    #[error(
        "session `{place}` cannot be opened: it was {durability} and is not closed, and the machine was started anew since, so its last records may be gone, and what they say was done with them; nothing was changed: make sure what it did, then vouch for it with {}; every effect without a record is in doubt from then on",
        ADOPT
    )]
    Restarted { place: String, durability: String },
    #[error("session `{place}` was not adopted: that needs a name and a reason")]
    NotAdopted { place: String },
    #[error(transparent)]
    Noted(#[from] Refusal),
    #[error("a session needs a Tokio runtime: call it from a function with `#[tokio::main]` or `#[tokio::test]`")]
    NoRuntime,
}

fn about(key: &str) -> String {
    if key.is_empty() { String::new() } else { format!(" about `{key}`") }
}

/// In which file of a session a word stands.
fn where_said(posted: Option<Uuid>) -> String {
    posted.map_or_else(|| "in `journal.jsonl`".to_owned(), |id| format!("in `inbox/{id}.json`"))
}

/// When a word can be left that was not.
fn post_again(source: &StoreError) -> String {
    let doctor = doctor(source);
    match source {
        StoreError::Io { error, .. } if error.kind() == std::io::ErrorKind::NotFound => {
            "; give the directory that the worker opens, once it has begun its session".to_owned()
        }
        StoreError::Io { .. } | StoreError::Busy { .. } => "; post it again once the disk takes it".to_owned(),
        StoreError::Damaged(_) | StoreError::Newer { .. } | StoreError::Moved { .. } => {
            format!("{doctor}; no start opens it as it is, so nobody would take the word: post it again once one does")
        }
    }
}

/// Who can say more of what is damaged.
fn doctor(source: &StoreError) -> String {
    match source {
        StoreError::Damaged(_) => format!("; {DOCTOR} says whether it can be put right without loss"),
        _ => String::new(),
    }
}

impl Error {
    /// Whether another process holds the session. Nothing was changed.
    pub fn is_locked(&self) -> bool {
        matches!(&*self.0, Kind::Open { source: StoreError::Busy { .. }, .. })
    }

    /// Whether something acknowledged can no longer be read, or was written by a newer version. Nothing was run that
    /// needs it.
    pub fn is_damaged(&self) -> bool {
        let damaged = |source: &StoreError| matches!(source, StoreError::Damaged(_) | StoreError::Newer { .. });
        self.store().is_some_and(damaged) || self.stop().is_some_and(|stop| stop.cause() == Cause::Damage)
    }

    /// Whether a person must say what happened: see [`Error::key`] and [`Session::resolve`](crate::Session::resolve).
    pub fn is_in_doubt(&self) -> bool {
        matches!(
            &*self.0,
            Kind::InDoubt { .. }
                | Kind::NotStorable { .. }
                | Kind::LogLost { .. }
                | Kind::OpenDoubt { .. }
                | Kind::CancelledInDoubt { .. }
                | Kind::RetiredInDoubt { .. }
        ) || self.stop().is_some_and(|stop| stop.cause() == Cause::Doubt)
    }

    /// Whether the session is not where it was, or its machine was started anew under it, and somebody must vouch for it: see
    /// [`adopt`](crate::adopt). Nothing was changed.
    pub fn is_moved(&self) -> bool {
        let is_moved = |source: &StoreError| matches!(source, StoreError::Moved { .. });
        matches!(&*self.0, Kind::Restarted { .. }) || self.store().is_some_and(is_moved)
    }

    /// Whether a word was refused because it answers no open question, or not as it is to be answered, or gives what cannot
    /// be of the type that is asked for. One that was said
    /// to a session that is open is recorded as refused; one that was to be [posted](crate::post) has changed nothing.
    pub fn is_nothing_asked(&self) -> bool {
        matches!(&*self.0, Kind::NothingAsked { .. } | Kind::OfOtherType { .. })
    }

    /// Whether a word was not [posted](crate::post) because somebody has said something else about the same question before,
    /// and that is not read yet. Nothing was changed.
    pub fn is_answered_otherwise(&self) -> bool {
        matches!(&*self.0, Kind::AnsweredOtherwise { .. })
    }

    /// Whether something was not [remembered](crate::Session::memory) because a bound is reached. Nothing was changed.
    pub fn is_memory_full(&self) -> bool {
        matches!(&*self.0, Kind::Noted(Refusal::Full { .. }))
    }

    /// Whether an effect was not begun, or an artifact not noted, because the loop around it [rests](crate::Turn::Rest).
    pub fn is_resting(&self) -> bool {
        matches!(&*self.0, Kind::Noted(Refusal::Resting { .. } | Refusal::NothingMade { .. }))
    }

    /// Whether a person has given the run up, so that nothing went wrong and nothing is left to do: see
    /// [`Session::cancel`](crate::Session::cancel) and [`Outcome::Cancelled`].
    pub fn is_cancelled(&self) -> bool {
        matches!(&*self.0, Kind::Cancelled { .. } | Kind::EndedCancelled { .. } | Kind::NeedsCancelled { .. })
            || self.stop().is_some_and(|stop| stop.cause() == Cause::Cancelled)
    }

    /// Whether this was refused only because its run had stopped before.
    pub fn is_stopped(&self) -> bool {
        matches!(&*self.0, Kind::Stopped { .. })
    }

    /// Whether nothing went wrong, and a step only waits: for an instant, for a person, or for what may still land. A start
    /// that comes after that goes on. See [`Waits::Exit`](crate::Waits::Exit).
    pub fn is_waiting(&self) -> bool {
        match &*self.0 {
            Kind::Waiting { .. } => true,
            Kind::Incomplete { stop, .. } => stop.0.cause == Cause::Waiting,
            _ => false,
        }
    }

    /// When to start again, if that is known: the first instant at which anything goes on that [waits](Self::is_waiting).
    pub fn waits_until(&self) -> Option<SystemTime> {
        match &*self.0 {
            Kind::Waiting { until, .. } => until.map(SystemTime::from),
            _ => None,
        }
    }

    /// The full key that this is about, if it is about one.
    pub fn key(&self) -> Option<&str> {
        match &*self.0 {
            Kind::NotReserved { key, .. }
            | Kind::NotRecorded { key, .. }
            | Kind::NotStorable { key, .. }
            | Kind::Unproven { key, .. }
            | Kind::ErrorRecorded { key, .. }
            | Kind::TimedOut { key, .. }
            | Kind::NotFetched { key, .. }
            | Kind::ArgsChanged { key, .. }
            | Kind::KeyReused { key, .. }
            | Kind::Undecodable { key, .. }
            | Kind::Unfetched { key, .. }
            | Kind::LogLost { key, .. }
            | Kind::OpenDoubt { key, .. }
            | Kind::CancelledInDoubt { key, .. }
            | Kind::Waiting { key, .. }
            | Kind::AnotherStep { key, .. }
            | Kind::ShowsOther { key, .. }
            | Kind::NotShown { key, .. }
            | Kind::RetiredInDoubt { key, .. }
            | Kind::FormerGone { key, .. }
            | Kind::KeyAnew { here: key, .. }
            | Kind::AnsweredOtherwise { key, .. }
            | Kind::NothingAsked { key, .. }
            | Kind::OfOtherType { key, .. } => Some(key),
            Kind::InDoubt { way, .. } => Some(&way.key),
            // A refusal is about what it was refused for, where that has to be dealt with.
            _ => self.stop().filter(|stop| stop.cause() > Cause::Error).map(StopText::key),
        }
    }

    /// How a process that ends with this error should say so.
    pub fn outcome(&self) -> Outcome {
        match () {
            () if self.is_locked() => Outcome::Held,
            () if self.is_damaged() || self.is_moved() => Outcome::Damaged,
            () => self.cause().into(),
        }
    }

    /// Whether the code and the log do not agree. A key was used before with something else: another input, or one more or of
    /// another type; other arguments; another workflow; another kind of step, or one that gives another type; or a decision
    /// that showed something else. Or the code no longer reaches what is recorded, or is older than it. Another start of the same
    /// code changes nothing of it.
    pub fn is_conflict(&self) -> bool {
        matches!(
            &*self.0,
            Kind::InputChanged { .. }
                | Kind::InputMissing { .. }
                | Kind::InputUndecodable { .. }
                | Kind::KeyConflict { .. }
                | Kind::RunOfOtherTypes { .. }
                | Kind::ArgsChanged { .. }
                | Kind::AnotherStep { .. }
                | Kind::ShowsOther { .. }
                | Kind::StepUnreached { .. }
                | Kind::KeyAnew { .. }
                | Kind::Undecodable { .. }
                | Kind::RunRekeyed { .. }
                | Kind::StepVanished { .. }
                | Kind::RunVanished { .. }
                | Kind::CallVanished { .. }
                | Kind::KeyRewritten { .. }
                | Kind::RunOfSameInputs { .. }
                | Kind::FormerGone { .. }
                | Kind::BegunByNewer { .. }
        )
    }

    /// The shapes of the steps and runs that a run ended without reaching.
    pub(crate) fn missed(&self) -> BTreeSet<String> {
        match &*self.0 {
            Kind::StepUnreached { shapes, .. } => shapes.iter().cloned().collect(),
            _ => BTreeSet::new(),
        }
    }

    /// What the store said.
    fn store(&self) -> Option<&StoreError> {
        match &*self.0 {
            Kind::Open { source, .. }
            | Kind::NotRead { source, .. }
            | Kind::NotReserved { source, .. }
            | Kind::NotRecorded { source, .. }
            | Kind::NotWritten { source, .. }
            | Kind::Unfetched { source, .. }
            | Kind::InputUnfetched { source, .. }
            | Kind::NotPosted { source, .. } => Some(source),
            _ => None,
        }
    }

    /// The stop that this was refused for.
    fn stop(&self) -> Option<&StopText> {
        match &*self.0 {
            Kind::Stopped { stop, .. } | Kind::AfterLater { stop, .. } | Kind::Incomplete { stop, .. } => Some(stop),
            _ => None,
        }
    }

    pub(crate) fn cause(&self) -> Cause {
        match () {
            () if self.is_waiting() => Cause::Waiting,
            () if self.is_damaged() => Cause::Damage,
            () if self.is_in_doubt() => Cause::Doubt,
            () if self.is_conflict() => Cause::Conflict,
            () if self.is_cancelled() => Cause::Cancelled,
            () => self.stop().map_or(Cause::Error, StopText::cause),
        }
    }
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        Kind::from(refusal).into()
    }
}

impl From<Kind> for Error {
    fn from(kind: Kind) -> Self {
        Self(Box::new(kind))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for Error {
    /// The text, not the fields: what `unwrap` or a `main` shows must say the way out too.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Error {}
