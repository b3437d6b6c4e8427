//! The whole of a study: the undisturbed run, the exploration, the shortest story of each fault, the report.

use std::collections::BTreeMap;
use std::fmt::{Debug, Display};

use super::baseline::{Baseline, Told};
use super::explain::{FORKED, UNSTEADY, explain};
use super::explore::{Bounds, Explorer};
use super::findings::Findings;
use super::judge::{Fault, Rests, judge};
use super::progress::Progress;
use super::report::{Failure, Report, replay_line};
use super::retold::Retold;
use super::scene::Scene;
use super::shrink::shrink;
use super::table::Table;
use super::tell::tell;
use super::trial::Position;
use crate::testing::life::{End, Sessions, stalled};
use crate::testing::machine::trace::Traced;
use crate::testing::story::Story;

/// So many faults are told of at length.
const TOLD: usize = 3;

/// Studies a piece of work.
pub(crate) fn study<W, T, E>(
    scene: &Scene<'_, W>,
    bounds: Bounds,
    work: &impl AsyncFn(&Sessions, &W) -> Result<T, E>,
) -> Report
where
    T: PartialEq + Debug,
    E: Display,
{
    let name = scene.name.to_owned();
    if tokio::runtime::Handle::try_current().is_ok() {
        return Report::harness_broken(name, ASYNC.to_owned());
    }
    let baseline = match undisturbed(scene, work) {
        Ok(baseline) => baseline,
        Err(why) => {
            return Report::harness_broken(name, format!("the run that nothing befell did not end well: {why}"));
        }
    };
    if baseline.counts.is_empty() && baseline.told.steps.values().any(|step| !step.proof.is_empty()) {
        return Report::of(name, Findings::default(), Table::default(), Vec::new(), Some(BLIND.to_owned()));
    }
    let mut findings = match replayed(&name) {
        None => explored(scene, &baseline, bounds, work),
        Some(Ok(story)) if !comes(&story, scene, work) => {
            let why = format!(
                "{}: a moment of the story `{story}` does not come: the work is not what it was",
                super::REPLAY
            );
            return Report::harness_broken(name, why);
        }
        Some(Ok(story)) => one(&story, scene, &baseline, work),
        Some(Err(why)) => return Report::harness_broken(name, why),
    };
    steady(scene, &baseline, &mut findings, work);
    findings.tell_images_left_out();
    let failures: Vec<_> =
        findings.failures.iter().take(TOLD).map(|(story, fault)| told(story, fault, scene, &baseline, work)).collect();
    let table = Table::of(&baseline.trace, &findings.cells, |text| baseline.told.with_keys(text));
    Report::of(name, findings, table, failures, None)
}

const ASYNC: &str = "a lab has runtimes of its own: call it from a plain `#[test]`, not from async code";

const BLIND: &str = "no effect was seen, so none can be seen twice: let the fake that the workflow calls do its effects \
                     with `effects.apply(..)`, `apply_once(..)` or `note(..)`";

/// The run that nothing befalls.
pub(crate) fn undisturbed<W, T, E: Display>(
    scene: &Scene<'_, W>,
    work: &impl AsyncFn(&Sessions, &W) -> Result<T, E>,
) -> Result<Baseline<T>, String> {
    let mut trial = Position::start(Story::default(), scene.ledger()).resume(scene, work);
    *trial.process.machine.trace() = Some(Vec::new());
    let lived = trial.live(None, work);
    let trace: Vec<Traced> = trial.process.machine.trace().take().unwrap_or_default();
    match lived.end {
        End::Done(_) if !lived.asked.is_empty() => Err(format!("a person is asked about {:?}", lived.asked)),
        End::Done(result) => {
            let (counts, given, told) = (trial.effects.counts(), trial.effects.answers(), Told::of(&trace));
            Ok(Baseline { result, counts, given, trace, told, is_online: trial.process.is_online })
        }
        End::Stopped(error) | End::Refused(error) => Err(error),
        End::Panicked(text) => Err(format!("it panicked: {text}")),
        End::Stalled(what) => Err(format!("it {}", stalled(&what))),
        End::Died => Err("it never ended".to_owned()),
    }
}

fn explored<W, T, E>(
    scene: &Scene<'_, W>,
    baseline: &Baseline<T>,
    bounds: Bounds,
    work: &impl AsyncFn(&Sessions, &W) -> Result<T, E>,
) -> Findings
where
    T: PartialEq + Debug,
    E: Display,
{
    let mut explorer = Explorer::new(scene, work, baseline, bounds, Progress::of(scene.name));
    explorer.explore();
    explorer.findings
}

/// One story only.
fn one<W, T, E>(
    story: &Story,
    scene: &Scene<'_, W>,
    baseline: &Baseline<T>,
    work: &impl AsyncFn(&Sessions, &W) -> Result<T, E>,
) -> Findings
where
    T: PartialEq + Debug,
    E: Display,
{
    let mut findings = Findings { states: 1, distinct: 1, ..Findings::default() };
    findings.leave_out(format!("everything but the story `{story}`"));
    let fault = fault_of(story, scene, baseline, work);
    let what = if fault.is_some() { "it is broken" } else { "it holds" };
    let told = tell(&Retold::of(story, scene, baseline, work));
    say(&format!("{}: the story `{story}`: {what}\n{told}", scene.name));
    findings.failures.extend(fault.map(|fault| (story.clone(), fault)));
    findings
}

