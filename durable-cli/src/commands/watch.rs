//! `durable watch`

use std::time::Duration;

use clap::Args;
use durable_runtime::{Inspection, Standing};

use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;
use crate::place::SessionArg;
use crate::record;
use crate::rest::rest;
use crate::screen;

/// Look on while a session goes on, until nothing is left to do
///
/// On a terminal the page is drawn anew as records come. Elsewhere each record is a line, as in `durable journal --follow`.
#[derive(Args)]
pub(crate) struct Watch {
    #[command(flatten)]
    session: SessionArg,
    /// How often to look
    #[arg(long, value_name = "TIME", default_value = "500ms", value_parser = humantime::parse_duration)]
    every: Duration,
}

impl Watch {
    pub(crate) async fn run(self, output: &Output) -> Result<Exit, Failure> {
        let mut session = self.session.look().await?;
        let mut shown = None;
        loop {
            let now = (session.state().seq, session.standing(), session.posted().len());
            if output.is_live() && shown != Some(now) {
                screen::draw(&self.session, &session, output)?;
                shown = Some(now);
            }
            if is_over(&session) {
                return Ok(durable_runtime::Outcome::from(session.standing()).into());
            }
            rest(self.every).await;
            let records = session.read_on().await.map_err(|error| self.session.failed(&error))?;
            if !output.is_live() {
                records.iter().try_for_each(|record| output.text(record::line(record, output)))?;
            }
        }
    }
}

/// Whether nothing is left to look at.
fn is_over(session: &Inspection) -> bool {
    matches!(session.standing(), Standing::Finished | Standing::Cancelled)
}
