//! `durable resolve`

use std::env;
use std::path::Path;

use clap::Args;
use durable_runtime::core::key;
use durable_runtime::core::meta::StepKind;
use durable_runtime::core::state::{Life, State, Step};
use durable_runtime::core::text::{self, about};
use durable_runtime::{Holder, Inspection, Word};
use serde_json::value::RawValue;

use crate::args::Signed;
use crate::commands::show;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::near;
use crate::once::recorded;
use crate::output::{self, Output};
use crate::place::SessionArg;
use crate::value;
use crate::word::{Saying, Wait};

/// Say what became of an effect that is in doubt
///
/// Look at the receiver first, by the token that `durable show` gives. The word counts once a worker has taken it, and is final:
/// what is said to have happened is never run again, and what is said not to have happened is.
#[derive(Args)]
pub(crate) struct Resolve {
    #[command(flatten)]
    session: SessionArg,
    /// The step's full key, as the handoff shows it
    key: String,
    #[command(flatten)]
    says: Says,
    /// What it gave, as JSON; not needed where the log knows that it gives nothing
    #[arg(long, value_name = "JSON", conflicts_with = "did_not_happen", allow_hyphen_values = true)]
    value: Option<String>,
    /// The attempt that was looked at, by its number in the journal; the newest if not given
    #[arg(long, value_name = "NUMBER")]
    attempt: Option<u32>,
    #[command(flatten)]
    signed: Signed,
    #[command(flatten)]
    wait: Wait,
}

#[derive(Args)]
#[group(required = true, multiple = false)]
struct Says {
    /// It happened
    #[arg(long)]
    happened: bool,
    /// It did not happen: the worker may run it
    #[arg(long)]
    did_not_happen: bool,
}

impl Resolve {
    pub(crate) async fn run(self, output: &Output) -> Result<Exit, Failure> {
        self.session.refuse_two()?;
        let seen = self.session.look().await?;
        let step = find(&self.session, seen.state(), &self.key)?;
        if let Some(step) = step.filter(|step| step.kind == StepKind::Decision) {
            return Err(self.is_decision(step));
        }
        if let Some(step) = step.filter(|step| step.attempt > 1 && self.attempt.is_none() && !is_unasked(step)) {
            return Err(self.is_of_which(step));
        }
        if let (true, Some(step)) = (self.says.did_not_happen, step) {
            self.refuse_while_it_may_act(&seen, step)?;
        }
        // Of what nobody asks about no value is asked for: the word is refused, with what is known.
        let value = if step.is_some_and(is_unasked) { None } else { self.value(step)? };
        let word = Word::resolve(&self.key);
        let word = self.attempt.into_iter().fold(word, durable_runtime::Resolve::of_attempt);
        let word = match (self.says.happened, &value) {
            (true, Some(value)) => word.happened(value),
            (true, None) => word.happened(&()),
            (false, _) => word.did_not_happen(),
        };
        let word = word.by(&self.signed.by, &self.signed.because);
        let about = show::about(seen.state(), &self.key);
        Saying { session: &self.session, key: &self.key, about, word }.say(seen, &self.wait, output).await
    }

    /// What it gave, where it gives anything.
    fn value(&self, step: Option<&Step>) -> Result<Option<Box<RawValue>>, Failure> {
        let gives = step.and_then(|step| step.tried().gives.as_deref());
        match (&self.value, gives) {
            (Some(given), gives) => {
                let value = value::parse(given, gives)?;
                match gives == Some(recorded::GIVES) && !recorded::is_read_in(&value) {
                    true => Err(self.is_no_output(given)),
                    false => Ok(Some(value)),
                }
            }
            (None, Some(gives)) if self.says.happened && gives != "()" => {
                let (key, gives) = (output::key(&self.key), output::shown(gives, 200));
                let how = if gives == recorded::GIVES { format!("; that is {}", recorded::HOW) } else { String::new() };
                let text = format!("`{key}` gives a `{gives}`: say what it gave, with `--value` and its JSON{how}");
                Err(Failure::new(Exit::USAGE, text))
            }
            // A step that gives nothing says so where it is asked about; of any other the log does not know before.
            (None, None) if self.says.happened && step.is_some() => {
                let key = output::key(&self.key);
                let text = format!(
                    "nothing is recorded of what `{key}` gives: say what it gave, with `--value` and its JSON, or `--value null` if it gives nothing"
                );
                Err(Failure::new(Exit::USAGE, text))
            }
            (None, _) => Ok(None),
        }
    }

