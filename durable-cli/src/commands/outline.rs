//! `durable outline`

use clap::Args;
use durable_runtime::{Inspection, Progress};
use serde_json::{Value, json};

use crate::exit::Exit;
use crate::failure::Failure;
use crate::near;
use crate::output::{self, Output, Style};
use crate::place::SessionArg;

/// Show the steps of each run in the order of its code, and how far it has come
///
/// The workflow is shown as its code was when the run was last started. A finished run does not count its steps any more.
#[derive(Args)]
pub(crate) struct Outline {
    #[command(flatten)]
    session: SessionArg,
    /// The run, by its full key; the unfinished ones if not given, and if there are none, all
    run: Option<String>,
    /// Print a flowchart for Mermaid
    #[arg(long, conflicts_with = "json")]
    mermaid: bool,
}

impl Outline {
    pub(crate) async fn run(self, output: &Output) -> Result<Exit, Failure> {
        let session = self.session.look().await?;
        let runs = self.runs(&session)?;
        if output.is_json() {
            output.json(&json!({ "runs": runs.iter().map(told).collect::<Vec<_>>() }))?;
        } else if runs.is_empty() {
            output.text("No run has begun: what its workflow will do, only its code knows.")?;
        } else {
            let chart = |run: &Progress| if self.mermaid { chart(run) } else { in_words(run, output) };
            output.text(runs.iter().map(chart).collect::<Vec<_>>().join("\n"))?;
        }
        Ok(Exit::DONE)
    }

    fn runs(&self, session: &Inspection) -> Result<Vec<Progress>, Failure> {
        let all = &session.state().runs;
        let Some(run) = &self.run else {
            let active: Vec<_> = session.state().active.values().filter_map(|run| session.progress(run)).collect();
            let all = || all.keys().filter_map(|run| session.progress(run)).collect();
            return Ok(if active.is_empty() { all() } else { active });
        };
        let unknown = || near::unknown("run", run, all.keys().map(String::as_str), &self.session.command("outline"));
        Ok(vec![session.progress(run).ok_or_else(unknown)?])
    }
}

fn chart(run: &Progress) -> String {
    let lines: Vec<_> = run.mermaid().lines().map(|line| output::shown(line, usize::MAX)).collect();
    lines.join("\n")
}

fn in_words(run: &Progress, output: &Output) -> String {
    let outline = run.outline();
    let standing = if run.is_finished() { ": finished, so its steps are not counted any more" } else { "" };
    let mut lines =
        vec![output.styled(
            Style::Bold,
            format!("{} ({}){standing}", output::key(run.run()), output::shown(&outline.name, 200)),
        )];
    let mut phase = None;
    for (step, progress) in run.steps() {
        if step.phase != phase {
            lines.extend(step.phase.as_ref().map(|phase| format!("  {}:", output::shown(phase, 200))));
            phase.clone_from(&step.phase);
        }
        let title = step.title.as_ref().map_or(String::new(), |title| format!(" ({})", output::shown(title, 200)));
        let progress = if run.is_finished() { String::new() } else { format!(": {progress}") };
        let what = format!("[{}, line {}]", step.kind.in_words(), step.line);
        lines.push(format!("  {}{title}{progress} {}", output::key(&step.key), output.styled(Style::Faint, what)));
    }
    lines.join("\n")
}

fn told(run: &Progress) -> Value {
    let steps = run.steps().map(|(step, progress)| {
        let counts = (!run.is_finished()).then_some(progress);
        json!({
            "key": step.key,
            "shape": step.shape,
            "title": step.title,
            "kind": step.kind,
            "proof": step.proof,
            "ask": step.ask,
            "phase": step.phase,
            "line": step.line,
            "next": step.next,
            "done": counts.map(|counts| counts.done),
            "unknown": counts.map(|counts| counts.unknown),
            "waiting": counts.map(|counts| counts.waiting),
        })
    });
    json!({
        "run": run.run(),
        "workflow": run.outline().name,
        "goal": run.outline().goal,
        "finished": run.is_finished(),
        "steps": steps.collect::<Vec<_>>(),
    })
}
