//! A record of the log on one line.

use durable_runtime::core::record::{Event, Record, Stored};

use crate::output::{self, Output, Style};

/// How much is shown of a value or an error, in bytes.
const SHOWN: usize = 200;

/// The line: for a person, or for a program the record as it stands in the log.
pub(crate) fn line(record: &Record, output: &Output) -> String {
    if output.is_json() {
        return output::seen(&json(record));
    }
    let action = output.styled(Style::Bold, format!("{:<12}", record.event.action()));
    let at = output.styled(Style::Faint, record.at);
    let about = about(&record.event).map(output::key);
    let said = said(&record.event);
    let line = [about, said].into_iter().flatten().collect::<Vec<_>>().join(": ");
    format!("{at} {:>6} {action} {line}", record.seq).trim_end().to_owned()
}

/// The step or the run that it speaks of.
fn about(event: &Event) -> Option<&str> {
    let about = match event {
        Event::Stopped(stopped) => stopped.key.as_ref().unwrap_or(&stopped.run),
        Event::Refused(refused) => refused.key.as_ref().unwrap_or(&refused.run),
        event => event.key()?,
    };
    Some(about).filter(|about| !about.is_empty())
}

/// The record as a JSON object, without what the store puts behind it.
pub(crate) fn json(record: &Record) -> String {
    let mut json = Vec::new();
    // A record that was read can be written.
    record.open_json(&mut json).ok();
    json.push(b'}');
    String::from_utf8_lossy(&json).into_owned()
}

/// What it says beside its key; what comes from outside is cut and cannot reach the terminal.
fn said(event: &Event) -> Option<String> {
    let said = match event {
        Event::Boot(boot) => format!("iteration {} of {}, process {}", boot.iteration, boot.identity, boot.pid),
        Event::Checkpoint(point) => point.next.clone()?,
        Event::Run(run) => run.goal.clone()?,
        Event::Reserve(reserve) => format!("attempt {}{}", reserve.attempt, titled(reserve.title.as_deref())),
        Event::Done(done) => format!("{}{}", how(event), value(done.value.as_ref())),
        Event::Failed(failed) => format!("attempt {}, {}", failed.attempt, failed.error),
        Event::Absent(absent) => format!("did not happen, says {}", absent.by),
        Event::InDoubt(doubt) => format!("asks {}: {}", doubt.ask, doubt.why),
        Event::NotYet(not_yet) => format!("absence counts from {}", not_yet.until),
        Event::Resolve(word) => {
            let happened = if word.happened { "happened" } else { "did not happen" };
            format!("{happened}, says {}: {}{}", word.by, word.because, value(word.value.as_ref()))
        }
        Event::Wait(wait) => format!("until {}", wait.until),
        Event::Ask(ask) => format!("asks {}, shows {}", ask.ask, ask.shown.get()),
        Event::Answer(answer) => format!("{} says {}: {}", answer.by, answer.value.get(), answer.because),
        Event::WordRefused(refused) => format!("the word of {} does not count: {}", refused.by, refused.why),
        Event::Stopped(stopped) => stopped.error.clone(),
        Event::Refused(refused) => refused.error.clone(),
        Event::End(end) => value(Some(&end.value)).trim_start_matches(", ").to_owned(),
        Event::Cancel(cancel) => format!("given up by {}: {}", cancel.by, cancel.because),
        Event::Adopt(adopt) => format!("{} vouches for it: {}", adopt.by, adopt.because),
        Event::Replayed(replayed) => format!("{} steps, {} to {}", replayed.count, replayed.first, replayed.last),
        Event::Repaired(repaired) => format!("{} bytes cut off from line {}", repaired.bytes, repaired.line),
        Event::Lost(lost) => format!("{} keys: {}", lost.keys.len(), lost.keys.join(", ")),
        Event::Memory(memory) => format!("{}{}", memory.name, value(memory.value.as_ref())),
        Event::Artifact(made) => made.name.clone(),
        Event::Budget(budget) => format!("{} of {} used", budget.used, budget.total),
        Event::Turn(turn) => format!("turn {}", turn.number),
        Event::Verdict(verdict) => format!("{}: {}", verdict.component, verdict.because),
        Event::Note(note) => note.text.clone(),
        Event::Trim(trim) => format!("{} records kept, {} keys closed", trim.records, trim.closed),
        _ => return None,
    };
    Some(output::shown(&said, SHOWN))
}

fn titled(title: Option<&str>) -> String {
    title.map_or(String::new(), |title| format!(" ({title})"))
}

fn how(event: &Event) -> String {
    let Event::Done(done) = event else { return String::new() };
    durable_runtime::Stands::Done(done.how).to_string()
}

fn value(value: Option<&Stored>) -> String {
    value.map_or(String::new(), |value| format!(", {}", stored(value)))
}

/// A value, or where it is kept.
pub(crate) fn stored(value: &Stored) -> String {
    match value.apart() {
        Some(apart) => format!("{} bytes, kept in blobs/{}", apart.len, apart.name),
        None => output::shown(value.get(), SHOWN),
    }
}
