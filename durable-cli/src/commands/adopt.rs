//! `durable adopt`

use clap::Args;
use serde_json::json;

use crate::args::Signed;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;
use crate::place::SessionArg;

/// Vouch for a session that was moved, copied, or restored from a backup
///
/// Such a session does not open by itself: another copy of it may have gone on. From this word on every effect without a
/// record starts in doubt. Adopt one copy, and make sure that no other is ever opened again.
#[derive(Args)]
pub(crate) struct Adopt {
    #[command(flatten)]
    session: SessionArg,
    #[command(flatten)]
    signed: Signed,
}

impl Adopt {
    pub(crate) async fn run(self, output: &Output) -> Result<Exit, Failure> {
        let Self { session, signed: Signed { by, because } } = self;
        session.inspect()?;
        durable_runtime::adopt(session.dir(), &by, &because).await.map_err(|error| session.failed(&error))?;
        output.answer(
            &json!({ "adopted": true, "by": by, "because": because }),
            "The session is adopted. Start the worker: every effect without a record is in doubt first. Make sure that no \
             other copy is ever opened again.",
        )?;
        Ok(Exit::DONE)
    }
}
