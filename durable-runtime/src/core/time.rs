//! Instants as the log writes them.

use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A wall-clock instant, to the millisecond, in UTC.
///
/// Written as `2026-09-13T08:05:00.250Z`. Nothing is ordered by it: the sequence number of a record orders the log,
/// because a wall clock may step back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(u64);

impl Timestamp {
    /// The instant `millis` milliseconds after 1970-01-01T00:00:00Z.
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis)
    }

    /// Milliseconds since 1970-01-01T00:00:00Z.
    pub const fn as_millis(self) -> u64 {
        self.0
    }

    /// The instant whose text this is, exactly as it is written.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let digits = |from: usize, to: usize| -> Option<u64> {
            let digits = text.as_bytes().get(from..to)?;
            let is_number = digits.iter().all(u8::is_ascii_digit);
            is_number.then(|| digits.iter().fold(0, |number, digit| 10 * number + u64::from(digit - b'0')))
        };
        let marks = [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':'), (19, b'.'), (23, b'Z')];
        if text.len() != 24 || marks.iter().any(|&(at, mark)| text.as_bytes()[at] != mark) {
            return None;
        }
        let (year, month, day) = (digits(0, 4)?, digits(5, 7)?, digits(8, 10)?);
        let (hour, minute, second, millis) = (digits(11, 13)?, digits(14, 16)?, digits(17, 19)?, digits(20, 23)?);
        if hour > 23 || minute > 59 || second > 59 {
            return None;
        }
        let seconds = 3600 * hour + 60 * minute + second;
        Some(Self(1000 * (86_400 * days(year, month, day)? + seconds) + millis))
    }

    /// The instant as it is written.
    pub(crate) fn text(self) -> [u8; 24] {
        let (seconds, millis) = (self.0.min(LAST_MILLIS) / 1000, self.0.min(LAST_MILLIS) % 1000);
        let (year, month, day) = date(seconds / 86_400);
        let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
        let mut text = *b"0000-00-00T00:00:00.000Z";
        let places = [(4, year), (7, month), (10, day), (13, hour), (16, minute), (19, second), (23, millis)];
        for (end, mut number) in places {
            let digits = text[..end].iter_mut().rev().take_while(|byte| byte.is_ascii_digit());
            for digit in digits {
                *digit += u8::try_from(number % 10).unwrap_or_default();
                number /= 10;
            }
        }
        text
    }

    /// This instant and `wait` more; the far end of time when that overflows.
    pub fn after(self, wait: Duration) -> Self {
        let millis = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
        Self(self.0.saturating_add(millis).min(LAST_MILLIS))
    }

    /// How long it is from `earlier` to this instant; zero if it is not later.
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(self.0.saturating_sub(earlier.0))
    }
}

/// The last instant that has a four-digit year, and so a text in the log.
const LAST_MILLIS: u64 = 253_402_300_799_999;

/// Days from 1970-01-01 to this date, if there is one: `days_from_civil` of Howard Hinnant's "chrono-compatible low-level date
/// algorithms", for years from 1970 on.
fn days(year: u64, month: u64, day: u64) -> Option<u64> {
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let len = match month {
        2 => 28 + u64::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if year < 1970 || day < 1 || day > len {
        return None;
    }
    // A year begins in March, so that a leap day is its last.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let (era, of_era) = (year / 400, year % 400);
    let of_year = (153 * month + 2) / 5 + day - 1;
    Some(era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468)
}

/// The date so many days after 1970-01-01: `civil_from_days`, from the same place.
fn date(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    (year_of_era + 400 * era + u64::from(month < 3), month, day)
}

impl From<SystemTime> for Timestamp {
    /// An instant before 1970 becomes 1970: a clock that wrong has no better answer.
    fn from(time: SystemTime) -> Self {
        let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
        Self(0).after(since)
    }
}

impl From<Timestamp> for SystemTime {
    fn from(at: Timestamp) -> Self {
        UNIX_EPOCH + Duration::from_millis(at.0)
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        std::str::from_utf8(&self.text()).map_err(|_| fmt::Error)?.fmt(f)
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        humantime::parse_rfc3339(&text).map(Self::from).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instant_is_the_same_after_its_text() {
        let at = Timestamp::from_millis(1_789_200_300_250);
        let text = serde_json::to_string(&at).unwrap();
        assert_eq!(text, "\"2026-09-12T08:05:00.250Z\"");
        assert_eq!(serde_json::from_str::<Timestamp>(&text).unwrap(), at);
    }

    #[test]
    fn a_text_is_read_as_the_general_parser_reads_it() {
        let general = |text: &str| humantime::parse_rfc3339(text).ok().map(Timestamp::from);
        for day in (0..200_000_u64).chain([LAST_MILLIS / 86_400_000]) {
            let at = Timestamp::from_millis(day * 86_400_000 + (day * 7919) % 86_400_000);
            let text = at.to_string();
            assert_eq!(text, humantime::format_rfc3339_millis(at.into()).to_string());
            if day < 60_000 || day.is_multiple_of(7) {
                assert_eq!(Timestamp::parse(&text), general(&text), "{text}");
            }
        }
        for text in [
            "2026-02-29T00:00:00.000Z",
            "2026-13-01T00:00:00.000Z",
            "2026-01-01T24:00:00.000Z",
            "x",
            "",
            "2026-01-01 00:00:00.000Z",
            "2026-01-00T00:00:00.000Z",
            "+026-01-01T00:00:00.000Z",
        ] {
            assert_eq!(Timestamp::parse(text), None, "{text}");
        }
        assert_eq!(Timestamp::parse("9999-12-31T23:59:59.999Z"), Some(Timestamp(LAST_MILLIS)));
    }

    #[test]
    fn a_wait_beyond_the_calendar_ends_at_its_last_instant() {
        assert_eq!(Timestamp::from_millis(1).after(Duration::MAX).to_string(), "9999-12-31T23:59:59.999Z");
    }
}
