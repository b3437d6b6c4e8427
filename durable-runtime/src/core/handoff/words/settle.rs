//! How an open step is settled.

use std::fmt::{self, Display, Formatter, from_fn};

use uuid::Uuid;

use super::decide::ask_to_decide;
use super::{command, fix_and_start};
use crate::core::handoff::letter::{Caller, Denied, Group, Target, Way};
use crate::core::handoff::room::{Room, of};
use crate::core::text;

/// What settles the first step of a group, and the others in the same way.
pub(super) fn settle(
    f: &mut Formatter<'_>,
    group: &Group,
    said: Option<usize>,
    again: &str,
    room: &Room,
) -> fmt::Result {
    let starts = match group.caller {
        Caller::Worker => format!("the worker{again}"),
        Caller::Once => "the same `durable once` call again".to_owned(),
        Caller::Either => format!("the worker, or the `durable once` of this key,{again}"),
    };
    let may_be_posted = group.may_be_posted && said.is_none();
    let target = &group.first;
    Settling { target, caller: group.caller, said, may_be_posted, starts, again, room }.tell(f, &group.way)?;
    same_for(f, group, room)
}

/// One step, and what is said of it whatever settles it.
struct Settling<'a> {
    target: &'a Target,
    caller: Caller,
    /// Where the letter has said already how a person looks and answers.
    said: Option<usize>,
    /// Whether an answer may lie in the inbox, of which the log does not know.
    may_be_posted: bool,
    /// What is to be started, and whether it may run already.
    starts: String,
    /// What follows "start the worker".
    again: &'a str,
    room: &'a Room,
}

