//! `durable watch`

use std::time::Duration;

use clap::Args;
use durable_runtime::{Holder, Inspection, Outcome, Standing};

use crate::args::duration;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;
use crate::place::SessionArg;
use crate::record;
use crate::rest::rest;
use crate::screen;

/// Look on while a session goes on, until nothing is left to do
///
/// On a terminal the page is drawn anew as records come. Elsewhere it stands at the beginning and at the end, and each record in
/// between is a line, as in `durable journal --follow`. A loop has a bar where it goes over a list that is an input.
#[derive(Args)]
pub(crate) struct Watch {
    #[command(flatten)]
    session: SessionArg,
    /// How often to look
    #[arg(long, value_name = "TIME", default_value = "500ms", value_parser = duration)]
    every: Duration,
}

impl Watch {
    pub(crate) async fn run(self, output: &Output) -> Result<Exit, Failure> {
        let mut session = self.session.look().await?;
        self.show(&session, output)?;
        while !is_over(&session) {
            rest(self.every).await;
            let before = shown(&session);
            let records = session.read_on().await.map_err(|error| self.session.failed(&error))?;
            if !output.is_live() {
                records.iter().try_for_each(|record| output.text(record::line(record, output)))?;
            }
            if before != shown(&session) && (output.is_live() || is_over(&session)) {
                self.show(&session, output)?;
            }
        }
        Ok(Outcome::from(session.standing()).into())
    }

    fn show(&self, session: &Inspection, output: &Output) -> Result<(), Failure> {
        if output.is_json() {
            return Ok(());
        }
        let page = screen::page(&self.session, session, output).join("\n");
        output.text(if output.is_live() { format!("{CLEAR}{page}") } else { page })
    }
}

/// The cursor goes home, and what stands behind it is cleared.
const CLEAR: &str = "\u{1b}[H\u{1b}[2J";

/// What a page is drawn anew for.
fn shown(session: &Inspection) -> (u64, Standing, Holder) {
    (session.state().seq, session.standing(), session.holder())
}

/// Whether nothing is left to look at.
fn is_over(session: &Inspection) -> bool {
    matches!(session.standing(), Standing::Finished | Standing::Cancelled)
}
