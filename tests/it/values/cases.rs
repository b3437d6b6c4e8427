//! What users of other engines have lost, value by value.

use std::collections::BTreeMap;

use durable_runtime::prelude::*;
use durable_runtime::store::memory::MemoryStore;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::trial::{Trial, keep, open};

/// What is given in the first start is given again in the next.
async fn survives<T>(make: fn() -> T) -> String
where
    T: Serialize + serde::de::DeserializeOwned + PartialEq + std::fmt::Debug,
{
    let outcome = Trial::of(make).run(&MemoryStore::new()).await;
    assert_eq!(outcome.seen, Ok([make(), make()]));
    outcome.stored.unwrap()
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Order {
    id: u64,
    lines: Vec<(String, u32)>,
    note: Option<String>,
}

#[tokio::test]
async fn g07_texts_numbers_structs_and_lists_are_the_same_in_a_replay() {
    survives(|| "text".to_owned()).await;
    survives(|| -7_i64).await;
    survives(|| Order { id: 1, lines: vec![("bolt".to_owned(), 3)], note: None }).await;
    survives(|| vec![vec![1, 2], vec![]]).await;
}

/// Can be read, and refuses to be written.
#[derive(Debug, PartialEq, Deserialize)]
struct Unwritable(u8);

impl Serialize for Unwritable {
    fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(serde::ser::Error::custom("it refuses to be written"))
    }
}

#[tokio::test]
async fn g12_a_value_that_cannot_be_written_is_done_and_a_person_can_supply_it() {
    let (store, trial) = (MemoryStore::new(), Trial::of(|| Unwritable(7)));
    for _ in 0..3 {
        let error = keep(&open(&store).await, &trial).await.unwrap_err();
        let error: durable_runtime::Error = error.downcast().unwrap();
        assert!(error.to_string().contains("could not be stored (it refuses to be written)"), "{error}");
        assert!(error.is_in_doubt() && error.key() == Some("keep//give"));
        assert_eq!(trial.calls(), 1);
    }
    let session = open(&store).await;
    session.resolve("keep//give").happened("seven").by("ada", "seen").await.unwrap();
    // What is no value of the step is no answer.
    let error = keep(&session, &trial).await.unwrap_err().to_string();
    assert!(error.contains("the answer of ada does not read as"), "{error}");
    drop(session);
    let session = open(&store).await;
    session.resolve("keep//give").happened(&8).by("ada", "read from the receipt").await.unwrap();
    keep(&session, &trial).await.unwrap_err();
    drop(session);
    keep(&open(&store).await, &trial).await.unwrap();
    assert_eq!((trial.calls(), trial.seen()), (1, vec![Unwritable(8), Unwritable(8)]));
}

#[tokio::test]
async fn g12_a_map_with_tuple_keys_is_stored() {
    survives(|| BTreeMap::from([((1, "a".to_owned()), 1.5)])).await;
}

#[tokio::test]
async fn g26_what_is_no_number_is_not_nothing() {
    let makes: [fn() -> Option<f64>; 3] = [|| Some(f64::NAN), || Some(f64::INFINITY), || Some(f64::NEG_INFINITY)];
    for make in makes {
        let outcome = Trial::of(make).run(&MemoryStore::new()).await;
        let seen = outcome.seen.unwrap().map(|float| float.map(f64::to_bits));
        assert_eq!(seen, [make().map(f64::to_bits); 2], "{:?}", outcome.stored);
    }
}

