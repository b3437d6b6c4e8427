//! `durable show`

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

use clap::Args;
use durable_runtime::core::key;
use durable_runtime::core::meta::StepKind;
use durable_runtime::core::record::Record;
use durable_runtime::core::state::{Life, Run, State, Step};
use durable_runtime::core::text;
use durable_runtime::{KeyLife, Stands};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::keys;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::near;
use crate::output::{self, Output, Style};
use crate::place::SessionArg;
use crate::record;

/// Tell the life of a step or a run: what it is, where it stands, and all that the journal says of it
#[derive(Args)]
pub(crate) struct Show {
    #[command(flatten)]
    session: SessionArg,
    /// Its full key, as the handoff shows it
    key: String,
}

/// How much is shown of a text, in bytes.
const SHOWN: usize = 1_000;

impl Show {
    pub(crate) async fn run(self, output: &Output) -> Result<Exit, Failure> {
        let seen = self.session.look().await?;
        let records = self.records().await?;
        if records.is_empty() {
            return Err(unknown(&self.session, &self.key).await?);
        }
        let state = seen.state();
        if output.is_json() {
            return output.json(&self.told(state, &records)?).map(|()| Exit::DONE);
        }
        let mut lines = self.about(state).await?;
        lines[0] = output.styled(Style::Bold, &lines[0]);
        lines.extend(self.to_type(state).map(|command| format!("  {:<9} `{command}`", "to say")));
        lines.extend(records.iter().map(|record| record::line(record, output)));
        output.text(lines.join("\n"))?;
        Ok(Exit::DONE)
    }

    async fn records(&self) -> Result<Vec<Record>, Failure> {
        let (told, key) = (Arc::new(Mutex::new(Vec::new())), self.key.clone());
        let new = Arc::clone(&told);
        let collect = move |record: &Record| {
            if record.event.tells_of(&key) {
                new.lock().unwrap_or_else(PoisonError::into_inner).push(record.clone());
            }
            ControlFlow::Continue(())
        };
        self.session.inspect()?.journal(collect).await.map_err(|error| self.session.failed(&error))?;
        Ok(std::mem::take(&mut *told.lock().unwrap_or_else(PoisonError::into_inner)))
    }

    /// What is known of it, also where its run is finished and has taken it along.
    async fn about(&self, state: &State) -> Result<Vec<String>, Failure> {
        let mut lines = about(state, &self.key);
        if lines.len() == 1 {
            let keys = self.session.inspect()?.keys().await.map_err(|error| self.session.failed(&error))?;
            let closed = keys.iter().find(|life| *life.key == self.key);
            lines.extend(closed.map(|life| format!("  {:<9} {}; its run is finished", "stands", life.stands)));
        }
        Ok(lines)
    }

    fn told(&self, state: &State, records: &[Record]) -> Result<Value, Failure> {
        let records = records.iter().map(|record| RawValue::from_string(record::json(record)));
        let records = records.collect::<Result<Vec<_>, _>>().map_err(std::io::Error::other)?;
        let life = state.steps.get(&self.key).map(|step| KeyLife::of(state, &self.key.as_str().into(), step));
        let records = serde_json::to_value(&records).map_err(std::io::Error::other)?;
        Ok(json!({
            "key": self.key,
            "token": key::token(state.session, &self.key),
            "step": life.as_ref().map(keys::Told::from),
            "question": state.questions.get(&self.key).map(|question| json!({
                "shown": question.shown, "digest": question.digest, "expires": question.expires,
            })),
            "gives": state.steps.get(&self.key).and_then(|step| step.tried().gives.clone()),
            "records": records,
        }))
    }

