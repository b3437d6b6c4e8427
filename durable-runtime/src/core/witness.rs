//! What is believed at boot when the log and the registry do not say the same.
//!
//! A key is reserved if either says so; a result is what the log says. So a log that was trimmed or deleted by hand
//! degrades to *verify*, never to *run twice*.

use super::key;
use super::state::State;

/// The keys that only the registry knows, in its order. What stands in a finished run is settled, whatever it was.
pub fn lost(state: &State, registry: &[String]) -> Vec<String> {
    let is_over = |key: &str| key::around(key).next().is_some_and(|run| state.is_finished(run));
    let unknown = |key: &&String| !state.steps.contains_key(key) && !is_over(key);
    registry.iter().filter(unknown).cloned().collect()
}

/// What a note says of a log that does not begin with its first record.
pub fn began_late(first: u64) -> String {
    format!("the log begins at record {first}: what stood before is gone")
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn a_key_that_only_the_registry_knows_is_lost_not_absent() {
        let state = State::new(Uuid::nil(), "agent".into());
        assert_eq!(lost(&state, &["pay_003".into()]), ["pay_003"]);
    }
}
