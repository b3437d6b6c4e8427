//! The inputs of a run: recorded when it begins, compared and decoded whenever it goes on.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::DeserializeOwned;

use super::commit::Shared;
use crate::core::record::Stored;
use crate::core::secrets::Secrets;
use crate::core::state::Run;
use crate::core::value;
use crate::error::{Error, Kind};
use crate::private::bounds::Recorded;
use crate::store::StoreError;

/// Why a set cannot be an input.
const UNORDERED: &str = "its order is another each time, so it could not be compared on a resume: give a sorted list";

/// An input that cannot be recorded, and why.
type Unfit = (&'static str, String);

/// The inputs given by this start. Made by the expansion of `#[durable_workflow]`.
#[derive(Debug, Default)]
pub struct Inputs {
    given: Vec<Input>,
    /// Whether what was recorded holds, whatever is given now.
    not_compared: bool,
    /// For which types and constants a generic workflow is called.
    pub(super) instance: Vec<String>,
}

/// One input.
struct Input {
    name: &'static str,
    json: Result<Stored, String>,
    type_name: &'static str,
    /// The value as today's type writes it, keys sorted.
    canonical: fn(&Stored) -> Result<String, String>,
    /// What stands for it in a record, if it is kept apart from the log.
    apart: Option<Stored>,
    /// What a run sees that was begun without it.
    default: Option<fn() -> Result<Stored, String>>,
}

/// How a recorded input is read: function pointers, so that the bound stands in one place.
pub struct Given<O, L> {
    pub(super) name: &'static str,
    pub(super) decode: fn(&Stored) -> Result<O, String>,
    /// Gives what was read back as the parameter had it.
    pub lend: L,
}

type Owned<T, X> = <T as Recorded<X>>::Owned;
/// A value, or what a `&` refers to.
type GivenValue<T, X> = Given<Owned<T, X>, fn(&Owned<T, X>) -> &T>;
/// An `Option<&T>`.
type GivenOption<T, X> = Given<Option<Owned<T, X>>, fn(&Option<Owned<T, X>>) -> Option<&T>>;
/// A `Vec<&T>` or a `&[&T]`.
type GivenList<T, X> = Given<Vec<Owned<T, X>>, fn(&Vec<Owned<T, X>>) -> Vec<&T>>;
/// An array, which may be longer than those that serde knows.
type GivenArray<T, X, const N: usize> = Given<[Owned<T, X>; N], fn(&[Owned<T, X>; N]) -> &[Owned<T, X>; N]>;

impl Inputs {
    /// No inputs.
    pub fn new() -> Self {
        Self::default()
    }

    /// No inputs, of a workflow whose resumed runs go on with those that they recorded.
    pub fn not_compared() -> Self {
        Self { not_compared: true, ..Self::default() }
    }

    /// Notes for which type a generic workflow is called.
    #[must_use]
    pub fn of<T: ?Sized>(mut self) -> Self {
        self.instance.push(std::any::type_name::<T>().to_owned());
        self
    }

    /// Notes for which constant it is called.
    #[must_use]
    pub fn of_constant(mut self, constant: impl fmt::Display) -> Self {
        self.instance.push(constant.to_string());
        self
    }

    /// Adds an input by one of the functions below: a bound of it that is not met is reported where it is named.
    pub fn given<V: ?Sized, G>(
        &mut self,
        add: fn(&mut Self, &'static str, &V) -> G,
        name: &'static str,
        value: &V,
    ) -> G {
        add(self, name, value)
    }

    /// Adds a value, or what a `&` refers to.
    pub fn add<T: Recorded<X> + ?Sized, X>(&mut self, name: &'static str, value: &T) -> GivenValue<T, X> {
        let canonical = |json: &Stored| canonical(json, |owned: &T::Owned| value::encode(T::lend(owned)));
        self.push::<T::Owned>(name, value::encode(value), canonical);
        Given { name, decode: value::decode::<T::Owned>, lend: T::lend }
    }

    /// Adds an `Option<&T>`.
    pub fn add_option<T: Recorded<X> + ?Sized, X>(
        &mut self,
        name: &'static str,
        value: &Option<&T>,
    ) -> GivenOption<T, X> {
        let canonical = |json: &Stored| canonical(json, |owned| value::encode(&lend_option::<T, X>(owned)));
        self.push::<Option<T::Owned>>(name, value::encode(value), canonical);
        Given { name, decode: value::decode::<Option<T::Owned>>, lend: lend_option::<T, X> }
    }

    /// Adds a `Vec<&T>` or a `&[&T]`.
    pub fn add_list<T: Recorded<X> + ?Sized, X>(&mut self, name: &'static str, value: &[&T]) -> GivenList<T, X> {
        let canonical = |json: &Stored| canonical(json, |owned| value::encode(&lend_list::<T, X>(owned)));
        self.push::<Vec<T::Owned>>(name, value::encode(value), canonical);
        Given { name, decode: value::decode::<Vec<T::Owned>>, lend: lend_list::<T, X> }
    }

    /// Adds an array.
    pub fn add_array<T: Recorded<X>, X, const N: usize>(
        &mut self,
        name: &'static str,
        value: &[T; N],
    ) -> GivenArray<T, X, N> {
        let canonical = |json: &Stored| canonical(json, |owned| value::encode(&lend_list::<T, X>(owned)));
        self.push::<[T::Owned; N]>(name, value::encode(value.as_slice()), canonical);
        Given { name, decode: decode_array::<T::Owned, N>, lend: |owned| owned }
    }

    /// Gives the input that was added last what a run sees that was begun without it.
    pub fn or_default(&mut self, default: fn() -> Result<Stored, String>) {
        if let Some(input) = self.given.last_mut() {
            input.default = Some(default);
        }
    }

    /// Compares them with those that the run was begun with, both as today's types write them.
    ///
    /// `fetched` are the recorded ones that do not stand in the log.
    pub(super) fn compare(
        &self,
        key: &str,
        run: &Run,
        fetched: &BTreeMap<String, Stored>,
        secrets: &Secrets,
    ) -> Result<(), Error> {
        let recorded = |input: &Input| fetched.get(input.name).or_else(|| run.inputs.get(input.name));
        self.given.iter().try_for_each(|input| match recorded(input) {
            Some(recorded) => input.compare(key, recorded, self.not_compared, secrets),
            None if input.default.is_some() || run.defaults.contains_key(input.name) => Ok(()),
            None => Err(Kind::InputMissing { run: key.to_owned(), input: input.name.to_owned() }.into()),
        })
    }

    /// The defaults of those that the run was begun without, and has no default of yet.
    pub(super) fn defaults(&self, run: &Run) -> Result<BTreeMap<String, Stored>, Unfit> {
        let missing = self.given.iter().filter(|input| run.input(input.name).is_none());
        let default = |input: &Input| {
            let value = input.default?();
            Some(value.map(|value| (input.name.to_owned(), value)).map_err(|error| (input.name, error)))
        };
        missing.filter_map(default).collect()
    }

    /// The first of these defaults that holds a secret, and what that is.
    pub(super) fn secret_default<'s>(
        &self,
        defaults: &BTreeMap<String, Stored>,
        secrets: &'s Secrets,
    ) -> Option<(&'static str, &'s str)> {
        let held = |input: &Input| Some((input.name, secrets.find(defaults.get(input.name)?.get())?));
        self.given.iter().find_map(held)
    }

    /// The first that holds a secret, and what that is.
    pub(super) fn secret<'s>(&self, secrets: &'s Secrets) -> Option<(&'static str, &'s str)> {
        let held = |input: &Input| Some((input.name, secrets.find(input.json.as_ref().ok()?.get())?));
        self.given.iter().find_map(held)
    }

    /// Keeps the large ones apart from the log, and gives them as they are.
    pub(super) async fn set_apart(&mut self, shared: &Shared) -> Result<BTreeMap<String, Stored>, StoreError> {
        let mut large = BTreeMap::new();
        for input in &mut self.given {
            let Some(json) = input.json.clone().ok().and_then(|json| shared.fitting(json).ok()) else { continue };
            let stands = shared.set_apart(json.clone()).await?;
            if stands.apart().is_some() {
                input.apart = Some(stands);
                large.insert(input.name.to_owned(), json);
            }
        }
        Ok(large)
    }

    /// The inputs as a run record holds them; the name and the error of one that cannot be written or read back.
    pub(super) fn recorded(&self, shared: &Shared) -> Result<BTreeMap<String, Stored>, Unfit> {
        let mut recorded = BTreeMap::new();
        for input in &self.given {
            let json = input.json.clone().and_then(|json| shared.fitting(json)).map_err(|error| (input.name, error))?;
            let canonical = || (input.canonical)(&json).map_err(|error| (input.name, error));
            if canonical()? != canonical()? {
                return Err((input.name, UNORDERED.to_owned()));
            }
            recorded.insert(input.name.to_owned(), input.apart.clone().unwrap_or(json));
        }
        Ok(recorded)
    }

    fn push<T>(
        &mut self,
        name: &'static str,
        json: Result<Stored, String>,
        canonical: fn(&Stored) -> Result<String, String>,
    ) {
        self.given.push(Input {
            name,
            json,
            type_name: std::any::type_name::<T>(),
            canonical,
            apart: None,
            default: None,
        });
    }
}

