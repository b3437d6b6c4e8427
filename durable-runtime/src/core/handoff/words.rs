//! The sentences of *Next action*: words of ours, validated keys, titles from the code. Never a result or an error.

use uuid::Uuid;

use super::letter::{Coming, Course, Decide, GivenUp, Group, Next, Outer, Target, Way};
use super::room::Room;
use crate::core::state::Status;
use crate::core::text;

/// One thing to do, in one line. It begins with what the reader is to do.
pub(super) fn next(next: &Next, is_first: bool, status: Status, room: &Room) -> String {
    let again = again(status);
    match next {
        Next::Settle(group) => settle(group, again, room) + posted(&group.way) + &same_for(group, room),
        Next::Go(course) => go(course, is_first, again, room),
        Next::Needs { run, given_up } => {
            let (run, given_up, call) = (room.key(run), room.key(given_up), cancel(run, room));
            format!(
                "GIVE UP {run} too, {call}, for it needs the result of {given_up}, which was CANCELLED and gives none; or \
                 write `errors = \"later\"` into the `#[run]` of that call, if the code can go on without it. Only to start \
                 the worker again changes nothing."
            )
        }
        Next::Fix => format!("FIX the cause of the error above, then start the worker{again}."),
        Next::Begin => format!("START the worker{again}: it enters its workflow."),
        Next::GivenUp(run) => given_up(run, is_first, again, room),
        Next::Nothing { run: Some(run), .. } if status == Status::Awake => format!(
            "START the worker{again}: the run {} is finished, and what comes after it may not have begun.",
            room.key(run)
        ),
        Next::Nothing { run: Some(run), cancelled } => format!(
            "NOTHING is left to do: the run {} {}. Starting the worker again gives its result and runs nothing.",
            room.key(run),
            if *cancelled { "was cancelled, and has ended with that" } else { "is finished" },
        ),
        Next::Nothing { run: None, .. } => format!("START the worker{again}: it skips what is done and goes on."),
    }
}

/// Where an answer lies that no worker has taken, of which the log does not know.
fn posted(way: &Way) -> &'static str {
    let is_asked = match way {
        Way::Decide(decide) => !decide.is_decided(),
        way => asks(way),
    };
    match is_asked {
        true => " If a file in `inbox/` names this key, it is answered already: ask nobody, and start the worker.",
        false => "",
    }
}

/// Whether a person is asked what became of an effect.
fn asks(way: &Way) -> bool {
    matches!(way, Way::Ask { .. } | Way::AskIfUnseen { .. } | Way::Lost { .. } | Way::Supply { .. })
}

/// What follows "start the worker".
fn again(status: Status) -> &'static str {
    match status {
        Status::Awake => " again if none is running",
        Status::Dormant => " again",
    }
}

/// A run that a person has given up.
fn given_up(of: &GivenUp, is_first: bool, again: &str, room: &Room) -> String {
    let GivenUp { run, is_over, cleanup, undone } = of;
    let run = room.key(run);
    let undone = ways(undone, room);
    let undone = undone.map_or_else(String::new, |steps| format!(" It would have gone on {steps}: that stays undone."));
    match alternatives(cleanup, room).filter(|_| !is_over) {
        Some(steps) => {
            let start = if is_first { format!("START the worker{again}: it") } else { "Then the worker".to_owned() };
            format!(
                "{start} cleans up in {run}, which was CANCELLED, where its code comes to {steps}, and begins nothing else.{undone}"
            )
        }
        None => {
            let begins = if *is_over { "begins nothing" } else { "begins nothing in it, but for steps with `cleanup`" };
            let nothing = if is_first { "NOTHING" } else { "Then nothing" };
            format!("{nothing} is left to do: the run {run} was CANCELLED.{undone} Starting the worker again {begins}.")
        }
    }
}

