//! `durable audit`

use clap::Args;
use durable_runtime::core::audit;
use serde_json::json;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{self, Output};
use crate::place::SessionArg;

/// Hold what a session has left against the checklist of the protocol, line by line
///
/// It takes no lock and changes nothing, so a worker may hold the session. The exit code is 1 if a line fails.
#[derive(Args)]
pub(crate) struct Audit {
    #[command(flatten)]
    session: SessionArg,
}

impl Audit {
    pub(crate) async fn run(self, output: &Output) -> Result<Exit, Failure> {
        self.session.inspect()?;
        let audit = durable_runtime::audit(self.session.dir()).await.map_err(|error| self.session.failed(&error))?;
        let audit::Audit { place, lines, .. } = &audit;
        let json = json!({ "holds": audit.holds(), "place": place, "lines": lines });
        let lines: Vec<_> = audit.to_string().lines().map(|line| output::shown(line, usize::MAX)).collect();
        output.answer(&json, lines.join("\n"))?;
        Ok(if audit.holds() { Exit::DONE } else { Exit::STOPPED })
    }
}