    /// What a call of `once` has started may outlive it, and then holds the session: nobody knows yet what it will not do.
    fn refuse_while_it_may_act(&self, seen: &Inspection, step: &Step) -> Result<(), Failure> {
        let is_of_script = step.tried().gives.as_deref() == Some(recorded::GIVES);
        let Some((pid, command)) = left_behind(seen.holder()).filter(|_| is_of_script) else { return Ok(()) };
        let text = format!(
            "process {pid} (`{command}`) holds the session, and may be what the call of `{}` has started: it may act yet, so \
             nothing was said; wait until it has ended, look once more whether it happened, and then say this again",
            output::key(&self.key)
        );
        Err(Failure::new(Exit::HELD, text))
    }

    /// An answer about an earlier attempt may have been typed once more: the newest would be run again by it.
    fn is_of_which(&self, step: &Step) -> Failure {
        let says = match self.says.happened {
            true if step.tried().gives.as_deref() == Some("()") => "--happened",
            true => "--happened --value RESULT",
            false => "--did-not-happen",
        };
        let says = text::of_attempt(says, step.attempt);
        let resolve = self.session.command(&format!("resolve {}", about(&self.key, &says, "--by WHO --because WHY")));
        let text = format!(
            "`{}` was tried {} times, and what was said of an earlier attempt counts for that one alone; nothing was said: look \
             whether the newest happened, and say `{resolve}`",
            output::key(&self.key),
            step.attempt
        );
        Failure::new(Exit::USAGE, text)
    }

    fn is_no_output(&self, given: &str) -> Failure {
        let (key, given) = (output::key(&self.key), output::shown(given, 200));
        let text =
            format!("`{key}` is a step of `durable once`, which reads no result in `{given}`: give {}", recorded::HOW);
        Failure::new(Exit::USAGE, text)
    }

    fn is_decision(&self, step: &Step) -> Failure {
        let answer = if step.tried().gives.as_deref() == Some("Approval") { "approve" } else { "ANSWER" };
        let decide = self.session.command(&format!("decide {}", about(&self.key, answer, "--by WHO --because WHY")));
        let text = format!("`{}` is a decision: say what is decided, `{decide}`", output::key(&self.key));
        Failure::new(Exit::USAGE, text)
    }
}

/// Who holds the session and is no `durable`: what a call has started and has not outlived.
fn left_behind(holder: Holder) -> Option<(u32, String)> {
    let Holder::Process(pid) = holder else { return None };
    let command = holder.command()?;
    let name = |path: &str| Path::new(path).file_name().map(ToOwned::to_owned);
    let own = env::args().next().and_then(|own| name(&own));
    (command.split(' ').next().and_then(name) != own).then_some((pid, command))
}

/// Whether it is known what became of it, or too early to ask: the word is refused with that, and no value would help.
fn is_unasked(step: &Step) -> bool {
    match &step.life {
        Life::Done { value, .. } => value.as_ref().is_ok_and(|value| !value.is_withheld()),
        life => matches!(life, Life::Reserved | Life::Rejected { .. } | Life::Failed(_) | Life::Asleep { .. }),
    }
}

/// The step of this key; none if it is one of a finished run, of which the library has something to say.
pub(crate) fn find<'a>(session: &SessionArg, state: &'a State, given: &str) -> Result<Option<&'a Step>, Failure> {
    if let Some(step) = state.steps.get(given) {
        return Ok(Some(step));
    }
    if key::around(given).next().is_some_and(|run| state.is_finished(run)) {
        return Ok(None);
    }
    let open: Vec<_> = state.open_keys().map(|(key, _)| &**key).collect();
    let all: Vec<_> = state.steps.all().map(|(run, own, _)| key::scoped(run, own)).collect();
    let known = open.into_iter().chain(all.iter().map(String::as_str));
    Err(near::unknown("step", given, known, &session.command("keys --open")))
}
