//! `durable keys`

use clap::Args;
use durable_runtime::KeyLife;
use durable_runtime::core::meta::StepKind;
use serde::Serialize;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::near;
use crate::output::{self, Output, Style};
use crate::place::SessionArg;

/// List every key, and where its step stands
#[derive(Args)]
pub(crate) struct Keys {
    #[command(flatten)]
    session: SessionArg,
    /// Only those that are not settled
    #[arg(long)]
    open: bool,
    /// Only those of this run, and of the runs in it
    #[arg(long, value_name = "RUN", allow_hyphen_values = true)]
    run: Option<String>,
}

impl Keys {
    pub(crate) async fn run(self, output: &Output) -> Result<Exit, Failure> {
        let inspect = self.session.inspect()?;
        let all = inspect.keys().await.map_err(|error| self.session.failed(&error))?;
        let opened = all.iter().map(|life| life.opened).max().unwrap_or(0);
        let left_out = opened.saturating_sub(all.len() as u64);
        if let Some(run) = &self.run {
            self.refuse_unknown(run, &all).await?;
        }
        let keys: Vec<_> = all.into_iter().filter(|life| self.is_wanted(life)).collect();
        match output.is_json() {
            true => output.json(&All { keys: keys.iter().map(Told::from).collect(), left_out })?,
            false => output.text(listed(&keys, left_out, output))?,
        }
        Ok(Exit::DONE)
    }

    /// A run of which nothing is known is a slip of the finger: that it has no key would be no answer.
    async fn refuse_unknown(&self, run: &str, keys: &[KeyLife]) -> Result<(), Failure> {
        let seen = self.session.look().await?;
        let of_keys = keys.iter().map(|life| &*life.run).filter(|run| !run.is_empty());
        let known: Vec<_> = seen.state().runs.keys().map(String::as_str).chain(of_keys).collect();
        match known.contains(&run) {
            true => Ok(()),
            false => Err(near::unknown("run", run, known.into_iter(), &self.session.command("outline"))),
        }
    }

    fn is_wanted(&self, life: &KeyLife) -> bool {
        let is_inside = |run: &String| durable_runtime::core::key::is_inside(&life.run, run);
        (!self.open || (!life.stands.is_settled() && !life.is_closed)) && self.run.as_ref().is_none_or(is_inside)
    }
}

/// A key for programs.
#[derive(Serialize)]
pub(crate) struct Told<'a> {
    key: &'a str,
    run: &'a str,
    kind: StepKind,
    title: Option<&'a str>,
    attempt: u32,
    stands: &'static str,
    asks: Option<&'a str>,
    closed: bool,
}

impl<'a> From<&'a KeyLife> for Told<'a> {
    fn from(life: &'a KeyLife) -> Self {
        Self {
            key: &life.key,
            run: &life.run,
            kind: life.kind,
            title: life.title.as_deref(),
            attempt: life.attempt,
            stands: life.stands.word(),
            asks: life.stands.asks(),
            closed: life.is_closed,
        }
    }
}

#[derive(Serialize)]
struct All<'a> {
    keys: Vec<Told<'a>>,
    left_out: u64,
}

fn listed(keys: &[KeyLife], left_out: u64, output: &Output) -> String {
    let mut lines: Vec<_> = keys.iter().map(|life| line(life, output)).collect();
    if keys.is_empty() {
        lines.push("No key.".to_owned());
    }
    if left_out > 0 {
        lines.push(format!("{left_out} more of finished runs were trimmed; idempotency.json names them."));
    }
    lines.join("\n")
}

fn line(life: &KeyLife, output: &Output) -> String {
    let key = output::key(&life.key);
    let stands = output::shown(&life.stands.to_string(), 200);
    let title = life.title.as_ref().map_or(String::new(), |title| format!(" ({})", output::shown(title, 200)));
    let attempts = if life.attempt > 1 { format!(", attempt {}", life.attempt) } else { String::new() };
    format!("{key}{title}: {}", output.styled(style(life), format!("{stands}{attempts}")))
}

/// How a step looks that stands so.
pub(crate) fn style(life: &KeyLife) -> Style {
    match life.stands.asks() {
        _ if life.is_closed => Style::Faint,
        Some(_) => Style::Bad,
        None if life.stands.is_settled() => Style::Good,
        None => Style::Attention,
    }
}
