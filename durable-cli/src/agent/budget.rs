//! `durable budget`

use clap::Args;
use durable_runtime::Budget as Told;
use serde_json::json;

use super::opening::Opening;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;

/// Say how much of your context is used, and learn whether to hand over
///
/// When half of it is used, a checkpoint is written. The handoff shows how much is used, until the next `boot`.
#[derive(Args)]
pub(crate) struct Budget {
    #[command(flatten)]
    opening: Opening,
    /// How much is used, in tokens or whatever else you count
    #[arg(value_name = "USED")]
    used: u64,
    /// How much there is
    #[arg(value_name = "TOTAL")]
    total: u64,
}

impl Budget {
    pub(crate) async fn run(self, output: &Output) -> Result<Exit, Failure> {
        self.opening.refuse_inner("a budget")?;
        let session = self.opening.open(|builder| builder).await?;
        let told = session.budget(self.used, self.total).await;
        self.opening.leave(session).await?;
        let (word, words) = match told.map_err(|error| self.opening.session.failed(&error))? {
            Told::Fine => ("fine", "Less than half is used."),
            Told::HalfUsed => {
                ("half_used", "Half is used now, and a checkpoint is written: hand over, or make it smaller.")
            }
            Told::Low => ("low", "More than half is used: hand over, or make it smaller."),
            Told::Spent => ("spent", "All of it is used: hand over."),
        };
        output.answer(&json!({ "budget": word, "used": self.used, "total": self.total }), words)?;
        Ok(Exit::DONE)
    }
}
