//! Whether a value can be what is asked for, as far as the log names the type of that.

use serde::de::DeserializeOwned;

use super::{Says, Word};
use crate::approval::Approval;
use crate::core::record::Stored;
use crate::core::state::{Life, State};
use crate::core::{text, value};

/// The most that is shown of a value, in bytes.
const SHOWN: usize = 80;

/// A value that cannot be what is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// The type that is asked for.
    pub wanted: String,
    /// What was given, as JSON.
    pub given: String,
}

impl State {
    /// What a word gives that cannot be what its question asks for. A type that the library does not know by its name takes
    /// any value here: its step finds out.
    pub fn misfit(&self, word: &Word) -> Option<Misfit> {
        let wanted = self.steps.get(&word.key)?.tried().gives.as_deref()?;
        // No value is the value of a step that gives nothing.
        let given = match &word.says {
            Says::Resolve { happened: false, .. } | Says::Cancel => return None,
            Says::Resolve { value, .. } => value.clone().or_else(|| value::encode(&()).ok())?,
            Says::Answer { value, .. } => value.clone(),
        };
        let can_be = can_be(wanted, &given).unwrap_or(true);
        (!can_be).then(|| Misfit { wanted: wanted.to_owned(), given: text::clean(given.get(), SHOWN) })
    }

    /// The type that the open question about a step was asked with, and the one that the step gives `now`, if they differ
    /// in their names: the paths to them say nothing of the type.
    pub fn asked_with_other(&self, key: &str, now: impl FnOnce() -> String) -> Option<(String, String)> {
        let name = |gives: &str| gives.rsplit("::").next().unwrap_or_default().to_owned();
        let step = self.steps.get(key)?;
        let is_open =
            matches!(&step.life, Life::Asked | Life::Done { value: Err(_), .. }) || step.life.doubt().is_some();
        let recorded = step.tried().gives.clone().filter(|_| is_open)?;
        let now = now();
        (name(&recorded) != name(&now)).then_some((recorded, now))
    }
}

/// Whether a value is one of the type with this name; `None` if the name is no known one.
fn can_be(wanted: &str, given: &Stored) -> Option<bool> {
    Some(match wanted {
        "()" => is::<()>(given),
        "bool" => is::<bool>(given),
        "String" => is::<String>(given),
        "Approval" => is::<Approval>(given),
        "u8" => is::<u8>(given),
        "u16" => is::<u16>(given),
        "u32" => is::<u32>(given),
        "u64" | "usize" => is::<u64>(given),
        "u128" => is::<u128>(given),
        "i8" => is::<i8>(given),
        "i16" => is::<i16>(given),
        "i32" => is::<i32>(given),
        "i64" | "isize" => is::<i64>(given),
        "i128" => is::<i128>(given),
        "f32" | "f64" => is::<f64>(given),
        _ => return None,
    })
}

/// It is read as the step reads it.
fn is<T: DeserializeOwned>(given: &Stored) -> bool {
    value::decode::<T>(given).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_of_a_known_type_can_be_one_and_no_other_kind_can() {
        fn json<T: serde::Serialize>(value: T) -> Stored {
            value::encode(&value).unwrap()
        }
        let stored = |json: &str| Stored::from(serde_json::value::RawValue::from_string(json.to_owned()).unwrap());
        let table = [
            ("()", vec![json(())], vec!["true", "1", "{}"]),
            ("bool", vec![json(true), json(false)], vec!["1", "\"true\"", "null"]),
            ("String", vec![json(""), json("a \"b\"")], vec!["1", "null", "[\"a\"]"]),
            ("u8", vec![json(u8::MAX)], vec!["256", "-1", "1.0", "\"1\"", "null"]),
            ("usize", vec![json(usize::MAX)], vec!["-1", "true"]),
            ("i64", vec![json(i64::MIN)], vec!["9223372036854775808", "1.5"]),
            ("u128", vec![json(u128::MAX)], vec!["-1"]),
            (
                "f64",
                [0.0, -0.0, 1e300, -1.5, f64::INFINITY, f64::NAN].map(json).to_vec(),
                vec!["\"1\"", "null", "true"],
            ),
            ("Approval", vec![json(Approval::declined("ada", "no"))], vec!["true", "null", "{\"approved\":true}"]),
        ];
        for (wanted, values, others) in table {
            assert!(values.iter().all(|json| can_be(wanted, json) == Some(true)), "{wanted}: {values:?}");
            assert!(others.iter().all(|json| can_be(wanted, &stored(json)) == Some(false)), "{wanted}: {others:?}");
        }
        for unknown in ["Receipt", "Option<bool>", "shop::Approval", "Vec<u8>"] {
            assert_eq!(can_be(unknown, &json(())), None);
        }
    }
}