fn settle(group: &Group, again: &str, room: &Room) -> String {
    let Target { step, token, .. } = &group.first;
    let what = room.named(step);
    let answer = || answer(&group.first, room);
    let look_up = || look_up(*token);
    match &group.way {
        Way::Verify { running, given_up } => format!(
            "VERIFY {what}; never run it by hand.{} Start the worker{again}: the step's own verifier finds out whether it \
             happened{}. {look_up}",
            maybe_running(*running),
            match given_up {
                true => ", and it is not run again, for its run was cancelled",
                false => ", and the worker runs it again only if it did not",
            },
            look_up = look_up(),
        ),
        Way::AskIfUnseen { who, given_up, is_lossy } => format!(
            "VERIFY {what}; never run it by hand. Start the worker{again}: it asks the step's verifier once more{}. If the \
             verifier still cannot tell{}, ASK {} whether it happened. {look_up} {answer}, or with {}.",
            match given_up {
                true => ", and does not run the step again, for its run was cancelled",
                false => ", and runs the step again only if that proves that it did not happen",
            },
            if *is_lossy { " or does not suffice" } else { "" },
            room.title(who),
            did_not_happen(*is_lossy),
            look_up = look_up(),
            answer = answer(),
        ),
        Way::Ask { running: true, who, is_lossy } => format!(
            "ASK {} whether {what} happened, but first start the worker{again}: it asks, and only from then on an answer \
             counts; never run it by hand. {look_up} {answer}, or with {}. If the worker has ended by then, start it once more.",
            room.title(who),
            did_not_happen(*is_lossy),
            look_up = look_up(),
            answer = answer(),
        ),
        Way::Ask { running: false, who, is_lossy } => format!(
            "ASK {} whether {what} happened; never run it by hand. {look_up} {answer}, or with {}. Then start the \
             worker{again}.",
            room.title(who),
            did_not_happen(*is_lossy),
            look_up = look_up(),
            answer = answer(),
        ),
        Way::Lost { who } => format!(
            "VERIFY {what}; never run it by hand. The log that would say what became of it is gone. Start the \
             worker{again}: the step's verifier finds out. If it has none, or the worker stops before it comes to the \
             step, ASK {}. {look_up} {answer}, or with {}.",
            room.title(who),
            did_not_happen(true),
            look_up = look_up(),
            answer = answer(),
        ),
        Way::Repeat { running, persists } => format!(
            "NEVER run {what} by hand: it may have happened.{} {} the worker{again}: it {}.",
            maybe_running(*running),
            match persists {
                true => {
                    "It has failed with one error 3 times or more in a row, which does not go away by itself: FIX its cause first, \
                     then start"
                }
                false => "Start",
            },
            match token {
                Some(token) => format!(
                    "sends the same token `{token}` once more, by which the receiver knows a repeat and drops it"
                ),
                None => "runs the step once more, which its code says does no harm".to_owned(),
            },
        ),
        Way::Supply { who } => format!(
            "ASK {} what {what} gave; never run it again. It happened, but its result could not be stored. {look_up} \
             {answer}. Then start the worker{again}.",
            room.title(who),
            look_up = look_up(),
            answer = answer(),
        ),
        Way::NotYet { until, given_up } => format!(
            "WAIT for {what}; never run it by hand. Its verifier found nothing, but a late request may still arrive until \
             {until}. Start the worker{again}: it waits, asks the verifier again, and {}.",
            match given_up {
                true => "does not run the step again, for its run was cancelled",
                false => "runs the step only if it did not happen",
            },
        ),
        Way::Decide(decide) => ask_to_decide(decide, &what, &step.key, again, room),
        Way::Decided { by } => {
            format!("START the worker{again}: {what} takes the answer that {} has given.", room.claimed(by),)
        }
        Way::Sleep { until } => format!(
            "WAIT until {until}: {what} sleeps until then. Start the worker{again}: it sleeps the rest, and goes on.",
        ),
        Way::Word { happened } => format!(
            "START the worker{again}: {what} takes the answer that it {}.",
            if *happened { "happened, and does not run" } else { "did not happen, and runs" },
        ),
        Way::Retry { fix, until } => format!(
            "{} the worker{again}: it tries {what} again{}, for it is proven that it did not happen.",
            fix_and_start(*fix),
            until.map_or_else(String::new, |until| format!(", not before {until}")),
        ),
    }
}

