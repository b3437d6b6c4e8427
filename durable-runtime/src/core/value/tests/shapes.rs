//! Shapes that plain JSON has no word for, each by itself and inside the others.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::{kept, read};
use crate::core::value::{MAX_DEPTH, canonical, decode, encode, encode_sorted};

/// A float that is equal to itself.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Bits(f64);

impl PartialEq for Bits {
    fn eq(&self, other: &Self) -> bool {
        self.0.to_bits() == other.0.to_bits()
    }
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct NarrowBits(f32);

impl PartialEq for NarrowBits {
    fn eq(&self, other: &Self) -> bool {
        self.0.to_bits() == other.0.to_bits()
    }
}

#[test]
fn floats_keep_every_bit() {
    let nans = [f64::NAN, -f64::NAN, f64::from_bits(0x7ff0_0000_0000_0001), f64::from_bits(0xfff8_0000_dead_beef)];
    let others = [f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0, f64::MIN_POSITIVE, f64::from_bits(1), f64::MAX, 0.1];
    for float in nans.into_iter().chain(others) {
        kept(&Bits(float));
        kept(&(Some(Bits(float)), vec![Bits(float)], BTreeMap::from([("a", Bits(float)).map_key()])));
    }
    assert_eq!(kept(&Bits(f64::NAN)), r#"{"$f64":"NaN"}"#);
    assert_eq!(kept(&Bits(-f64::NAN)), r#"{"$f64":"fff8000000000000"}"#);
    assert_eq!(kept(&Bits(f64::NEG_INFINITY)), r#"{"$f64":"-inf"}"#);
    let narrow = [f32::NAN, -f32::NAN, f32::from_bits(0x7f80_0001), f32::INFINITY, f32::NEG_INFINITY, -0.0, 0.1, -1e13];
    narrow.into_iter().for_each(|float| drop(kept(&NarrowBits(float))));
}

trait MapKey<V> {
    fn map_key(self) -> (String, V);
}

impl<V> MapKey<V> for (&str, V) {
    fn map_key(self) -> (String, V) {
        (self.0.to_owned(), self.1)
    }
}

#[test]
fn integers_keep_every_digit() {
    for integer in [0, u128::from(u64::MAX), u128::from(u64::MAX) + 1, u128::MAX] {
        kept(&integer);
    }
    for integer in [i128::MIN, i128::from(i64::MIN) - 1, i128::from(i64::MIN), -1, i128::MAX] {
        kept(&integer);
    }
    assert_eq!(kept(&u64::MAX), "18446744073709551615");
    assert_eq!(kept(&u128::MAX), r#"{"$int":"340282366920938463463374607431768211455"}"#);
}

#[test]
fn nothing_is_not_something_that_holds_nothing() {
    type Deep = Option<Option<Option<()>>>;
    let all: [Deep; 4] = [None, Some(None), Some(Some(None)), Some(Some(Some(())))];
    let texts = all.map(|value| kept(&value));
    assert_eq!(
        texts,
        ["null", r#"{"$some":null}"#, r#"{"$some":{"$some":null}}"#, r#"{"$some":{"$some":{"$some":null}}}"#]
    );
    assert_eq!(kept(&Some(Some(7))), "7");
    kept(&Some(json!({"$some": null})));
    kept(&Some(json!({"$some": 1, "b": 2})));
    kept(&vec![Some(()), None]);
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
enum Kind {
    Big,
    Sized { by: u8 },
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Id(u64);

#[test]
fn maps_have_keys_of_any_kind() {
    assert_eq!(kept(&BTreeMap::from([(1_u32, "a".to_owned())])), r#"{"$map":[[1,"a"]]}"#);
    kept(&BTreeMap::from([((1_u8, -2_i64), 1)]));
    kept(&BTreeMap::from([(Id(7), 1)]));
    kept(&BTreeMap::from([(true, 1), (false, 2)]));
    kept(&BTreeMap::from([(None, 1), (Some("a".to_owned()), 2)]));
    kept(&BTreeMap::from([(Kind::Sized { by: 1 }, 1), (Kind::Big, 2)]));
    kept(&BTreeMap::from([(vec![0_u8; 40], 1)]));
    kept(&BTreeMap::from([(BTreeMap::from([(1, 2)]), BTreeMap::from([(3, 4)]))]));
    kept(&HashMap::from([(u128::MAX, ())]));
    kept(&BTreeMap::<(u8, u8), u8>::new());
    assert_eq!(kept(&BTreeMap::from([('a', Kind::Big)])), r#"{"a":"Big"}"#);
}

#[test]
fn bytes_are_not_lists_of_numbers() {
    let long: Vec<u8> = (0..=255).cycle().take(1 << 20).collect();
    let text = kept(&long);
    assert!(text.len() < long.len() * 14 / 10 && text.starts_with(r#"{"$u8":"#), "{} bytes", text.len());
    assert_eq!(kept(&vec![1_u8, 2]), "[1,2]");
    assert_eq!(kept(&Vec::<u8>::new()), "[]");
    kept(&[7_u8; 32]);
    kept(&(1_u8, "a".to_owned()));
    kept(&vec![(1_u8, 2_u16); 20]);
    kept(&(0..100).map(Some).collect::<Vec<Option<u8>>>());
    kept(&(0..100).map(|n| (n != 50).then_some(n)).collect::<Vec<Option<u8>>>());
    let c = std::ffi::CString::new(vec![7_u8; 300]).unwrap();
    assert!(kept(&c).starts_with(r#"{"$bytes":"#));
    kept(&Some(c));
}

/// All that serde must read without a hint of its type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type")]
enum Tagged {
    Scores { by: BTreeMap<u32, Bits>, best: Option<Option<u8>> },
    Picture { pixels: Vec<u8>, raw: std::ffi::CString },
    Nothing,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Untagged {
    Float(Bits),
    Pairs(BTreeMap<u32, String>),
    Many(Vec<Untagged>),
    Word { word: Option<String> },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "t", content = "c")]
enum Adjacent {
    Floats(Vec<Bits>),
    Map(BTreeMap<(u8, u8), Bits>),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Flat {
    name: String,
    #[serde(flatten)]
    rest: BTreeMap<u32, Bits>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct FlatInner {
    nan: Bits,
    #[serde(flatten)]
    tagged: Tagged,
}

#[test]
fn types_that_serde_reads_without_a_hint_keep_the_same() {
    let scores = Tagged::Scores { by: BTreeMap::from([(7, Bits(f64::NAN))]), best: Some(None) };
    let picture = Tagged::Picture { pixels: vec![9; 100], raw: std::ffi::CString::new("raw").unwrap() };
    for tagged in [scores, picture, Tagged::Nothing] {
        kept(&tagged);
        kept(&FlatInner { nan: Bits(f64::INFINITY), tagged: tagged.clone() });
        kept(&Some(tagged));
    }
    kept(&Untagged::Float(Bits(f64::NAN)));
    kept(&Untagged::Pairs(BTreeMap::from([(1, "a".to_owned())])));
    kept(&Untagged::Many(vec![Untagged::Float(Bits(-0.0)), Untagged::Word { word: Some("$".to_owned()) }]));
    kept(&Adjacent::Floats(vec![Bits(f64::NEG_INFINITY)]));
    kept(&Adjacent::Map(BTreeMap::from([((1, 2), Bits(f64::NAN))])));
    kept(&Flat { name: "$x".to_owned(), rest: BTreeMap::from([(1, Bits(f64::NAN)), (2, Bits(1.0))]) });
}

/// What a map of words would swallow, were a number an object.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Greedy {
    Float(f64),
    Words(BTreeMap<String, String>),
}

#[test]
fn a_number_is_a_number_whatever_the_tree_turns_on() {
    for float in [0.5, 1e300, -0.0, 7.0] {
        kept(&Greedy::Float(float));
        kept(&vec![Greedy::Float(float), Greedy::Words(BTreeMap::new())]);
    }
    // A hand may write it otherwise.
    let adjacent = read::<Adjacent>(r#"{"c":[1.50],"t":"Floats"}"#);
    assert_eq!(adjacent, Ok(Adjacent::Floats(vec![Bits(1.5)])));
    // What a tree that keeps digits can hold, it keeps.
    let long: Value = serde_json::from_str("[1.50,340282366920938463463374607431768211456]").unwrap();
    kept(&long);
    kept(&Some(vec![long]));
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Renamed {
    #[serde(rename = "$f64")]
    word: String,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum Dollar {
    #[serde(rename = "$some")]
    New(Option<u8>),
    #[serde(rename = "$u8")]
    Tuple(u8, u8),
    #[serde(rename = "$bytes")]
    Struct { a: f64 },
}

#[test]
fn what_looks_like_an_escape_is_none() {
    assert_eq!(kept(&json!({"$f64": "NaN"})), r#"{"$map":[["$f64","NaN"]]}"#);
    kept(&json!({"$map": [[1, 2]]}));
    kept(&json!({"$some": {"$some": null}}));
    kept(&json!({"$u8": "aGk=", "b": {"$bytes": "aGk="}, "c": [{"$int": "1"}]}));
    kept(&json!("$f64"));
    kept(&Renamed { word: "NaN".to_owned() });
    kept(&Some(Renamed { word: "NaN".to_owned() }));
    for dollar in [Dollar::New(Some(1)), Dollar::New(None), Dollar::Tuple(1, 2), Dollar::Struct { a: 1.0 }] {
        kept(&Some(dollar));
    }
    kept(&BTreeMap::from([("$map".to_owned(), vec![(1, 2)])]));
}

#[test]
fn raw_json_stays_as_it_is() {
    for text in [r#"{"$f64": "NaN"}"#, r#"{"$some":null}"#, "null", "[1,  2.50, 1e400]", r#"{"b":1,"a":"$"}"#] {
        let raw = RawValue::from_string(text.to_owned()).unwrap();
        let read: Box<RawValue> = decode(&encode(&raw).unwrap()).unwrap();
        assert_eq!(read.get(), text);
        let held: (Option<Box<RawValue>>, String) = decode(&encode(&(Some(&raw), "$")).unwrap()).unwrap();
        assert_eq!(held.0.unwrap().get(), text);
    }
}

#[test]
fn times_and_paths_are_kept() {
    kept(&Duration::new(u64::MAX, 999_999_999));
    kept(&(SystemTime::UNIX_EPOCH + Duration::new(1, 1)));
    kept(&std::path::PathBuf::from("/tmp/ä $x"));
    use std::os::unix::ffi::OsStringExt as _;
    kept(&std::ffi::OsString::from_vec(vec![0xff; 20]));
    kept(&uuid::Uuid::from_u128(7));
    assert!(encode(&std::path::PathBuf::from(std::ffi::OsString::from_vec(vec![0xff]))).is_err());
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum Tree {
    Leaf(Bits),
    Node { left: Box<Tree>, right: Option<Box<Tree>> },
}

fn tree(depth: usize) -> Tree {
    (0..depth).fold(Tree::Leaf(Bits(f64::NAN)), |left, _| Tree::Node { left: Box::new(left), right: None })
}

/// Of this, serde holds all that is deeper in a tree of its own, at each depth.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type")]
enum Chain {
    End,
    Link { next: Box<Chain> },
}

fn chain(length: usize) -> Chain {
    (0..length).fold(Chain::End, |next, _| Chain::Link { next: Box::new(next) })
}

fn nested(depth: usize) -> Value {
    (0..depth).fold(json!(1), |inner, _| json!([inner]))
}

#[test]
fn nesting_goes_so_deep_and_no_deeper() {
    kept(&tree(100));
    kept(&tree(127));
    kept(&nested(MAX_DEPTH));
    kept(&chain(MAX_DEPTH - 1));
    let wrong = encode(&tree(127)).unwrap().get().replace(r#"{"$f64":"NaN"}"#, "true");
    let error = read::<Tree>(&wrong).unwrap_err();
    assert!(error.ends_with("invalid type: boolean `true`, expected f64"), "{error}");
    let error = encode(&nested(MAX_DEPTH + 1)).unwrap_err();
    assert_eq!(error, "it nests more than 256 deep");
    let deep = "[".repeat(10_000) + &"]".repeat(10_000);
    let error = read::<Value>(&deep).unwrap_err();
    assert!(error.contains("it nests more than 256 deep"), "{}", &error[error.len() - 60..]);
}

#[test]
fn an_unordered_map_has_one_text() {
    let one: HashMap<(u8, u8), u8> = (0..50).map(|n| ((n, n), n)).collect();
    let other: HashMap<(u8, u8), u8> = (0..50).rev().map(|n| ((n, n), n)).collect();
    assert_eq!(canonical(encode(&one).unwrap().get()), canonical(encode(&other).unwrap().get()));
}

/// What holds a set, as its own and inside others: the order in which a process goes through it is that of no other.
#[test]
fn an_unordered_set_has_one_text_where_texts_are_compared() {
    #[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
    struct Tags {
        tags: HashSet<(u8, String)>,
        lists: Vec<HashSet<u8>>,
        last: Vec<u8>,
    }
    let tags = || Tags {
        tags: (0..50).map(|n| (n, n.to_string())).collect(),
        lists: vec![(0..50).collect(), (50..200).collect()],
        last: vec![3, 1, 2],
    };
    let texts: BTreeSet<_> = (0..8).map(|_| encode_sorted(&tags()).unwrap().get().to_owned()).collect();
    assert_eq!(texts.len(), 1, "{texts:?}");
    assert!(texts.iter().all(|text| text.ends_with(r#""last":[3,1,2]}"#)), "a list keeps its order: {texts:?}");
    assert_eq!(decode::<Tags>(&encode_sorted(&tags()).unwrap()).unwrap(), tags());
    let nested = (0..8).map(|_| HashMap::from([(1, [(0..9).collect::<HashSet<u8>>()])]));
    let texts: BTreeSet<_> = nested.map(|nested| encode_sorted(&nested).unwrap().get().to_owned()).collect();
    assert_eq!(texts.len(), 1, "{texts:?}");
}
