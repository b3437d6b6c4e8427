//! A title that is another than it was recorded: the one sign that a key has come to stand for something else, which the
//! key itself cannot show.

use super::commit::Shared;
use super::live::Live;
use crate::core::text;

/// What that means.
const MEANS: &str = "if the code has the same title as before, this key names another thing than it did, as a counter does \
                     over a list in another order; put what names the thing into the key, or into its `args`, and it is refused";

/// The most that is shown of a key or a title, in bytes.
const SHOWN: usize = 400;

impl Shared {
    /// Warns of it, once for each template in a start.
    pub(super) fn tell_of_title(
        &self,
        live: &mut Live,
        shape: &str,
        key: &str,
        recorded: Option<&str>,
        now: Option<&str>,
    ) {
        let (Some(recorded), Some(now)) = (recorded, now) else { return };
        if recorded == now || !live.start.retitle(shape) {
            return;
        }
        tracing::warn!(key, recorded, now, "the title is another than it was recorded: {MEANS}");
        if self.settings.speaks {
            let [recorded, now] = [recorded, now].map(|title| text::clean(title, SHOWN));
            let key = text::key(key, SHOWN);
            crate::run::say(&format!("{key} has the title ({now}), and was recorded with ({recorded}): {MEANS}"));
        }
    }
}
