//! Whose the files are. A session is its owner's alone: whoever else may write to it can make its records say anything, and a
//! checksum proves no intention.

use std::io::{self, ErrorKind};

use super::disk::{Disk, if_exists};
use super::failed;
use super::layout::{BLOBS, DIRECTORY, HANDOFF, INBOX, JOURNAL, LOCK, REGISTRY, SNAPSHOT, STATE};
use crate::store::StoreError;

/// What others may do with a file, in its mode.
const OTHERS: u32 = 0o077;

/// What others need for a change.
const OTHERS_WRITE: u32 = 0o022;

/// What the owner of a directory needs.
const OWNERS: u32 = 0o700;

/// How a person ends that a file may not be used.
const TO_GIVE_BACK: &str = "give its owner back the rights to all of it (`chmod -R u+rwX`)";

/// Everything by whose content or names a session is what it is; the directory first, for it lets others in.
const NAMES: [&str; 9] = [DIRECTORY, LOCK, JOURNAL, REGISTRY, SNAPSHOT, STATE, HANDOFF, BLOBS, INBOX];

/// Who may do what with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// The number of the user that owns it.
    pub owner: u32,
    /// Its mode, without its kind. Of a symbolic link it says nothing, and is 0.
    pub mode: u32,
}

/// A file with which others may do something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Exposed {
    /// Its name.
    pub(super) name: &'static str,
    mode: u32,
}

impl Exposed {
    /// Whether they may have changed it.
    pub(super) fn is_writable(&self) -> bool {
        self.mode & OTHERS_WRITE != 0
    }

    /// What others may do, in words.
    pub(super) fn what(&self) -> String {
        let may = if self.is_writable() { "write to it, and may have" } else { "read it" };
        format!("others may {may} (mode {:04o})", self.mode)
    }
}

/// What is somebody else's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Foreign {
    /// Its name.
    pub(super) name: &'static str,
    /// What is wrong.
    pub(super) what: String,
}

/// What a person may put into the directory before there is a session in it: its goal.
const MISSION: &str = "mission.md";

/// How a person ends that.
pub(super) const TO_OWN: &str =
    "start it as that user, or, if the session is to be this one's, give it all of the directory (`chown -R`)";

/// What others have a hand in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Strangers {
    pub(super) foreign: Vec<Foreign>,
    pub(super) exposed: Vec<Exposed>,
}

/// Looks whose the files are, and who else may do something with them.
pub(super) fn strangers(disk: &dyn Disk) -> Result<Strangers, StoreError> {
    let mut strangers = Strangers::default();
    let user = disk.user();
    for name in NAMES {
        let access = if_exists(disk.access(name)).map_err(failed("look at", name))?;
        let Some(Access { owner, mode }) = access else { continue };
        if let Some(user) = user.filter(|&user| user != owner) {
            let what = format!("it belongs to user {owner}, and this process is user {user}");
            strangers.foreign.push(Foreign { name, what });
        }
        if mode & OTHERS != 0 {
            strangers.exposed.push(Exposed { name, mode });
        }
    }
    Ok(strangers)
}

/// Refuses files of somebody else, who could change them at any time; and what is written beside them would be this user's,
/// so that their owner could open the session no more. Gives what others may do something with.
pub(super) fn refuse_foreign(disk: &dyn Disk) -> Result<Vec<Exposed>, StoreError> {
    let Strangers { foreign, exposed } = strangers(disk)?;
    let Some(Foreign { name, what }) = foreign.into_iter().next() else { return Ok(exposed) };
    let name = if name == DIRECTORY { disk.place() } else { name.to_owned() };
    let text = format!("{what}; nothing was changed: {TO_OWN}");
    Err(failed("open", &name)(io::Error::new(ErrorKind::PermissionDenied, text)))
}

/// Refuses to begin a session in a directory that others use for something else, such as `/` or `/tmp`: it would be shut to them.
pub(super) fn refuse_shared(disk: &dyn Disk, exposed: &[Exposed]) -> Result<(), StoreError> {
    let Some(Exposed { mode, .. }) = exposed.iter().find(|exposed| exposed.name == DIRECTORY) else { return Ok(()) };
    let place = disk.place();
    let names = disk.names_inner(DIRECTORY).map_err(failed("read", &place))?;
    let is_session = names.iter().any(|name| NAMES.contains(&name.as_str()));
    let Some(other) = names.iter().filter(|name| *name != MISSION).min().filter(|_| !is_session) else { return Ok(()) };
    let other = crate::core::text::clean(other, 100);
    let text = format!(
        "it holds other things (`{other}`), and others may use it (mode {mode:04o}), which a session in it would take from them; \
         nothing was changed: give the session a directory of its own, such as `session` in it"
    );
    Err(failed("open", &place)(io::Error::new(ErrorKind::DirectoryNotEmpty, text)))
}

/// What may not be read: whose it is, and how a person ends that. Any other error as it is.
pub(super) fn denied(disk: &dyn Disk, error: StoreError) -> StoreError {
    let StoreError::Io { doing, error } = error else { return error };
    // An error that says itself what it means comes from no system call.
    if error.kind() != ErrorKind::PermissionDenied || error.raw_os_error().is_none() {
        return StoreError::Io { doing, error };
    }
    let whose = match (disk.access(DIRECTORY), disk.user()) {
        (Ok(Access { owner, .. }), Some(user)) if owner != user => {
            format!("it belongs to user {owner}, and this process is user {user}; look at it as that user")
        }
        (Ok(Access { mode, .. }), _) if mode & OWNERS != OWNERS => {
            format!("the mode of the directory is {mode:04o}; {TO_GIVE_BACK}")
        }
        (Ok(_), _) => format!("the directory is this user's, and what is in it may not be used so; {TO_GIVE_BACK}"),
        (Err(_), _) => "whose it is cannot be seen either; look at it as the user that has started it".to_owned(),
    };
    StoreError::io(doing, io::Error::new(ErrorKind::PermissionDenied, format!("permission denied: {whose}")))
}

/// Why the directory is not there, where that is for lack of rights, and how a person ends that.
pub(super) fn not_made(error: io::Error) -> io::Error {
    if error.kind() != ErrorKind::PermissionDenied {
        return error;
    }
    let text = "permission denied: this user may make no directory there; nothing was changed: name another place for it, or let \
                whoever may make it, and give it to this user (`chown`)";
    io::Error::new(ErrorKind::PermissionDenied, text)
}

/// The number of the user as whom this process acts. `status` is what Linux says in `/proc/self/status`.
pub(super) fn user(status: &str) -> Option<u32> {
    let line = status.lines().find_map(|line| line.strip_prefix("Uid:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests;
