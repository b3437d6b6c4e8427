//! What the compiler says to an ordinary mistake in a workflow is what it says without our attributes.
//!
//! Each file in `ui/parity` is one mistake. It is compiled as it is, and once more with our attributes blanked out by
//! spaces, so that every position stays. A file whose messages may differ says why in a line `// differs: ..`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

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
    let target = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let package = target.join("parity");
    let examples = package.join("examples");
    let _ = fs::remove_dir_all(&package);
    fs::create_dir_all(&examples).unwrap();
    fs::write(package.join("Cargo.toml"), manifest()).unwrap();
    fs::copy(here().join("../Cargo.lock"), package.join("Cargo.lock")).unwrap();
    for (name, source) in cases {
        fs::write(examples.join(format!("{name}.rs")), source).unwrap();
        fs::write(examples.join(format!("{}.rs", plain(name))), blanked(source)).unwrap();
    }
    let mut check = Command::new(env!("CARGO"));
    check.args(["check", "--offline", "--examples", "--keep-going", "--message-format=json", "--target-dir"]);
    let output = check.arg(target.parent().unwrap()).current_dir(&package).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let messages = gather(text.lines().map(|line| serde_json::from_str(line).unwrap()));
    assert!(!messages.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    messages
}

fn manifest() -> String {
    let runtime = here().join("../durable-runtime");
    format!(
        "[workspace]\n[package]\nname = \"parity\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[dev-dependencies]\nanyhow = \"1\"\ndurable-runtime = {{ path = {runtime:?} }}\n"
    )
}

fn gather(lines: impl Iterator<Item = Value>) -> Messages {
    let mut messages = Messages::new();
    for line in lines.filter(|line| line["reason"] == "compiler-message" && line["target"]["kind"][0] == "example") {
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