/// Whether every moment of the story comes when it is lived through.
fn comes<W, T, E: Display>(
    story: &Story,
    scene: &Scene<'_, W>,
    work: &impl AsyncFn(&Sessions, &W) -> Result<T, E>,
) -> bool {
    let start = Story { turns: Vec::new(), ..story.clone() };
    let mut trial = Position::start(start, scene.ledger()).resume(scene, work);
    story.turns.iter().all(|turn| {
        trial.live(turn.plan, work);
        let has_struck = turn.plan.is_none() || trial.process.machine.control.has_struck();
        trial.suffer(&turn.after);
        has_struck
    })
}

/// Two runs that nothing befalls must come to the same: else no other story can be compared with one.
fn steady<W, T, E>(
    scene: &Scene<'_, W>,
    baseline: &Baseline<T>,
    findings: &mut Findings,
    work: &impl AsyncFn(&Sessions, &W) -> Result<T, E>,
) where
    T: PartialEq + Debug,
    E: Display,
{
    let again = match undisturbed(scene, work) {
        Ok(again) => again,
        Err(error) => return findings.unsteady(Fault::Unsteady(format!("the second one failed: {error}"))),
    };
    if again.result != baseline.result {
        let (first, second) = (&baseline.result, &again.result);
        return findings.unsteady(Fault::Unsteady(format!("one gave {first:?}, and the other {second:?}")));
    }
    if again.counts != baseline.counts {
        let (first, second) = (named(&baseline.counts), named(&again.counts));
        return findings.unsteady(Fault::Unsteady(format!("one did {first}; the other {second}")));
    }
    if !baseline.told.is_concurrent && again.given != baseline.given {
        return findings.unsteady(Fault::Unsteady("an effect was done with something else".to_owned()));
    }
    if again.trace != baseline.trace {
        findings.leave_out("every order: two runs that nothing befell do the same in another order".to_owned());
    } else if findings.missed > 0 {
        let text = "moments did not come again when their story was lived through once more";
        findings.leave_out(format!("{} {text}", findings.missed));
    }
}

fn named(counts: &BTreeMap<String, usize>) -> String {
    let names: Vec<_> = counts.keys().map(|effect| format!("`{effect}`")).collect();
    if names.is_empty() { "nothing".to_owned() } else { names.join(", ") }
}

/// What goes wrong in this story, if something does.
fn fault_of<W, T, E>(
    story: &Story,
    scene: &Scene<'_, W>,
    baseline: &Baseline<T>,
    work: &impl AsyncFn(&Sessions, &W) -> Result<T, E>,
) -> Option<Fault>
where
    T: PartialEq + Debug,
    E: Display,
{
    let start = Story { turns: Vec::new(), ..story.clone() };
    let mut trial = Position::start(start, scene.ledger()).resume(scene, work);
    for turn in &story.turns {
        trial.live(turn.plan, work);
        trial.suffer(&turn.after);
    }
    let misled = story.is_watched_kill().then(|| super::judge::misled(&trial, baseline)).flatten();
    misled.or_else(|| judge(&mut trial, baseline, story.damaged(), &mut Rests::new(), work).fault)
}

fn told<W, T, E>(
    story: &Story,
    fault: &Fault,
    scene: &Scene<'_, W>,
    baseline: &Baseline<T>,
    work: &impl AsyncFn(&Sessions, &W) -> Result<T, E>,
) -> Failure
where
    T: PartialEq + Debug,
    E: Display,
{
    if let Fault::Unsteady(_) = fault {
        let replay = "every run of the test".to_owned();
        return Failure { fault: fault.to_string(), because: UNSTEADY.to_owned(), story: String::new(), replay };
    }
    let fails = |story: &Story| fault_of(story, scene, baseline, work).is_some_and(|found| found.is_like(fault));
    let story = shrink(story, fails);
    let again = fault_of(&story, scene, baseline, work);
    let keeps_more = again.is_none() && scene.forks;
    let fault = again.unwrap_or_else(|| fault.clone());
    let retold = Retold::of(&story, scene, baseline, work);
    let with_keys = |text: &str| baseline.told.with_keys(text);
    let because = if keeps_more { FORKED.to_owned() } else { explain(&fault, &baseline.told, &retold) };
    Failure {
        because: with_keys(&because),
        fault: with_keys(&fault.to_string()),
        story: with_keys(&tell(&retold)),
        replay: replay_line(scene.name, &story),
    }
}

/// The story that the environment asks for, if it is one of this lab.
fn replayed(name: &str) -> Option<Result<Story, String>> {
    let wanted = std::env::var(super::REPLAY).ok()?;
    let story = wanted.strip_prefix(name)?.strip_prefix('=')?;
    Some(story.parse().map_err(|error| format!("{}: {error}", super::REPLAY)))
}

#[expect(clippy::print_stderr, reason = "whoever replays a story wants to read it")]
fn say(text: &str) {
    eprintln!("{text}");
}
