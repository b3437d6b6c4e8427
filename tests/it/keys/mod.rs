//! Keys: what the macro says of two templates when it compiles them, and what the runtime makes of them.

#[allow(dead_code, unreachable_pub)]
mod macros;

use std::collections::HashSet;
use std::fmt::Arguments;

use durable_runtime::core::key::{Hole, fill};
use durable_runtime::prelude::*;
use durable_runtime::store::memory::MemoryStore;
use proptest::collection::vec;
use proptest::prelude::*;

use crate::payments::Directory;
use macros::{Template, witness};

/// A template over few characters, so that two of them often meet.
fn template() -> impl Strategy<Value = String> {
    vec(prop_oneof![Just("a"), Just("b"), Just("1"), Just("/"), Just(":"), Just("{x}")], 1..6)
        .prop_map(|symbols| symbols.concat())
}

/// The values with which a template becomes this text, found without a thought.
fn values(template: &Template, text: &str) -> Option<Vec<String>> {
    fn rest(pieces: &[String], text: &str) -> Option<Vec<String>> {
        let (piece, others) = pieces.split_first()?;
        let text = text.strip_prefix(piece.as_str())?;
        if others.is_empty() {
            return text.is_empty().then(Vec::new);
        }
        let ends = text.char_indices().map(|(at, c)| (at + c.len_utf8(), c));
        let ends = ends.take_while(|(_, c)| !matches!(c, '/' | ':'));
        ends.into_iter().find_map(|(end, _)| {
            let mut values = rest(others, &text[end..])?;
            values.insert(0, text[..end].to_owned());
            Some(values)
        })
    }
    rest(&template.pieces, text)
}

fn filled(template: &Template, values: &[String]) -> String {
    let pieces: Vec<&str> = template.pieces.iter().map(String::as_str).collect();
    let holes: Vec<_> = values.iter().map(|value| Hole::Part(value)).collect();
    fill(&pieces, &holes).unwrap()
}

