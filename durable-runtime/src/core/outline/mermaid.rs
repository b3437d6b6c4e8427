//! A workflow as a flowchart of Mermaid: <https://mermaid.js.org/syntax/flowchart.html>.

use std::fmt::Write as _;

use super::{Outline, OutlineStep};
use crate::core::meta::{Proof, StepKind};

/// What a chart says of one step beside what its code says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::core) struct Mark {
    /// A line of its own in its box; none if empty.
    pub(in crate::core) line: String,
    /// The class that gives its box a colour; none if empty.
    pub(in crate::core) class: &'static str,
}

/// The colours of a run that has come so far.
const CLASSES: &str = "
    classDef done fill:#d7f0d7,stroke:#2e7d32,color:#000
    classDef unknown fill:#f8d0d0,stroke:#b71c1c,color:#000
    classDef waiting fill:#fff0c2,stroke:#b8860b,color:#000
";

impl Outline {
    /// The workflow as a flowchart of [Mermaid](https://mermaid.js.org), as many readers of Markdown draw it: a box for each step,
    /// an arrow to each that can follow.
    pub fn mermaid(&self) -> String {
        self.chart(|_| Mark::default())
    }

    pub(in crate::core) fn chart(&self, mark: impl Fn(&OutlineStep) -> Mark) -> String {
        let marks: Vec<_> = self.steps.iter().map(mark).collect();
        let mut chart = format!("flowchart TD\n    begin([\"{}\"])\n", label(&self.name));
        for (number, (step, mark)) in self.steps.iter().zip(&marks).enumerate() {
            chart += &node(number, step, mark);
        }
        arrows(&mut chart, "begin", &self.entry);
        for (number, step) in self.steps.iter().enumerate() {
            arrows(&mut chart, &format!("s{number}"), &step.next);
        }
        if marks.iter().any(|mark| !mark.class.is_empty()) {
            chart += CLASSES.trim_start_matches('\n');
        }
        chart
    }
}

/// The form says the kind: an effect is a box, what is read is slanted, a decision has six sides, a sleep is round, a run has
/// double sides.
fn node(number: usize, step: &OutlineStep, mark: &Mark) -> String {
    let (open, close) = match step.kind {
        StepKind::SideEffect => ("[", "]"),
        StepKind::Read => ("[/", "/]"),
        StepKind::Decision => ("{{", "}}"),
        StepKind::Sleep => ("([", "])"),
        StepKind::Run => ("[[", "]]"),
    };
    let title = step.title.as_deref().unwrap_or_default();
    let doubt = doubt(step);
    let lines: [&str; 4] = [&step.key, title, &doubt, &mark.line];
    let lines: Vec<_> = lines.into_iter().filter(|line| !line.is_empty()).map(label).collect();
    let class = if mark.class.is_empty() { String::new() } else { format!(":::{}", mark.class) };
    format!("    s{number}{open}\"{}\"{close}{class}\n", lines.join("<br>"))
}

/// How a doubt about an effect ends.
fn doubt(step: &OutlineStep) -> String {
    match (step.kind, step.proof) {
        (StepKind::SideEffect, Proof::Person) => format!("in doubt: ask {}", step.ask),
        (StepKind::SideEffect, Proof::Idempotent) => "in doubt: once more".to_owned(),
        (StepKind::SideEffect, Proof::Verify) => "in doubt: verify".to_owned(),
        (StepKind::Decision, _) => format!("{} decides", step.ask),
        _ => String::new(),
    }
}

fn arrows(chart: &mut String, from: &str, to: &[u16]) {
    for to in to {
        writeln!(chart, "    {from} --> s{to}").ok();
    }
}

/// A text in quotes that nothing inside can end, and that no reader takes for HTML.
fn label(text: &str) -> String {
    let escaped = |c: char| match c {
        '"' => "#quot;".to_owned(),
        '#' => "#35;".to_owned(),
        '<' => "#lt;".to_owned(),
        '>' => "#gt;".to_owned(),
        '&' => "#amp;".to_owned(),
        // Two of them begin a directive, wherever they stand: `%%{init: ..}%%`.
        '%' => "#37;".to_owned(),
        '`' => "#96;".to_owned(),
        c => c.to_string(),
    };
    crate::core::text::clean(text, 200).chars().map(escaped).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_label_ends_it_or_directs_the_reader() {
        let label = label("%%{init: {'theme': 'dark'}}%%\"] --> x;<b>&#`\n%% a");
        let forges = ["%", "\"", "<", ">", "&", "`", "\n"].map(|forged| label.contains(forged));
        assert_eq!(forges, [false; 7], "{label}");
    }
}
