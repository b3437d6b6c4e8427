//! Scenes in which libraries of this kind have failed, as a user of the compiler meets them. The texts themselves are in
//! `ui`; here it is how many errors there are, and at what.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use serde_json::Value;

use crate::support::compiler;

/// Files under `ui`, all compiled at once.
const FILES: [&str; 10] = [
    "ours/attribute_on_an_impl",
    "ours/const_function",
    "ours/foreign_function",
    "ours/method_without_a_body",
    "ours/not_a_function",
    "ours/not_async",
    "ours/result_that_has_no_name",
    "parity/wrong_return",
    "rustc/borrowed_result",
    "rustc/workflow_that_holds_an_rc",
];

/// The errors of a file: what each says, and the code that it underlines.
type Errors = Vec<(String, String)>;

static COMPILED: LazyLock<BTreeMap<String, Vec<Value>>> = LazyLock::new(|| {
    let files = FILES.map(|file| {
        let source = fs::read_to_string(here().join(format!("ui/{file}.rs"))).unwrap();
        (name(file).to_owned(), source)
    });
    let mut all: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for message in compiler::messages("check", "cases", files) {
        let name = message["target"]["name"].as_str().unwrap().to_owned();
        all.entry(name).or_default().push(message["message"].clone());
    }
    all
});

fn name(file: &str) -> &str {
    file.rsplit('/').next().unwrap()
}

fn errors(file: &str) -> Errors {
    assert!(FILES.contains(&file), "{file} is not among those compiled");
    let of_code = |message: &&Value| message["level"] == "error" && message["spans"][0].is_object();
    let messages = COMPILED.get(name(file)).into_iter().flatten().filter(of_code);
    messages.map(|message| (message["message"].as_str().unwrap().to_owned(), underlined(message))).collect()
}

/// The code at the first primary span.
fn underlined(message: &Value) -> String {
    let span = message["spans"].as_array().unwrap().iter().find(|span| span["is_primary"] == true).unwrap();
    let part = |of: &str| span["text"][0][of].as_u64().and_then(|n| usize::try_from(n).ok()).unwrap() - 1;
    span["text"][0]["text"].as_str().unwrap()[part("highlight_start")..part("highlight_end")].to_owned()
}

/// There is one error, it underlines `code`, and says `text`.
fn one_error(name: &str, code: &str, text: &str) {
    let errors = errors(name);
    let [(said, at)] = errors.as_slice() else { panic!("{name}: {errors:?}") };
    assert_eq!(at, code, "{name}: {said}");
    assert!(said.contains(text), "{name}: {said}");
}

/// Each of the two functions has one.
fn one_error_each(name: &str, code: &str, text: &str) {
    let errors = errors(name);
    assert_eq!(errors.len(), 2, "{name}: {errors:?}");
    assert!(errors.iter().all(|(said, at)| at == code && said.contains(text)), "{name}: {errors:?}");
}

#[test]
fn g34_a_result_that_is_not_owned_is_told_at_its_step() {
    let errors = errors("rustc/borrowed_result");
    let at: Vec<&str> = errors.iter().map(|(_, at)| at.as_str()).collect();
    assert_eq!(at, ["first(names)", "call(names).await"], "{errors:?}");
    let texts = ["value is borrowed, `Option<&String>`", "must be `Serialize + DeserializeOwned`"];
    assert!(errors.iter().zip(texts).all(|((said, _), text)| said.contains(text)), "{errors:?}");
}

#[test]
fn g58_a_result_without_a_name_is_one_error_at_its_type() {
    one_error("ours/result_that_has_no_name", "impl Sized", "its type must be named");
}

/// That borrowed arguments compile is tried by the shapes of inputs.
#[test]
fn g59_a_borrowed_result_is_told_to_be_owned_and_no_lifetime_is_blamed() {
    for message in &COMPILED["borrowed_result"] {
        let text = message["rendered"].as_str().unwrap();
        assert!(!text.contains("lifetime"), "{text}");
        assert!(text.contains(".to_owned()") || message["spans"][0].is_null(), "{text}");
    }
    assert_eq!(errors("rustc/borrowed_result").len(), 2);
}

