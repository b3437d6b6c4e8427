//! `durable handoff`

use clap::Args;
use serde_json::json;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Output, Style};
use crate::place::SessionArg;
use crate::summary;

/// Print the letter to whoever comes next, made from the log and the inbox now
///
/// What `handoff.md` says may lag behind, or lie; it is not read.
#[derive(Args)]
pub(crate) struct Handoff {
    #[command(flatten)]
    session: SessionArg,
}

impl Handoff {
    pub(crate) async fn run(self, output: &Output) -> Result<Exit, Failure> {
        let session = self.session.look().await?;
        let letter = self.session.letter(&session);
        let page = match summary::first(&self.session, &session) {
            Some(first) => format!("First of all: {first}.\n\n{letter}"),
            None => letter.to_string(),
        };
        let json = json!({ "handoff": page, "standing": session.standing().word(), "letter": letter });
        let heading = |line: &str| match line.starts_with('#') {
            true => output.styled(Style::Bold, line),
            false => line.to_owned(),
        };
        output.answer(&json, page.lines().map(heading).collect::<Vec<_>>().join("\n"))?;
        Ok(Exit::DONE)
    }
}
