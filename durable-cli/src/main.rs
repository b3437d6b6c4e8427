//! `durable`: look at a durable session, and say to it what only a person can say.

mod args;
mod commands;
mod exit;
mod failure;
mod output;

use std::process::ExitCode;

use clap::Parser;

use crate::args::Cli;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;

fn main() -> ExitCode {
    let Cli { json, command } = Cli::parse();
    let output = Output::new(json);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
    let ended = match runtime {
        Ok(runtime) => runtime.block_on(command.run(&output)),
        Err(error) => Err(Failure::new(Exit::STOPPED, format!("no runtime could be started: {error}; try again"))),
    };
    ended.unwrap_or_else(|failure| output.fail(&failure)).into()
}
