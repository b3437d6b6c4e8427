//! Reservations and results, written without a general serializer: byte for byte what that writes.

use uuid::Uuid;

use crate::core::meta::{Proof, StepKind};
use crate::core::record::{Done, How, Reserve};

/// Writes the fields of a reservation, each behind a comma.
pub(in crate::core::record) fn reserve(out: &mut Vec<u8>, reserve: &Reserve) -> serde_json::Result<()> {
    text(out, r#","key":"#, &reserve.key)?;
    text(out, r#","run":"#, &reserve.run)?;
    text(out, r#","shape":"#, &reserve.shape)?;
    number(out, r#","attempt":"#, reserve.attempt.into());
    uuid(out, r#","token":""#, reserve.token);
    word(out, r#","proof":""#, proof(reserve.proof));
    text(out, r#","ask":"#, &reserve.ask)?;
    if_any(out, r#","title":"#, reserve.title.as_deref())?;
    number(out, r#","settle_ms":"#, reserve.settle_ms);
    if let Some(within) = reserve.within_ms {
        number(out, r#","within_ms":"#, within);
    }
    uuid(out, r#","args":""#, reserve.args);
    if_any(out, r#","gives":"#, reserve.gives.as_deref())
}

/// Writes the fields of a result, each behind a comma.
pub(in crate::core::record) fn done(out: &mut Vec<u8>, done: &Done) -> serde_json::Result<()> {
    text(out, r#","key":"#, &done.key)?;
    text(out, r#","run":"#, &done.run)?;
    text(out, r#","shape":"#, &done.shape)?;
    word(out, r#","kind":""#, kind(done.kind));
    word(out, r#","how":""#, how(done.how));
    number(out, r#","attempt":"#, done.attempt.into());
    if_any(out, r#","title":"#, done.title.as_deref())?;
    if let Some(value) = &done.value {
        out.extend_from_slice(br#","value":"#);
        out.extend_from_slice(value.get().as_bytes());
    }
    if_any(out, r#","unstorable":"#, done.unstorable.as_deref())?;
    uuid(out, r#","args":""#, done.args);
    if_any(out, r#","gives":"#, done.gives.as_deref())
}

fn proof(proof: Proof) -> &'static str {
    match proof {
        Proof::Verify => "verify",
        Proof::Idempotent => "idempotent",
        Proof::Person => "person",
        Proof::NotNeeded => "not_needed",
    }
}

fn kind(kind: StepKind) -> &'static str {
    match kind {
        StepKind::SideEffect => "side_effect",
        StepKind::Read => "read",
        StepKind::Run => "run",
        StepKind::Decision => "decision",
        StepKind::Sleep => "sleep",
    }
}

fn how(how: How) -> &'static str {
    match how {
        How::Executed => "executed",
        How::Verified => "verified",
        How::Resolved => "resolved",
        How::Expired => "expired",
    }
}

/// A text, escaped where that is needed.
fn text(out: &mut Vec<u8>, name: &str, text: &str) -> serde_json::Result<()> {
    out.extend_from_slice(name.as_bytes());
    if text.bytes().any(|byte| matches!(byte, b'"' | b'\\' | 0..0x20)) {
        return serde_json::to_writer(out, text);
    }
    out.push(b'"');
    out.extend_from_slice(text.as_bytes());
    out.push(b'"');
    Ok(())
}

fn if_any(out: &mut Vec<u8>, name: &str, there: Option<&str>) -> serde_json::Result<()> {
    there.map_or(Ok(()), |there| text(out, name, there))
}

/// A word of ours; its name ends with the quote that opens it.
fn word(out: &mut Vec<u8>, name: &str, word: &str) {
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(word.as_bytes());
    out.push(b'"');
}

/// The same of an id, if there is one.
fn uuid(out: &mut Vec<u8>, name: &str, id: Option<Uuid>) {
    if let Some(id) = id {
        word(out, name, id.hyphenated().encode_lower(&mut Uuid::encode_buffer()));
    }
}

/// A number, and in front of it its name.
pub fn number(out: &mut Vec<u8>, name: &str, mut number: u64) {
    out.extend_from_slice(name.as_bytes());
    let mut digits = [0; 20];
    let mut from = digits.len();
    loop {
        from -= 1;
        digits[from] = b'0' + u8::try_from(number % 10).unwrap_or_default();
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[from..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_written_with_all_its_digits() {
        for wanted in [0, 1, 9, 10, 99, 100, 4711, u64::from(u32::MAX), u64::MAX - 1, u64::MAX] {
            let mut out = Vec::new();
            number(&mut out, "n:", wanted);
            assert_eq!(out, format!("n:{wanted}").into_bytes());
        }
    }
}
