//! `durable checkpoint`

use clap::Args;
use serde_json::json;

use super::opening::Opening;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;

/// Write a checkpoint, and the handoff with it
///
/// There is one at each boot, before each effect, after an error and at the end anyhow. This is for what only you know:
/// a change of the model, a context that is nearly full.
#[derive(Args)]
pub(crate) struct Checkpoint {
    #[command(flatten)]
    opening: Opening,
    /// Why it is written
    #[arg(value_name = "WHY")]
    why: String,
}

impl Checkpoint {
    pub(crate) async fn run(self, output: &Output) -> Result<Exit, Failure> {
        self.opening.refuse_inner("a checkpoint")?;
        let session = self.opening.open(|builder| builder).await?;
        session.checkpoint(&self.why).await.map_err(|error| self.opening.session.failed(&error))?;
        let next = self.opening.session.typed_here(session.handoff()).next_action();
        let iteration = session.iteration();
        self.opening.leave(session).await?;
        output.answer(
            &json!({ "checkpoint": self.why, "iteration": iteration, "next_action": next }),
            "The checkpoint is written.",
        )?;
        Ok(Exit::DONE)
    }
}
