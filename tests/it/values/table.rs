//! The table of `docs/values.md`: each row is a step that was run, and replayed in another start.

use std::collections::{BTreeMap, HashMap};
use std::ffi::{CString, OsString};
use std::fs;
use std::os::unix::ffi::OsStringExt as _;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use durable_runtime::store::memory::MemoryStore;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::trial::Trial;

/// How much of a text a cell shows, in characters.
const SHOWN: usize = 60;

const BEGIN: &str = "<!-- The table is made by the test `values::table`. -->\n";
const END: &str = "<!-- End of the table. -->\n";

struct Table(String);

impl Table {
    fn new() -> Self {
        Self("| value | stands in the log as | survives |\n|---|---|---|\n".to_owned())
    }

    /// A value that is equal to itself.
    async fn row<T>(&mut self, what: &str, make: fn() -> T)
    where
        T: Serialize + DeserializeOwned + PartialEq,
    {
        self.row_by(what, make, |given, seen| given == seen).await;
    }

    async fn row_by<T>(&mut self, what: &str, make: fn() -> T, same: fn(&T, &T) -> bool)
    where
        T: Serialize + DeserializeOwned,
    {
        let outcome = Trial::of(make).run(&MemoryStore::new()).await;
        let survives = match outcome.seen {
            Ok([first, replayed]) => {
                assert!(same(&first, &replayed), "{what}: the first run saw another value than the replay");
                if same(&make(), &first) { "exactly".to_owned() } else { "as what was stored says".to_owned() }
            }
            Err([first, again]) => {
                assert_eq!(first, again, "{what}");
                format!("no: {first}")
            }
        };
        let stored = outcome.stored.map_or_else(String::new, |stored| format!("`{}`", cell(&stored)));
        self.0 += &format!("| {what} | {stored} | {survives} |\n");
    }
}

fn cell(text: &str) -> String {
    let text = text.replace('|', "\\|");
    match text.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}..", &text[..at]),
        None => text,
    }
}

#[expect(clippy::ptr_arg, reason = "it is a comparison of two values of the row's type")]
fn same_bits(one: &Vec<f64>, other: &Vec<f64>) -> bool {
    one.iter().map(|float| float.to_bits()).eq(other.iter().map(|float| float.to_bits()))
}

#[derive(PartialEq, Serialize, Deserialize)]
struct Unit;

#[derive(PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Point {
    x: u8,
    y: u8,
}

#[derive(PartialEq, Serialize, Deserialize)]
enum External {
    Unit,
    New(Option<u8>),
    Tuple(u8, u8),
    Struct { by: BTreeMap<u8, u8> },
}

#[derive(PartialEq, Serialize, Deserialize)]
#[serde(tag = "type")]
enum Internal {
    Scores { by: BTreeMap<u32, f64>, best: Option<Option<u8>> },
}

#[derive(PartialEq, Serialize, Deserialize)]
#[serde(tag = "t", content = "c")]
enum Adjacent {
    Map(BTreeMap<(u8, u8), f64>),
}

#[derive(PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Untagged {
    Float(f64),
    Map(BTreeMap<u32, f64>),
}

#[derive(PartialEq, Serialize, Deserialize)]
struct Flat {
    name: String,
    #[serde(flatten)]
    by: BTreeMap<u32, f64>,
}

#[derive(PartialEq, Serialize, Deserialize)]
#[serde(tag = "type")]
enum Wide {
    Number { it: u128 },
}

#[derive(PartialEq, Serialize, Deserialize)]
struct Skipped {
    kept: u8,
    #[serde(skip)]
    skipped: u8,
}

#[derive(PartialEq, Serialize, Deserialize)]
enum List {
    End,
    Next(Box<List>),
}

fn list(length: usize) -> List {
    (0..length).fold(List::End, |rest, _| List::Next(Box::new(rest)))
}

async fn table() -> String {
    let mut table = Table::new();
    numbers(&mut table).await;
    nothing(&mut table).await;
    enums(&mut table).await;
    maps(&mut table).await;
    bytes_and_texts(&mut table).await;
    standard_types(&mut table).await;
    shapes(&mut table).await;
    table.0
}

async fn numbers(table: &mut Table) {
    table.row_by("`f64`: 0.1, -0.0, the smallest, the largest", || vec![0.1, -0.0, 5e-324, f64::MAX], same_bits).await;
    table.row_by("`f64`: infinities", || vec![f64::INFINITY, f64::NEG_INFINITY], same_bits).await;
    table
        .row_by(
            "`f64`: NaN, and one with other bits",
            || vec![f64::NAN, f64::from_bits(0xfff8_0000_0000_0001)],
            same_bits,
        )
        .await;
    table.row_by("`f32`: 0.1, NaN", || (0.1_f32, f32::NAN), |a, b| a.0 == b.0 && a.1.to_bits() == b.1.to_bits()).await;
    table.row("`i64`, `u64`: the smallest, the largest", || (i64::MIN, u64::MAX)).await;
    table.row("`u64`: 2^53 + 1", || (1_u64 << 53) + 1).await;
    table.row("`i128`, `u128`: the smallest, the largest", || (i128::MIN, u128::MAX)).await;
}

