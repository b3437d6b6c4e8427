//! Every text that stands in a session's directory, for whoever only looks. Nothing is locked, and nothing is changed.

use std::io;

use super::disk::{Disk, if_exists};
use super::failed;
use super::layout::{BLOBS, DIRECTORY, HANDOFF, INBOX, LOCK, REGISTRY, RENAMED, STATE, temporary};
use super::lines::Lines;
use super::open::chunks;
use super::registry;
use super::views::handoff_text;
use crate::core::view::StateView;
use crate::store::StoreError;

/// Is told each line of each file: the file, the number of the line from 1, and its text.
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
        match &*name {
            LOCK => {}
            BLOBS | INBOX => {
                for inner in disk.names_inner(&name).map_err(failed("list", &name))? {
                    survey.look_at(disk, &format!("{name}/{inner}"), &mut look);
                }
            }
            _ => survey.look_at(disk, &name, &mut look),
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

impl Survey {
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
