//! `durable decide`

use clap::Args;
use durable_runtime::Word;
use durable_runtime::core::meta::StepKind;
use durable_runtime::core::state::Step;
use durable_runtime::core::text::{self, about};

use super::resolve::find;
use super::show;
use crate::args::Signed;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{self, Output};
use crate::place::SessionArg;
use crate::value;
use crate::word::{Saying, Wait};

/// Answer what a decision asks
///
/// The answer is bound to what is shown now, and final once the step has read it.
#[derive(Args)]
pub(crate) struct Decide {
    #[command(flatten)]
    session: SessionArg,
    /// The decision's full key, as the handoff shows it
    key: String,
    /// `approve` or `decline` where that is asked, else the answer as JSON
    #[arg(allow_hyphen_values = true)]
    value: String,
    #[command(flatten)]
    signed: Signed,
    #[command(flatten)]
    wait: Wait,
}

impl Decide {
    pub(crate) async fn run(self, output: &Output) -> Result<Exit, Failure> {
        self.session.refuse_two()?;
        let seen = self.session.look().await?;
        let step = find(&self.session, seen.state(), &self.key)?;
        if let Some(step) = step.filter(|step| step.kind != StepKind::Decision) {
            return Err(self.is_effect(step));
        }
        let reply = Word::answer(&self.key);
        let gives = step.and_then(|step| step.tried().gives.as_deref());
        let answer = match (&*self.value, gives) {
            ("approve", Some("Approval") | None) => reply.approve(),
            ("decline", Some("Approval") | None) => reply.decline(),
            (value, Some("Approval")) if !value.starts_with('{') => return Err(self.is_approval()),
            (value, gives) => reply.value(&value::parse(value, gives)?),
        };
        let word = answer.by(&self.signed.by, &self.signed.because);
        let about = show::about(seen.state(), &self.key);
        Saying { session: &self.session, key: &self.key, about, word }.say(seen, &self.wait, output).await
    }

    fn is_approval(&self) -> Failure {
        let (key, value) = (output::key(&self.key), output::shown(&self.value, 100));
        Failure::new(Exit::USAGE, format!("`{key}` is answered with `approve` or `decline`, not with `{value}`"))
    }

    fn is_effect(&self, step: &Step) -> Failure {
        let says = if step.tried().gives.as_deref() == Some("()") { "--happened" } else { "--happened --value RESULT" };
        let says = text::of_attempt(says, step.attempt);
        let resolve = self.session.command(&format!("resolve {}", about(&self.key, &says, "--by WHO --because WHY")));
        let text = format!(
            "`{}` is no decision but {}: say whether it happened, `{resolve}`",
            output::key(&self.key),
            step.kind.in_words()
        );
        Failure::new(Exit::USAGE, text)
    }
}
