//! How a person decides.

use std::fmt::{self, Display, Formatter, from_fn};

use super::command;
use crate::core::handoff::letter::Decide;
use crate::core::handoff::room::{Room, of};

/// The question, what is shown, and the command that answers it: one that works whether or not a worker runs.
pub(super) fn ask_to_decide(
    f: &mut Formatter<'_>,
    decide: &Decide,
    what: &impl Display,
    key: &str,
    posted: &str,
    again: &str,
    room: &Room,
) -> fmt::Result {
    let Decide { who, shown, expires, is_overdue, may_be_answered, otherwise, gives } = decide;
    if let (Some(at), Some(value), true, false) = (expires, otherwise, is_overdue, may_be_answered) {
        let value = room.shown(value);
        return write!(
            f,
            "START the worker{again}: the time to decide {what} was over at {at}, and {value} counts: an answer comes too late."
        );
    }
    let shown = of(Some(shown).filter(|shown| *shown != "null"), |f, shown| {
        write!(f, " What is shown: {}.", room.shown(shown))
    });
    let (who, in_time) = (room.title(who), in_time(decide, room));
    let says = if gives.as_deref().is_none_or(|gives| gives == "Approval") { " approve" } else { " ANSWER" };
    let (command, has_key) = command("decide", key, says, room);
    let note = of((!has_key).then(|| room.command("keys")), |f, keys| write!(f, ", with the KEY that {keys} lists"));
    let or = from_fn(|f| match gives.as_deref() {
        Some("Approval") => f.write_str("; or with `decline`"),
        Some("bool") => f.write_str(" with `true` for yes, or `false` for no, as ANSWER"),
        Some(gives) => write!(f, " with the ANSWER as JSON, of type {}", room.claimed(gives)),
        None => f.write_str("; or with `decline`, or with the answer as JSON where it is no approval"),
    });
    let place = room.place();
    let again = again.strip_suffix(" if none is running").unwrap_or(again);
    write!(
        f,
        "ASK {who} to decide {what}.{shown}{in_time} The answer, {place}: {command}{note}{or}.{posted} A running \
         worker takes it within a second; if none is running, start the worker{again}."
    )
}

/// Until when an answer is awaited, and what counts then.
fn in_time(decide: &Decide, room: &Room) -> impl Display {
    let Decide { expires, is_overdue, may_be_answered, otherwise, .. } = decide;
    from_fn(move |f| match (expires, otherwise) {
        _ if *may_be_answered => f.write_str(
            " It may have been answered before: that part of the log is gone. Then the answer is the same again.",
        ),
        (None, _) => Ok(()),
        (Some(at), Some(value)) => write!(f, " With no answer by {at}, {} counts.", room.shown(value)),
        (Some(at), None) if *is_overdue => write!(f, " It is overdue: an answer was due at {at}."),
        (Some(at), None) => write!(f, " An answer is due at {at}."),
    })
}
