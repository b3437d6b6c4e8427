#![expect(clippy::disallowed_methods, reason = "a hand changes the files")]

use std::fs;
use std::os::unix::fs::{MetadataExt as _, symlink};

use super::*;
use crate::store::files::counting::{Call, CountingDisk, Operation};
use crate::store::files::disk::RealDisk;
use crate::store::files::testkit::SESSION;

fn large(text: &str) -> Stored {
    let json = serde_json::value::to_raw_value(&text.repeat(APART_FROM)).unwrap();
    Stored::written(json).unwrap()
}

fn blobs(directory: &tempfile::TempDir) -> Blobs {
    Blobs::new(Arc::new(RealDisk::new(directory.path())), SESSION)
}

#[test]
fn a_value_is_read_back_as_it_was_written_and_one_text_is_one_file() {
    let directory = tempfile::tempdir().unwrap();
    let blobs = blobs(&directory);
    let (one, other) = (large("a"), large("b"));
    let [first, again, second] = [&one, &one, &other].map(|value| blobs.put(value).unwrap().apart().unwrap());
    assert_eq!((first, first == second), (again, false));
    assert_eq!(blobs.get(first).unwrap().get(), one.get());
    assert_eq!(blobs.get(second).unwrap().get(), other.get());
    let inner = directory.path().join(BLOBS);
    let mode = |path| fs::metadata(path).unwrap().mode() & 0o7777;
    assert_eq!((mode(inner.clone()), mode(inner.join(first.name.to_string()))), (0o700, 0o600));
    assert_eq!(fs::read_dir(inner).unwrap().count(), 2);
}

#[test]
fn a_value_is_durable_before_it_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let done = Arc::new(Mutex::new(Vec::new()));
    let note = Arc::clone(&done);
    let disk = CountingDisk::calling(RealDisk::new(directory.path()), move |call: Call<'_>| {
        note.lock().unwrap().push(call.operation);
        Ok(())
    });
    Blobs::new(Arc::new(disk), SESSION).put(&large("a")).unwrap();
    let (remove, create) = (Operation::Remove, Operation::Create);
    let made = [Operation::CreateDir, Operation::SyncDir];
    let written = [remove, create, Operation::Sync, Operation::Rename, Operation::SyncDir];
    assert_eq!(*done.lock().unwrap(), [&made[..], &written[..]].concat());
}

#[test]
fn what_a_crash_has_left_under_a_name_is_written_over() {
    let directory = tempfile::tempdir().unwrap();
    let blobs = blobs(&directory);
    let value = large("a");
    let apart = blobs.put(&value).unwrap().apart().unwrap();
    let file = directory.path().join(path(apart.name));
    fs::write(&file, "half").unwrap();
    fs::write(file.with_extension("tmp"), "half").unwrap();
    assert_eq!(blobs.put(&value).unwrap().apart(), Some(apart));
    assert_eq!(blobs.get(apart).unwrap().get(), value.get());
}

#[test]
fn a_value_that_is_gone_or_changed_is_damage_that_names_its_file() {
    let directory = tempfile::tempdir().unwrap();
    let blobs = blobs(&directory);
    let apart = blobs.put(&large("a")).unwrap().apart().unwrap();
    let file = directory.path().join(path(apart.name));
    let mut bytes = fs::read(&file).unwrap();
    bytes[1000] ^= 1;
    for (content, what) in [(Some(bytes), "is not what was recorded"), (None, "is missing")] {
        match content {
            Some(content) => fs::write(&file, content).unwrap(),
            None => fs::remove_file(&file).unwrap(),
        }
        let error = blobs.get(apart).unwrap_err();
        assert!(matches!(error, StoreError::Damaged(_)), "{error}");
        assert!(error.to_string().starts_with(&format!("{}: it {what}; put back", path(apart.name))), "{error}");
    }
}

#[test]
fn no_symbolic_link_is_followed_to_a_value() {
    let (directory, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    symlink(elsewhere.path(), directory.path().join(BLOBS)).unwrap();
    let error = blobs(&directory).put(&large("a")).unwrap_err().to_string();
    assert!(error.contains("is a symbolic link"), "{error}");
    assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
}

#[test]
fn a_value_that_has_grown_is_damage_and_is_not_read() {
    let directory = tempfile::tempdir().unwrap();
    let apart = blobs(&directory).put(&large("a")).unwrap().apart().unwrap();
    let file = fs::OpenOptions::new().write(true).open(directory.path().join(path(apart.name))).unwrap();
    file.set_len(1 << 40).unwrap();
    let disk = CountingDisk::new(RealDisk::new(directory.path()));
    let gone = Blobs::new(Arc::new(disk.clone()), SESSION).get(apart);
    assert!(matches!(gone, Err(StoreError::Damaged(_))), "{gone:?}");
    assert_eq!(disk.count(Operation::Read, &path(apart.name)), 0);
}
