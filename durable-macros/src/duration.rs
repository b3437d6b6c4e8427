//! Durations as written in arguments: `200ms`, `10s`, `1h30m`.

use std::time::Duration;

/// Reads a duration; the error says which units there are.
pub(crate) fn parse(text: &str) -> Result<Duration, String> {
    read(text).ok_or_else(|| format!("\"{text}\" is not a duration: write a number and a unit (ms, s, m, h, d), as in \"200ms\", \"30s\" or \"1h30m\""))
}

fn read(text: &str) -> Option<Duration> {
    let mut total = Duration::ZERO;
    let mut rest = text.trim();
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let (number, after) = rest.split_at(rest.find(|c: char| !c.is_ascii_digit())?);
        let (unit, after) = after.split_at(after.find(|c: char| !c.is_alphabetic()).unwrap_or(after.len()));
        let millis = number.parse::<u64>().ok()?.checked_mul(millis_of(unit)?)?;
        total = total.checked_add(Duration::from_millis(millis))?;
        rest = after.trim_start();
    }
    Some(total)
}

fn millis_of(unit: &str) -> Option<u64> {
    Some(match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" | "min" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_numbers_with_units() {
        for (text, want) in [
            ("200ms", Some(200)),
            ("10s", Some(10_000)),
            ("0s", Some(0)),
            ("1h30m", Some(5_400_000)),
            ("1h 30m", Some(5_400_000)),
            ("2d", Some(172_800_000)),
            ("", None),
            ("10", None),
            ("s", None),
            ("1.5s", None),
            ("10 parsecs", None),
            ("99999999999999999999s", None),
        ] {
            assert_eq!(parse(text).ok(), want.map(Duration::from_millis), "{text}");
        }
    }
}
