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
        self.session.refuse_two()?;
        let Self { session, signed: Signed { by, because } } = self;
        session.inspect()?;
        // One that no start takes anyhow is refused by the library, which says why.
        if let Ok(seen) = session.look().await
            && !seen.needs_adoption()
            && seen.lost().is_none()
        {
            let dir = session.shown();
            let text = format!(
                "session `{dir}` opens as it is, and nobody has to vouch for it; nothing was changed: start the worker"
            );
            return Err(Failure::new(Exit::STOPPED, text));
        }
        durable_runtime::adopt(session.dir(), &by, &because).await.map_err(|error| session.failed(&error))?;
        output.answer(
            &json!({ "adopted": true, "by": by, "because": because }),
            "The session is adopted. Start the worker: every effect without a record is in doubt first. Make sure that no \
             other copy is ever opened again.",
        )?;
        Ok(Exit::DONE)
    }
}
