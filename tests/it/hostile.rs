//! What fuzzers have started from, and what they have found, tried again.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use durable_tests::fixtures;
use durable_tests::hostile::{TARGETS, try_it, unsealed};

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus")
}

#[test]
fn whatever_stands_in_a_file_is_understood_or_refused() {
    for (target, _) in TARGETS {
        let inputs: Vec<_> = fs::read_dir(corpus().join(target)).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert!(inputs.len() > 5, "{target} has a corpus");
        for input in inputs {
            let bytes = fs::read(&input).unwrap();
            let tried = catch_unwind(AssertUnwindSafe(|| try_it(target, &bytes)));
            let opens = tried.unwrap_or_else(|_| panic!("{}", input.display()));
            assert!(opens || !input.ends_with("whole"), "{target}: it opens as it was left");
        }
    }
}

#[test]
fn every_target_of_the_fuzzer_has_its_own_program() {
    let programs = fs::read_dir(corpus().join("../fuzz_targets")).unwrap().map(|entry| entry.unwrap().path());
    let mut programs: Vec<_> = programs.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect();
    programs.sort();
    let mut targets = TARGETS.map(|(name, _)| name);
    targets.sort();
    assert_eq!(programs, targets);
}

/// The seals that the fuzzer's records get are those that the library makes.
#[test]
fn records_that_are_sealed_anew_are_those_that_were_there() {
    let journal = fs::read_to_string(fixtures::root().join("format-1-trimmed/journal.jsonl")).unwrap();
    assert!(try_it("records", unsealed(&journal).as_bytes()));
}
