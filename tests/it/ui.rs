//! What the compiler says to a mistake: one file for each, named for it.

use std::process::Command;

/// The Rust release whose words `ui/rustc` records.
const RELEASE: &str = "rustc 1.95.";

/// `ui/ours` holds texts that are wholly ours; `ui/rustc` those that the compiler words, which change with its releases.
#[test]
fn ui() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("ui/ours/*.rs");
    if is_pinned_release() {
        cases.compile_fail("ui/rustc/*.rs");
    } else {
        eprintln!("ui/rustc is not compared: its texts are those of {RELEASE}x");
    }
}

fn is_pinned_release() -> bool {
    let version = Command::new("rustc").arg("--version").output().unwrap();
    String::from_utf8_lossy(&version.stdout).starts_with(RELEASE)
}
