//! How one session stands, in a few words: what `status` and `watch` show.

use durable_runtime::core::meta::Proof;
use durable_runtime::core::state::{State, Status, Step};
use durable_runtime::core::time::Timestamp;
use durable_runtime::{Holder, Inspection, Inventory, KeyLife, Outcome, Standing, Stands};
use serde_json::{Value, json};

use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{self, Output, Style};
use crate::place::SessionArg;

/// How many runs and questions of a session are shown.
const SHOWN: usize = 5;

/// How long a text of it may be.
const TEXT: usize = 600;

/// The same in a list.
const LINE: usize = 160;

/// A session, or why nothing is known of it.
pub(crate) struct Summary {
    pub(crate) session: SessionArg,
    pub(crate) found: Result<Inspection, Failure>,
}

impl Summary {
    /// Looks at the session.
    pub(crate) async fn of(session: SessionArg) -> Self {
        let found = session.look().await;
        Self { session, found }
    }

    /// What a process would end with that leaves it so.
    pub(crate) fn exit(&self) -> Exit {
        match &self.found {
            Ok(session) => Outcome::from(session.standing()).into(),
            Err(failure) => failure.exit,
        }
    }

    /// The word for how it stands.
    pub(crate) fn word(&self) -> &'static str {
        match &self.found {
            Ok(session) => session.standing().word(),
            Err(failure) if failure.exit == Outcome::Damaged.into() => "damaged",
            Err(_) => "unreadable",
        }
    }

    /// For sorting: what needs nobody comes first, and last what cannot be read.
    pub(crate) fn need(&self) -> (Standing, bool) {
        match &self.found {
            Ok(session) => (session.standing(), false),
            Err(_) => (Standing::Unvouched, true),
        }
    }

    /// Whether it was booted, has no step yet, and nobody has ended it: there is work to come.
    pub(crate) fn is_begun(&self) -> bool {
        let state = self.found.as_ref().map(Inspection::state);
        self.word() == Standing::Empty.word() && state.is_ok_and(|state| state.seq > 0 && state.status == Status::Awake)
    }

    /// One line of a list: what is to be done about it.
    pub(crate) fn in_a_line(&self) -> String {
        let session = match &self.found {
            Ok(session) => session,
            Err(failure) => return output::shown(failure.text.as_deref().unwrap_or_default(), LINE),
        };
        let state = session.state();
        let asked = asks(session).first().map(|life| question(session, life));
        match session.standing() {
            Standing::Unvouched => vouch(&self.session),
            Standing::Lossy => lost(session),
            Standing::InDoubt => asked.or_else(|| until(session)).unwrap_or_default(),
            Standing::Waiting => asked.or_else(|| until(session)).unwrap_or_else(|| WAITED.to_owned()),
            Standing::Running => worker(session),
            Standing::Interrupted => {
                let open = state.open_keys().next().map(|(key, step)| named(&KeyLife::of(state, key, step)));
                open.map_or_else(|| self.not_ended(), |open| format!("start the worker: it finds out about {open}"))
            }
            Standing::Stopped => {
                let error = state.trouble.as_ref().map(|trouble| output::shown(&trouble.error, LINE));
                format!(
                    "start the worker{}",
                    error.map_or(String::new(), |error| format!(", which ended with: {error}"))
                )
            }
            Standing::Empty if state.seq == 0 => NO_RECORD.to_owned(),
            Standing::Empty if self.is_begun() => BEGUN.to_owned(),
            _ => String::new(),
        }
    }

    /// For a person: everything that matters of it.
    pub(crate) fn in_words(&self, output: &Output) -> String {
        match &self.found {
            Ok(session) => self.found_in_words(session, output),
            Err(failure) => {
                let head =
                    format!("{}: {}", self.session.shown(), output.styled(self.style(), self.word().to_uppercase()));
                let why = output::shown(failure.text.as_deref().unwrap_or_default(), usize::MAX);
                format!("{head}\n  why       {why}")
            }
        }
    }

    fn found_in_words(&self, session: &Inspection, output: &Output) -> String {
        let state = session.state();
        let standing = output.styled(self.style(), self.word().replace('_', " ").to_uppercase());
        let identity = output::shown(&state.identity, 200);
        let mut lines = vec![format!("{}: {standing}", self.session.shown())];
        let mut say = |what: &str, text: String| lines.push(format!("  {what:<9} {text}"));
        say("session", format!("{identity}, iteration {}, record {} of {}", state.iteration, state.seq, state.at));
        say("worker", worker(session));
        let stock = self.session.letter(session).inventory();
        if let Some(goal) = &stock.goal {
            say("goal", output::shown(goal, TEXT));
        }
        if let Some(command) = state.memory.started_by() {
            say("started", format!("with {}", output::quoted(&command, TEXT)));
        }
        say("steps", steps(state));
        runs(state).for_each(|run| say("run", run));
        let asked = asks(session);
        asked.iter().take(SHOWN).for_each(|life| say("asks", question(session, life)));
        if asked.len() > SHOWN {
            say("asks", format!("{} more: `{}`", asked.len() - SHOWN, self.session.command("keys --open")));
        }
        if let Some(due) = session.due() {
            say("goes on", format!("at {}", Timestamp::from(due)));
        }
        if let Some(trouble) = &state.trouble {
            say("error", output::quoted(&trouble.error, TEXT));
        }
        session.posted().iter().take(SHOWN).for_each(|word| {
            let (by, key) = (output::shown(&word.by, 100), output::key(&word.key));
            say("word", format!("of {by} about {key}: no worker has taken it yet"));
        });
        if session.lost().is_some() {
            say("lost", lost(session));
        }
        if state.seq == 0 && session.standing() == Standing::Empty {
            say("log", NO_RECORD.to_owned());
        }
        if let Some(next) = self.next(session, stock.next_action) {
            say("next", next);
        }
        say("more", format!("`{}`", self.session.command("handoff")));
        lines.join("\n")
    }

    /// What comes before the next action of the letter, or that.
    fn next(&self, session: &Inspection, action: Option<String>) -> Option<String> {
        match session.standing() {
            _ if session.needs_adoption() => Some(vouch(&self.session)),
            _ if session.lost().is_some() => Some(PUT_BACK.to_owned()),
            Standing::Interrupted if session.state().open.is_empty() => Some(self.not_ended()),
            _ => action,
        }
    }

    /// Of a script that nobody has seen at its end.
    fn not_ended(&self) -> String {
        let end = self.session.command("end");
        format!(
            "no step is open, and nobody has ended it: start the script, if it runs no more; if all is done, `{end}`"
        )
    }

    /// How it looks.
    pub(crate) fn style(&self) -> Style {
        match self.found.as_ref().map(Inspection::standing) {
            Ok(Standing::Finished | Standing::Running | Standing::Empty) => Style::Good,
            Ok(Standing::Waiting | Standing::Stopped | Standing::Interrupted | Standing::Cancelled) => Style::Attention,
            _ => Style::Bad,
        }
    }

    /// For programs.
    pub(crate) fn told(&self) -> Value {
        let dir = self.session.dir().display().to_string();
        match &self.found {
            Ok(session) => told(session, &dir, self.word(), self.exit(), &self.session.letter(session).inventory()),
            Err(failure) => json!({
                "dir": dir, "standing": self.word(), "exit": self.exit().code(), "error": failure.text,
            }),
        }
    }
}

