//! What a workflow can take, and what it takes after it was changed.
#![allow(clippy::too_many_arguments, reason = "each shape that a parameter may have")]
#![allow(clippy::non_minimal_cfg, reason = "a condition that holds, and one that does not")]

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use durable_runtime::core::record::{Event, Record};
use durable_runtime::prelude::*;
use durable_runtime::store::memory::MemoryStore;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::bank::{Bank, Done, twice};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Invoice {
    id: u32,
}

#[tokio::test]
async fn an_input_may_borrow_once() {
    #[durable_workflow]
    async fn borrows<'a>(
        session: &Session,
        #[resource] bank: &Bank,
        text: &str,
        path: &Path,
        bytes: &[u8],
        explicit: &'a str,
        maybe_text: Option<&str>,
        maybe_path: std::option::Option<&Path>,
        maybe_list: Option<&[Invoice]>,
        nothing: Option<&Invoice>,
        texts: &[&'a str],
        invoices: &[&Invoice],
        vec: Vec<&str>,
        vec_behind: &Vec<&Invoice>,
        option_behind: &Option<&str>,
        owned_behind: &Option<String>,
    ) -> Done<String> {
        let told = format!(
            "{text} {} {bytes:?} {explicit} {maybe_text:?} {maybe_path:?} {:?} {nothing:?} {texts:?} {} {vec:?} {} {option_behind:?} {owned_behind:?}",
            path.display(),
            maybe_list.map(<[Invoice]>::len),
            invoices[1].id,
            vec_behind[0].id,
        );
        #[side_effect(key = "book", in_doubt = "bank")]
        bank.book("book").await?;
        bank.last()?;
        Ok(told)
    }
    let (a, b) = (Invoice { id: 1 }, Invoice { id: 2 });
    let (value, _) = twice(async |session, bank| {
        let (list, path) = (std::slice::from_ref(&a), Path::new("p"));
        let (own, behind) = ("own".to_owned(), vec![&b, &a]);
        borrows(
            &session,
            bank,
            &own,
            path,
            &[1, 2],
            &own,
            Some("maybe"),
            Some(path),
            Some(list),
            None,
            &["x", &own],
            &[&a, &b],
            vec!["v"],
            &behind,
            &Some("o"),
            &Some("s".to_owned()),
        )
        .await
    })
    .await;
    let want = r#"own p [1, 2] own Some("maybe") Some("p") Some(1) None ["x", "own"] 2 ["v"] 2 Some("o") Some("s")"#;
    assert_eq!(value, want);
}

#[tokio::test]
async fn an_input_may_own() {
    #[durable_workflow]
    async fn owns<const N: usize, T>(
        session: &Session,
        #[resource] bank: &Bank,
        cow: Cow<'_, str>,
        boxed: Box<Invoice>,
        shared: Arc<str>,
        array: [u8; N],
        long: &[u16; 40],
        generic: &T,
        hidden: &(impl Serialize + DeserializeOwned + ToString),
        path: PathBuf,
        maybe: Option<Invoice>,
    ) -> Done<String>
    where
        T: Serialize + DeserializeOwned + Clone + Into<String>,
    {
        let generic: String = generic.clone().into();
        #[side_effect(key = "book/{cow}/{shared}", in_doubt = "bank")]
        bank.book("book").await?;
        bank.last()?;
        let (hidden, path, long) = (hidden.to_string(), path.display(), long.len());
        Ok(format!("{cow} {} {shared} {array:?} {long} {generic} {hidden} {path} {}", boxed.id, maybe.is_none()))
    }
    let (value, _) = twice(async |session, bank| {
        let boxed = Box::new(Invoice { id: 3 });
        owns(&session, bank, "cow".into(), boxed, "arc".into(), [1, 2], &[7; 40], &"t".to_owned(), &8, "p".into(), None)
            .await
    })
    .await;
    assert_eq!(value, "cow 3 arc [1, 2] 40 t 8 p true");
}

