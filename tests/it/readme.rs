//! The code of the README and of the pages under `docs` is code that is compiled elsewhere, word for word.

use durable_runtime::{Word, post};

/// The Rust of a page, block by block, without comments and layout.
fn blocks(page: &str) -> Vec<String> {
    let blocks = page.split("```rust\n").skip(1).filter_map(|rest| rest.split("```").next());
    blocks.map(bare).collect()
}

/// Code without comments and layout.
fn bare(code: &str) -> String {
    let lines = code.lines().map(|line| line.split("//").next().unwrap_or_default());
    lines.flat_map(str::chars).filter(|c| !c.is_whitespace()).collect::<String>().replace(",)", ")")
}

#[test]
fn g72_the_code_of_the_readme_is_the_code_that_is_compiled() {
    let compiled = [
        include_str!("../../examples/four_payments/worker.rs"),
        include_str!("lab/payroll.rs"),
        include_str!("../../examples/welcome.rs"),
        include_str!("readme.rs"),
    ];
    let blocks = blocks(include_str!("../../README.md"));
    assert_eq!(blocks.len(), compiled.len());
    for (block, compiled) in blocks.iter().zip(compiled) {
        let same = block.strip_prefix("usedurable_runtime::prelude::*;").unwrap_or(block);
        assert!(bare(compiled).contains(same), "this code of the README is compiled nowhere:\n{block}");
    }
}

#[test]
fn the_code_of_the_page_on_testing_is_the_code_that_is_compiled() {
    let blocks = blocks(include_str!("../../docs/testing.md"));
    assert_eq!(blocks.len(), 6);
    let compiled = bare(include_str!("lab/payroll.rs"));
    for block in blocks {
        assert!(compiled.contains(&block), "this code of docs/testing.md is compiled nowhere:\n{block}");
    }
}

#[test]
fn g72_the_code_of_the_guide_is_the_code_that_is_compiled() {
    let blocks = blocks(include_str!("../../docs/guide.md"));
    assert_eq!(blocks.len(), 10);
    let compiled = bare(include_str!("guide.rs"));
    for block in blocks {
        let mut code = block.as_str();
        while let Some((line, rest)) = code.strip_prefix("use").and_then(|line| line.split_once(';')) {
            assert!(
                compiled.contains(&format!("use{line};")),
                "this line of docs/guide.md is compiled nowhere: {line}"
            );
            code = rest;
        }
        assert!(compiled.contains(code), "this code of docs/guide.md is compiled nowhere:\n{block}");
    }
}

/// Compiled, and compared with what the README says of an answer.
#[expect(dead_code, reason = "the README shows it; the protocol of answers has tests of its own")]
async fn answer() -> Result<(), durable_runtime::Error> {
    let question = Word::resolve("welcome//mail/Grace");
    post("session", question.happened(&()).by("ada", "it is in the outbox")).await?; // or .did_not_happen().by(..)
    Ok(())
}
