//! A value, as a person types it.

use durable_runtime::core::text;
use serde_json::value::RawValue;

use crate::exit::Exit;
use crate::failure::Failure;

/// What stands in a handoff where a value is to be written.
const PLACES: [&str; 2] = ["RESULT", "ANSWER"];

/// The value, as JSON. `gives` is the name of the type that is asked for, if the log knows it: for a text that is no JSON a string
/// is taken, if nothing else can be meant.
pub(crate) fn parse(given: &str, gives: Option<&str>) -> Result<Box<RawValue>, Failure> {
    if PLACES.contains(&given) {
        let text = format!("`{given}` is the place for a value: write the value, as JSON");
        return Err(Failure::new(Exit::USAGE, text));
    }
    let json = RawValue::from_string(given.to_owned()).ok();
    match (json, gives) {
        (Some(json), Some("String")) if !json.get().starts_with('"') => Err(quote(given, "is JSON, but no text")),
        (Some(json), _) => Ok(json),
        (None, Some("String")) if is_plain(given) => serde_json::value::to_raw_value(given).map_err(|_| no_json(given)),
        (None, _) => Err(quote(given, "is no JSON")),
    }
}

/// Whether nobody can have meant JSON.
fn is_plain(given: &str) -> bool {
    !given.is_empty() && !given.starts_with(['"', '{', '[', '\''])
}

/// A text is meant, perhaps: how to write it so that it can be nothing else.
fn quote(given: &str, what: &str) -> Failure {
    let Ok(json) = serde_json::to_string(given) else { return no_json(given) };
    let (given, json) = (text::clean(given, 200), text::clean(&text::shell(&json), 400));
    Failure::new(
        Exit::USAGE,
        format!("`{given}` {what}: for the text, write {json}, with both kinds of quotes; for anything else, its JSON"),
    )
}

fn no_json(given: &str) -> Failure {
    Failure::new(Exit::USAGE, format!("`{}` is no JSON: write the value as JSON", text::clean(given, 200)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_json_and_a_plain_word_is_a_text_only_where_nothing_else_can_be_meant() {
        let taken = [
            ("42", Some("u64"), "42"),
            ("340282366920938463463374607431768211455", None, "340282366920938463463374607431768211455"),
            ("\"a\"", Some("String"), "\"a\""),
            ("the red one", Some("String"), "\"the red one\""),
            ("{\"a\":1}", Some("Receipt"), "{\"a\":1}"),
        ];
        for (given, gives, json) in taken {
            assert_eq!(parse(given, gives).unwrap().get(), json);
        }
        for (given, gives) in [
            ("42", Some("String")),
            ("true", Some("String")),
            ("{a", Some("String")),
            ("", Some("String")),
            ("blue", None),
            ("blue", Some("Color")),
            ("RESULT", Some("String")),
            ("ANSWER", None),
        ] {
            assert!(parse(given, gives).is_err(), "{given}");
        }
        let text = parse("it's", None).unwrap_err().text.unwrap();
        assert_eq!(
            text,
            r#"`it's` is no JSON: for the text, write '"it'\''s"', with both kinds of quotes; for anything else, its JSON"#
        );
    }
}
