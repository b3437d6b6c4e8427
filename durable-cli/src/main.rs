//! `durable`: look at a durable session, and say to it what only a person can say.

mod agent;
mod args;
mod commands;
mod exit;
mod failure;
mod near;
mod once;
mod output;
mod place;
mod record;
mod rest;
mod screen;
mod summary;
mod value;
mod word;

use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;

use crate::args::Cli;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;

/// How long what was not printed yet when a signal came has to get to its reader.
const LAST_WORDS: Duration = Duration::from_millis(200);

fn main() -> ExitCode {
    let Cli { json, command } = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return not_understood(&error),
    };
    let output = Output::new(json);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let ended = match runtime {
        Ok(runtime) => {
            let ended = runtime.block_on(command.run(&output));
            // What a signal has cut off may wait for ever for its reader.
            runtime.shutdown_timeout(LAST_WORDS);
            ended
        }
        Err(error) => Err(Failure::new(Exit::STOPPED, format!("no runtime could be started: {error}; try again"))),
    };
    ended.unwrap_or_else(|failure| output.fail(&failure)).into()
}

/// What is said to a command line that is none, or only asks what there is; a program is told as it asked for it.
fn not_understood(error: &clap::Error) -> ExitCode {
    let is_json = std::env::args_os().any(|argument| argument == "--json");
    if error.use_stderr() && is_json {
        let text = error.to_string();
        let text = text.strip_prefix("error: ").unwrap_or(&text).to_owned();
        return Output::new(true).fail(&Failure::new(Exit::USAGE, text)).into();
    }
    match error.print().map_err(Failure::from) {
        _ if error.use_stderr() => Exit::USAGE,
        Ok(()) => Exit::DONE,
        Err(failure) => Output::new(false).fail(&failure),
    }
    .into()
}
