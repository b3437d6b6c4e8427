//! A title that is another than it was recorded: the one sign that a key has come to stand for something else, which the
//! key itself cannot show. And a type that is another than the one that an open question was asked with.

use super::commit::Shared;
use super::live::Live;
use crate::core::text;

/// What that means.
const MEANS: &str = "if the code has the same title as before, this key names another thing than it did, as a counter does \
                     over a list in another order; put what names the thing into the key, or into its `args`, and it is refused";

/// The most that is shown of a key or a title, in bytes.
const SHOWN: usize = 400;

/// What it means that a question was asked with another type.
const OTHER_TYPE: &str = "if only its name is another, nothing has changed; else an answer has to be of that type from now on, and \
                          one that was given before and does not read as it is refused, so that the question is open again";

impl Shared {
    /// Warns that an open question was asked with another type than its step has now. It is no error: a type may have got
    /// another name, or another form that reads the same values, and its name does not tell.
    pub(super) fn tell_of_type(&self, key: &str, recorded: &str, now: &str) {
        tracing::warn!(key, recorded, now, "the open question was asked with another type: {OTHER_TYPE}");
        if let Some(name) = self.settings.speaks {
            let [recorded, now] = [recorded, now].map(|name| text::quoted(name, SHOWN));
            let key = text::key(key, SHOWN);
            crate::run::tell(
                name,
                &format!("{key} was asked for {recorded}, and the code has {now} there now: {OTHER_TYPE}"),
            );
        }
    }

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
        if let Some(name) = self.settings.speaks {
            let [recorded, now] = [recorded, now].map(|title| text::clean(title, SHOWN));
            let key = text::key(key, SHOWN);
            crate::run::tell(
                name,
                &format!("{key} has the title ({now}), and was recorded with ({recorded}): {MEANS}"),
            );
        }
    }
}
