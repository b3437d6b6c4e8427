//! `durable end`

use clap::Args;
use durable_runtime::core::state::Status;
use serde_json::json;

use super::opening::Opening;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;

/// End the iteration: write the last handoff, and leave the session dormant
#[derive(Args)]
pub(crate) struct End {
    #[command(flatten)]
    opening: Opening,
}

impl End {
    pub(crate) async fn run(self, output: &Output) -> Result<Exit, Failure> {
        self.opening.refuse_inner("the end")?;
        let seen = self.opening.session.look().await?;
        if seen.state().status == Status::Dormant {
            output.answer(&json!({ "ended": null }), "There is nothing to end: the session is dormant.")?;
            return Ok(Exit::DONE);
        }
        let session = self.opening.open(|builder| builder).await?;
        let iteration = session.iteration();
        session.clone().close().await.map_err(|error| self.opening.session.failed(&error))?;
        let handoff = self.opening.session.typed_here(session.handoff());
        output.answer(&json!({ "ended": iteration, "handoff": handoff.to_string() }), &handoff)?;
        Ok(Exit::DONE)
    }
}