#[test]
fn g62_what_cannot_be_a_workflow_is_one_error_at_its_keyword() {
    let belongs = "`#[durable_workflow]` belongs on an `async fn`";
    one_error_each("ours/const_function", "const", "what is `const` cannot: write `async fn`");
    one_error("ours/not_a_function", "struct", belongs);
    one_error("ours/attribute_on_an_impl", "impl", belongs);
    one_error_each("ours/foreign_function", "extern \"C\"", "write `async fn`");
    one_error("ours/not_async", "fn", "is an `async fn`");
    one_error("ours/method_without_a_body", "async", "needs a body");
}

/// Its whole text is compared with that of the plain function by `parity`.
#[test]
fn g63_of_two_returns_the_wrong_one_is_blamed() {
    one_error("parity/wrong_return", "\"much\"", "mismatched types");
}

#[test]
fn g65_what_cannot_move_between_threads_is_named_where_it_is_held() {
    one_error("rustc/workflow_that_holds_an_rc", "pay", "cannot be sent between threads");
    let message = &COMPILED["workflow_that_holds_an_rc"][0];
    let notes = message["children"].as_array().unwrap();
    let spans = notes.iter().flat_map(|note| note["spans"].as_array().unwrap());
    let held = spans.filter(|span| span["label"].as_str().is_some_and(|label| label.contains("has type `Rc<")));
    let lines: Vec<&str> = held.map(|span| span["text"][0]["text"].as_str().unwrap().trim()).collect();
    assert_eq!(lines, ["let amount = Rc::new(1);"], "{message}");
}

#[test]
fn g64_no_lint_is_reported_in_what_the_attributes_write() {
    let source = include_str!("diverging.rs.txt").to_owned();
    let installed = Command::new("cargo").args(["clippy", "--version"]).output().unwrap().status.success();
    assert!(installed, "clippy is not installed (rustup component add clippy)");
    let messages = compiler::messages("clippy", "lints", [("diverging".to_owned(), source)]);
    let said: Vec<_> = messages.iter().map(|line| line["message"]["rendered"].as_str().unwrap_or_default()).collect();
    assert_eq!(said, Vec::<&str>::new());
}

/// A release of the compiler words its own errors anew; these stand in `ui/rustc`, which is compared under one release.
#[test]
fn g66_no_error_in_ours_is_worded_by_the_compiler() {
    let texts = fs::read_dir(here().join("ui/ours")).unwrap().map(|file| file.unwrap().path());
    let texts: Vec<PathBuf> = texts.filter(|path| path.extension().is_some_and(|ending| ending == "stderr")).collect();
    assert!(texts.len() > 100);
    for path in texts {
        let text = fs::read_to_string(&path).unwrap();
        let foreign = text.lines().find(|line| line.starts_with("error[") || line.trim_start().starts_with("= help: "));
        assert_eq!(foreign, None, "{}", path.display());
    }
}

#[test]
fn g67_a_users_tree_has_one_syn_and_the_program_links_none() {
    let all = tree("normal,build");
    let of = |tree: &str, name: &str| tree.lines().filter(|line| line.starts_with(name)).count();
    assert_eq!(of(&all, "syn v"), 1, "{all}");
    assert_eq!(of(&all, "proc-macro-error"), 0, "{all}");
    let linked = tree("normal,no-proc-macro");
    assert_eq!(of(&linked, "syn v"), 0, "{linked}");
    assert_eq!(of(&linked, "serde_json v"), 1, "{linked}");
}

/// What the library depends on, one line each.
fn tree(edges: &str) -> String {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["tree", "--offline", "--locked", "--package", "durable-runtime", "--prefix", "none", "--edges", edges]);
    let output = cargo.current_dir(here()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut lines: Vec<String> = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| line.trim_end_matches(" (*)").to_owned())
        .collect();
    lines.sort();
    lines.dedup();
    lines.join("\n")
}

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}
