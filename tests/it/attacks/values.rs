//! Values that JSON is hard on: a first run and every replay see the same, and what cannot be the same is refused.

use std::collections::HashSet;
use std::sync::Mutex;

use durable_runtime::core::record::Event;
use durable_runtime::prelude::*;
use durable_runtime::store::memory::MemoryStore;
use serde_json::value::RawValue;

use super::world::{World, open};

#[tokio::test]
async fn ten_thousand_floats_come_back_bit_for_bit() {
    #[durable_workflow(goal = "read")]
    async fn floats(
        session: &Session,
        #[resource] world: &World,
        #[resource] given: &[f64],
        #[resource] seen: &Mutex<Vec<Vec<f64>>>,
    ) -> anyhow::Result<()> {
        #[read(key = "floats")]
        let read = given.to_vec();
        seen.lock().unwrap().push(read);
        world.last()
    }
    let (store, world, given, seen) = (MemoryStore::new(), World::default(), every_kind_of_float(), Mutex::default());
    floats(&open(&store).await, &world, &given, &seen).await.unwrap_err();
    floats(&open(&store).await, &world, &[], &seen).await.unwrap();
    let bits = |floats: &[f64]| floats.iter().map(|float| float.to_bits()).collect::<Vec<_>>();
    let seen = seen.into_inner().unwrap();
    assert_eq!([bits(&seen[0]), bits(&seen[1])], [bits(&given), bits(&given)]);
}

/// Prices, roots, and whatever sixty-four bits can say, except what JSON has no number for.
fn every_kind_of_float() -> Vec<f64> {
    let mut bits = 88_172_645_463_325_252_u64;
    let any = std::iter::repeat_with(move || {
        bits ^= bits << 13;
        bits ^= bits >> 7;
        bits ^= bits << 17;
        f64::from_bits(bits)
    });
    let prices = (0..2_000_u32).map(f64::from).flat_map(|n| [n / 7.0, n / 100.0 * 1.19, n.sqrt()]);
    prices.chain(any.filter(|float| float.is_finite())).take(10_000).collect()
}

#[tokio::test]
async fn raw_json_with_line_feeds_is_the_same_in_the_first_run_and_in_a_replay() {
    #[durable_workflow(goal = "read")]
    async fn raw(
        session: &Session,
        #[resource] world: &World,
        #[resource] seen: &Mutex<Vec<String>>,
    ) -> anyhow::Result<()> {
        #[read(key = "raw")]
        let raw = RawValue::from_string("{\n \"a\": \"b\\n\"\n}".to_owned())?;
        seen.lock().unwrap().push(raw.get().to_owned());
        world.last()
    }
    let (store, world, seen) = (MemoryStore::new(), World::default(), Mutex::default());
    raw(&open(&store).await, &world, &seen).await.unwrap_err();
    raw(&open(&store).await, &world, &seen).await.unwrap();
    assert_eq!(seen.into_inner().unwrap(), [r#"{  "a": "b\n" }"#; 2]);
}

#[tokio::test]
async fn a_set_as_an_input_is_refused_before_anything_is_recorded() {
    #[durable_workflow(goal = "count")]
    async fn count(session: &Session, ids: &HashSet<String>) -> anyhow::Result<usize> {
        Ok(ids.len())
    }
    let store = MemoryStore::new();
    let ids = (0..100).map(|id| id.to_string()).collect();
    let error = count(&open(&store).await, &ids).await.unwrap_err().to_string();
    assert!(error.contains("input `ids`") && error.contains("give a sorted list"), "{error}");
    assert!(!store.records().iter().any(|record| matches!(record.event, Event::Run(_))));
}
