//! `docs/handoffs.md`: every letter of the tests side by side, for whoever judges their words.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// Where the letters begin on the page.
const BEGIN: &str = "<!-- the letters, made by the tests -->\n";

#[test]
fn the_page_of_letters_has_every_one_as_it_is() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let file = root.join("docs/handoffs.md");
    let page = fs::read_to_string(&file).unwrap();
    let (before, shown) = page.split_once(BEGIN).expect("the page says where the letters begin");
    let made = letters(&root.join("durable-runtime/src/core/handoff/tests/snapshots"));
    if std::env::var_os("RENEW_DOCS").is_some() {
        fs::write(&file, format!("{before}{BEGIN}{made}")).unwrap();
        return;
    }
    assert_eq!(
        shown, made,
        "docs/handoffs.md says something else: renew it with\nRENEW_DOCS=1 cargo test -p durable-tests --test it handoffs\nand read what has changed"
    );
}

fn letters(dir: &Path) -> String {
    let names = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = names.filter(|name| name.ends_with(".snap")).collect();
    names.sort();
    let mut letters = String::new();
    for name in names {
        let snapshot = fs::read_to_string(dir.join(&name)).unwrap();
        let letter = snapshot.splitn(3, "---\n").nth(2).expect("a snapshot has a head");
        let situation = name.trim_end_matches(".snap").replace('_', " ");
        write!(letters, "\n## {situation}\n\n````markdown\n{}\n````\n", letter.trim_end()).unwrap();
    }
    letters
}
