//! What the compiler says to a file.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// The messages of `cargo check`, or of another command like it, for a package in which each file is an example. All that
/// it depends on is built once for all packages.
pub(crate) fn messages(command: &str, package: &str, files: impl IntoIterator<Item = (String, String)>) -> Vec<Value> {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let package = target.join(package);
    let examples = package.join("examples");
    let _ = fs::remove_dir_all(&package);
    fs::create_dir_all(&examples).unwrap();
    fs::write(package.join("Cargo.toml"), manifest()).unwrap();
    fs::copy(here().join("../Cargo.lock"), package.join("Cargo.lock")).unwrap();
    for (name, source) in files {
        fs::write(examples.join(format!("{name}.rs")), source).unwrap();
    }
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args([command, "--offline", "--examples", "--keep-going", "--message-format=json", "--target-dir"]);
    let output = cargo.arg(target.parent().unwrap()).current_dir(&package).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(!lines.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    let is_message = |line: &Value| line["reason"] == "compiler-message" && line["target"]["kind"][0] == "example";
    lines.into_iter().filter(is_message).collect()
}

fn manifest() -> String {
    let runtime = here().join("../durable-runtime");
    format!(
        "[workspace]\n[package]\nname = \"examples\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[dev-dependencies]\nanyhow = \"1\"\ndurable-runtime = {{ path = {runtime:?} }}\n"
    )
}

fn here() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}
