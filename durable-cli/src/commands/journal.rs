//! `durable journal`

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use clap::Args;
use durable_runtime::core::record::Record;

use super::show;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;
use crate::place::SessionArg;
use crate::record;
use crate::rest::rest;

/// Print the log, record by record
///
/// With `--json` each record is one line, with the fields that docs/format.md names.
#[derive(Args)]
pub(crate) struct Journal {
    #[command(flatten)]
    session: SessionArg,
    /// Go on as records come, until this is interrupted
    #[arg(short, long)]
    follow: bool,
    /// Only the last records
    #[arg(short = 'n', long, value_name = "COUNT")]
    last: Option<usize>,
    /// Only what tells of this step or run
    #[arg(short, long, allow_hyphen_values = true)]
    key: Option<String>,
}

/// How long it takes at most until a new record is seen.
const LOOK: Duration = Duration::from_millis(200);

impl Journal {
    pub(crate) async fn run(self, output: &Output) -> Result<Exit, Failure> {
        let inspect = self.session.inspect()?;
        // Before what is printed: nothing that comes in between is missed.
        let mut session = if self.follow { Some(self.session.look().await?) } else { None };
        let until = session.as_ref().map(|session| session.state().seq);
        let printed = Arc::new(Mutex::new(Printed { kept: VecDeque::new(), failure: None, is_found: false }));
        let read = inspect.journal(self.printing(Arc::clone(&printed), *output, until)).await;
        let Printed { kept, failure, is_found } = {
            let mut printed = printed.lock().unwrap_or_else(PoisonError::into_inner);
            let Printed { kept, failure, is_found } = &mut *printed;
            Printed { kept: std::mem::take(kept), failure: failure.take(), is_found: *is_found }
        };
        failure.map_or(Ok(()), Err)?;
        kept.iter().try_for_each(|line| output.text(line))?;
        read.map_err(|error| self.session.failed(&error))?;
        if let (Some(key), false, false) = (&self.key, is_found, self.follow) {
            return Err(show::unknown(&self.session, key).await?);
        }
        while let Some(session) = &mut session {
            rest(LOOK).await;
            let records = session.read_on().await.map_err(|error| self.session.failed(&error))?;
            let wanted = records.iter().filter(|record| self.is_wanted(record));
            wanted.map(|record| record::line(record, output)).try_for_each(|line| output.text(line))?;
        }
        Ok(Exit::DONE)
    }

    /// Prints each record as it is read; where only the last ones are wanted, keeps these.
    fn printing(
        &self,
        printed: Arc<Mutex<Printed>>,
        output: Output,
        until: Option<u64>,
    ) -> impl FnMut(&Record) -> ControlFlow<()> + Send + 'static {
        let (last, key) = (self.last, self.key.clone());
        move |record| {
            let mut printed = printed.lock().unwrap_or_else(PoisonError::into_inner);
            if until.is_some_and(|until| record.seq > until) {
                return ControlFlow::Break(());
            }
            if key.as_ref().is_some_and(|key| !record.event.tells_of(key)) {
                return ControlFlow::Continue(());
            }
            printed.is_found = true;
            let line = record::line(record, &output);
            match last {
                Some(last) => printed.keep(line, last),
                None => printed.failure = output.text(line).err(),
            }
            if printed.failure.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        }
    }

    fn is_wanted(&self, record: &Record) -> bool {
        self.key.as_ref().is_none_or(|key| record.event.tells_of(key))
    }
}

/// What became of the lines.
struct Printed {
    kept: VecDeque<String>,
    failure: Option<Failure>,
    /// Whether any record was wanted.
    is_found: bool,
}

impl Printed {
    fn keep(&mut self, line: String, last: usize) {
        self.kept.push_back(line);
        if self.kept.len() > last {
            self.kept.pop_front();
        }
    }
}