fn told(session: &Inspection, dir: &str, word: &str, exit: Exit, stock: &Inventory) -> Value {
    let state = session.state();
    let asks = asks(session);
    json!({
        "dir": dir,
        "standing": word,
        "exit": exit.code(),
        "session": state.session,
        "identity": state.identity,
        "iteration": state.iteration,
        "seq": state.seq,
        "at": state.at,
        "holder": holder(session.holder()),
        "goal": stock.goal,
        "done": settled(state),
        "open": state.open.len(),
        "runs": state.active.values().filter_map(|key| Some((key, state.runs.get(key)?))).map(|(key, run)| json!({
            "run": key, "workflow": run.workflow, "done": run.done, "recorded": run.recorded,
            "cancelled": run.cancelled.is_some(),
        })).collect::<Vec<_>>(),
        "asks": asks.iter().map(|life| json!({
            "key": life.key, "title": life.title, "who": life.stands.asks(), "what": asked(life),
        })).collect::<Vec<_>>(),
        "due": session.due().map(Timestamp::from),
        "posted": session.posted().len(),
        "error": state.trouble.as_ref().map(|trouble| &trouble.error),
        "next_action": stock.next_action,
        "lost": session.lost(),
        "needs_adoption": session.needs_adoption(),
    })
}

/// Of a directory that is a session's by its lock alone: a kill in its first moment leaves that, and a hand that takes the rest.
const NO_RECORD: &str = "it has no record: its first start was cut off, or somebody has removed everything but session.lock; if there \
                         was more, put back a copy before the next start";

/// Of a session whose log has lost records.
const PUT_BACK: &str = "put back a copy of the whole directory that has them; if there is none, start the worker";

