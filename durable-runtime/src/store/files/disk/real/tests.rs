use std::os::unix::fs::symlink;

use super::*;
use crate::store::files::disk::{Replace, replace};

struct Session {
    directory: tempfile::TempDir,
    disk: RealDisk,
}

impl Session {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let disk = RealDisk::new(directory.path().join("a/b/session"));
        disk.create_dir().unwrap();
        Self { directory, disk }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.disk.root.join(name)
    }

    fn mode(&self, name: &str) -> u32 {
        fs::metadata(self.path(name)).unwrap().mode() & 0o777
    }

    /// What every way to open the file says.
    fn refusals(&self, name: &str) -> [Option<String>; 5] {
        let disk = &self.disk;
        let text = |result: io::Result<()>| result.err().map(|error| error.to_string());
        [
            text(disk.read(name).map(drop)),
            text(disk.append(name, b"x")),
            text(disk.write_at(name, 0, b"x")),
            text(disk.truncate(name, 0)),
            text(disk.lock(name).map(drop)),
        ]
    }
}

#[test]
fn directory_and_files_are_their_owners_alone() {
    let session = Session::new();
    session.disk.create("a", b"1").unwrap();
    replace(&session.disk, "a", b"2", Replace::Synced).unwrap();
    assert_eq!((session.mode("."), session.mode("a")), (0o700, 0o600));
    assert_eq!(session.disk.read("a").unwrap(), b"2");
}

#[test]
fn a_link_is_not_followed() {
    let session = Session::new();
    let victim = session.directory.path().join("victim");
    fs::write(&victim, "kept").unwrap();
    symlink(&victim, session.path("link")).unwrap();
    fs::hard_link(&victim, session.path("second-name")).unwrap();
    for (name, why) in [("link", "symbolic link"), ("second-name", "hard link")] {
        let refusals = session.refusals(name);
        assert!(refusals.iter().all(|text| text.as_ref().is_some_and(|text| text.contains(why))), "{refusals:?}");
        assert!(session.disk.create(name, b"x").is_err());
    }
    replace(&session.disk, "link", b"new", Replace::Unsynced).unwrap();
    assert_eq!(fs::read(&victim).unwrap(), b"kept");
}

#[test]
fn a_directory_that_is_a_link_is_refused() {
    let session = Session::new();
    let link = session.directory.path().join("link");
    symlink(session.path("."), &link).unwrap();
    assert!(RealDisk::new(&link).create_dir().unwrap_err().to_string().contains("symbolic link"));
}

#[test]
fn what_is_no_file_is_refused_without_waiting() {
    let session = Session::new();
    fs::create_dir(session.path("folder")).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(session.path("socket")).unwrap();
    for name in ["folder", "socket"] {
        assert!(session.refusals(name).iter().all(Option::is_some), "{name}");
    }
}

#[test]
fn a_log_that_was_replaced_is_not_appended_to() {
    let session = Session::new();
    session.disk.create("log", b"").unwrap();
    session.disk.append("log", b"1").unwrap();
    session.disk.append("log", b"2").unwrap();
    // Somebody else's hands: what this disk renames itself it knows of.
    let theirs = RealDisk::new(&session.disk.root);
    replace(&theirs, "log", b"theirs", Replace::Unsynced).unwrap();
    assert!(session.disk.append("log", b"3").is_err());
    assert_eq!(session.disk.read("log").unwrap(), b"theirs");
    session.disk.close();
    session.disk.append("log", b"4").unwrap();
    assert_eq!(session.disk.read("log").unwrap(), b"theirs4");
}

#[test]
fn what_is_written_in_place_and_what_is_appended_do_not_mix() {
    let session = Session::new();
    session.disk.create("log", b"ab").unwrap();
    session.disk.write_at("log", 0, b"A").unwrap();
    session.disk.append("log", b"cd").unwrap();
    session.disk.write_at("log", 1, b"B").unwrap();
    session.disk.append("log", b"e").unwrap();
    assert_eq!(session.disk.read("log").unwrap(), b"ABcde");
    replace(&session.disk, "log", b"theirs", Replace::Unsynced).unwrap();
    session.disk.write_at("log", 0, b"T").unwrap();
    assert_eq!(session.disk.read("log").unwrap(), b"Theirs");
}

#[test]
fn a_second_name_that_comes_later_is_refused_too() {
    let session = Session::new();
    session.disk.create("log", b"").unwrap();
    session.disk.append("log", b"1").unwrap();
    session.disk.write_at("log", 0, b"2").unwrap();
    fs::hard_link(session.path("log"), session.path("second-name")).unwrap();
    assert!(session.disk.append("log", b"3").is_err());
    assert!(session.disk.write_at("log", 0, b"3").is_err());
}

#[test]
fn a_short_write_is_an_error_and_no_second_write_follows() {
    let mut writes = 0;
    let short = whole(b"12345678", || {
        writes += 1;
        if writes == 1 { Err(ErrorKind::Interrupted.into()) } else { Ok(3) }
    });
    let error = short.unwrap_err().to_string();
    assert!(error.starts_with("only 3 of 8 bytes were written, as on a full disk"), "{error}");
    assert_eq!(writes, 2);
}

#[test]
fn a_leftover_of_a_kill_does_not_stand_in_the_way() {
    let session = Session::new();
    session.disk.create("view.tmp", b"half").unwrap();
    replace(&session.disk, "view", b"whole", Replace::Unsynced).unwrap();
    assert_eq!(session.disk.read("view").unwrap(), b"whole");
    assert!(session.disk.read("view.tmp").is_err());
}

/// Two who leave the first words at once.
#[test]
fn an_inner_directory_that_somebody_else_makes_meanwhile_is_there() {
    for _ in 0..200 {
        let session = Session::new();
        let start = std::sync::Barrier::new(4);
        std::thread::scope(|scope| {
            let makers = [(); 4].map(|()| {
                scope.spawn(|| {
                    start.wait();
                    session.disk.create_inner("inbox")
                })
            });
            makers.into_iter().for_each(|maker| maker.join().unwrap().unwrap());
        });
        assert_eq!(session.mode("inbox"), 0o700);
    }
}

#[test]
fn what_is_read_from_somewhere_is_what_stands_there_however_much_is_asked_for() {
    let session = Session::new();
    for len in [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK] {
        let bytes: Vec<u8> = (0..len).map(|at| (at % 251) as u8).collect();
        replace(&session.disk, "file", &bytes, Replace::Unsynced).unwrap();
        for (offset, most) in [(0, len), (0, 64 * CHUNK), (len / 2, CHUNK), (len / 3, len / 3), (len + 1, 9), (0, 0)] {
            let stands = bytes.get(offset..).unwrap_or_default();
            let read = session.disk.read_at("file", offset as u64, most).unwrap();
            assert!(read == stands[..most.min(stands.len())], "{most} bytes from {offset} of {len}");
        }
    }
}
