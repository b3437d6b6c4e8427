//! A letter for machines: the same lines, section by section.

use serde::ser::{Serialize, SerializeStruct as _, Serializer};

use super::letter::Handoff;
use super::render::lines;

impl Serialize for Handoff {
    /// An object of `identity`, `iteration` and `seq` (the record of the journal that it knows last), and the lines of the four
    /// sections: `where_we_are`, `what_just_happened`, `next_action` and `open_invariants`.
    ///
    /// The lines are those of the Markdown, with their quotes and cuts: what is safe to read there is safe here.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let room = &self.ample();
        let mut letter = serializer.serialize_struct("Handoff", 7)?;
        letter.serialize_field("identity", &room.identity(&self.identity).to_string())?;
        letter.serialize_field("iteration", &self.iteration)?;
        letter.serialize_field("seq", &self.seq)?;
        letter.serialize_field("where_we_are", &lines(|tell| self.where_lines(room, tell)))?;
        letter.serialize_field("what_just_happened", &lines(|tell| self.happened_lines(room, tell)))?;
        letter.serialize_field("next_action", &lines(|tell| self.next_lines(room, tell)))?;
        letter.serialize_field("open_invariants", &lines(|tell| self.invariant_lines(room, tell)))?;
        letter.end()
    }
}
