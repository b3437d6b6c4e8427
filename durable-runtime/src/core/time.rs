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
        humantime::format_rfc3339_millis((*self).into()).fmt(f)
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
    fn a_wait_beyond_the_calendar_ends_at_its_last_instant() {
        assert_eq!(Timestamp::from_millis(1).after(Duration::MAX).to_string(), "9999-12-31T23:59:59.999Z");
    }
}
