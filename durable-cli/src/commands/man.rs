//! `durable man`

use clap::{Args, CommandFactory};
use clap_mangen::Man as Page;

use crate::args::Cli;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;

/// Print the manual page
#[derive(Args)]
pub(crate) struct Man {
    /// The page of this command; of all of them if not given
    command: Option<String>,
}

impl Man {
    pub(crate) fn run(self, output: &Output) -> Result<Exit, Failure> {
        let mut page = Vec::new();
        let title = self.command.as_ref().map_or("durable".to_owned(), |name| format!("durable-{name}"));
        Page::new(Self::of(self.command)?).title(title).render(&mut page)?;
        output.text(String::from_utf8_lossy(&page))?;
        Ok(Exit::DONE)
    }

    fn of(name: Option<String>) -> Result<clap::Command, Failure> {
        let mut all = Cli::command();
        all.build();
        let Some(name) = name else { return Ok(all) };
        let found = all.find_subcommand(&name).cloned();
        let unknown =
            || Failure::new(Exit::USAGE, format!("there is no command `{name}`; `durable help` names them all"));
        found.ok_or_else(unknown)
    }
}