impl Settling<'_> {
    fn tell(&self, f: &mut Formatter<'_>, way: &Way) -> fmt::Result {
        match way {
            Way::Verify { running, given_up } => self.verify(f, *running, *given_up),
            Way::AskIfUnseen { who, denied } => self.ask_if_unseen(f, who, *denied),
            Way::Ask { running, who, denied } => self.ask(f, who, *running, *denied),
            Way::Lost { who } => self.lost(f, who),
            Way::Repeat { running, persists } => self.repeat(f, *running, *persists),
            Way::Supply { who } => self.supply(f, who),
            Way::Decide(decide) => {
                let posted = self.posted().to_string();
                ask_to_decide(f, decide, &self.what(), &self.target.step.key, &posted, self.again, self.room)
            }
            _ => self.wait(f, way),
        }
    }

    fn what(&self) -> impl Display {
        self.room.named(&self.target.step)
    }

    fn verify(&self, f: &mut Formatter<'_>, running: bool, given_up: bool) -> fmt::Result {
        let (what, starts, running, look_up) = (self.what(), &self.starts, self.maybe_running(running), self.look_up());
        let then = match given_up {
            true => ", and it is not run again, for its run is cancelled",
            false => ", and it runs again only if it did not",
        };
        write!(
            f,
            "VERIFY {what} by starting {starts}; never run it by hand.{running} Its verifier finds out whether it \
             happened{then}.{look_up}"
        )
    }

    fn ask_if_unseen(&self, f: &mut Formatter<'_>, who: &str, denied: Denied) -> fmt::Result {
        let (what, starts, who) = (self.what(), &self.starts, self.room.title(who));
        let (look_up, answer, or) = (self.look_up(), self.answer(), self.did_not_happen(denied));
        let then = match denied {
            Denied::GivenUp => ", and it is not run again, for its run is cancelled",
            _ => ", and it runs again only if that proves that it did not happen",
        };
        let (worker, then_start) = (self.worker(), self.then_start());
        write!(
            f,
            "VERIFY {what} by starting {starts}; never run it by hand. Its verifier is asked once more{then}. If \
             {worker} stops at it once more, ASK {who} whether it happened.{look_up} {answer}, or with {or}.{then_start}"
        )
    }

    fn ask(&self, f: &mut Formatter<'_>, who: &str, running: bool, denied: Denied) -> fmt::Result {
        let (what, starts, who) = (self.what(), &self.starts, self.room.title(who));
        let (look_up, answer, or) = (self.look_up(), self.answer(), self.did_not_happen(denied));
        let never = match (denied, self.caller) {
            (Denied::GivenUp, _) => {
                "its run is cancelled, so it is not run again whatever the answer, and never by hand"
            }
            (_, Caller::Once) => "never run it but by that call",
            _ => "never run it by hand",
        };
        match running {
            true => write!(
                f,
                "ASK {who} whether {what} happened, but first start {starts}, and only if it stops there; {never}.\
                 {look_up} {answer}, or with {or}. Then start {} once more.",
                self.worker()
            ),
            false => write!(
                f,
                "ASK {who} whether {what} happened; {never}.{look_up} {answer}, or with {or}.{} Then start {starts}.",
                self.posted()
            ),
        }
    }

    fn lost(&self, f: &mut Formatter<'_>, who: &str) -> fmt::Result {
        let (what, starts, who) = (self.what(), &self.starts, self.room.title(who));
        let (look_up, answer, or) = (self.look_up(), self.answer(), self.did_not_happen(Denied::MayDouble));
        let (worker, then_start) = (self.worker(), self.then_start());
        write!(
            f,
            "VERIFY {what} by starting {starts}; never run it by hand. What the log knew of it is gone: its \
             verifier finds out. If it has none, or {worker} ends without it, ASK {who} whether it happened.\
             {look_up} {answer}, or with {or}.{then_start}"
        )
    }

    fn repeat(&self, f: &mut Formatter<'_>, running: bool, persists: bool) -> fmt::Result {
        let (what, starts, running) = (self.what(), &self.starts, self.maybe_running(running));
        let start = match persists {
            true => {
                ". It has failed with the same error 3 times or more in a row: FIX the cause of that first, then start"
            }
            false => ": start",
        };
        write!(f, "NEVER run {what} by hand, for it may have happened{start} {starts}. ")?;
        match self.target.token {
            Some(token) => {
                write!(
                    f,
                    "It sends the same token `{token}` once more, by which the receiver knows a repeat and drops it."
                )?;
            }
            None => f.write_str("The step runs once more, which its code says does no harm.")?,
        }
        write!(f, "{running}")
    }

    fn supply(&self, f: &mut Formatter<'_>, who: &str) -> fmt::Result {
        let (what, starts, who) = (self.what(), &self.starts, self.room.title(who));
        let (look_up, answer) = (self.look_up(), self.answer());
        write!(
            f,
            "ASK {who} what {what} gave; never run it again. It happened, but its result could not be stored.{look_up} \
             {answer}.{} Then start {starts}.",
            self.posted()
        )
    }

    /// What needs nothing but time, or another start.
    fn wait(&self, f: &mut Formatter<'_>, way: &Way) -> fmt::Result {
        let (what, starts) = (self.what(), &self.starts);
        match way {
            Way::NotYet { until, given_up } => {
                let then = match given_up {
                    true => "is not run again, for its run is cancelled",
                    false => "runs only if it did not happen",
                };
                write!(
                    f,
                    "WAIT until {until}, then start {starts}: until then a late request for {what} may still \
                     arrive, which its verifier cannot see yet; never run it by hand. The verifier is then asked again, \
                     and the step {then}."
                )
            }
            Way::Posted { by } => {
                let by = self.room.claimed(by);
                write!(f, "START {starts}: an answer of {by} about {what} waits in `inbox/`, so ask nobody.")
            }
            Way::Decided { by } => {
                let by = self.room.claimed(by);
                write!(f, "START {starts}: {what} takes the answer that {by} has given.")
            }
            Way::Sleep { until } => write!(
                f,
                "WAIT until {until}, then start {starts}: {what} sleeps until then. Started earlier, it sleeps the \
                 rest, and goes on."
            ),
            Way::Word { happened, is_error } => {
                let happened = match (happened, is_error) {
                    (true, _) => "happened, and does not run",
                    (false, true) => "did not happen, and does not run: its error is its result",
                    (false, false) => "did not happen, and runs",
                };
                write!(f, "START {starts}: {what} takes the answer that it {happened}.")
            }
            Way::Retry { fix: false, until: Some(until) } => write!(
                f,
                "WAIT until {until}, then start {starts}: it tries {what} again then, for it is proven that it did not \
                 happen. Started earlier, it waits the rest."
            ),
            Way::Retry { fix, until } => {
                let (start, until) = (fix_and_start(*fix), of(*until, |f, until| write!(f, ", not before {until}")));
                write!(f, "{start} {starts}: it tries {what} again{until}, for it is proven that it did not happen.")
            }
            _ => Ok(()),
        }
    }

    /// What comes to the step, and takes the answer.
    fn worker(&self) -> &'static str {
        if self.caller == Caller::Once { "that call" } else { "the worker" }
    }

    /// What is left to do behind an answer, where that was not said before.
    fn then_start(&self) -> impl Display {
        of(self.said.is_none().then_some(()), |f, ()| {
            write!(f, "{} Then start {} once more.", self.posted(), self.worker())
        })
    }

    /// How a person finds the effect: by its token, which a step that has it need not have sent.
    fn look_up(&self) -> impl Display {
        from_fn(move |f| match (self.target.token, self.said) {
            (Some(token), None) => {
                write!(f, " To see for yourself, ask the receiver about the token `{token}`.")
            }
            (None, None) => f.write_str(" To see for yourself, look for the effect itself."),
            (Some(token), Some(_)) => write!(f, " Its token is `{token}`."),
            (None, Some(_)) => Ok(()),
        })
    }

    /// How a person answers.
    fn answer(&self) -> impl Display {
        let gives = self.target.gives.as_deref();
        let says = if gives == Some("()") { "--happened" } else { "--happened --value RESULT" };
        let says = text::of_attempt(says, self.target.attempt);
        let with = from_fn(move |f| match gives {
            Some("()") => Ok(()),
            Some(_) if self.caller == Caller::Once => {
                f.write_str(" with what it would have printed as RESULT, as a JSON string")
            }
            Some(gives) => write!(f, " with the RESULT that it gave, as JSON of type {}", self.room.claimed(gives)),
            None => f.write_str(" with the RESULT that it gave, as JSON"),
        });
        let (command, has_key) = command("resolve", &self.target.step.key, &says, self.room);
        let note =
            if has_key { String::new() } else { format!(", with the KEY that {} lists", self.room.command("keys")) };
        from_fn(move |f| match self.said {
            None => write!(f, "The answer, {}: {command}{with}{note}", self.room.place()),
            Some(said) => write!(f, "The answer as in {said}.: {command}{with}{note}"),
        })
    }

    /// The other answer, and what comes of it: whoever has done it by hand meanwhile must know.
    fn did_not_happen(&self, denied: Denied) -> impl Display {
        from_fn(move |f| match denied {
            Denied::Runs => f.write_str("`--did-not-happen`, which runs it again"),
            Denied::MayDouble => write!(
                f,
                "`--did-not-happen`, which runs it again: never if another key or a person has done it since ({})",
                self.room.command("keys")
            ),
            Denied::IsError => f.write_str("`--did-not-happen`, which makes its error its result"),
            Denied::GivenUp => f.write_str("`--did-not-happen` instead"),
        })
    }

    /// Where an answer lies that no worker has taken, of which the log does not know.
    fn posted(&self) -> impl Display {
        of(self.may_be_posted.then_some(()), |f, ()| {
            f.write_str(" If a file in `inbox/` names this key, it is answered: ask nobody.")
        })
    }

    fn maybe_running(&self, running: bool) -> impl Display {
        of(running.then_some(()), |f, ()| {
            write!(f, " It may still be running: {} shows whether a worker is.", self.room.command("status"))
        })
    }
}

