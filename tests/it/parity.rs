//! What the compiler says to an ordinary mistake in a workflow is what it says without our attributes.
//!
//! Each file in `ui/parity` is one mistake. It is compiled as it is, and once more with our attributes blanked out by
//! spaces, so that every position stays. A file whose messages may differ says why in a line `// differs: ..`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use super::support::compiler;

const OURS: [&str; 4] = ["#[durable_workflow", "#[side_effect", "#[read", "#[resource"];

/// What a file is compiled to: its messages, one text each.
type Messages = BTreeMap<String, Vec<String>>;

#[test]
fn mistakes_read_as_they_would_without_the_attributes() {
    let cases = cases();
    let messages = compile(&cases);
    let mut wrong = String::new();
    for (name, source) in &cases {
        let (with, without) = (of(&messages, name), of(&messages, &plain(name)));
        let may_differ = source.lines().any(|line| line.starts_with("// differs: "));
        if without.is_empty() {
            writeln!(wrong, "{name}: there is no mistake in it").unwrap();
        } else if may_differ && with == without {
            writeln!(wrong, "{name}: it says that it differs, and does not").unwrap();
        } else if !may_differ && with != without {
            let lines = |messages: &[String]| messages.join("\n");
            writeln!(wrong, "{name}:\n-- with\n{}\n-- without\n{}\n", lines(&with), lines(&without)).unwrap();
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// The files, by name.
fn cases() -> BTreeMap<String, String> {
    let files = fs::read_dir(here().join("ui/parity")).unwrap().map(|file| file.unwrap().path());
    files
        .map(|file| (file.file_stem().unwrap().to_str().unwrap().to_owned(), fs::read_to_string(file).unwrap()))
        .collect()
}

/// One check of a package in which each file is an example, twice.
fn compile(cases: &BTreeMap<String, String>) -> Messages {
    let files =
        cases.iter().flat_map(|(name, source)| [(name.clone(), source.clone()), (plain(name), blanked(source))]);
    let messages = gather(compiler::messages("check", "parity", files).iter());
    assert!(!messages.is_empty(), "nothing was compiled");
    messages
}

fn gather<'a>(lines: impl Iterator<Item = &'a Value>) -> Messages {
    let mut messages = Messages::new();
    for line in lines {
        let message = &line["message"];
        // The others count what came before.
        if message["spans"].as_array().is_some_and(|spans| !spans.is_empty()) {
            messages.entry(line["target"]["name"].as_str().unwrap().to_owned()).or_default().push(described(message));
        }
    }
    messages.values_mut().for_each(|of_one| of_one.sort());
    messages
}

/// All that a message says, and where: its code and level, every label, and its notes and helps.
fn described(message: &Value) -> String {
    let mut text = format!("{} {} {}", message["level"], message["code"]["code"], message["message"]);
    for span in message["spans"].as_array().unwrap() {
        let [from_line, from, to_line, to, label] =
            ["line_start", "column_start", "line_end", "column_end", "label"].map(|part| &span[part]);
        let place = if span["is_primary"] == true { "at" } else { "and" };
        write!(text, "\n  {place} {from_line}:{from}-{to_line}:{to} {label} {}", span["suggested_replacement"])
            .unwrap();
    }
    for child in message["children"].as_array().unwrap() {
        write!(text, "\n  {}", described(child).replace('\n', "\n  ")).unwrap();
    }
    text
}

/// The source with our attributes as spaces.
fn blanked(source: &str) -> String {
    let mut plain = source.to_owned();
    while let Some(start) = OURS.iter().filter_map(|attribute| plain.find(attribute)).min() {
        let end = start + plain[start..].find(']').unwrap() + 1;
        let spaces: String = plain[start..end].chars().map(|c| if c == '\n' { '\n' } else { ' ' }).collect();
        plain.replace_range(start..end, &spaces);
    }
    plain
}

fn plain(name: &str) -> String {
    format!("{name}-plain")
}

fn of(messages: &Messages, name: &str) -> Vec<String> {
    messages.get(name).cloned().unwrap_or_default()
}

fn here() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}
