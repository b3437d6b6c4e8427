//! The sentences of *Next action*: words of ours, validated keys, titles from the code. Never a result or an error.

mod decide;
mod settle;

use std::fmt::{self, Display, Formatter, from_fn};

use super::letter::{Coming, Course, GivenUp, Next, Outer};
use super::room::{Room, joined, of};
use crate::core::state::Status;
use crate::core::text;
use settle::settle;

/// One thing to do, in one line. It begins with what the reader is to do. `said` is where the letter has said already how a person
/// looks and answers.
pub(super) fn next(next: &Next, is_first: bool, said: Option<usize>, status: Status, room: &Room) -> impl Display {
    let again = again(status);
    from_fn(move |f| match next {
        Next::Take { run, by } => take(f, run, by, again, room),
        Next::Settle(group) => settle(f, group, said, again, room),
        Next::Go(course) => go(f, course, is_first, again, room),
        Next::Needs { run, given_up } => needs(f, run, given_up, room),
        Next::Fix => write!(f, "FIX the cause of the error above, then start the worker{again}."),
        Next::Begin { is_script: true } => {
            write!(f, "START the script, or the agent, that makes the `durable` calls{again}: it begins its work.")
        }
        Next::Begin { .. } => write!(f, "START the worker{again}: it begins its work."),
        Next::GivenUp(run) => given_up(f, run, is_first, again, room),
        Next::Nothing { run: Some(run), cancelled } => nothing(f, run, *cancelled, status, room),
        Next::Nothing { run: None, .. } => nothing_open(f, status),
    })
}

/// Whether it asks a person what became of an effect.
pub(super) fn asks(next: &Next) -> bool {
    matches!(next, Next::Settle(group) if settle::asks(&group.way))
}

/// A word that gives a run up.
fn take(f: &mut Formatter<'_>, run: &str, by: &str, again: &str, room: &Room) -> fmt::Result {
    let (run, by) = (room.key(run), room.claimed(by));
    write!(
        f,
        "START the worker{again}: a word of {by} waits in `inbox/` that CANCELS {run}, and is taken before anything else."
    )
}

/// A run that needs the result of one that was given up.
fn needs(f: &mut Formatter<'_>, run: &str, given_up: &str, room: &Room) -> fmt::Result {
    let (place, command) = (room.place(), cancel(run, room));
    let (run, given_up) = (room.key(run), room.key(given_up));
    write!(
        f,
        "GIVE UP {run} too, {place}: {command}, for it needs the result of {given_up}, which is CANCELLED and gives none. If \
         the code can go on without it, whoever writes the code says so at that call, with `errors = \"later\"`. Only to start \
         the worker again changes nothing."
    )
}

/// A run that has ended, with nothing open behind it.
fn nothing(f: &mut Formatter<'_>, run: &str, cancelled: bool, status: Status, room: &Room) -> fmt::Result {
    let (run, again) = (room.key(run), again(status));
    if status == Status::Awake {
        return write!(
            f,
            "START the worker{again}: the run {run} is finished, and what comes after it may not have begun."
        );
    }
    let ended = if cancelled { CANCELLED } else { "is finished" };
    write!(
        f,
        "NOTHING is left to do: the run {run} {ended}. Starting the worker again gives its result and runs nothing."
    )
}

/// Calls outside any run: whether more of them are to come only whoever makes them knows.
fn nothing_open(f: &mut Formatter<'_>, status: Status) -> fmt::Result {
    let again = again(status);
    f.write_str(&match status {
        Status::Awake => format!(
            "START the worker, or the script that calls `durable once`,{again}: it skips what is done and goes on."
        ),
        Status::Dormant => format!(
            "NOTHING is open. If the worker, or the script that calls `durable once`, has not come to its end, start it{again}: \
             it skips what is done and goes on."
        ),
    })
}

/// How a run has ended that was given up.
const CANCELLED: &str = "was cancelled, and has ended with that";

/// What follows "start the worker".
fn again(status: Status) -> &'static str {
    match status {
        Status::Awake => " again if none is running",
        Status::Dormant => " again",
    }
}

