//! `durable doctor`

use clap::Args;
use durable_runtime::{Diagnosis, Finding, Outcome, Remedy};
use serde_json::{Value, json};

use crate::args::SessionArg;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Output, Style};

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
        let dir = &self.session.dir;
        let mut kept = Vec::new();
        if self.repair {
            kept = durable_runtime::doctor(dir).await?.repair().await?;
        }
        let diagnosis = durable_runtime::doctor(dir).await?;
        output.answer(&told(&diagnosis, &kept), in_words(&diagnosis, &kept, output))?;
        Ok(if diagnosis.opens() { Exit::DONE } else { Outcome::Damaged.into() })
    }
}

fn in_words(diagnosis: &Diagnosis, kept: &[String], output: &Output) -> String {
    let mut words: String =
        kept.iter().map(|original| format!("Put right; the original is kept as {original}.\n")).collect();
    words.push_str(&diagnosis.to_string());
    let style = if diagnosis.opens() { Style::Good } else { Style::Bad };
    let end = match (diagnosis.opens(), diagnosis.is_repairable()) {
        (true, _) => "It opens as it is: start the worker.",
        (false, true) => {
            "It does not open as it is. `durable doctor --repair` puts right what can be, and keeps the originals."
        }
        (false, false) => "It does not open as it is, and only a person can put that right: see above.",
    };
    words.push_str(&output.styled(style, end));
    words
}

fn told(diagnosis: &Diagnosis, kept: &[String]) -> Value {
    json!({
        "opens": diagnosis.opens(),
        "repairable": diagnosis.is_repairable(),
        "findings": diagnosis.findings().iter().map(finding).collect::<Vec<_>>(),
        "kept": kept,
    })
}

fn finding(finding: &Finding) -> Value {
    let (remedy, how) = match &finding.remedy {
        Remedy::Boot(how) => ("boot", Some(how)),
        Remedy::Repair(how) => ("repair", Some(how)),
        Remedy::Person(how) => ("person", Some(how)),
        _ => ("none", None),
    };
    json!({
        "file": finding.file, "line": finding.line, "key": finding.key, "what": finding.what, "remedy": remedy,
        "how": how, "loss": finding.loss,
    })
}
