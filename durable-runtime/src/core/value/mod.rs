//! Values as text: an exact dialect of JSON, of which plain JSON is a part.
//!
//! What a step gives goes through [`encode`] and [`decode`] before anyone sees it, so a first run and a replay see the
//! same. JSON has no word for some of what a Rust value can be; `escape.rs` says what stands for it. Everything else is
//! written and read by `serde_json` itself, whatever features the user's tree turns on in it.

mod access;
mod bytes;
mod canonical;
mod compound;
mod difference;
mod escape;
mod name;
mod number;
mod read;
mod write;

#[cfg(test)]
mod tests;

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

pub use canonical::canonical;
pub use difference::difference;

use super::record::Stored;
use read::Reader;

/// How deep sequences, maps, structs and variants with content may stand in one another. Deeper ones are refused, in
/// writing and in reading, long before they could exhaust a stack.
pub const MAX_DEPTH: usize = 256;

/// The value as text, on one line.
///
/// # Errors
///
/// Fails if the value refuses to be written, nests deeper than [`MAX_DEPTH`], or panics while it is written.
pub fn encode<T: Serialize + ?Sized>(value: &T) -> Result<Stored, String> {
    caught("Serialize", || stored(write::text(value)))
}

/// The same, with the elements of each hash set sorted, so that two processes write one text. What is read back from it is
/// the same value.
///
/// # Errors
///
/// See [`encode`].
pub fn encode_sorted<T: Serialize + ?Sized>(value: &T) -> Result<Stored, String> {
    caught("Serialize", || stored(write::sorted(value)))
}

fn stored(text: serde_json::Result<String>) -> Result<Stored, String> {
    let text = text.map_err(|error| error.to_string())?;
    // Between tokens a space says the same, and a log of lines can hold it: what is given now is what a replay gives.
    let line = if text.contains('\n') { text.replace('\n', " ") } else { text };
    let json = RawValue::from_string(line).map_err(|error| error.to_string())?;
    Stored::written(json).ok_or_else(|| "raw JSON may not begin with `{\"$blob\":`".to_owned())
}

/// The value of a text.
///
/// # Errors
///
/// Fails if it is no value of the type, and names the place in it; if it nests deeper than [`MAX_DEPTH`]; or if the type
/// panics while it is read.
pub fn decode<T: DeserializeOwned>(stored: &Stored) -> Result<T, String> {
    caught("Deserialize", || read(stored))
}

fn read<T: DeserializeOwned>(stored: &Stored) -> Result<T, String> {
    if let Some(apart) = stored.apart() {
        return Err(format!("its {} bytes are kept apart, and were not fetched", apart.len));
    }
    let text = stored.get();
    let is_plain = !escape::may_be_in(text) && !number::are_objects();
    let first = if is_plain { serde_json::from_str(text) } else { T::deserialize(Reader::new(text)) };
    // It may be that `serde_json` alone cannot read it: it goes less deep.
    let second = first.or_else(|_| T::deserialize(Reader::alone(text)));
    second.or_else(|_| serde_path_to_error::deserialize(Reader::rounding(text)).map_err(located))
}

/// A panic of the user's code is an error of the value. To let it unwind would turn an effect that has happened into a
/// doubt, and an `idempotent` one would be repeated in every start.
fn caught<R>(what: &str, of: impl FnOnce() -> Result<R, String>) -> Result<R, String> {
    // Whatever the code has left half done is in the value, which nobody sees any more.
    catch_unwind(AssertUnwindSafe(of)).unwrap_or_else(|payload| {
        let text = payload.downcast_ref::<&str>().copied();
        let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
        Err(format!("its `{what}` panicked: {}", text.unwrap_or("of a kind that is no text")))
    })
}

/// Where in the value it does not fit, and why. Line and column say nothing in a text of one line.
fn located(error: serde_path_to_error::Error<serde_json::Error>) -> String {
    let path = error.path().to_string();
    let inner = error.into_inner();
    let text = inner.to_string();
    let position = format!(" at line {} column {}", inner.line(), inner.column());
    let said = text.strip_suffix(&position).unwrap_or(&text);
    if path == "." { said.to_owned() } else { format!("at {path}: {said}") }
}