/// A run that a person has given up.
fn given_up(f: &mut Formatter<'_>, given_up: &GivenUp, is_first: bool, again: &str, room: &Room) -> fmt::Result {
    let GivenUp { run, by, is_over, is_cleaning, may_clean_up, cleanup, undone } = given_up;
    let run = room.key(run);
    let undone = of(ways(undone, room), |f, steps| write!(f, " It would have gone on {steps}: that stays undone."));
    if let Some(steps) = alternatives(cleanup, room).filter(|_| !is_over) {
        match is_first {
            true => write!(f, "START the worker{again}: it")?,
            false => f.write_str("Then the worker")?,
        }
        return write!(
            f,
            " cleans up in {run}, which is CANCELLED, where its code comes to {steps}, and begins nothing else.{undone}"
        );
    }
    if *is_cleaning && !is_over && !is_first {
        return write!(f, "Then the worker begins nothing else in {run}, which is CANCELLED.{undone}");
    }
    let begins = match (is_over, may_clean_up) {
        (true, _) => "begins nothing",
        (false, true) => "begins nothing in it, but for steps that clean up in the runs inside it",
        (false, false) => "begins nothing in it, for its code names no step that cleans up",
    };
    if let Some(steps) = alternatives(cleanup, room) {
        let ask = if is_first { "ASK" } else { "Then ask" };
        let by = of(by.as_ref(), |f, by| write!(f, " {}", room.claimed(by)));
        return write!(
            f,
            "{ask}{by} whether {steps} is still to be done, by hand: the run {run} is CANCELLED, and its code has ended without \
             coming to that, which cleans up. Nothing else is left to do.{undone} Starting the worker again {begins}."
        );
    }
    let nothing = if is_first { "NOTHING" } else { "Then nothing" };
    write!(f, "{nothing} is left to do: the run {run} is CANCELLED.{undone} Starting the worker again {begins}.")
}

fn go(f: &mut Formatter<'_>, course: &Course, is_first: bool, again: &str, room: &Room) -> fmt::Result {
    if is_first || course.fix {
        write!(f, "{} the worker{again}: it ", fix_and_start(course.fix))?;
    } else {
        f.write_str("Then the worker itself ")?;
    }
    let run = room.key(&course.run);
    match course.steps.as_ref().map(|steps| ways(steps, room)) {
        None => write!(f, "goes on in {run}")?,
        Some(None) => write!(f, "comes to the end of {run}, whose code names no further step")?,
        Some(Some(steps)) => write!(f, "goes on in {run}, next {steps}")?,
    }
    // Behind something else to do, what comes first is enough.
    let then =
        of(alternatives(&course.then, room).filter(|_| is_first), |f, steps| write!(f, ", and after that {steps}"));
    write!(f, "{then}.{}", of(course.outer.as_ref(), |f, outer| goes_out(f, outer, room)))
}

/// What follows a run that stands inside another.
fn goes_out(f: &mut Formatter<'_>, outer: &Outer, room: &Room) -> fmt::Result {
    let next = of(ways(&outer.steps, room), |f, steps| write!(f, ", next {steps}"));
    let further = match outer.around {
        0 => "",
        1 => ", and then the run around that",
        _ => ", and then the runs around that",
    };
    let run = room.key(&outer.run);
    write!(f, " When that run is finished, the run around it, {run}, goes on{next}{further}.")
}

fn fix_and_start(fix: bool) -> &'static str {
    if fix { "FIX the cause of the error above, then start" } else { "START" }
}

/// How a run goes on: with a step, or by entering a run.
fn ways(steps: &[Coming], room: &Room) -> Option<impl Display> {
    let shown = steps.iter().take(room.list);
    let has = |is_run: bool| shown.clone().any(|step| step.is_run == is_run);
    let (has_steps, has_runs) = (has(false), has(true));
    let like = like(shown.clone());
    let of_kind = move |is_run: bool| {
        joined(shown.clone().filter(move |step| step.is_run == is_run).map(|step| room.named(&step.named)), " or ")
    };
    (has_steps || has_runs).then_some(from_fn(move |f| {
        if has_steps {
            write!(f, "with {like}{}", of_kind(false))?;
        }
        if has_runs {
            write!(f, "{}by entering the run {}", if has_steps { " or " } else { "" }, of_kind(true))?;
        }
        Ok(())
    }))
}

/// What comes later, of which one thing comes first.
fn alternatives(steps: &[Coming], room: &Room) -> Option<impl Display> {
    let shown = steps.iter().take(room.list);
    (!steps.is_empty()).then(|| {
        let like = like(shown.clone().filter(|step| !step.is_run));
        let all = joined(shown.map(|step| coming(step, room)), " or ");
        from_fn(move |f| write!(f, "{like}{all}"))
    })
}

/// What stands before keys of which the code names only the form.
fn like<'a>(mut steps: impl Iterator<Item = &'a Coming>) -> &'static str {
    if steps.any(|step| !step.is_run && step.named.key.contains('{')) { "a key like " } else { "" }
}

fn coming(step: &Coming, room: &Room) -> impl Display {
    let run = if step.is_run { "the run " } else { "" };
    from_fn(move |f| write!(f, "{run}{}", room.named(&step.named)))
}

/// The command that leaves a word, whether or not a worker holds the session, as it can be typed; and whether the key stands in
/// it.
fn command(name: &str, key: &str, says: &str, room: &Room) -> (String, bool) {
    let (fits, session) = (room.has_room_for(key), room.session());
    let about = text::about(if fits { key } else { "KEY" }, says.trim_start(), "--by WHO --because WHY");
    (text::code_span(&format!("durable {name}{session} {about}")), fits)
}

/// The command that gives a run up.
fn cancel(run: &str, room: &Room) -> String {
    command("cancel", run, "", room).0
}
