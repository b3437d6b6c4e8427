//! The command line.

use std::time::Duration;

use clap::{Args, Parser, Subcommand};

use crate::agent::{boot, budget, checkpoint, end, note};
use crate::commands::{
    adopt, audit, cancel, completions, decide, doctor, handoff, journal, keys, man, outline, resolve, show, status,
    trim, watch,
};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::once;
use crate::output::Output;

/// Look at durable sessions, and say to them what only a person can say.
///
/// A session is the directory in which a workflow keeps what it knows.
#[derive(Parser)]
#[command(name = "durable", version, max_term_width = 100, after_help = EXITS)]
pub(crate) struct Cli {
    /// Print JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXITS: &str = "Exit codes: 0 done or finished, 1 stopped, 2 not understood, 74 done but not printed, 75 in doubt, 76 at odds with what is \
                     recorded, 77 held by another process, 78 damaged, 79 waiting, 80 cancelled. \
                     Those of `once` are the command's own where its end is known.";

/// What can be asked for.
#[derive(Subcommand)]
pub(crate) enum Command {
    Once(once::Once),
    Boot(boot::Boot),
    Checkpoint(checkpoint::Checkpoint),
    Note(note::Note),
    Budget(budget::Budget),
    End(end::End),
    Status(status::Status),
    Handoff(handoff::Handoff),
    Watch(watch::Watch),
    Journal(journal::Journal),
    Keys(keys::Keys),
    Show(show::Show),
    Outline(outline::Outline),
    Resolve(resolve::Resolve),
    Decide(decide::Decide),
    Cancel(cancel::Cancel),
    Adopt(adopt::Adopt),
    Doctor(doctor::Doctor),
    Audit(audit::Audit),
    Trim(trim::Trim),
    Completions(completions::Completions),
    Man(man::Man),
}

impl Command {
    pub(crate) async fn run(self, output: &Output) -> Result<Exit, Failure> {
        match self {
            Self::Once(once) => once.run(output).await,
            Self::Boot(boot) => boot.run(output).await,
            Self::Checkpoint(checkpoint) => checkpoint.run(output).await,
            Self::Note(note) => note.run(output).await,
            Self::Budget(budget) => budget.run(output).await,
            Self::End(end) => end.run(output).await,
            Self::Status(status) => status.run(output).await,
            Self::Handoff(handoff) => handoff.run(output).await,
            Self::Watch(watch) => watch.run(output).await,
            Self::Journal(journal) => journal.run(output).await,
            Self::Keys(keys) => keys.run(output).await,
            Self::Show(show) => show.run(output).await,
            Self::Outline(outline) => outline.run(output).await,
            Self::Resolve(resolve) => resolve.run(output).await,
            Self::Decide(decide) => decide.run(output).await,
            Self::Cancel(cancel) => cancel.run(output).await,
            Self::Trim(trim) => trim.run(output).await,
            Self::Adopt(adopt) => adopt.run(output).await,
            Self::Audit(audit) => audit.run(output).await,
            Self::Doctor(doctor) => doctor.run(output).await,
            Self::Completions(completions) => completions.run(output),
            Self::Man(man) => man.run(output),
        }
    }
}

/// Who says something, and why. Both stand in the journal.
#[derive(Args)]
pub(crate) struct Signed {
    /// Who says it
    #[arg(long, value_name = "NAME", value_parser = said)]
    pub(crate) by: String,
    /// Why: what was looked at, and what was seen
    #[arg(long, value_name = "TEXT", value_parser = said)]
    pub(crate) because: String,
}

/// A length of time, as a person types it.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let how = |error| {
        format!("it is no length of time ({error}): write one as a number and a unit, such as 30s, 5m or 1h30m")
    };
    humantime::parse_duration(text).map_err(how)
}

/// A text that says something.
pub(crate) fn words(text: &str) -> Result<String, String> {
    match text.trim() {
        "" => Err("it is empty: say something, or leave it out".to_owned()),
        _ => Ok(text.to_owned()),
    }
}

fn said(text: &str) -> Result<String, String> {
    match text.trim() {
        "" => Err("it is empty; it stands in the journal for whoever asks later".to_owned()),
        "WHO" => Err("it is the place for a name: write who says it".to_owned()),
        "WHY" => Err("it is the place for a reason: write what was looked at, and what was seen".to_owned()),
        _ => Ok(text.to_owned()),
    }
}