impl Input {
    fn compare(&self, key: &str, recorded: &Stored, reads_only: bool, secrets: &Secrets) -> Result<(), Error> {
        let (run, input) = (|| key.to_owned(), || self.name.to_owned());
        let undecodable = |error| Kind::InputUndecodable { run: run(), input: input(), ty: self.type_name, error };
        let old = (self.canonical)(recorded).map_err(undecodable)?;
        if reads_only {
            return Ok(());
        }
        let new = self.json.as_ref().map_err(Clone::clone).and_then(self.canonical).map_err(undecodable)?;
        match difference(secrets, self.name, &old, &new) {
            Some(difference) => Err(Kind::InputChanged { run: run(), difference }.into()),
            None => Ok(()),
        }
    }
}

impl<O, L> fmt::Debug for Given<O, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Given({})", self.name)
    }
}

impl fmt::Debug for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.type_name)
    }
}

/// Where two values differ, in words without the secrets in them: taken out first, for half of one has no shape any more.
pub(super) fn difference(secrets: &Secrets, name: &str, recorded: &str, given: &str) -> Option<String> {
    let told = value::difference(name, recorded, given)?;
    if [recorded, given].iter().all(|json| secrets.find(json).is_none()) {
        return Some(told);
    }
    let [recorded, given] = [recorded, given].map(|json| secrets.redact_json(json));
    let told = value::difference(name, &recorded, &given);
    Some(told.unwrap_or_else(|| format!("`{name}`: what looks like a secret in it is another, and is not shown")))
}

/// Reads the text, and writes what was read as the parameter would be written.
fn canonical<O: DeserializeOwned>(json: &Stored, write: fn(&O) -> Result<Stored, String>) -> Result<String, String> {
    let owned = value::decode(json)?;
    value::canonical(write(&owned)?.get())
}

fn lend_option<T: Recorded<X> + ?Sized, X>(owned: &Option<T::Owned>) -> Option<&T> {
    owned.as_ref().map(T::lend)
}

#[expect(clippy::ptr_arg, reason = "it is read back as a `Vec`")]
fn lend_list<T: Recorded<X> + ?Sized, X>(owned: &Vec<T::Owned>) -> Vec<&T> {
    owned.iter().map(T::lend).collect()
}

fn decode_array<T: DeserializeOwned, const N: usize>(json: &Stored) -> Result<[T; N], String> {
    let list: Vec<T> = value::decode(json)?;
    list.try_into().map_err(|list: Vec<T>| format!("{} values where {N} are expected", list.len()))
}
