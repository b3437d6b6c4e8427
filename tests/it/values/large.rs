//! Values that are too large: for a line of the log, and for the session.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use durable_runtime::prelude::*;
use durable_runtime::{Error, Outcome};

use crate::payments::Directory;

#[durable_workflow(goal = "scan {pages} pages")]
async fn scan(session: &Session, #[resource] world: &World, pages: usize, letter: &str) -> Result<String, Error> {
    #[side_effect(key = "scan", in_doubt = "ada")]
    let scanned = world.scan(pages, letter);
    world.stop(session).await?;
    Ok(scanned)
}

/// Scans, and stops every start but the last.
#[derive(Default)]
struct World {
    scans: AtomicUsize,
    is_last: bool,
}

impl World {
    fn last() -> Self {
        Self { is_last: true, ..Self::default() }
    }

    fn scan(&self, pages: usize, letter: &str) -> String {
        self.scans.fetch_add(1, Ordering::Relaxed);
        letter[..1].repeat(pages * 1024)
    }

    async fn stop(&self, session: &Session) -> Result<(), Error> {
        if self.is_last {
            Ok(())
        } else {
            session.resolve("nothing").did_not_happen().by("ada", "the start ends").await
        }
    }
}

async fn open(directory: &Directory) -> Session {
    directory.session().open().await.unwrap()
}

fn blobs(directory: &Directory) -> Vec<std::path::PathBuf> {
    let blobs = fs::read_dir(directory.path().join("blobs")).into_iter().flatten();
    blobs.map(|entry| entry.unwrap().path()).collect()
}

/// An input, a result and the result of the run are each kept apart, and read back.
#[tokio::test]
async fn values_over_256_kib_are_kept_apart_and_come_back() {
    let (directory, input) = (Directory::missing(), "x".repeat(300 * 1024));
    scan(&open(&directory).await, &World::default(), 400, &input).await.unwrap_err();
    assert_eq!(blobs(&directory).len(), 2);
    let world = World::last();
    let result = scan(&open(&directory).await, &world, 400, &input).await.unwrap();
    assert_eq!((result.len(), world.scans.into_inner()), (400 * 1024, 0));
    let again = scan(&open(&directory).await, &World::last(), 400, &input).await.unwrap();
    assert!(again == result);
    // The step and the run gave the same text, which is kept once.
    assert_eq!(blobs(&directory).len(), 2);
    let journal = fs::metadata(directory.path().join("journal.jsonl")).unwrap().len();
    assert!(journal < 8192, "{journal}");
    let changed = scan(&open(&directory).await, &World::last(), 400, &"y".repeat(300 * 1024)).await.unwrap_err();
    assert!(changed.is_conflict(), "{changed}");
}

async fn is_refused(directory: &Directory, file: &Path) {
    let before = directory.files();
    let world = World::last();
    let error = scan(&open(directory).await, &world, 400, &"x".repeat(300 * 1024)).await.unwrap_err();
    assert!(error.is_damaged() && error.outcome() == Outcome::Damaged, "{error}");
    let name = file.file_name().unwrap().to_str().unwrap();
    assert!(error.to_string().contains(&format!("blobs/{name}")), "{error}");
    assert_eq!(world.scans.into_inner(), 0);
    assert_eq!(before.registry(), directory.files().registry());
    let work = async |session: &Session| scan(session, &World::last(), 400, &"x".repeat(300 * 1024)).await;
    assert_eq!(directory.session().run(work).await, Outcome::Damaged);
}

#[tokio::test]
async fn a_value_that_is_gone_is_asked_back_and_never_made_again() {
    let (directory, input) = (Directory::missing(), "x".repeat(300 * 1024));
    scan(&open(&directory).await, &World::default(), 400, &input).await.unwrap_err();
    for file in blobs(&directory) {
        let content = fs::read(&file).unwrap();
        fs::remove_file(&file).unwrap();
        is_refused(&directory, &file).await;
        fs::write(&file, &content[1..]).unwrap();
        is_refused(&directory, &file).await;
        fs::write(&file, content).unwrap();
    }
    scan(&open(&directory).await, &World::last(), 400, &input).await.unwrap();
}

#[tokio::test]
async fn g53_a_result_beyond_the_limit_is_done_and_names_both_sizes() {
    let directory = Directory::missing();
    let limited = async || directory.session().max_value(64 * 1024).open().await.unwrap();
    let world = World::default();
    for _ in 0..2 {
        let error = scan(&limited().await, &world, 100, "x").await.unwrap_err();
        let text = "it takes 102402 bytes as it is stored, and `max_value` of this session is 65536";
        assert!(error.to_string().contains(text) && error.is_in_doubt(), "{error}");
    }
    assert_eq!(world.scans.into_inner(), 1);
    let session = limited().await;
    let refused = session.resolve("scan//scan").happened(&"x".repeat(70_000)).by("ada", "scanned").await.unwrap_err();
    assert!(refused.to_string().contains("it takes 70002 bytes"), "{refused}");
    session.resolve("scan//scan").happened("page").by("ada", "the first page is enough").await.unwrap();
    let world = World::last();
    assert_eq!(scan(&session, &world, 100, "x").await.unwrap(), "page");
    assert_eq!(world.scans.into_inner(), 0);
}

#[tokio::test]
async fn an_input_beyond_the_limit_is_refused_before_anything_happens() {
    let directory = Directory::missing();
    let session = directory.session().max_value(1024).open().await.unwrap();
    let world = World::last();
    let error = scan(&session, &world, 1, &"x".repeat(2000)).await.unwrap_err().to_string();
    assert!(error.contains("input `letter`") && error.contains("it takes 2002 bytes"), "{error}");
    assert_eq!(world.scans.into_inner(), 0);
}

#[cfg(feature = "long")]
#[tokio::test]
async fn a_hundred_mebibytes_come_back() {
    let directory = Directory::missing();
    let pages = 100 * 1024;
    scan(&open(&directory).await, &World::default(), pages, "x").await.unwrap_err();
    let world = World::last();
    let result = scan(&open(&directory).await, &world, pages, "x").await.unwrap();
    assert_eq!((result.len(), world.scans.into_inner()), (100 << 20, 0));
}
