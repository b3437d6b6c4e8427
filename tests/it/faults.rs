//! `docs/faults.md` names a test for every fault, `docs/protocol.md` for every line of the protocol, and each of these tests is there.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

/// What the last cell of a fault begins with that no test makes; the reason follows.
const NOT_MEASURED: &str = "not measured here: ";

/// The cells of each row of the tables, without the heads.
fn rows(page: &str) -> Vec<Vec<&str>> {
    let lines = page.lines().filter(|line| line.starts_with('|'));
    let rows = lines.map(|line| line.trim_matches('|').split('|').map(str::trim).collect::<Vec<_>>());
    rows.filter(|cells| cells[0].bytes().all(|byte| byte.is_ascii_digit()) && !cells[0].is_empty()).collect()
}

/// What stands between backticks.
fn names(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

/// The names of the tests in the sources under a directory.
fn tests_under(directory: &Path, found: &mut HashSet<String>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            tests_under(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            tests_in(&fs::read_to_string(&path).unwrap(), found);
        }
    }
}

/// A test is a function behind an attribute that says so, or one that `caught!` and `held!` of `tests/broken` make.
fn tests_in(source: &str, found: &mut HashSet<String>) {
    let mut is_test = false;
    for line in source.lines().map(str::trim) {
        is_test |= line == "#[test]" || line.starts_with("#[tokio::test");
        let function = line.trim_start_matches("async ").strip_prefix("fn ").and_then(|rest| rest.split('(').next());
        if let (true, Some(name)) = (is_test, function) {
            found.insert(name.to_owned());
            is_test = false;
        }
    }
    for table in ["\ncaught! {", "\nheld! {"] {
        let rest = source.split_once(table).map_or("", |(_, rest)| rest);
        let lines = rest.lines().skip(1).take_while(|line| *line != "}");
        found.extend(lines.filter_map(|line| Some(line.split_once(':')?.0.trim().to_owned())));
    }
}

#[test]
fn every_fault_has_a_test_that_is_there_or_a_reason_why_there_is_none() {
    check(include_str!("../../docs/faults.md"));
}

#[test]
fn every_line_of_the_protocol_has_a_test_that_is_there_or_a_reason_why_there_is_none() {
    check(include_str!("../../docs/protocol.md"));
}

fn check(page: &str) {
    let mut tests = HashSet::new();
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for room in ["durable-runtime/src", "tests/it", "tests/broken"] {
        tests_under(&top.join(room), &mut tests);
    }
    assert!(tests.len() > 500, "only {} tests were found", tests.len());
    let rows = rows(page);
    let numbers: Vec<usize> = rows.iter().map(|cells| cells[0].parse().unwrap()).collect();
    assert_eq!(numbers, (1..=rows.len()).collect::<Vec<_>>(), "each line once, in order");
    for cells in rows {
        let [number, fault, outcome, shown] = cells[..] else { panic!("four cells, not {cells:?}") };
        assert!(!fault.is_empty() && !outcome.is_empty(), "line {number} says nothing");
        if let Some(why) = shown.strip_prefix(NOT_MEASURED) {
            assert!(why.len() > 20, "line {number} is not measured, and does not say why: {why}");
            continue;
        }
        let shown = names(shown);
        assert!(!shown.is_empty(), "line {number} names no test");
        for name in shown {
            assert!(tests.contains(name), "line {number} names `{name}`, and no test is called so");
        }
    }
}
