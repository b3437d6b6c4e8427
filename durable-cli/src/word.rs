//! A person's word: left in the inbox, and looked after until a worker has taken it.

use std::time::Duration;

use clap::Args;
use durable_runtime::core::record::{Event, Record};
use durable_runtime::core::state::{Life, State};
use durable_runtime::{Holder, Inspection, Word};
use serde_json::{Value, json};

use crate::args::duration;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::once::recorded;
use crate::output::{self, Output, Style};
use crate::place::SessionArg;
use crate::rest::rest;

/// How long the command looks after its word.
#[derive(Args)]
pub(crate) struct Wait {
    /// How long to wait until a worker has taken it, where one may run
    #[arg(long = "wait", value_name = "TIME", default_value = "3s", value_parser = duration)]
    length: Duration,
}

/// A word that is about to be left.
pub(crate) struct Saying<'a> {
    pub(crate) session: &'a SessionArg,
    /// Full key of the step or the run that it is about.
    pub(crate) key: &'a str,
    /// What is known of that, for a person who may be about to make a mistake.
    pub(crate) about: Vec<String>,
    pub(crate) word: Word,
}

/// What became of a word.
enum Fate {
    /// It lies in the inbox.
    Left,
    /// It is in the log, and its step has not read it.
    Taken,
    /// It counts.
    Counts,
    /// It does not count.
    Refused(String),
}

/// How long it takes at most until a new record is seen.
const LOOK: Duration = Duration::from_millis(100);

impl Saying<'_> {
    /// Leaves the word, and says what becomes of it.
    pub(crate) async fn say(self, mut seen: Inspection, wait: &Wait, output: &Output) -> Result<Exit, Failure> {
        let Self { session, key, about, word } = self;
        // The word is left all the same where nobody can read this.
        let printed = if output.is_json() { Ok(()) } else { output.text(about.join("\n")) };
        let id = seen.post(word).await.map_err(|error| session.failed(&error))?;
        let mut fate = Fate::Left;
        for look in 0..=wait.length.as_millis() / LOOK.as_millis() {
            if look > 0 {
                rest(LOOK).await;
            }
            let records = seen.read_on().await.map_err(|error| untold(&session.failed(&error)))?;
            records.iter().for_each(|record| fate.learn(record, id, key));
            fate.look_at(seen.state(), key);
            // Whoever had let go before the log was read has written there what became of the word.
            if fate.is_final() || seen.holder() == Holder::NoneSeen {
                break;
            }
        }
        let exit = if matches!(fate, Fate::Refused(_)) { Exit::STOPPED } else { Exit::DONE };
        let json = json!({
            "word": id, "key": key, "about": about, "fate": fate.word(), "why": fate.why(), "holder": holder(&seen),
        });
        output.answer(&json, fate.in_words(&seen, session, key, output))?;
        printed.or_else(|failure| failure.text.is_none().then_some(()).ok_or(failure))?;
        Ok(exit)
    }
}

impl Fate {
    fn is_final(&self) -> bool {
        matches!(self, Self::Counts | Self::Refused(_))
    }

    fn learn(&mut self, record: &Record, id: uuid::Uuid, key: &str) {
        let is_ours = record.event.word() == Some(id);
        match (&record.event, &self) {
            (Event::WordRefused(refused), _) if is_ours => *self = Self::Refused(refused.why.clone()),
            (Event::Cancel(_), _) if is_ours => *self = Self::Counts,
            (_, _) if is_ours => *self = Self::Taken,
            // Its step could read no result in it.
            (Event::WordRefused(refused), Self::Taken) if refused.reopens && refused.key == key => {
                *self = Self::Refused(refused.why.clone());
            }
            _ => {}
        }
    }

    /// A word that was taken is read as soon as its step says something else.
    fn look_at(&mut self, state: &State, key: &str) {
        let is_read = match state.steps.get(key).map(|step| &step.life) {
            Some(Life::Word(_)) => false,
            Some(Life::Asked) => state.questions.get(key).is_none_or(|question| question.answers.is_empty()),
            _ => true,
        };
        if matches!(self, Self::Taken) && is_read {
            *self = Self::Counts;
        }
    }

    fn word(&self) -> &'static str {
        match self {
            Self::Left => "left",
            Self::Taken => "taken",
            Self::Counts => "counts",
            Self::Refused(_) => "refused",
        }
    }

    fn why(&self) -> Option<&str> {
        if let Self::Refused(why) = self { Some(why) } else { None }
    }

    fn in_words(&self, seen: &Inspection, session: &SessionArg, key: &str, output: &Output) -> String {
        let show = session.command(&format!("show {}", durable_runtime::core::text::about(key, "", "")));
        match (self, seen.holder()) {
            (Self::Left, Holder::NoneSeen) if is_of_script(seen, key) => output.styled(
                Style::Attention,
                "The word is left, and nobody holds the session: the same `durable once` call takes it. Make that call again.",
            ),
            (Self::Left, Holder::NoneSeen) => output.styled(
                Style::Attention,
                "The word is left. No worker is seen on this machine: the next start takes it. Start the worker.",
            ),
            (Self::Left, _) => output.styled(
                Style::Attention,
                format!("The word is left, and no worker has taken it yet: one that runs takes it when it waits, or comes to its next step; any other when it starts. `{show}` tells whether it has."),
            ),
            (Self::Taken, _) => output.styled(
                Style::Good,
                format!("A worker has taken the word, and the step reads it when the worker comes to it. `{show}` tells whether it has."),
            ),
            (Self::Counts, _) => output.styled(Style::Good, "A worker has taken the word, and it counts."),
            (Self::Refused(why), _) => {
                let why = output::shown(why, usize::MAX);
                output.styled(Style::Bad, format!("A worker has taken the word, and it does not count: {why}. `{show}` tells what is asked."))
            }
        }
    }
}

/// Whether the step is one of `durable once`.
fn is_of_script(seen: &Inspection, key: &str) -> bool {
    seen.state().steps.get(key).is_some_and(|step| step.tried().gives.as_deref() == Some(recorded::GIVES))
}

/// The word lies there all the same.
fn untold(failure: &Failure) -> Failure {
    let why = failure.text.as_deref().unwrap_or_default();
    Failure::new(failure.exit, format!("the word is left, and what becomes of it cannot be told: {why}"))
}

fn holder(seen: &Inspection) -> Value {
    match seen.holder() {
        Holder::Process(pid) => json!(pid),
        _ => Value::Null,
    }
}
