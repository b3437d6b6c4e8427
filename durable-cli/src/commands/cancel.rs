//! `durable cancel`

use clap::Args;
use durable_runtime::Word;

use super::show;
use crate::args::Signed;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::near;
use crate::output::Output;
use crate::place::SessionArg;
use crate::word::{Saying, Wait};

/// Give a run up
///
/// Nothing new is begun in it but what cleans up, and that is final. What has happened is not undone, and what is in doubt stays
/// in doubt.
#[derive(Args)]
pub(crate) struct Cancel {
    #[command(flatten)]
    session: SessionArg,
    /// The run's full key, as the handoff shows it
    run: String,
    #[command(flatten)]
    signed: Signed,
    #[command(flatten)]
    wait: Wait,
}

impl Cancel {
    pub(crate) async fn run(self, output: &Output) -> Result<Exit, Failure> {
        self.session.refuse_two()?;
        let seen = self.session.look().await?;
        let state = seen.state();
        if !state.runs.contains_key(&self.run) && !state.is_finished(&self.run) {
            let all = state.active.values().map(String::as_str);
            return Err(near::unknown("unfinished run", &self.run, all, &self.session.command("outline")));
        }
        let word = Word::cancel(&self.run).by(&self.signed.by, &self.signed.because);
        let about = show::about(state, &self.run);
        Saying { session: &self.session, key: &self.run, about, word }.say(seen, &self.wait, output).await
    }
}
