//! `durable completions`

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::args::Cli;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;

/// Print what makes a shell complete this command
#[derive(Args)]
pub(crate) struct Completions {
    /// Which shell
    #[arg(value_enum)]
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(self, output: &Output) -> Result<Exit, Failure> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "durable", &mut script);
        output.text(String::from_utf8_lossy(&script))?;
        Ok(Exit::DONE)
    }
}