#[tokio::test]
async fn g57_a_parameter_that_is_switched_off_is_not_there() {
    #[durable_workflow(key = "switched/{on}", goal = "switch {on}")]
    async fn switched(
        session: &Session,
        #[cfg(all())]
        #[resource]
        bank: &Bank,
        #[cfg(any())] off: NoSuchType,
        #[cfg(any())]
        #[resource]
        handle: NoSuchType,
        #[cfg(any())]
        #[input(default = nowhere())]
        later: NoSuchType,
        #[cfg(any())] (first, second): &NoSuchType,
        #[cfg(not(any()))] on: u32,
        #[cfg_attr(all(), allow(unused_variables))] unused: u32,
        #[allow(unused_mut)] mut fixed: u32,
        _: bool,
        _ignored: bool,
    ) -> Done<u32> {
        #[side_effect(key = "book/{on}", in_doubt = "bank")]
        bank.book("book").await?;
        bank.last()?;
        Ok(on + fixed)
    }
    #[durable_workflow]
    async fn nothing_is_on(session: &Session, #[cfg(any())] off: NoSuchType) -> Done {
        Ok(())
    }
    let store = MemoryStore::new();
    let bank = Bank::default();
    let open = || Session::builder("unused").store(store.clone()).goal("switch").open();
    let session = open().await.unwrap();
    nothing_is_on(&session).await.unwrap();
    switched(&session, &bank, 1, 2, 3, true, false).await.unwrap_err();
    drop(session);
    assert_eq!(switched(&open().await.unwrap(), &bank, 1, 2, 3, true, false).await.unwrap(), 4);
    let inputs = |record: Record| match record.event {
        Event::Run(run) => Some(run.inputs.iter().map(|(name, value)| format!("{name}={} ", value.get())).collect()),
        _ => None,
    };
    let recorded: Vec<String> = store.records().into_iter().filter_map(inputs).collect();
    assert_eq!(recorded, ["", "_ignored=false fixed=3 on=1 parameter 10=true unused=2 "]);
}

trait Rates {
    fn rate(&self) -> u32;
}

impl Rates for u32 {
    fn rate(&self) -> u32 {
        *self
    }
}

#[tokio::test]
async fn a_resource_may_be_anything() {
    mod http {
        pub(super) struct Session(pub(super) u32);
    }

    #[durable_workflow]
    async fn resources<'r>(
        session: &Session,
        #[resource] bank: &Bank,
        #[resource] (a, b): (&'r str, &dyn Rates),
        #[resource] mut count: u32,
        #[resource] log: &mut Vec<u32>,
        #[resource] rates: Arc<dyn Rates + Send + Sync>,
        #[resource] other: &http::Session,
        #[resource] each: impl Fn(u32) -> u32,
    ) -> Done<u32> {
        count += 1;
        log.push(count);
        #[side_effect(key = "book", in_doubt = "bank")]
        bank.book(a).await?;
        bank.last()?;
        Ok(each(b.rate() + count + rates.rate() + other.0))
    }
    let (value, booked) = twice(async |session, bank| {
        let (rates, mut log) = (Arc::new(100_u32), Vec::new());
        resources(&session, bank, ("a", &1000), 9, &mut log, rates, &http::Session(5), |n| n + 1).await
    })
    .await;
    assert_eq!((value, booked.as_str()), (1116, "a"));
}

/// The code of a workflow before a parameter was added.
mod before {
    use super::*;

    #[durable_workflow(key = "order", goal = "order")]
    pub(super) async fn order(session: &Session, #[resource] bank: &Bank, id: u32) -> Done<String> {
        #[side_effect(key = "book", in_doubt = "bank")]
        bank.book("book").await?;
        bank.last()?;
        Ok(format!("{id}"))
    }
}

/// The code after.
mod after {
    use super::*;

    pub(super) fn usual_currency() -> String {
        "EUR".to_owned()
    }

    #[durable_workflow(key = "order", goal = "order")]
    pub(super) async fn order(
        session: &Session,
        #[resource] bank: &Bank,
        id: u32,
        #[input(default = &usual_currency())] currency: &str,
        #[input(default)] note: &str,
        #[input(default = Some("x"))] tags: Option<&str>,
        #[input(default)] copies: u8,
        #[input(default = [1; 2])] array: [u8; 2],
        #[input(default)] list: &[&str],
    ) -> Done<String> {
        #[side_effect(key = "book", in_doubt = "bank")]
        bank.book("book").await?;
        bank.last()?;
        Ok(format!("{id} {currency} {note:?} {tags:?} {copies} {array:?} {list:?}"))
    }
}

/// The code after that, in which the default is another.
mod later {
    use super::*;

    #[durable_workflow(key = "order", goal = "order")]
    pub(super) async fn order(
        session: &Session,
        #[resource] bank: &Bank,
        id: u32,
        #[input(default = "USD")] currency: &str,
    ) -> Done<String> {
        #[side_effect(key = "book", in_doubt = "bank")]
        bank.book("book").await?;
        bank.last()?;
        Ok(format!("{id} {currency}"))
    }
}

/// A parameter that was added without a default.
mod bare {
    use super::*;

