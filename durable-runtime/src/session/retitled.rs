//! A title that is another than it was recorded: the one sign that a key has come to stand for something else, which the
//! key itself cannot show.

use super::live::Live;

impl Live {
    /// Warns of it, once for each template in a start.
    pub(super) fn tell_of_title(&mut self, shape: &str, key: &str, recorded: Option<&str>, now: Option<&str>) {
        let (Some(recorded), Some(now)) = (recorded, now) else { return };
        if recorded == now || !self.start.retitle(shape) {
            return;
        }
        tracing::warn!(
            key,
            recorded,
            now,
            "the title is another than it was recorded: if the code has the same title as before, this key names another \
             thing than it did, as a counter does over a list in another order; put what names the thing into the key"
        );
    }
}