/// Whether a person is asked what became of an effect.
pub(super) fn asks(way: &Way) -> bool {
    matches!(way, Way::Ask { .. } | Way::AskIfUnseen { .. } | Way::Lost { .. } | Way::Supply { .. })
}

fn same_for(f: &mut Formatter<'_>, group: &Group, room: &Room) -> fmt::Result {
    let shown = &group.others[..group.others.len().min(room.shown_of(group.others.len() + group.more))];
    let more = group.more + group.others.len() - shown.len();
    let Some(last) = shown.len().checked_sub(usize::from(more == 0)) else { return Ok(()) };
    f.write_str(" The same for ")?;
    for (place, other) in shown.iter().enumerate() {
        f.write_str(match place {
            0 => "",
            place if place == last => " and ",
            _ => ", ",
        })?;
        write!(f, "{}{}", room.key(&other.step.key), sent(other.token.filter(|_| asks(&group.way))))?;
    }
    let keys = room.command("keys");
    match (more, shown.len()) {
        (0, _) => f.write_str("."),
        (more, 0) => write!(f, "{more} more, which {keys} lists."),
        (more, _) => write!(f, " and {more} more, which {keys} lists."),
    }
}

fn sent(token: Option<Uuid>) -> impl Display {
    of(token, |f, token| write!(f, " (token `{token}`)"))
}