/// The question, what is shown, and the call that answers it: one that works whether or not a worker runs.
fn ask_to_decide(decide: &Decide, what: &str, key: &str, again: &str, room: &Room) -> String {
    let Decide { who, shown, expires, is_overdue, may_be_answered, otherwise, gives } = decide;
    let shown = if shown == "null" { String::new() } else { format!(" What is shown: {}.", room.shown(shown)) };
    let in_time = match (expires, otherwise) {
        _ if *may_be_answered => {
            " It may have been answered before: that part of the log is gone. Then the answer is the same again."
                .to_owned()
        }
        (None, _) => String::new(),
        (Some(at), Some(value)) if *is_overdue => {
            let value = room.shown(value);
            return format!("START the worker{again}: the time to decide {what} was over at {at}, and {value} counts.");
        }
        (Some(at), Some(value)) => format!(" Without an answer until {at}, {} counts.", room.shown(value)),
        (Some(at), None) if *is_overdue => format!(" It is overdue: an answer was due at {at}."),
        (Some(at), None) => format!(" An answer is due at {at}."),
    };
    let (says, or) = match gives.as_deref() {
        Some("Approval") => ("approve()", "; or with `.decline()`".to_owned()),
        Some(gives) => ("value(&answer)", format!(" with the `answer`, of type {}", room.claimed(gives))),
        None => ("approve()", "; or with `.decline()`, or with `.value(&answer)` where it is no approval".to_owned()),
    };
    let (call, has_key) = post("answer", key, says, room);
    let note = if has_key { "" } else { ", with the `key` that the journal has" };
    format!(
        "ASK {} to decide {what}.{shown}{in_time} The answer, from any program: {call}{note}{or}. A running worker takes it \
         within a second; if none is running, start the worker{}.",
        room.title(who),
        again.strip_suffix(" if none is running").unwrap_or(again),
    )
}

/// The call that leaves a word, whether or not a worker holds the session, as it can be pasted into any program; and
/// whether the key stands in it.
fn post(about: &str, key: &str, says: &str, room: &Room) -> (String, bool) {
    let literal = room.literal(key);
    let arg = literal.as_deref().unwrap_or("key");
    let word = format!("durable_runtime::Word::{about}({arg}).{says}.by(\"who\", \"why\")");
    (text::code_span(&format!("durable_runtime::post(dir, {word}).await")), literal.is_some())
}

/// The call that gives a run up, in a program that holds the session.
fn cancel(run: &str, room: &Room) -> String {
    let literal = room.literal(run);
    let arg = literal.as_deref().unwrap_or("run");
    text::code_span(&format!("session.cancel({arg}).by(\"who\", \"why\").await"))
}

/// How a person finds the effect: by its token, which a step that has it need not have sent.
fn look_up(token: Option<Uuid>) -> String {
    match token {
        Some(token) => format!(
            "To check it at the receiver, look up the token `{token}`, or what it would have done if that keeps no token."
        ),
        None => "To check it, look for what it would have done.".to_owned(),
    }
}

fn maybe_running(running: bool) -> &'static str {
    if running { " It may still be running: look for a running worker first." } else { "" }
}

/// The other answer. Where the log has lost records, the step may have had an error for its result, and what followed
/// from that is done: tried anew, it would come beside that.
fn did_not_happen(is_lossy: bool) -> &'static str {
    match is_lossy {
        true => {
            "`.did_not_happen()`, but only if the keys in `idempotency.json` after it do not show that the run has gone \
             another way instead, for then it is tried anew"
        }
        false => "`.did_not_happen()`",
    }
}

