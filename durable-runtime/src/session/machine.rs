//! What tells one start of the machine from another.

/// Id of the machine's own boot, where the system has one. Under the same id, what was written is still in its memory
/// even if no sync confirmed it.
#[expect(clippy::disallowed_methods, reason = "the one place that asks the system for it; no session file is touched")]
pub(super) fn boot_id() -> Option<String> {
    let id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    Some(id.trim().to_owned())
}
