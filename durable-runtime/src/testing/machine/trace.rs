//! What a life did, one entry for each moment at which it can be stopped.

use serde_json::Value;

use crate::store::files::Operation;

/// Something that a life did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Traced {
    /// It asked the disk for something.
    Operation { number: u64, operation: Operation, file: String, records: Vec<Said> },
    /// It called the world, for this effect, or only to ask.
    Call { number: u64, effect: String, is_question: bool },
    /// The world has done this.
    Done { effect: String },
}

/// A record that was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) action: String,
    pub(crate) key: Option<String>,
    pub(crate) attempt: Option<u64>,
    pub(crate) by: Option<String>,
    pub(crate) how: Option<String>,
    pub(crate) proof: Option<String>,
    pub(crate) settle_ms: Option<u64>,
    pub(crate) value: Option<Value>,
    /// Whether it is an error that is the result of its step.
    pub(crate) is_result: bool,
}

impl Said {
    /// Whether it is a decision that nobody has answered in time.
    pub(crate) fn is_expired(&self) -> bool {
        self.how.as_deref() == Some("expired")
    }
}

impl Traced {
    pub(super) fn operation(number: u64, operation: Operation, file: String, bytes: &[u8]) -> Self {
        let records = if operation == Operation::Append { said(bytes) } else { Vec::new() };
        Self::Operation { number, operation, file, records }
    }

    /// The number of the operation, if it writes bytes.
    pub(crate) fn write(&self) -> Option<u64> {
        match self {
            Self::Operation {
                number, operation: Operation::Create | Operation::Append | Operation::WriteAt, ..
            } => Some(*number),
            _ => None,
        }
    }
}

/// The records in bytes that were appended to a log.
pub(crate) fn said(bytes: &[u8]) -> Vec<Said> {
    let lines = bytes.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
    lines.filter_map(|line| serde_json::from_slice::<Value>(line).ok()).map(Said::of).collect()
}

impl Said {
    fn of(mut record: Value) -> Self {
        let text = |record: &Value, name: &str| record[name].as_str().map(str::to_owned);
        Self {
            action: text(&record, "action").unwrap_or_default(),
            key: text(&record, "key").or_else(|| text(&record, "run")),
            attempt: record["attempt"].as_u64(),
            by: text(&record, "by"),
            how: text(&record, "how"),
            proof: text(&record, "proof"),
            settle_ms: record["settle_ms"].as_u64(),
            is_result: record["result"].is_object(),
            value: record.get_mut("value").map(Value::take),
        }
    }
}