    /// The command that says what is asked.
    fn to_type(&self, state: &State) -> Option<String> {
        let step = state.steps.get(&self.key)?;
        let gives = step.tried().gives.as_deref();
        let says = match Stands::of(state, &self.key, step) {
            Stands::Decides { .. } if gives.is_none_or(|gives| gives == "Approval") => "approve".to_owned(),
            Stands::Decides { .. } => "ANSWER".to_owned(),
            Stands::Asks { .. } if gives == Some("()") => text::of_attempt("--happened", step.attempt),
            Stands::Asks { .. } | Stands::Unstored { .. } => {
                text::of_attempt("--happened --value RESULT", step.attempt)
            }
            _ => return None,
        };
        let command = if step.kind == StepKind::Decision { "decide" } else { "resolve" };
        Some(self.session.command(&format!("{command} {}", text::about(&self.key, &says, "--by WHO --because WHY"))))
    }
}

/// That the log tells of no such step or run.
pub(crate) async fn unknown(session: &SessionArg, key: &str) -> Result<Failure, Failure> {
    let keys = session.inspect()?.keys().await.map_err(|error| session.failed(&error))?;
    let runs: Vec<_> = session.look().await?.state().runs.keys().cloned().collect();
    let all = keys.iter().map(|life| &*life.key).chain(runs.iter().map(String::as_str));
    Ok(near::unknown("step or run", key, all, &session.command("keys")))
}

/// What is known of a step or a run, before anything is said about it. The first line is its name.
pub(crate) fn about(state: &State, key: &str) -> Vec<String> {
    match (state.steps.get(key), state.runs.get(key)) {
        (Some(step), _) => about_step(state, key, step),
        (None, Some(run)) => about_run(key, run),
        (None, None) => vec![output::key(key)],
    }
}

fn about_step(state: &State, key: &str, step: &Step) -> Vec<String> {
    let title = step.title.as_ref().map_or(String::new(), |title| format!(" ({})", output::shown(title, SHOWN)));
    let mut lines = vec![format!("{}{title}", output::key(key))];
    let mut say = |what: &str, text: &str| lines.push(format!("  {what:<9} {}", output::shown(text, SHOWN)));
    let stands = Stands::of(state, key, step);
    say("is", step.kind.in_words());
    say("stands", &stands.to_string());
    match &stands {
        Stands::Asks { why, .. } | Stands::InDoubt { why } => say("why", &output::quoted(why, SHOWN)),
        Stands::DidNotHappen { error, .. } => say("error", &output::quoted(error, SHOWN)),
        _ if is_withheld(step) => say("result", "not kept, since it holds what looks like a secret"),
        _ => {}
    }
    if step.attempt > 0 {
        let at = step.tried().reserved_at.map_or(String::new(), |at| format!(", begun at {at}"));
        say("attempt", &format!("{}{at}", step.attempt));
    }
    if step.tried().sends_token {
        say("token", &key::token(state.session, key).to_string());
    }
    if let Some(gives) = &step.tried().gives {
        say("gives", gives);
    }
    if let Some(question) = state.questions.get(key) {
        say("shows", question.shown.get());
        if let Some(otherwise) = &question.otherwise {
            say("otherwise", otherwise.get());
        }
    }
    lines
}

/// Whether it is done, and what it gave is written nowhere.
fn is_withheld(step: &Step) -> bool {
    matches!(&step.life, Life::Done { value: Ok(value), .. } if value.is_withheld())
}

fn about_run(key: &str, run: &Run) -> Vec<String> {
    let mut lines = vec![output::key(key)];
    let mut say = |what: &str, text: &str| lines.push(format!("  {what:<9} {}", output::shown(text, SHOWN)));
    say("is", &format!("a run of {}", run.workflow));
    run.goal.iter().for_each(|goal| say("goal", goal));
    run.inputs.iter().for_each(|(name, value)| say("input", &format!("{name}: {}", record::stored(value))));
    match (&run.value, &run.cancelled) {
        (Some(_), _) => say("stands", "finished"),
        (None, Some(by)) => say("stands", &format!("cancelled by {}: {}", by.by, by.because)),
        (None, None) => say("stands", &format!("not finished, {} done of {} begun", run.done, run.recorded)),
    }
    lines
}
