//! The inputs of a run: recorded when it begins, compared and decoded whenever it goes on.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::DeserializeOwned;

use super::codec;
use crate::core::record::Stored;
use crate::core::text;
use crate::error::{Error, Kind};
use crate::private::bounds::Recorded;

/// How much of an input an error shows, in characters.
const SHOWN: usize = 120;

/// Why a set cannot be an input.
const UNORDERED: &str = "its order is another each time, so it could not be compared on a resume: give a sorted list";

/// The inputs given by this start. Made by the expansion of `#[durable_workflow]`.
#[derive(Debug, Default)]
pub struct Inputs {
    pub(super) given: Vec<Input>,
}

/// One input.
pub(super) struct Input {
    pub(super) name: &'static str,
    pub(super) json: Result<Stored, String>,
    pub(super) type_name: &'static str,
    /// The value as today's type writes it, keys sorted.
    pub(super) canonical: fn(&Stored) -> Result<String, String>,
}

/// How a recorded input is read: function pointers, so that the bound stands in one place.
pub struct Given<T: ?Sized, O> {
    pub(super) name: &'static str,
    pub(super) decode: fn(&Stored) -> Result<O, String>,
    lend: fn(&O) -> &T,
}

impl Inputs {
    /// No inputs.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one.
    pub fn add<T: Recorded + ?Sized>(&mut self, name: &'static str, value: &T) -> Given<T, T::Owned> {
        self.given.push(Input {
            name,
            json: codec::encode(value),
            type_name: std::any::type_name::<T::Owned>(),
            canonical: canonical::<T>,
        });
        Given { name, decode: codec::decode::<T::Owned>, lend: T::lend }
    }

    /// Compares them with those that the run was begun with, both as today's types write them.
    pub(super) fn compare(&self, run: &str, recorded: &BTreeMap<String, Stored>) -> Result<(), Error> {
        for input in &self.given {
            let name = || input.name.to_owned();
            let Some(old) = recorded.get(input.name) else {
                let error = "it was not recorded when the run began".to_owned();
                return Err(
                    Kind::InputUndecodable { run: run.to_owned(), input: name(), ty: input.type_name, error }.into()
                );
            };
            let undecodable =
                |error| Kind::InputUndecodable { run: run.to_owned(), input: name(), ty: input.type_name, error };
            let old = (input.canonical)(old).map_err(undecodable)?;
            let new = input.json.as_ref().map_err(Clone::clone).and_then(input.canonical).map_err(undecodable)?;
            if old != new {
                let (recorded, given) = (text::clean(&old, SHOWN), text::clean(&new, SHOWN));
                return Err(Kind::InputChanged { run: run.to_owned(), input: name(), recorded, given }.into());
            }
        }
        Ok(())
    }

    /// The inputs as a run record holds them; the name and the error of one that cannot be written or read back.
    pub(super) fn recorded(&self) -> Result<BTreeMap<String, Stored>, (&'static str, String)> {
        let mut recorded = BTreeMap::new();
        for input in &self.given {
            let json = input.json.clone().map_err(|error| (input.name, error))?;
            let canonical = || (input.canonical)(&json).map_err(|error| (input.name, error));
            if canonical()? != canonical()? {
                return Err((input.name, UNORDERED.to_owned()));
            }
            recorded.insert(input.name.to_owned(), json);
        }
        Ok(recorded)
    }
}

impl<T: ?Sized, O> Given<T, O> {
    /// The recorded value as the parameter had it.
    pub fn lend<'a>(&self, owned: &'a O) -> &'a T {
        (self.lend)(owned)
    }
}

impl<T: ?Sized, O> Clone for Given<T, O> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: ?Sized, O> Copy for Given<T, O> {}

impl<T: ?Sized, O> fmt::Debug for Given<T, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Given({})", self.name)
    }
}

impl fmt::Debug for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.type_name)
    }
}

fn canonical<T: Recorded + ?Sized>(json: &Stored) -> Result<String, String> {
    let owned: T::Owned = decode_input(json)?;
    let again = codec::encode(T::lend(&owned))?;
    codec::sorted(again.get())
}

fn decode_input<T: DeserializeOwned>(json: &Stored) -> Result<T, String> {
    codec::decode(json)
}