/// Of a session that was booted, and whose first step nobody has reached.
const BEGUN: &str = "it was begun, nobody has ended it, and no step of it was reached: start the worker, or the script";

/// Of a session that waits for nothing any more.
const WAITED: &str = "start the worker: what it has waited for is over";

/// What a person does before all that the letter says, which knows of it no more than the log does.
pub(crate) fn first(session: &SessionArg, seen: &Inspection) -> Option<String> {
    match () {
        () if seen.needs_adoption() => Some(vouch(session)),
        () => seen.lost().map(|_| lost(seen)),
    }
}

fn vouch(session: &SessionArg) -> String {
    let adopt = session.command("adopt --by WHO --because WHY");
    format!(
        "it is not where it was, or its machine was started anew: make sure that no other copy goes on, then `{adopt}`"
    )
}

/// What is gone of its log, and when there is no way back.
pub(crate) fn lost(session: &Inspection) -> String {
    let what = output::shown(session.lost().unwrap_or_default(), LINE);
    format!(
        "{what}: put back a copy that has them BEFORE the next start, which goes on without them, and verifies or asks about \
         every effect of an unfinished run"
    )
}

/// Who holds it, for programs: `seen` is `process`, `none` or `unknown`.
fn holder(holder: Holder) -> Value {
    match holder {
        Holder::Process(pid) => json!({ "seen": "process", "pid": pid, "command": holder.command() }),
        Holder::NoneSeen => json!({ "seen": "none", "pid": null, "command": null }),
        _ => json!({ "seen": "unknown", "pid": null, "command": null }),
    }
}

/// Whether a process works on it, in words.
pub(crate) fn worker(session: &Inspection) -> String {
    match session.holder() {
        holder @ Holder::Process(pid) => {
            let command =
                holder.command().map_or(String::new(), |command| format!(" ({})", output::quoted(&command, LINE)));
            format!("process {pid}{command} holds the session")
        }
        Holder::NoneSeen => "none is seen on this machine".to_owned(),
        _ => "this system does not tell whether one runs".to_owned(),
    }
}

/// How many steps have their result, ever.
pub(crate) fn settled(state: &State) -> u64 {
    state.opened.saturating_sub(state.open.len() as u64 + state.left)
}

fn steps(state: &State) -> String {
    format!("{} done, {} open", settled(state), state.open.len())
}

fn runs(state: &State) -> impl Iterator<Item = String> {
    let all = state.active.values().filter_map(|key| Some((key, state.runs.get(key)?)));
    let left = state.active.len().saturating_sub(SHOWN);
    let shown = all.take(SHOWN).map(|(key, run)| {
        let cancelled = if run.cancelled.is_some() { ", cancelled" } else { "" };
        format!("{}: {} done{cancelled}", output::key(key), run.done)
    });
    shown.chain((left > 0).then(|| format!("{left} more are not finished")))
}

/// What people are asked, the oldest first.
fn asks(session: &Inspection) -> Vec<KeyLife> {
    let state = session.state();
    let is_wanted = |step: &Step| !state.is_given_up(step) || step.life.doubt().is_some();
    let open = state.open_keys().filter(|(key, step)| is_wanted(step) && !session.is_overdue(key));
    open.map(|(key, step)| KeyLife::of(state, key, step)).filter(|life| life.stands.asks().is_some()).collect()
}

/// What is asked about it, for programs.
fn asked(life: &KeyLife) -> &'static str {
    match &life.stands {
        Stands::Decides { .. } => "decide",
        Stands::Unstored { .. } => "value",
        _ => "happened",
    }
}

fn question(session: &Inspection, life: &KeyLife) -> String {
    let has_verifier = |step: &Step| step.tried().proof == Some(Proof::Verify);
    let unless = match session.state().steps.get(&life.key).is_some_and(has_verifier) {
        true => ", unless another start finds out",
        false => "",
    };
    let who = output::shown(life.stands.asks().unwrap_or_default(), 100);
    let step = named(life);
    match asked(life) {
        "decide" => format!("{who} to decide {step}"),
        "value" => format!("{who} what {step} gave"),
        _ => format!("{who} whether {step} happened{unless}"),
    }
}

fn named(life: &KeyLife) -> String {
    let title = life.title.as_ref().map_or(String::new(), |title| format!(" ({})", output::shown(title, 200)));
    format!("{}{title}", output::key(&life.key))
}

fn until(session: &Inspection) -> Option<String> {
    session.due().map(|due| format!("goes on at {}", Timestamp::from(due)))
}
