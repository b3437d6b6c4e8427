//! The page that `watch` shows: where each run is in its code, and what came last.

use durable_runtime::{Inspection, Progress, StepProgress};

use crate::output::{self, Output, Style};
use crate::place::SessionArg;
use crate::summary;

/// How many runs are drawn.
const RUNS: usize = 4;

/// How many steps of each.
const STEPS: usize = 12;

/// How wide a bar is.
const BAR: usize = 30;

/// Its lines.
pub(crate) fn page(session: &SessionArg, seen: &Inspection, output: &Output) -> Vec<String> {
    let state = seen.state();
    let standing = seen.standing().word().replace('_', " ").to_uppercase();
    let head = format!("{}: {standing} (worker: {})", session.shown(), summary::worker(seen));
    let mut lines = vec![output.styled(Style::Bold, head)];
    let runs = state.active.values().take(RUNS).filter_map(|run| seen.progress(run));
    runs.for_each(|run| lines.extend(drawn(seen, &run, output)));
    let last = state.recent.iter().rev().take(3);
    lines.extend(last.map(|action| output.styled(Style::Faint, format!("  last: {}", output::key(&action.key)))));
    lines.extend(session.letter(seen).next_action().map(|next| format!("  next: {}", output::shown(&next, 200))));
    lines
}

fn drawn(seen: &Inspection, run: &Progress, output: &Output) -> Vec<String> {
    let mut lines = vec![format!("  {}", output::key(run.run()))];
    lines.extend(run.steps().take(STEPS).map(|(step, progress)| {
        let size = seen.loop_size(run.run(), step);
        let bar = size.map_or(String::new(), |size| format!(" {}", bar(progress.done, size)));
        let style = style(progress);
        format!("    {}{bar}: {}", output::key(&step.key), output.styled(style, counted(progress, size)))
    }));
    lines
}

fn counted(progress: StepProgress, size: Option<usize>) -> String {
    size.map_or_else(|| progress.to_string(), |size| format!("{progress}, of {size}"))
}

fn style(progress: StepProgress) -> Style {
    match progress {
        StepProgress { unknown: 1.., .. } => Style::Attention,
        StepProgress { done: 1.., .. } => Style::Good,
        _ => Style::Faint,
    }
}

fn bar(done: usize, size: usize) -> String {
    let full = (done * BAR).checked_div(size).unwrap_or(BAR).min(BAR);
    format!("[{}{}]", "#".repeat(full), " ".repeat(BAR - full))
}
