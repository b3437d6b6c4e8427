//! `durable trim`

use clap::Args;
use durable_runtime::Session;
use serde_json::json;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;
use crate::place::SessionArg;

/// Leave out of the log what no longer matters: the steps of finished runs
///
/// Their results stay, and so does every key that was ever reserved. It boots the session, so no worker may be running; a worker
/// does this by itself once it is worth while.
#[derive(Args)]
pub(crate) struct Trim {
    #[command(flatten)]
    session: SessionArg,
}

impl Trim {
    pub(crate) async fn run(self, output: &Output) -> Result<Exit, Failure> {
        self.session.inspect()?;
        let trimmed = self.trim().await.map_err(|error| self.session.failed(&error))?;
        let text = match trimmed {
            true => "The log is trimmed: what it says of finished runs is their results and their keys.",
            false => "Nothing was left out: the log holds nothing that no longer matters, or it has lost records.",
        };
        output.answer(&json!({ "trimmed": trimmed }), text)?;
        Ok(Exit::DONE)
    }

    async fn trim(&self) -> Result<bool, durable_runtime::Error> {
        let session = Session::open(self.session.dir()).await?;
        let trimmed = session.trim().await;
        session.close().await?;
        trimmed
    }
}
