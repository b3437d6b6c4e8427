//! A story in words: what befell each life, what it wrote and did, and what survived.

use std::fmt::Write as _;

use super::retold::{LifeRetold, Retold};
use crate::store::files::Operation;
use crate::testing::machine::trace::{Said, Traced};
use crate::testing::story::{After, Fate, Moment, Plan, Turn, When};

/// The story, one line for each thing that matters.
pub(crate) fn tell(retold: &Retold) -> String {
    let mut text = String::new();
    for (index, life) in retold.lives.iter().enumerate() {
        // Writing to a string cannot fail.
        writeln!(text, "  life {}", index + 1).ok();
        events(life).iter().for_each(|event| {
            writeln!(text, "    {event}").ok();
        });
        writeln!(text, "    {}", fate(life)).ok();
        if let Some(turn) = &life.turn {
            writeln!(text, "    {}", left(turn, life)).ok();
        }
    }
    for traced in &retold.landed {
        if let Traced::Done { effect } = traced {
            writeln!(text, "  and then\n    `{effect}` HAPPENS in the world: a request that was still on its way").ok();
        }
    }
    if !retold.handoff.is_empty() {
        writeln!(text, "  the handoff, when the first undisturbed life began").ok();
        retold.handoff.lines().for_each(|line| {
            writeln!(text, "    | {line}").ok();
        });
    }
    text
}

fn events(life: &LifeRetold) -> Vec<String> {
    let mut events = Vec::new();
    for traced in &life.trace {
        match traced {
            Traced::Operation { records, .. } => events.extend(records.iter().filter_map(said)),
            Traced::Call { effect, .. } => events.push(format!("request `{effect}`")),
            Traced::Done { effect } => events.push(format!("`{effect}` HAPPENS in the world")),
        }
    }
    events
}

/// A record in words; `None` for one that tells nothing of a step.
pub(crate) fn said(said: &Said) -> Option<String> {
    let key = said.key.as_deref().unwrap_or_default();
    let by = said.by.as_deref().unwrap_or_default();
    let how = said.how.as_deref().unwrap_or_default();
    Some(match said.action.as_str() {
        "reserve" => format!("log: `{key}` reserved, attempt {}", said.attempt.unwrap_or_default()),
        "done" => format!("log: `{key}` done, {how}"),
        "absent" => format!("log: `{key}` did not happen, says the {by}"),
        "not_yet" => format!("log: `{key}` may still land, waiting"),
        "failed" => format!("log: `{key}` failed, it may have happened"),
        "in_doubt" => format!("log: `{key}` in doubt, a person is asked"),
        "resolve" => format!("log: `{key}` answered by {by}"),
        "wait" => format!("log: `{key}` sleeps"),
        "woke" => format!("log: `{key}` woke"),
        "ask" => format!("log: `{key}` is asked of a person"),
        "answer" => format!("log: `{key}` decided by {by}"),
        "word_refused" => format!("log: a word of {by} about `{key}` refused"),
        "stopped" => format!("log: `{key}` stopped"),
        "end" => format!("log: run `{key}` finished"),
        "lost" => "log: records are lost".to_owned(),
        "repaired" => "log: a torn tail was cut off".to_owned(),
        _ => return None,
    })
}

fn fate(life: &LifeRetold) -> String {
    let Some(Turn { plan: Some(plan), .. }) = &life.turn else { return life.end.clone() };
    let struck = format!("{} {}", verb(*plan), moment(*plan, &life.trace));
    match plan.fate {
        Fate::Dies | Fate::DiesLate => struck,
        _ => format!("{struck}; then {}", life.end),
    }
}

fn verb(plan: Plan) -> &'static str {
    match (plan.fate, plan.when) {
        (Fate::Dies, _) => "KILLED",
        (Fate::DiesLate, _) => "KILLED, and the request that it sent is still on its way:",
        (Fate::FailsLate, _) => "NO ANSWER, and the request is still on its way:",
        (Fate::Hangs, _) => "NO ANSWER EVER COMES",
        (Fate::AnswersError, When::Call(_, Moment::Sent)) => "ERROR ANSWER (503)",
        (Fate::AnswersError, _) => "ERROR ANSWER (500)",
        (_, When::Call(..)) => "NO ANSWER",
        (Fate::Fails, _) => "DISK ERROR (EIO)",
        (Fate::FailsHalfWay, _) => "DISK ERROR (ENOSPC) after half a write",
        (Fate::FailsForGood, _) => "DISK ERRORS (EIO) from here on",
    }
}

fn moment(plan: Plan, trace: &[Traced]) -> String {
    match plan.when {
        When::Operation(number) => {
            let found = trace.iter().find_map(|traced| match traced {
                Traced::Operation { number: other, operation, file, .. } if *other == number => Some((operation, file)),
                _ => None,
            });
            let what = found.map_or_else(String::new, |(operation, file)| format!(": {} {file}", word(*operation)));
            let before = if matches!(plan.fate, Fate::Dies) { "just before" } else { "at" };
            format!("{before} operation {number}{what}")
        }
        When::Call(call, moment) => {
            let effect = trace.iter().find_map(|traced| match traced {
                Traced::Call { number, effect, .. } if *number == call => Some(effect.as_str()),
                _ => None,
            });
            let when = match moment {
                Moment::Sent => "before it is applied",
                Moment::Applied => "applied, and not answered",
                Moment::Answered => "answered, and not recorded",
            };
            format!("at request `{}`, {when}", effect.unwrap_or_default())
        }
    }
}

fn left(turn: &Turn, life: &LifeRetold) -> String {
    let cause = match &turn.after {
        After::Kept => return "the machine runs on: all that was written is there".to_owned(),
        After::Power(..) => "the POWER is cut".to_owned(),
        After::Rot(rot) => format!("somebody DAMAGES {} at byte {} ({:?})", rot.file, rot.offset, rot.how),
    };
    let files: Vec<_> = life
        .left
        .iter()
        .map(|(file, now, before)| match now {
            0 => format!("{file} is gone or empty ({before} bytes)"),
            _ if now == before => format!("{file} has an older content ({before} bytes)"),
            _ => format!("{file} has {now} of {before} bytes"),
        })
        .collect();
    let files = if files.is_empty() { "nothing is lost".to_owned() } else { files.join(", ") };
    format!("{cause}: {files}")
}

/// What is done to a disk, in words.
pub(crate) fn word(operation: Operation) -> &'static str {
    match operation {
        Operation::CreateDir => "make directory",
        Operation::SyncParent => "sync parent of",
        Operation::Lock => "lock",
        Operation::Identity => "look at",
        Operation::Read => "read",
        Operation::Create => "create",
        Operation::Append => "append to",
        Operation::WriteAt => "write into",
        Operation::Truncate => "cut",
        Operation::Sync => "sync",
        Operation::SyncDir => "sync names in",
        Operation::Rename => "rename to",
        Operation::Remove => "remove",
    }
}
