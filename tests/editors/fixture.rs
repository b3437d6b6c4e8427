//! The crate that is looked at, and the editor that looks at it.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

use super::server::Server;

/// A workflow that has every argument.
pub(crate) const WORKFLOW: &str = include_str!("workflow.rs.txt");

/// A workflow in whose first step `typed` stands between the parentheses.
pub(crate) fn typing(typed: &str) -> String {
    include_str!("typing.rs.txt").replace("TYPED", typed)
}

/// The editor that all tests share, one at a time: it takes seconds to start.
static EDITOR: LazyLock<Option<Mutex<Editor>>> = LazyLock::new(|| match missing() {
    None => Some(Mutex::new(Editor::open())),
    Some(what) => {
        // Not by `eprintln!`, which a test that passes keeps to itself.
        let text = format!("not measured here: {what} is not installed (rustup component add {what})\n");
        std::io::stderr().write_all(text.as_bytes()).unwrap();
        None
    }
});

/// The editor; none where it is not installed, which was said.
pub(crate) fn editor() -> Option<MutexGuard<'static, Editor>> {
    EDITOR.as_ref().map(|editor| editor.lock().unwrap_or_else(PoisonError::into_inner))
}

/// The component that an editor needs and that is not there. `rustup` puts a program of its name there all the same.
fn missing() -> Option<&'static str> {
    let output = |command: &mut Command| command.output().ok().filter(|output| output.status.success());
    let sysroot = output(Command::new("rustc").args(["--print", "sysroot"])).unwrap();
    let sysroot = PathBuf::from(String::from_utf8(sysroot.stdout).unwrap().trim());
    if output(Command::new("rust-analyzer").arg("--version")).is_none() {
        return Some("rust-analyzer");
    }
    (!sysroot.join("lib/rustlib/src/rust/library").is_dir()).then_some("rust-src")
}

/// An editor with one file open.
pub(crate) struct Editor {
    server: Server,
    uri: String,
    text: String,
    version: u32,
}

impl Editor {
    fn open() -> Self {
        let target = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let package = write(&target.join("editors"));
        let uri = format!("file://{}", package.join("src/lib.rs").display());
        let mut server = Server::start(&package, target.parent().unwrap());
        let document = json!({ "uri": uri, "languageId": "rust", "version": 0, "text": WORKFLOW });
        server.tell("textDocument/didOpen", &json!({ "textDocument": document }));
        server.wait_until_ready();
        Self { server, uri, text: WORKFLOW.to_owned(), version: 0 }
    }

    /// Types `text` in the place of what stood there.
    pub(crate) fn show(&mut self, text: &str) {
        self.version += 1;
        text.clone_into(&mut self.text);
        let document = json!({ "uri": self.uri, "version": self.version });
        let changes = json!({ "textDocument": document, "contentChanges": [{ "text": text }] });
        self.server.tell("textDocument/didChange", &changes);
    }

    /// What is shown at a place, which is told by the code around it: the `|` in it is where.
    pub(crate) fn hover(&mut self, place: &str) -> String {
        self.ask_at("textDocument/hover", place)["contents"]["value"].as_str().unwrap_or("nothing").to_owned()
    }

    /// The lines to which the name at a place leads.
    pub(crate) fn definitions(&mut self, place: &str) -> Vec<u64> {
        let found = self.ask_at("textDocument/definition", place);
        found.as_array().unwrap().iter().map(|found| found["range"]["start"]["line"].as_u64().unwrap()).collect()
    }

    pub(crate) fn line_of(&self, place: &str) -> u64 {
        self.position(place)["line"].as_u64().unwrap()
    }

    /// What can be typed where `|` stands in `text`, in order of the alphabet.
    pub(crate) fn complete(&mut self, text: &str) -> Vec<String> {
        let (before, after) = text.split_once('|').unwrap();
        self.show(&format!("{before}{after}"));
        let position = position(before);
        let found = self.ask("textDocument/completion", &json!({ "position": position }));
        let items = found["items"].as_array().or(found.as_array()).cloned().unwrap_or_default();
        let mut labels: Vec<_> = items.iter().map(|item| item["label"].as_str().unwrap().to_owned()).collect();
        labels.sort();
        labels
    }

    pub(crate) fn diagnostics(&mut self) -> Vec<String> {
        let report = self.ask("textDocument/diagnostic", &json!({}));
        report["items"].as_array().unwrap().iter().map(|item| item["message"].as_str().unwrap().to_owned()).collect()
    }

    fn ask_at(&mut self, method: &str, place: &str) -> Value {
        let position = self.position(place);
        self.ask(method, &json!({ "position": position }))
    }

    fn ask(&mut self, method: &str, about: &Value) -> Value {
        let mut about = about.clone();
        about["textDocument"] = json!({ "uri": self.uri });
        self.server.ask(method, &about)
    }

    fn position(&self, place: &str) -> Value {
        let (before, after) = place.split_once('|').unwrap();
        let start = self.text.find(&format!("{before}{after}"));
        let start = start.unwrap_or_else(|| panic!("{place} is not in the text:\n{}", self.text));
        position(&self.text[..start + before.len()])
    }
}

/// The position behind `before`, which is ASCII.
fn position(before: &str) -> Value {
    let (line, last) = (before.matches('\n').count(), before.rsplit('\n').next().unwrap_or_default());
    json!({ "line": line, "character": last.len() })
}

/// Writes the package.
fn write(package: &Path) -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let runtime = here.join("../durable-runtime");
    let manifest = format!(
        "[workspace]\n[package]\nname = \"editors\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[dependencies]\ndurable-runtime = {{ path = {runtime:?} }}\n"
    );
    let _ = fs::remove_dir_all(package);
    fs::create_dir_all(package.join("src")).unwrap();
    fs::write(package.join("Cargo.toml"), manifest).unwrap();
    fs::copy(here.join("../Cargo.lock"), package.join("Cargo.lock")).unwrap();
    fs::write(package.join("src/lib.rs"), WORKFLOW).unwrap();
    package.to_owned()
}