#[tokio::test]
async fn g27_wide_integers_are_exact_and_every_reader_of_json_reads_the_line() {
    assert_eq!(survives(|| (u64::MAX, (1_u64 << 53) + 1)).await, "[18446744073709551615,9007199254740993]");
    let text = survives(|| vec![u128::MAX]).await;
    // To a reader that knows floats only, what is beyond 64 bits is a text.
    let read: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(read[0]["$int"], "340282366920938463463374607431768211455");
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type")]
enum Tagged {
    Scores { by: BTreeMap<u32, String> },
}

#[tokio::test]
async fn g28_a_tagged_enum_keeps_a_map_with_integer_keys() {
    survives(|| Tagged::Scores { by: BTreeMap::from([(7, "a".to_owned())]) }).await;
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type")]
enum TooWide {
    Number { it: u128 },
}

#[tokio::test]
async fn g28_what_could_not_be_read_back_shows_on_the_first_run() {
    let outcome = Trial::of(|| TooWide::Number { it: 1 }).run(&MemoryStore::new()).await;
    let [first, replayed] = outcome.seen.unwrap_err();
    assert_eq!((first.as_str(), &first), ("u128 is not supported", &replayed));
}

#[tokio::test]
async fn g29_a_mebibyte_of_bytes_costs_a_third_more() {
    let stored = survives(|| (0..=255).cycle().take(1 << 20).collect::<Vec<u8>>()).await;
    assert!(stored.len() < (1 << 20) * 14 / 10, "{}", stored.len());
}

#[tokio::test]
async fn g30_nothing_empty_and_never_run_are_told_apart() {
    let texts = [
        survives(|| None::<String>).await,
        survives(|| Some(String::new())).await,
        survives(String::new).await,
        survives(Vec::<String>::new).await,
    ];
    assert_eq!(texts, ["null", "\"\"", "\"\"", "[]"]);
    let store = MemoryStore::new();
    keep(&open(&store).await, &Trial::of(|| None::<String>)).await.unwrap_err();
    let trial = Trial::of(|| Some(String::new()));
    keep(&open(&store).await, &trial).await.unwrap_err();
    assert_eq!((trial.calls(), trial.seen()), (0, vec![None]));
}

#[tokio::test]
async fn g31_some_of_none_is_not_none() {
    assert_eq!(survives(|| Some(None::<u32>)).await, r#"{"$some":null}"#);
    survives(|| [None, Some(None), Some(Some(()))]).await;
}

#[tokio::test]
async fn g32_a_step_that_gives_nothing_is_done() {
    assert_eq!(survives(|| ()).await, "null");
}

/// The error of a step in its recorded form.
#[tokio::test]
async fn g33_an_error_that_is_a_result_keeps_its_words_and_what_it_proves() {
    #[durable_workflow(goal = "ask")]
    async fn ask(
        session: &Session,
        #[resource] seen: &std::sync::Mutex<Vec<durable_runtime::StepError>>,
    ) -> anyhow::Result<()> {
        #[read(key = "ask", errors = "recorded")]
        let answer = "x".parse::<u8>().map_err(|error| anyhow::anyhow!(error).context("no number"));
        seen.lock().unwrap().push(answer.unwrap_err());
        anyhow::ensure!(seen.lock().unwrap().len() > 1, "the first start ends here");
        Ok(())
    }
    let (store, seen) = (MemoryStore::new(), std::sync::Mutex::default());
    ask(&open(&store).await, &seen).await.unwrap_err();
    ask(&open(&store).await, &seen).await.unwrap();
    let seen = seen.into_inner().unwrap();
    assert_eq!(seen[0], seen[1]);
    assert_eq!(seen[0].message(), "no number: invalid digit found in string");
    assert_eq!(seen[0].failure(), durable_runtime::FailureKind::Rejected);
}

/// Keys are compared byte for byte as they are given: no normalisation merges or splits them.
#[tokio::test]
async fn g54_a_key_is_its_bytes() {
    #[durable_workflow(goal = "greet")]
    async fn greet(session: &Session, #[resource] name: &str) -> anyhow::Result<usize> {
        let given = name;
        #[read(key = "greet/{given}")]
        let greeted = given.chars().count();
        anyhow::ensure!(name.is_empty(), "the start ends here");
        Ok(greeted)
    }
    let store = MemoryStore::new();
    let (composed, decomposed) = ("Le\u{f3}n", "Leo\u{301}n");
    greet(&open(&store).await, composed).await.unwrap_err();
    greet(&open(&store).await, decomposed).await.unwrap_err();
    let keys = store.records().into_iter().filter_map(|record| match record.event {
        durable_runtime::core::record::Event::Done(done) => Some(done.key.to_string()),
        _ => None,
    });
    assert_eq!(keys.collect::<Vec<_>>(), [format!("greet//greet/{composed}"), format!("greet//greet/{decomposed}")]);
}
