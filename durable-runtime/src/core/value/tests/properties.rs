//! Random values of every shape that serde knows, in one another.

use std::collections::BTreeMap;
use std::ffi::CString;

use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::kept;
use crate::core::value::{canonical, encode};

/// A value of any shape. Floats are held by their bits, so that they can be compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Shape {
    Nothing,
    Truth(bool),
    Small(i8, u8),
    Large(i64, u64),
    Wide(Wide),
    #[serde(with = "narrow")]
    Narrow(u32),
    #[serde(with = "double")]
    Double(u64),
    Letter(char),
    #[serde(rename = "$some")]
    Text(String),
    Bytes(CString),
    Numbers(Vec<u8>),
    Unit(()),
    Empty(Empty),
    Maybe(Option<Option<Box<Shape>>>),
    #[serde(rename = "$map")]
    New(New),
    Pair(Box<Shape>, Box<Shape>),
    Fields {
        #[serde(rename = "$f64")]
        one: Box<Shape>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        two: Option<Box<Shape>>,
    },
    List(Vec<Shape>),
    Named(BTreeMap<String, Shape>),
    Keyed(BTreeMap<Key, Shape>),
    Any(Value),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Wide(i128, u128);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Empty;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct New(Box<Shape>);

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
enum Key {
    Unit,
    Number(u32),
    Pair(bool, String),
    Fields { a: Option<i8> },
}

/// The same where serde reads without a hint first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "$u8")]
enum Tagged {
    Held { shape: Shape },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Untagged {
    Other { other: Shape },
    Held { shape: Shape },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Flat {
    #[serde(rename = "$int")]
    first: Shape,
    #[serde(flatten)]
    tagged: Tagged,
}

/// Writes a float, and holds its bits.
macro_rules! by_bits {
    ($module:ident, $float:ty, $bits:ty) => {
        mod $module {
            use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};

            pub(super) fn serialize<S: Serializer>(bits: &$bits, serializer: S) -> Result<S::Ok, S::Error> {
                <$float>::from_bits(*bits).serialize(serializer)
            }

            pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<$bits, D::Error> {
                <$float>::deserialize(deserializer).map(<$float>::to_bits)
            }
        }
    };
}

by_bits!(narrow, f32, u32);
by_bits!(double, f64, u64);

/// Texts that look like something else.
fn word() -> impl Strategy<Value = String> {
    const LOOKS: [&str; 12] = ["$f64", "$int", "$some", "$map", "$bytes", "$u8", "NaN", "$", "", "\"$", "1", "null"];
    prop_oneof![prop::sample::select(&LOOKS[..]).prop_map(str::to_owned), ".{0,6}"]
}

fn key() -> impl Strategy<Value = Key> {
    prop_oneof![
        Just(Key::Unit),
        any::<u32>().prop_map(Key::Number),
        (any::<bool>(), word()).prop_map(|(truth, text)| Key::Pair(truth, text)),
        any::<Option<i8>>().prop_map(|a| Key::Fields { a }),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        word().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::vec((word(), inner), 0..3).prop_map(|members| members.into_iter().collect()),
        ]
    })
}

/// A shape; `wide` ones with the types of 128 bits, which serde does not read without a hint.
fn shape(wide: bool) -> impl Strategy<Value = Shape> {
    let wide_integers = any::<(i128, u128)>().prop_map(|(a, b)| Shape::Wide(Wide(a, b)));
    let integers = if wide { wide_integers.boxed() } else { Just(Shape::Nothing).boxed() };
    let bytes = prop::collection::vec(1..=255_u8, 0..40).prop_map(|bytes| CString::new(bytes).unwrap_or_default());
    // On its way through serde's own tree a processor makes every NaN a quiet one.
    let quiet = move |bits: u32| if !wide && f32::from_bits(bits).is_nan() { bits | 0x40_0000 } else { bits };
    let leaf = prop_oneof![
        Just(Shape::Nothing),
        Just(Shape::Unit(())),
        Just(Shape::Empty(Empty)),
        any::<bool>().prop_map(Shape::Truth),
        any::<(i8, u8)>().prop_map(|(a, b)| Shape::Small(a, b)),
        any::<(i64, u64)>().prop_map(|(a, b)| Shape::Large(a, b)),
        integers,
        any::<u32>().prop_map(quiet).prop_map(Shape::Narrow),
        any::<u64>().prop_map(Shape::Double),
        prop::num::f64::ANY.prop_map(|float| Shape::Double(float.to_bits())),
        any::<char>().prop_map(Shape::Letter),
        word().prop_map(Shape::Text),
        bytes.prop_map(Shape::Bytes),
        prop::collection::vec(any::<u8>(), 0..40).prop_map(Shape::Numbers),
        value().prop_map(Shape::Any),
    ];
    leaf.prop_recursive(6, 48, 4, |inner| {
        let boxed = || inner.clone().prop_map(Box::new);
        prop_oneof![
            prop::option::of(prop::option::of(boxed())).prop_map(Shape::Maybe),
            boxed().prop_map(|inner| Shape::New(New(inner))),
            (boxed(), boxed()).prop_map(|(one, two)| Shape::Pair(one, two)),
            (boxed(), prop::option::of(boxed())).prop_map(|(one, two)| Shape::Fields { one, two }),
            prop::collection::vec(inner.clone(), 0..4).prop_map(Shape::List),
            prop::collection::btree_map(word(), inner.clone(), 0..4).prop_map(Shape::Named),
            prop::collection::btree_map(key(), inner, 0..4).prop_map(Shape::Keyed),
        ]
    })
}

proptest! {
    #[test]
    fn every_shape_is_read_as_it_was_written(shape in shape(true)) {
        let text = kept(&shape);
        // A reader that knows numbers as floats only, and no escapes, reads it too.
        prop_assert!(serde_json::from_str::<Value>(&text).is_ok());
        prop_assert_eq!(canonical(&text), canonical(encode(&shape).unwrap().get()));
    }

    #[test]
    fn so_it_is_where_serde_reads_without_a_hint(shape in shape(false), first in shape(false)) {
        let tagged = Tagged::Held { shape: shape.clone() };
        kept(&tagged);
        kept(&Untagged::Held { shape });
        kept(&Flat { first, tagged });
    }
}
