//! Plain JSON, which old logs hold and people write by hand, reads as it always did.

use std::collections::{BTreeMap, HashMap};

use serde::Deserialize;
use serde_json::{Value, json};

use super::{kept, read};

#[derive(Debug, PartialEq, Deserialize)]
struct Order {
    id: u128,
    by: BTreeMap<i64, f64>,
    flags: BTreeMap<bool, Kind>,
    bytes: Vec<u8>,
    note: Option<String>,
}

#[derive(Debug, PartialEq, Deserialize)]
enum Kind {
    Plain,
    With(Option<u8>),
    Both(u8, String),
    Named { a: u8 },
}

/// The same text is read twice: once by `serde_json` alone, and once beside a word that could be an escape.
#[track_caller]
fn reads<T: serde::de::DeserializeOwned + PartialEq + std::fmt::Debug>(text: &str, value: T) {
    assert_eq!(read::<T>(text), Ok(value), "{text}");
    let expected: T = serde_json::from_str(text).unwrap();
    assert_eq!(read::<(T, String)>(&format!(r#"[ {text} , "$"]"#)), Ok((expected, "$".to_owned())), "{text}");
}

#[test]
fn plain_texts_read_as_serde_json_reads_them() {
    let order = || Order {
        id: u128::MAX,
        by: BTreeMap::from([(-1, 1.5), (2, 3.0)]),
        flags: BTreeMap::from([(false, Kind::Plain), (true, Kind::With(None))]),
        bytes: (0..40).collect(),
        note: Some("$5".to_owned()),
    };
    let bytes: Vec<u8> = (0..40).collect();
    let text = format!(
        r#"{{"id":{}, "by":{{"-1":1.5,"2":3}},"flags":{{"false":"Plain","true":{{"With":null}}}},"bytes":{bytes:?},"note":"$5"}}"#,
        u128::MAX
    );
    reads(&text, order());
    reads(r#"{"Both":[1,"$"]}"#, Kind::Both(1, "$".to_owned()));
    reads(r#"{"Named":{"a":1,"other":"$"}}"#, Kind::Named { a: 1 });
    reads(r#"{"With": 7}"#, Kind::With(Some(7)));
    reads("[1,2.5,null,\"a\",{\"b\":[true]}]", json!([1, 2.5, null, "a", {"b": [true]}]));
    reads(r#"{"1":2}"#, HashMap::from([(1_u8, 2_u8)]));
    reads(r#"{"1":2}"#, HashMap::from([("1".to_owned(), 2)]));
    reads("18446744073709551616", 18_446_744_073_709_551_616_u128);
    reads("null", ());
}

#[test]
fn a_name_of_an_escape_with_another_content_is_a_name() {
    for text in [
        r#"{"$f64":1}"#,
        r#"{"$f64":"7"}"#,
        r#"{"$int":"x"}"#,
        r#"{"$map":[[1]]}"#,
        r#"{"$bytes":"?"}"#,
        r#"{"$u8":[1]}"#,
        r#"{"$ref":"a"}"#,
        r#"{"$f64":"NaN","b":1}"#,
    ] {
        assert_eq!(read::<Value>(text), Ok(serde_json::from_str(text).unwrap()), "{text}");
    }
}

#[test]
fn a_person_may_write_escapes_with_spaces() {
    assert_eq!(read::<f64>(r#"{ "$f64" : "inf" }"#), Ok(f64::INFINITY));
    assert_eq!(read::<Option<Option<u8>>>(r#"{ "$some": null }"#), Ok(Some(None)));
    assert_eq!(read::<BTreeMap<u8, u8>>(r#"{"$map": [ [1, 2] ]}"#), Ok(BTreeMap::from([(1, 2)])));
}

#[test]
fn an_error_names_the_place() {
    let error = read::<BTreeMap<String, Vec<u32>>>(r#"{"a":["x"]}"#).unwrap_err();
    assert_eq!(error, r#"at a[0]: invalid type: string "x", expected u32"#);
    let error = read::<BTreeMap<String, Vec<u32>>>(r#"{"$a":[],"b":["$"]}"#).unwrap_err();
    assert_eq!(error, r#"at b[0]: invalid type: string "$", expected u32"#);
    assert_eq!(read::<u8>("300").unwrap_err(), "invalid value: integer `300`, expected u8");
    let error = read::<Vec<(u8, u8)>>(r#"[[1,2,3],["$"]]"#).unwrap_err();
    assert!(error.starts_with("at [0]: "), "{error}");
    let error = read::<(u8, String)>(r#"[1,"$",3]"#).unwrap_err();
    assert!(error.contains("it has more elements than are expected"), "{error}");
}

#[test]
fn numbers_of_any_length_stay_numbers() {
    kept(&json!([1, -1, 0.1, 1e300, u64::MAX, i64::MIN]));
}