    #[durable_workflow(key = "order", goal = "order")]
    pub(super) async fn order(session: &Session, #[resource] bank: &Bank, id: u32, currency: &str) -> Done<String> {
        #[side_effect(key = "book", in_doubt = "bank")]
        bank.book(currency).await?;
        Ok(id.to_string())
    }
}

async fn open(store: &MemoryStore) -> Session {
    Session::builder("unused").store(store.clone()).open().await.unwrap()
}

#[tokio::test]
async fn a_run_that_began_without_an_input_sees_its_default() {
    let (store, bank) = (MemoryStore::new(), Bank::default());
    before::order(&open(&store).await, &bank, 7).await.unwrap_err();
    let value = after::order(&open(&store).await, &bank, 7, "CHF", "n", None, 4, [5; 2], &["y"]).await.unwrap();
    assert_eq!(value, r#"7 EUR "" Some("x") 0 [1, 1] []"#);
    assert_eq!(bank.booked(), ["book"]);
}

#[tokio::test]
async fn a_run_that_begins_with_an_input_records_it_and_compares_it() {
    let (store, bank) = (MemoryStore::new(), Bank::default());
    later::order(&open(&store).await, &bank, 7, "CHF").await.unwrap_err();
    let error = later::order(&open(&store).await, &bank, 7, "USD").await.unwrap_err().to_string();
    assert!(error.contains(r#"another input, `currency`: recorded "CHF", given "USD""#), "{error}");
    assert_eq!(later::order(&open(&store).await, &bank, 7, "CHF").await.unwrap(), "7 CHF");
}

#[tokio::test]
async fn a_default_that_was_seen_is_kept_when_the_code_has_another() {
    let (store, bank) = (MemoryStore::new(), Bank::default());
    before::order(&open(&store).await, &bank, 7).await.unwrap_err();
    let stays_shut = Bank::default();
    let _ = after::order(&open(&store).await, &stays_shut, 7, "CHF", "n", None, 4, [5; 2], &["y"]).await.unwrap_err();
    let defaults = |record: &Record| matches!(&record.event, Event::Code(code) if !code.inputs.is_empty());
    assert_eq!(store.records().iter().filter(|record| defaults(record)).count(), 1);
    assert_eq!(later::order(&open(&store).await, &bank, 7, "GBP").await.unwrap(), "7 EUR");
    assert_eq!(store.records().iter().filter(|record| defaults(record)).count(), 1);
}

#[tokio::test]
async fn an_input_that_was_added_without_a_default_says_what_to_write() {
    let (store, bank) = (MemoryStore::new(), Bank::default());
    before::order(&open(&store).await, &bank, 7).await.unwrap_err();
    let error = bare::order(&open(&store).await, &bank, 7, "CHF").await.unwrap_err().to_string();
    assert!(
        error.contains("begun without the input `currency`") && error.contains("#[input(default = ..)]"),
        "{error}"
    );
}

#[tokio::test]
async fn inputs_that_changed_name_both_ways_out_and_one_of_them_works() {
    #[durable_workflow(goal = "pay", inputs = "recorded")]
    async fn relaxed(session: &Session, #[resource] bank: &Bank, names: &[&str], rate: u32) -> Done<String> {
        for name in names {
            #[side_effect(key = "book/{name}", in_doubt = "bank")]
            bank.book(*name).await?;
        }
        bank.last()?;
        Ok(format!("{names:?} {rate}"))
    }
    let (store, bank) = (MemoryStore::new(), Bank::default());
    relaxed(&open(&store).await, &bank, &["a", "b"], 1).await.unwrap_err();
    assert_eq!(relaxed(&open(&store).await, &bank, &["c"], 2).await.unwrap(), r#"["a", "b"] 1"#);
    assert_eq!(bank.booked(), ["a", "b"]);

    let (store, bank) = (MemoryStore::new(), Bank::default());
    before::order(&open(&store).await, &bank, 7).await.unwrap_err();
    let error = before::order(&open(&store).await, &bank, 8).await.unwrap_err().to_string();
    assert!(error.contains("another `key`") && error.contains(r#"inputs = "recorded""#), "{error}");
}

#[tokio::test]
async fn an_array_of_another_length_does_not_read() {
    #[durable_workflow(key = "sized", goal = "size")]
    async fn sized<const N: usize>(session: &Session, array: [u8; N]) -> Done<usize> {
        #[read(key = "stop")]
        "x".parse::<u8>()?;
        Ok(array.len())
    }
    let store = MemoryStore::new();
    sized(&open(&store).await, [1, 2]).await.unwrap_err();
    let error = sized(&open(&store).await, [1, 2, 3]).await.unwrap_err().to_string();
    assert!(error.contains("another input, `array[2]`: recorded nothing, given 3"), "{error}");
}
