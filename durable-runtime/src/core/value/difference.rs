//! Where two values differ, in the words of an error.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::value::RawValue;

use super::canonical;
use super::escape::{Escape, Members};
use crate::core::text;

/// How many differences are shown.
const FIRST: usize = 3;

/// How much of a path, and of a value, is shown, in bytes.
const PATH: usize = 160;
const VALUE: usize = 60;

/// The first places in which what was recorded and what is given differ, each by its path from `name` on, and how many more
/// there are: `` `invoices[5].payee`: recorded "a", given "b" ``. Nothing where they are equal.
///
/// The order of members, and of the pairs of a map, is none of the value. The text is bounded, however large the values are.
pub fn difference(name: &str, recorded: &str, given: &str) -> Option<String> {
    // Most are equal, and written alike.
    if recorded == given {
        return None;
    }
    let (recorded, given) = (whole(recorded), whole(given));
    if recorded == given {
        return None;
    }
    let mut found = Found::default();
    found.walk(&mut name.to_owned(), Some(&recorded), Some(&given));
    let more = found.count - found.shown.len();
    let more = if more == 0 { String::new() } else { format!("; and {more} more") };
    Some(found.shown.join("; ") + &more)
}

/// What is no JSON is compared as it is.
fn whole(text: &str) -> Cow<'_, str> {
    canonical(text).map_or(Cow::Borrowed(text), Cow::Owned)
}

#[derive(Default)]
struct Found {
    shown: Vec<String>,
    count: usize,
}

impl Found {
    /// Looks for differences in what stands at this path; in one of the two there may be nothing.
    fn walk(&mut self, path: &mut String, recorded: Option<&str>, given: Option<&str>) {
        if recorded == given {
            return;
        }
        let Some((one, other)) =
            recorded.and_then(parts).zip(given.and_then(parts)).filter(|(one, other)| one.kind == other.kind)
        else {
            return self.note(path, recorded, given);
        };
        let mut others: HashMap<&str, &str> = other.parts.iter().map(|(name, text)| (name.as_str(), *text)).collect();
        for (name, text) in &one.parts {
            self.walk_in(path, name, Some(text), others.remove(name.as_str()));
        }
        for (name, text) in other.parts.iter().filter(|(name, _)| others.contains_key(name.as_str())) {
            self.walk_in(path, name, None, Some(text));
        }
    }

    fn walk_in(&mut self, path: &mut String, name: &str, recorded: Option<&str>, given: Option<&str>) {
        let len = path.len();
        path.push_str(name);
        self.walk(path, recorded, given);
        path.truncate(len);
    }

    fn note(&mut self, path: &str, recorded: Option<&str>, given: Option<&str>) {
        self.count += 1;
        if self.shown.len() < FIRST {
            let show =
                |value: Option<&str>| value.map_or_else(|| "nothing".to_owned(), |value| text::clean(value, VALUE));
            self.shown.push(format!("{}: recorded {}, given {}", text::key(path, PATH), show(recorded), show(given)));
        }
    }
}

/// A value that others stand in, each under the piece of a path that leads to it.
struct Parts<'a> {
    kind: Kind,
    parts: Vec<(String, &'a str)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    List,
    Object,
    Map,
    Some,
}

/// `None` for a value that nothing stands in, or whose text says another thing than what stands in it.
fn parts(text: &str) -> Option<Parts<'_>> {
    match (text.as_bytes().first()?, Escape::of(text)) {
        (b'[', _) => {
            let items: Vec<&RawValue> = serde_json::from_str(text).ok()?;
            let parts = items.iter().enumerate().map(|(index, item)| (format!("[{index}]"), item.get()));
            Some(Parts { kind: Kind::List, parts: parts.collect() })
        }
        (_, Some(Escape::Map(pairs))) => {
            let parts = pairs.into_iter().map(|(key, value)| (format!("[{key}]"), value));
            Some(Parts { kind: Kind::Map, parts: parts.collect() })
        }
        (_, Some(Escape::Some(inner))) => Some(Parts { kind: Kind::Some, parts: vec![(String::new(), inner)] }),
        (b'{', None) => {
            let Members(members) = serde_json::from_str(text).ok()?;
            let parts = members.into_iter().map(|(name, value)| (member(&name), value.get()));
            Some(Parts { kind: Kind::Object, parts: parts.collect() })
        }
        _ => None,
    }
}

/// A member in a path, as code would write it.
fn member(name: &str) -> String {
    let is_word = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    if is_word { format!(".{name}") } else { format!("[{name:?}]") }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn of(recorded: &Value, given: &Value) -> Option<String> {
        difference("it", &recorded.to_string(), &given.to_string())
    }

    #[test]
    fn a_difference_is_told_by_its_path() {
        let invoices = |payee: &str| json!([{"payee": "x"}, {"payee": payee, "a b": [1, 2]}]);
        let told = difference("invoices", &invoices("a").to_string(), &invoices("b").to_string());
        assert_eq!(told.unwrap(), r#"`invoices[1].payee`: recorded "a", given "b""#);
        let told = |recorded: &str, given: &str| difference("it", recorded, given).unwrap();
        assert_eq!(told("1", "2"), "`it`: recorded 1, given 2");
        assert_eq!(told("[1,2]", "[1,2,3]"), "`it[2]`: recorded nothing, given 3");
        assert_eq!(
            told(r#"{"a":1}"#, r#"{"b":1}"#),
            "`it.a`: recorded 1, given nothing; `it.b`: recorded nothing, given 1"
        );
        assert_eq!(told(r#"{"a b":1}"#, r#"{"a b":2}"#), r#"`it["a b"]`: recorded 1, given 2"#);
        assert_eq!(told("[]", "{}"), "`it`: recorded [], given {}");
        assert_eq!(told(r#"{"$map":[[3,1],[4,1]]}"#, r#"{"$map":[[4,2],[3,1]]}"#), "`it[4]`: recorded 1, given 2");
        assert_eq!(told(r#"{"$some":[null]}"#, r#"{"$some":[1]}"#), "`it[0]`: recorded null, given 1");
        assert_eq!(told("1.0", "1"), "`it`: recorded 1.0, given 1");
    }

    #[test]
    fn the_first_are_told_and_how_many_more() {
        let told = of(&json!([1, 2, 3, 4, 5]), &json!([6, 7, 8, 9, 5])).unwrap();
        assert!(told.starts_with("`it[0]`: recorded 1, given 6; ") && told.ends_with("given 8; and 1 more"), "{told}");
    }

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            (0..3u8).prop_map(Value::from),
            ".{0,200}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 6, |inner| {
            let name = prop_oneof!["[abc]", r"\$(some|map|f64)", ".{0,40}"];
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::btree_map(name, inner, 0..6)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn values_that_differ_differ_somewhere_and_equal_ones_nowhere(one in value(), other in value()) {
            prop_assert_eq!(of(&one, &one), None);
            let is_same = canonical(&one.to_string()) == canonical(&other.to_string());
            let told = of(&one, &other);
            prop_assert_eq!(told.is_none(), is_same);
            prop_assert!(told.is_none_or(|told| !told.is_empty() && told.len() < 2_000));
        }

        #[test]
        fn what_is_changed_is_what_is_told(list in prop::collection::vec(value(), 1..9), at in any::<prop::sample::Index>()) {
            let at = at.index(list.len());
            let mut changed = list.clone();
            changed[at] = json!("\u{1}changed");
            prop_assume!(list[at] != changed[at]);
            let told = of(&list.into(), &changed.into()).unwrap();
            prop_assert!(told.starts_with(&format!("`it[{at}]")), "{}", told);
        }
    }
}