async fn nothing(table: &mut Table) {
    table.row("`()`", || ()).await;
    table.row("unit struct", || Unit).await;
    table.row("`Option<u32>`: `None`, `Some`", || (None::<u32>, Some(7))).await;
    table
        .row("`Option<Option<u32>>`: `None`, `Some(None)`, `Some(Some)`", || {
            (None::<Option<u32>>, Some(None::<u32>), Some(Some(7)))
        })
        .await;
    table.row("`Option<()>`: `Some(())`", || Some(())).await;
    table
        .row_by("`Option<f64>`: `Some(NaN)`", || Some(f64::NAN), |a, b| a.map(f64::to_bits) == b.map(f64::to_bits))
        .await;
    table
        .row("empty `String`, `Some` of one, empty `Vec`", || (String::new(), Some(String::new()), Vec::<u8>::new()))
        .await;
}

async fn enums(table: &mut Table) {
    table
        .row("enum, each kind of variant", || {
            [
                External::Unit,
                External::New(None),
                External::Tuple(1, 2),
                External::Struct { by: BTreeMap::from([(1, 2)]) },
            ]
        })
        .await;
    table
        .row("`#[serde(tag)]`, with a map of integer keys", || Internal::Scores {
            by: BTreeMap::from([(1, f64::INFINITY)]),
            best: Some(None),
        })
        .await;
    table.row("`#[serde(tag, content)]`", || Adjacent::Map(BTreeMap::from([((1, 2), 0.5)]))).await;
    table
        .row("`#[serde(untagged)]`", || [Untagged::Float(f64::INFINITY), Untagged::Map(BTreeMap::from([(1, 0.5)]))])
        .await;
    table.row("`#[serde(flatten)]`", || Flat { name: "n".to_owned(), by: BTreeMap::from([(1, 0.5)]) }).await;
    table.row("`u128` in a tagged, untagged or flattened type", || Wide::Number { it: 1 }).await;
    table.row("`Result<u8, String>`", || [Ok(1_u8), Err("no".to_owned())]).await;
}

async fn maps(table: &mut Table) {
    table.row("map with text keys", || BTreeMap::from([("a".to_owned(), 1)])).await;
    table.row("map with integer keys", || BTreeMap::from([(-1_i64, 1)])).await;
    table.row("map with `bool` keys", || BTreeMap::from([(true, 1)])).await;
    table.row("map with tuple keys", || HashMap::from([((1_u8, 'a'), 1)])).await;
    table.row("map with struct keys", || BTreeMap::from([(Point { x: 1, y: 2 }, 1)])).await;
}

async fn bytes_and_texts(table: &mut Table) {
    table.row("`Vec<u8>` of 4 bytes", || vec![1_u8, 2, 3, 4]).await;
    table.row("`Vec<u8>` of 1 MiB", || vec![7_u8; 1 << 20]).await;
    table.row("bytes (`serialize_bytes`)", || CString::new("bytes").unwrap()).await;
    table.row("`String`, `char`: quotes, line feeds, NUL, any script", || ("\"\n\0ä🕴".to_owned(), '\u{fffd}')).await;
}

async fn standard_types(table: &mut Table) {
    table.row("`Duration`", || Duration::new(u64::MAX, 999_999_999)).await;
    table.row("`SystemTime`, from 1970 on", || SystemTime::UNIX_EPOCH + Duration::new(1_900_000_000, 1)).await;
    table.row("`SystemTime`, before 1970", || SystemTime::UNIX_EPOCH - Duration::from_secs(1)).await;
    table.row("`PathBuf`, UTF-8", || PathBuf::from("/tmp/ä")).await;
    table.row("`PathBuf`, not UTF-8", || PathBuf::from(OsString::from_vec(vec![0xff]))).await;
    table.row("`OsString`, not UTF-8", || OsString::from_vec(vec![0xff, b'a'])).await;
    table
        .row("`serde_json::Value`, also one that looks like an escape", || json!({"$f64": "NaN", "b": [1, 0.1, null]}))
        .await;
    table.row("`serde_json::Value`: `{\"$f64\":\"NaN\"}`", || json!({"$f64": "NaN"})).await;
    table
        .row_by(
            "`Box<RawValue>`",
            || RawValue::from_string("{\"a\": 1.50}".to_owned()).unwrap(),
            |a, b| a.get() == b.get(),
        )
        .await;
}

async fn shapes(table: &mut Table) {
    table.row("100 values in one another", || list(100)).await;
    table.row("256 values in one another", || list(256)).await;
    table.row("257 values in one another", || list(257)).await;
    table.row("a field with `#[serde(skip)]`", || Skipped { kept: 1, skipped: 2 }).await;
    table.row::<Value>("`Value`: 0.1 + 0.2", || json!(0.1 + 0.2)).await;
}

#[tokio::test]
async fn g73_the_table_of_what_survives_is_what_the_steps_did() {
    let file = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/values.md"));
    let page = fs::read_to_string(&file).unwrap();
    let (before, rest) = page.split_once(BEGIN).expect("the page says where the table begins");
    let (shown, after) = rest.split_once(END).expect("the page says where the table ends");
    let made = table().await;
    if std::env::var_os("RENEW_DOCS").is_some() {
        fs::write(&file, format!("{before}{BEGIN}{made}{END}{after}")).unwrap();
        return;
    }
    assert_eq!(
        shown, made,
        "docs/values.md says something else: renew it with\nRENEW_DOCS=1 cargo test -p durable-tests --test it values::table\nand read what has changed"
    );
}
