//! A secret that is named instead of carried.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The name of an environment variable, in the place of its value: what stands in an input, a result or a session's memory is
/// the name, and each process looks the value up where it needs it.
///
/// ```
/// use durable_runtime::EnvRef;
/// use durable_runtime::prelude::*;
///
/// # async fn send(_key: &str, _to: &str) -> Result<u64, std::io::Error> { Ok(1) }
/// #[durable_workflow(goal = "mail {to}")]
/// async fn mail(session: &Session, api_key: EnvRef, to: &str) -> anyhow::Result<u64> {
///     #[side_effect(key = "mail", in_doubt = "post office")]
///     let id = send(&api_key.read()?, to).await?;
///     Ok(id)
/// }
/// # let _ = mail;
///
/// let key = EnvRef::new("MAIL_API_KEY");
/// assert_eq!(key.to_string(), "$MAIL_API_KEY");
/// assert!(key.read().unwrap_err().to_string().contains("MAIL_API_KEY"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EnvRef {
    name: String,
}

/// The variable of an [`EnvRef`] has no value here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnvMissing {
    name: String,
    is_set: bool,
}

impl EnvRef {
    /// The variable of this name.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into() }
    }

    /// The name of the variable.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The value that it has in this process. Read it inside a step: it is recorded nowhere.
    ///
    /// # Errors
    ///
    /// Fails if the variable is not set, or is no text.
    pub fn read(&self) -> Result<String, EnvMissing> {
        let missing =
            |error| EnvMissing { name: self.name.clone(), is_set: matches!(error, std::env::VarError::NotUnicode(_)) };
        std::env::var(&self.name).map_err(missing)
    }
}

impl fmt::Display for EnvRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "${}", self.name)
    }
}

impl fmt::Display for EnvMissing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, amiss) = (&self.name, if self.is_set { "is no text" } else { "is not set" });
        write!(f, "the environment variable `{name}` {amiss}: set it where the worker is started")
    }
}

impl std::error::Error for EnvMissing {}
