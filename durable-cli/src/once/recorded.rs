//! What a run of a command has come to, as its step gives it.

use std::io::{self, Write as _};

use durable_runtime::core::value;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::printed::Printed;

/// The exit code of a command and the beginning of what it printed: the result of its step.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Said")]
pub(super) struct ExitAndOutput {
    pub(super) exit: u8,
    pub(super) stdout: Printed,
    pub(super) stderr: Printed,
    /// How many bytes of it were not kept.
    #[serde(skip_serializing_if = "is_none")]
    pub(super) stdout_cut: u64,
    #[serde(skip_serializing_if = "is_none")]
    pub(super) stderr_cut: u64,
}

impl ExitAndOutput {
    /// Prints both streams again.
    pub(super) fn print(&self) -> io::Result<()> {
        let mut out = io::stdout().lock();
        let printed = out.write_all(&self.stdout.0).and_then(|()| out.flush());
        // The one is printed even where the other cannot be.
        io::stderr().write_all(&self.stderr.0).and(printed)
    }
}

/// The name of that type, as the log has it.
pub(crate) const GIVES: &str = "ExitAndOutput";

/// How a person writes one.
pub(crate) const HOW: &str = "what the command would have printed, as a JSON string, `null` for nothing, or an object such as {\"exit\":2,\"stdout\":\"..\"}";

/// Whether a step of `durable once` reads a result in this.
pub(crate) fn is_read_in(json: &RawValue) -> bool {
    value::decode::<ExitAndOutput>(&json.to_owned().into()).is_ok()
}

/// What is read as one. A person need not say more than that it happened, or what it would have printed.
#[derive(Deserialize)]
#[serde(untagged)]
enum Said {
    Nothing(()),
    Stdout(Printed),
    Whole(Whole),
}

#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
#[derive(Default)]
struct Whole {
    exit: u8,
    stdout: Printed,
    stderr: Printed,
    stdout_cut: u64,
    stderr_cut: u64,
}

impl From<Said> for ExitAndOutput {
    fn from(said: Said) -> Self {
        let Whole { exit, stdout, stderr, stdout_cut, stderr_cut } = match said {
            Said::Nothing(()) => Whole::default(),
            Said::Stdout(stdout) => Whole { stdout, ..Whole::default() },
            Said::Whole(whole) => whole,
        };
        Self { exit, stdout, stderr, stdout_cut, stderr_cut }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_none(cut: &u64) -> bool {
    *cut == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_bytes_are_read_as_they_were_written() {
        let (stdout, stderr) = (Printed(b"tx-81\n\x1b".to_vec()), Printed(vec![0, 0xff, b'a']));
        let recorded = ExitAndOutput { exit: 3, stdout, stderr, stdout_cut: 9, stderr_cut: 0 };
        let stored = value::encode(&recorded).unwrap();
        assert!(stored.get().contains("$bytes") && !stored.get().contains("stderr_cut"), "{}", stored.get());
        assert_eq!(value::decode::<ExitAndOutput>(&stored).unwrap(), recorded);
    }

    #[test]
    fn a_person_may_say_as_little_as_that_it_happened() {
        let said = |json: &str| {
            let raw = RawValue::from_string(json.to_owned()).unwrap();
            value::decode::<ExitAndOutput>(&raw.into())
        };
        assert_eq!(said("null").unwrap(), ExitAndOutput::default());
        assert_eq!(said("\"tx-81\"").unwrap().stdout, Printed(b"tx-81".to_vec()));
        assert_eq!(said(r#"{"exit":2}"#).unwrap().exit, 2);
        assert!(is_read_in(RawValue::NULL) && !is_read_in(RawValue::TRUE));
        assert!(said(r#"{"receipt":7}"#).is_err() && said("7").is_err(), "what a command cannot give is no result");
    }
}