/// Every text of at most `length` characters that both templates can become, shortest first.
fn common(a: &Template, b: &Template, length: usize) -> Option<String> {
    let mut texts = vec![String::new()];
    for _ in 0..=length {
        if let Some(text) = texts.iter().find(|text| values(a, text).is_some() && values(b, text).is_some()) {
            return Some(text.clone());
        }
        texts = texts.iter().flat_map(|text| ['a', 'b', '1', '/', ':'].map(|c| format!("{text}{c}"))).collect();
    }
    None
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn templates_that_the_macro_tells_apart_never_meet(
        a in template(),
        b in template(),
        some in vec("[/%:2Fab1]{1,3}", 5),
        others in vec("[/%:2Fab1]{1,3}", 5),
    ) {
        let (a, b) = (Template::parse(&a).unwrap(), Template::parse(&b).unwrap());
        let (one, other) = (filled(&a, &some[..a.holes.len()]), filled(&b, &others[..b.holes.len()]));
        prop_assert!(one != other || witness(&a, &b).is_some(), "{} is unexpected", one);
    }

    #[test]
    fn a_witness_is_a_key_that_both_templates_give(a in template(), b in template()) {
        let (a, b) = (Template::parse(&a).unwrap(), Template::parse(&b).unwrap());
        let Some(witness) = witness(&a, &b) else { return Ok(()) };
        for template in [a, b] {
            let values = values(&template, &witness);
            prop_assert_eq!(values.map(|values| filled(&template, &values)), Some(witness.clone()));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_witness_is_as_short_as_any(a in template(), b in template()) {
        let (a, b) = (Template::parse(&a).unwrap(), Template::parse(&b).unwrap());
        let (found, tried) = (witness(&a, &b), common(&a, &b, 5));
        let short = found.as_ref().map(String::len).filter(|length| *length <= 5);
        prop_assert_eq!(short, tried.map(|text| text.len()), "found {:?}", found);
    }
}

/// The formats that a key may have, each with the text of a number.
fn formats(n: i16, see: &mut dyn FnMut(usize, Arguments<'_>)) {
    see(0, format_args!("{n:03}"));
    see(1, format_args!("{n:>8}"));
    see(2, format_args!("{n:<8}"));
    see(3, format_args!("{n:_^8}"));
    see(4, format_args!("{n:0>5}"));
    see(5, format_args!("{n:+}"));
    see(6, format_args!("{n:x}"));
    see(7, format_args!("{n:#06X}"));
    see(8, format_args!("{n:#010b}"));
    see(9, format_args!("{n:o}"));
    see(10, format_args!("{n:e}"));
}

#[test]
fn no_format_of_a_key_gives_two_numbers_one_text() {
    let mut seen = HashSet::new();
    for n in i16::MIN..=i16::MAX {
        formats(n, &mut |format, text| assert!(seen.insert((format, text.to_string())), "{n}: {text}"));
    }
}

async fn open(store: &MemoryStore) -> Session {
    Session::builder("unused").store(store.clone()).goal("name things").open().await.unwrap()
}

#[tokio::test]
async fn keys_hold_formats_escapes_and_every_script() {
    #[durable_workflow(key = r#"r"{{{n}}}"#)]
    async fn names(
        session: &Session,
        n: u32,
        name: &str,
        #[resource] day: chrono::NaiveDate,
    ) -> anyhow::Result<Vec<String>> {
        let (day, civil, date) =
            (day, jiff::civil::date(2026, 9, 3), time::Date::from_calendar_date(-44, time::Month::March, 5)?);
        #[side_effect(key = "a/{n:03}/{n:>6}/{n:x}/{n:#010b}" as key, idempotent = "nothing is done")]
        let formats = key.to_string();
        #[side_effect(key = "übung\u{e9}/\"{name}\"\\" as key, idempotent = "nothing is done")]
        let text = key.to_string();
        #[side_effect(key = r"raw\n/{{}}/{name}" as key, idempotent = "nothing is done")]
        let raw = key.to_string();
        #[side_effect(key = "days/{day}/{civil}/{date}" as key, idempotent = "nothing is done")]
        let days = key.to_string();
        Ok(vec![formats, text, raw, days])
    }
    let day = chrono::NaiveDate::from_ymd_opt(2026, 12, 1).unwrap();
    let keys = names(&open(&MemoryStore::new()).await, 42, "a/b%:\n日", day).await.unwrap();
    let own: Vec<&str> = keys.iter().map(|key| key.strip_prefix("r\"{42}//").unwrap()).collect();
    assert_eq!(own[0], "a/042/    42/2a/0b00101010");
    assert_eq!(own[1], "übungé/\"a%2Fb%25%3A%0A日\"\\");
    assert_eq!(own[2], r"raw\n/{}/a%2Fb%25%3A%0A日");
    assert_eq!(own[3], "days/2026-12-01/2026-09-03/-044-03-05");
}

#[tokio::test]
async fn an_empty_hole_and_a_long_key_are_refused_before_anything_happens() {
    #[durable_workflow(key = "bad/{run}")]
    async fn bad(session: &Session, #[resource] happened: &mut bool, run: &str, id: &str) -> anyhow::Result<()> {
        #[side_effect(key = "pay/{id}", in_doubt = "bank")]
        let _: bool = std::mem::replace(happened, true);
        Ok(())
    }
    let long = "x".repeat(470);
    for (run, id, want) in [
        ("", "1", "key template \"bad/{run}\""),
        ("", "1", "its hole `{run}` is empty, so two different things could share the key"),
        ("1", "", "key template \"pay/{id}\""),
        ("1", "", "its hole `{id}` is empty, so two different things could share the key"),
        (
            "1",
            long.as_str(),
            "the key has 483 bytes as JSON, 480 at most, with those of the runs around it: put an id into the hole, not the text itself",
        ),
        (
            long.as_str(),
            "1",
            "the key has 483 bytes as JSON, 480 at most, with those of the runs around it: put an id into the hole, not the text itself",
        ),
    ] {
        let mut happened = false;
        let error = bad(&open(&MemoryStore::new()).await, &mut happened, run, id).await.unwrap_err().to_string();
        assert!(error.contains(want) && error.contains("tests/it/keys/mod.rs"), "{error}");
        assert!(!happened);
    }
}

/// Not of one beside the session, not of a device, not of one that is kept apart.
#[tokio::test]
async fn no_key_becomes_the_name_of_a_file() {
    #[durable_workflow(key = "scan/{id}", goal = "scan")]
    async fn scan(session: &Session, id: &str) -> anyhow::Result<usize> {
        #[side_effect(key = "page/{id}", idempotent = "nothing is done")]
        let page = id.repeat(300 * 1024);
        Ok(page.len() / id.len())
    }
    let directory = Directory::missing();
    let session = directory.session().goal("scan").open().await.unwrap();
    let ids = ["../../x", "..", ".", "/etc/x", "CON", "nul.txt", "a\0b", "a\\b", "journal.jsonl", "\u{202e}x"];
    for id in ids {
        assert_eq!(scan(&session, id).await.unwrap(), 300 * 1024, "{id:?}");
    }
    session.close().await.unwrap();
    let names = |path: std::path::PathBuf| {
        let mut names: Vec<_> = std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort_unstable();
        names
    };
    assert_eq!(names(directory.path().parent().unwrap().to_owned()), ["session"]);
    let files = ["blobs", "handoff.md", "idempotency.json", "journal.jsonl", "session.lock", "state.json"];
    assert_eq!(names(directory.path()), files);
    let blobs = names(directory.path().join("blobs"));
    assert!(blobs.iter().all(|name| name.to_str().is_some_and(|name| name.parse::<uuid::Uuid>().is_ok())), "{blobs:?}");
    assert_eq!(blobs.len(), ids.len());
}
