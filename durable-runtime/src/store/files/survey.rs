//! Every text that stands in a session's directory, for whoever only looks. Nothing is locked, and nothing is changed.

use std::io;

use super::disk::{Disk, if_exists};
use super::failed;
use super::layout::{DIRECTORY, HANDOFF, LOCK, REGISTRY, RENAMED, STATE, temporary};
use super::lines::Lines;
use super::open::chunks;
use super::registry;
use super::views::handoff_text;
use crate::core::view::StateView;
use crate::store::StoreError;

/// Is told each line of each file: the file, the number of the line from 1, and its text; and its name, as line 0.
pub(crate) type Looker = Box<dyn FnMut(&str, u64, &str) + Send>;

/// What the files beside the log say.
#[derive(Debug, Default)]
pub(crate) struct Survey {
    /// The keys of the registry; `None` if it is missing, or no array of keys.
    pub(crate) registry: Option<Vec<String>>,
    /// The state view, or why it is none.
    pub(crate) state: Option<Result<StateView, String>>,
    /// The letter.
    pub(crate) handoff: Option<String>,
    /// What a kill has left of a rename.
    pub(crate) leftovers: Vec<String>,
    /// How many files were looked through.
    pub(crate) files: u64,
    /// The names that were not, and why: links, pipes, and what else does not belong here.
    pub(crate) unseen: Vec<String>,
}

/// Looks through everything. What is written meanwhile is newer than a log that was read before, and older than one that is read
/// after.
pub(super) fn survey(disk: &dyn Disk, mut look: Looker) -> Result<Survey, StoreError> {
    let read = |name| if_exists(disk.read(name)).map_err(failed("read", name));
    let mut survey = Survey {
        registry: read(REGISTRY)?.and_then(|bytes| registry::parse(&bytes)),
        state: read(STATE)?.map(|bytes| serde_json::from_slice(&bytes).map_err(|error| error.to_string())),
        handoff: read(HANDOFF)?.map(|bytes| handoff_text(&bytes)),
        ..Survey::default()
    };
    for name in disk.names_inner(DIRECTORY).map_err(failed("list", DIRECTORY))? {
        if name != LOCK {
            survey.walk(disk, &name, DEPTH, &mut look);
        }
        if RENAMED.map(temporary).contains(&name) {
            survey.leftovers.push(name);
        }
    }
    // What a worker is about to rename is gone by now.
    if !survey.leftovers.is_empty() {
        let names = disk.names_inner(DIRECTORY).map_err(failed("list", DIRECTORY))?;
        survey.leftovers.retain(|name| names.contains(name));
    }
    Ok(survey)
}

/// How deep in directories within directories: the session's own have none.
const DEPTH: usize = 8;

impl Survey {
    /// Looks at a file, or at all that a directory holds.
    fn walk(&mut self, disk: &dyn Disk, name: &str, depth: usize, look: &mut Looker) {
        look(name, 0, name);
        match disk.names_inner(name) {
            Ok(inner) if depth > 0 => {
                inner.iter().for_each(|inner| self.walk(disk, &format!("{name}/{inner}"), depth - 1, look));
            }
            Ok(_) => self.unseen.push(format!("{name} (it lies too deep)")),
            Err(_) => self.look_at(disk, name, look),
        }
    }

    fn look_at(&mut self, disk: &dyn Disk, name: &str, look: &mut Looker) {
        match look_through(disk, name, look) {
            Ok(()) => self.files += 1,
            // It was renamed or removed since.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => self.unseen.push(format!("{name} ({error})")),
        }
    }
}

fn look_through(disk: &dyn Disk, name: &str, look: &mut Looker) -> io::Result<()> {
    let mut lines = Lines::new(chunks(disk, name));
    while let Some(line) = lines.next()? {
        look(name, line.number, &String::from_utf8_lossy(line.bytes));
    }
    Ok(())
}
