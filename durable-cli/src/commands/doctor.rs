//! `durable doctor`

use clap::Args;
use durable_runtime::{Diagnosis, Finding, Outcome, Remedy};
use serde_json::{Value, json};

use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{self, Output, Style};
use crate::place::SessionArg;
use crate::summary;

/// Look for damage, and say what of it can be put right without loss
///
/// It holds the session while it looks, so no worker may be running. Nothing is changed without `--repair`.
#[derive(Args)]
pub(crate) struct Doctor {
    #[command(flatten)]
    session: SessionArg,
    /// Put right what it is provable for that nothing is lost; originals are kept beside, nothing is deleted
    #[arg(long)]
    repair: bool,
}

impl Doctor {
    pub(crate) async fn run(self, output: &Output) -> Result<Exit, Failure> {
        self.session.inspect()?;
        let mut kept = Vec::new();
        if self.repair {
            kept = self.diagnosis().await?.repair().await.map_err(|error| self.session.failed(&error))?;
        }
        let diagnosis = self.diagnosis().await?;
        let lost = self.lost(&diagnosis).await;
        output.answer(
            &self.told(&diagnosis, &kept, lost.as_deref()),
            self.in_words(&diagnosis, &kept, lost.as_deref(), output),
        )?;
        Ok(if diagnosis.opens() && lost.is_none() { Exit::DONE } else { Outcome::Damaged.into() })
    }

    async fn diagnosis(&self) -> Result<Diagnosis, Failure> {
        durable_runtime::doctor(self.session.dir()).await.map_err(|error| self.session.failed(&error))
    }

    /// What is gone that a copy may have: the next start would go on without it.
    async fn lost(&self, diagnosis: &Diagnosis) -> Option<String> {
        if !diagnosis.opens() {
            return None;
        }
        let session = self.session.look().await.ok()?;
        session.lost().map(|_| summary::lost(&session))
    }

    fn in_words(&self, diagnosis: &Diagnosis, kept: &[String], lost: Option<&str>, output: &Output) -> String {
        let mut lines: Vec<_> = kept.iter().map(|name| format!("Put right; the original is kept as {name}.")).collect();
        let found = self.session.in_commands(&diagnosis.to_string());
        lines.extend(found.lines().map(|line| output::shown(line, usize::MAX)));
        let style = if diagnosis.opens() && lost.is_none() { Style::Good } else { Style::Bad };
        let repair = self.session.command("doctor --repair");
        let end = match (diagnosis.opens(), diagnosis.is_repairable()) {
            (true, _) if lost.is_some() => format!("Start nothing yet. {}.", lost.unwrap_or_default()),
            (true, _) => "It opens as it is: start the worker.".to_owned(),
            (false, true) => {
                format!("It does not open as it is. `{repair}` puts right what can be, and keeps the originals.")
            }
            (false, false) => "It does not open as it is, and only a person can put that right: see above.".to_owned(),
        };
        lines.push(output.styled(style, end));
        lines.join("\n")
    }

    fn told(&self, diagnosis: &Diagnosis, kept: &[String], lost: Option<&str>) -> Value {
        json!({
            "opens": diagnosis.opens(),
            "lost": lost,
            "repairable": diagnosis.is_repairable(),
            "findings": diagnosis.findings().iter().map(|found| self.finding(found)).collect::<Vec<_>>(),
            "kept": kept,
        })
    }

    fn finding(&self, finding: &Finding) -> Value {
        let (remedy, how) = match &finding.remedy {
            Remedy::Boot(how) => ("boot", Some(how)),
            Remedy::Repair(how) => ("repair", Some(how)),
            Remedy::Person(how) => ("person", Some(how)),
            _ => ("none", None),
        };
        json!({
            "file": finding.file, "line": finding.line, "key": finding.key, "what": finding.what, "remedy": remedy,
            "how": how.map(|how| self.session.in_commands(how)), "loss": finding.loss,
        })
    }
}