/// How a person answers.
fn answer(of: &Target, room: &Room) -> String {
    let (says, with) = match of.gives.as_deref() {
        Some("()") => ("happened(&())", String::new()),
        Some(gives) => {
            ("happened(&result)", format!(" with the `result` that it gave, of type {}", room.claimed(gives)))
        }
        None => ("happened(&result)", " with the `result` that it gave".to_owned()),
    };
    let (call, has_key) = post("resolve", &of.step.key, says, room);
    let note = if has_key { "" } else { ", and the `key` that the journal has beside that token" };
    format!("The answer, from any program: {call}{with}{note}")
}

fn same_for(group: &Group, room: &Room) -> String {
    let asks = asks(&group.way);
    let other = |other: &Target| {
        let key = room.key(&other.step.key);
        match other.token {
            Some(token) if asks => format!("{key} (token `{token}`)"),
            _ => key,
        }
    };
    let mut others: Vec<_> = group.others.iter().take(room.list).map(other).collect();
    let more = group.more + group.others.len() - others.len();
    if more > 0 {
        others.push(format!("{more} more, which the journal names"));
    }
    if others.is_empty() { String::new() } else { format!(" The same for {}.", and(&others)) }
}

fn go(course: &Course, is_first: bool, again: &str, room: &Room) -> String {
    let run = room.key(&course.run);
    let first = match &course.steps {
        None => format!("goes on in {run}"),
        Some(steps) => ways(steps, room).map_or_else(
            || format!("comes to the end of {run}, whose code names no further step"),
            |steps| format!("goes on in {run}, next {steps}"),
        ),
    };
    let then = alternatives(&course.then, room).map_or_else(String::new, |steps| format!(", and after that {steps}"));
    let outer = course.outer.as_ref().map_or_else(String::new, |outer| goes_out(outer, room));
    if is_first || course.fix {
        format!("{} the worker{again}: it {first}{then}.{outer}", fix_and_start(course.fix))
    } else {
        format!("Then the worker itself {first}{then}.{outer}")
    }
}

/// What follows a run that stands inside another.
fn goes_out(outer: &Outer, room: &Room) -> String {
    let next = ways(&outer.steps, room).map_or_else(String::new, |steps| format!(", next {steps}"));
    let further = match outer.around {
        0 => "",
        1 => ", and then the run around that",
        _ => ", and then the runs around that",
    };
    format!(" When that run is finished, the run around it, {}, goes on{next}{further}.", room.key(&outer.run))
}

fn fix_and_start(fix: bool) -> &'static str {
    if fix { "FIX the cause of the error above, then start" } else { "START" }
}

/// How a run goes on: with a step, or by entering a run.
fn ways(steps: &[Coming], room: &Room) -> Option<String> {
    let (runs, steps): (Vec<&Coming>, _) = steps.iter().take(room.list).partition(|step| step.is_run);
    let ways = [("with ", steps), ("by entering the run ", runs)];
    let ways = ways.iter().filter(|(_, steps)| !steps.is_empty());
    let named = |steps: &[&Coming]| steps.iter().map(|step| room.named(&step.named)).collect::<Vec<_>>().join(" or ");
    let ways: Vec<_> = ways.map(|(how, steps)| format!("{how}{}", named(steps))).collect();
    (!ways.is_empty()).then(|| ways.join(" or "))
}

/// What comes later, of which one thing comes first.
fn alternatives(steps: &[Coming], room: &Room) -> Option<String> {
    let named = |step: &Coming| format!("{}{}", if step.is_run { "the run " } else { "" }, room.named(&step.named));
    let steps: Vec<_> = steps.iter().take(room.list).map(named).collect();
    (!steps.is_empty()).then(|| steps.join(" or "))
}

fn and(items: &[String]) -> String {
    match items {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        _ => items.concat(),
    }
}
