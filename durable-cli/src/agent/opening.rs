//! How the commands of an agent open a session, each for itself.

use std::env;
use std::path::{self, PathBuf};
use std::time::Duration;

use clap::Args;
use durable_runtime::{Session, SessionBuilder};
use tokio::time::Instant;

use crate::args::duration;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::place::SessionArg;
use crate::rest::rest;

/// Which session is opened, and what if another process holds it.
#[derive(Args)]
pub(crate) struct Opening {
    #[command(flatten)]
    pub(crate) session: SessionArg,
    /// How long to wait while another process holds the session, such as 30s; without this it is refused at once (77)
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    wait: Option<Duration>,
    /// The session is a workflow's, or its goal is another one now, and that is meant; without this it is refused
    #[arg(long)]
    join: bool,
}

/// How often a session is asked for that another process holds.
const LOOK: Duration = Duration::from_millis(50);

impl Opening {
    /// Opens it, and goes on with the iteration that is awake, or else begins one. Nothing is begun without a goal.
    pub(crate) async fn open(&self, with: impl Fn(SessionBuilder) -> SessionBuilder) -> Result<Session, Failure> {
        self.open_as(|builder| with(builder.go_on())).await
    }

    /// Opens it, and begins an iteration.
    pub(crate) async fn open_anew(&self, with: impl Fn(SessionBuilder) -> SessionBuilder) -> Result<Session, Failure> {
        self.open_as(with).await
    }

    async fn open_as(&self, with: impl Fn(SessionBuilder) -> SessionBuilder) -> Result<Session, Failure> {
        let until = self.wait.and_then(|wait| Instant::now().checked_add(wait));
        loop {
            let builder = Session::builder(self.session.dir()).require_goal().tell_of_waits("durable: ");
            let builder = with(if self.join { builder } else { builder.own_work() });
            match (builder.open().await, until) {
                (Err(error), Some(until)) if error.is_locked() && Instant::now() < until => rest(LOOK).await,
                (opened, _) => return opened.map_err(|error| self.session.failed(&error)),
            }
        }
    }

    /// Lets it go, still awake, with everything durable.
    pub(crate) async fn leave(&self, session: Session) -> Result<(), Failure> {
        session.leave().await.map_err(|error| self.session.failed(&error))
    }

    /// The directory, as every other process finds it.
    pub(crate) fn place(&self) -> Result<PathBuf, Failure> {
        let lost = |error| {
            let text =
                format!("the directory of the session cannot be named: {error}; give its whole path with `-s DIR`");
            Failure::new(Exit::STOPPED, text)
        };
        path::absolute(self.session.dir()).map_err(lost)
    }

    /// Refuses a session that the command of a step is in, which holds it for that step.
    pub(crate) fn refuse_inner(&self, what: &str) -> Result<(), Failure> {
        let (Some(outer), Some(dir)) = (env::var_os("DURABLE_KEY"), env::var_os("DURABLE_SESSION")) else {
            return Ok(());
        };
        if self.place()? != dir {
            return Ok(());
        }
        let outer = outer.to_string_lossy();
        let text = format!(
            "{what} was asked for by the command of `{outer}`, which is a step of this session itself and holds it; take it out of \
             that command, and call one after the other, or give it a session of its own"
        );
        Err(Failure::new(Exit::STOPPED, text))
    }
}
