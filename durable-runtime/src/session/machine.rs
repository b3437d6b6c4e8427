//! What tells one start of the machine from another.

use std::sync::OnceLock;

/// Id of the machine's own boot, where the system has one. Under the same id, what was written is still in its memory
/// even if no sync confirmed it.
#[expect(clippy::disallowed_methods, reason = "the one place that asks the system for it; no session file is touched")]
pub(super) fn boot_id() -> Option<String> {
    static ID: OnceLock<Option<String>> = OnceLock::new();
    let read = || Some(std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?.trim().to_owned());
    ID.get_or_init(read).clone()
}
