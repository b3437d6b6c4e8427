//! What a workflow returns, and what can be done with it.

use std::fmt::{self, Display};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::panic;
use crate::core::record::Stored;
use crate::core::value;
use crate::error::Error;
use crate::private::bounds::WorkflowResult;

/// How the result of a workflow is written, read, and made of an error: function pointers, so that the bounds stand in
/// one place and a mistake is reported once.
pub struct Returns<R> {
    pub(super) ended: fn(R) -> Ended<R>,
    pub(super) decode: fn(&Stored) -> Result<R, String>,
    fail: fn(Error) -> R,
    pub(super) type_name: &'static str,
}

/// How the body of a workflow ended.
pub(super) enum Ended<R> {
    /// With a value, as it is written.
    Value(Result<Stored, String>),
    /// With an error, and its words.
    Failed(R, String),
}

impl<R> Returns<R> {
    pub(crate) fn new() -> Self
    where
        R: WorkflowResult,
        R::Ok: Serialize + DeserializeOwned,
        R::Err: From<Error> + Display,
    {
        Self {
            ended: |result| match result.into_result() {
                Ok(value) => Ended::Value(value::encode(&value)),
                Err(error) => {
                    let text = panic::told(&error);
                    Ended::Failed(R::from_result(Err(error)), text)
                }
            },
            decode: |stored| value::decode(stored).map(|value| R::from_result(Ok(value))),
            fail: |error| R::from_result(Err(error.into())),
            type_name: std::any::type_name::<R::Ok>(),
        }
    }

    /// The result of a workflow that one of our errors ends.
    pub fn fail(&self, error: Error) -> R {
        (self.fail)(error)
    }

    /// Any result of it.
    pub fn any(&self) -> R {
        unreachable!("only its type is asked for")
    }

    /// Fixes the error type of a block in which an inner `?` stands.
    pub fn caught<T, F: Future<Output = Result<T, R::Err>>>(&self, block: F) -> F
    where
        R: WorkflowResult,
    {
        block
    }
}

impl<R> Clone for Returns<R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R> Copy for Returns<R> {}

impl<R> fmt::Debug for Returns<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Returns({})", self.type_name)
    }
}
