use std::collections::BTreeSet;

use super::images::{Images, Model, hash};
use super::storage::Storage;

const DIRECTORY: &str = "session";

/// A disk with a durable directory and a durable file.
fn disk(content: &[u8]) -> Storage {
    let mut storage = Storage::default();
    storage.make_directory(DIRECTORY);
    storage.sync_parent(DIRECTORY).unwrap();
    storage.create(DIRECTORY, "log", content).unwrap();
    storage.sync(DIRECTORY, "log").unwrap();
    storage.sync_names(DIRECTORY).unwrap();
    storage
}

/// What the file may hold after a power cut; `None` where it is gone.
fn contents(storage: &Storage, model: Model) -> BTreeSet<Option<Vec<u8>>> {
    let images = Images::of(storage, model);
    let content = |image| images.make(image).read(DIRECTORY, "log").ok().map(|content| content.to_vec());
    (0..images.count()).map(content).collect()
}

fn texts(storage: &Storage, model: Model) -> BTreeSet<String> {
    let text = |content: Option<Vec<u8>>| content.map_or("gone".to_owned(), |bytes| String::from_utf8(bytes).unwrap());
    contents(storage, model).into_iter().map(text).collect()
}

#[test]
fn what_was_synced_is_in_every_image() {
    let mut storage = disk(b"one\n");
    storage.append(DIRECTORY, "log", b"two\n").unwrap();
    storage.sync(DIRECTORY, "log").unwrap();
    for model in [Model::Ordered, Model::Weak] {
        assert_eq!(texts(&storage, model), BTreeSet::from(["one\ntwo\n".to_owned()]));
    }
}

#[test]
fn an_unsynced_write_is_kept_lost_torn_or_zeroed() {
    let mut storage = disk(b"one\n");
    storage.append(DIRECTORY, "log", b"two\n").unwrap();
    let left = texts(&storage, Model::Ordered);
    for text in ["one\n", "one\ntwo\n", "one\nt", "one\ntw", "one\ntwo", "one\n\0\0\0\0", "one\n\0\0o\n"] {
        assert!(left.contains(text), "{text:?} is not in {left:?}");
    }
}

#[test]
fn only_a_weak_disk_keeps_a_write_and_loses_the_one_before() {
    let mut storage = disk(b"one\n");
    storage.append(DIRECTORY, "log", b"two\n").unwrap();
    storage.append(DIRECTORY, "log", b"three\n").unwrap();
    let hole = "one\n\0\0\0\0three\n".to_owned();
    assert!(texts(&storage, Model::Weak).contains(&hole));
    assert!(!texts(&storage, Model::Ordered).contains(&hole));
}

#[test]
fn a_name_is_durable_once_its_directory_is_synced() {
    let mut storage = disk(b"");
    storage.create(DIRECTORY, "new", b"content").unwrap();
    storage.sync(DIRECTORY, "new").unwrap();
    storage.rename(DIRECTORY, "new", "log").unwrap();
    assert_eq!(texts(&storage, Model::Ordered), BTreeSet::from([String::new(), "content".to_owned()]));
    storage.sync_names(DIRECTORY).unwrap();
    assert_eq!(texts(&storage, Model::Ordered), BTreeSet::from(["content".to_owned()]));
}

/// A name in a directory is the number of a file: what was removed does not come back under a name that another file was given.
#[test]
fn a_rename_gives_a_name_to_the_file_that_had_the_other_one_and_to_no_older_one() {
    let mut storage = disk(b"log");
    storage.create(DIRECTORY, "new", b"half").unwrap();
    storage.sync(DIRECTORY, "new").unwrap();
    storage.sync_names(DIRECTORY).unwrap();
    storage.remove(DIRECTORY, "new").unwrap();
    storage.create(DIRECTORY, "new", b"whole").unwrap();
    storage.sync(DIRECTORY, "new").unwrap();
    storage.rename(DIRECTORY, "new", "log").unwrap();
    for model in [Model::Ordered, Model::Weak] {
        assert_eq!(texts(&storage, model), BTreeSet::from(["log".to_owned(), "whole".to_owned()]), "{model:?}");
    }
}

#[test]
fn a_directory_whose_name_is_not_durable_may_be_gone_with_all_that_is_in_it() {
    let mut storage = Storage::default();
    storage.make_directory(DIRECTORY);
    storage.create(DIRECTORY, "log", b"content").unwrap();
    storage.sync(DIRECTORY, "log").unwrap();
    storage.sync_names(DIRECTORY).unwrap();
    assert!(contents(&storage, Model::Ordered).contains(&None));
    storage.sync_parent(DIRECTORY).unwrap();
    assert!(!contents(&storage, Model::Ordered).contains(&None));
}

#[test]
fn a_write_over_old_bytes_is_torn_at_a_sector_and_nowhere_else() {
    let mut storage = disk(&[b'-'; 1024]);
    storage.write(DIRECTORY, "log", 500, &[b'x'; 24]).unwrap();
    let written: BTreeSet<_> = contents(&storage, Model::Ordered)
        .into_iter()
        .map(|content| content.unwrap().iter().filter(|&&byte| byte == b'x').count())
        .collect();
    assert_eq!(written, BTreeSet::from([0, 12, 24]));
}

#[test]
fn a_sync_that_failed_is_not_made_good_by_one_that_succeeds() {
    let mut storage = disk(b"one\n");
    storage.append(DIRECTORY, "log", b"two\n").unwrap();
    storage.forget(DIRECTORY, "log").unwrap();
    storage.sync(DIRECTORY, "log").unwrap();
    assert!(texts(&storage, Model::Ordered).contains("one\n"));
    // What is written again is new to the disk.
    storage.write(DIRECTORY, "log", 4, b"two\n").unwrap();
    storage.sync(DIRECTORY, "log").unwrap();
    assert_eq!(texts(&storage, Model::Ordered), BTreeSet::from(["one\ntwo\n".to_owned()]));
}

#[test]
fn an_image_has_the_hash_of_the_disk_that_it_makes_and_the_first_has_lost_everything() {
    let mut storage = disk(b"one\n");
    storage.append(DIRECTORY, "log", b"two\n").unwrap();
    storage.create(DIRECTORY, "other", b"content").unwrap();
    storage.rename(DIRECTORY, "other", "third").unwrap();
    for model in [Model::Ordered, Model::Weak] {
        let images = Images::of(&storage, model);
        assert!(images.count() > 20, "{model:?}: {}", images.count());
        for image in 0..images.count() {
            assert_eq!(images.hash(image), hash(&images.make(image)), "{model:?} {image}");
        }
        assert_eq!(images.hash(0), hash(&disk(b"one\n")), "{model:?}");
    }
}
