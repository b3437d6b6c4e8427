//! "Require a human or a mission file to set the goal before acting. Do not invent progress."

use std::fs;
use std::os::unix::fs::symlink;

use durable_runtime::Error;
use durable_runtime::prelude::*;

use super::Place;

/// Has no goal of its own.
#[durable_workflow]
async fn aimless(session: &Session) -> Result<u32, Error> {
    #[side_effect(key = "act", idempotent = "it counts nothing")]
    let acted = act();
    Ok(acted)
}

fn act() -> u32 {
    1
}

fn count(place: &Place, action: &str) -> usize {
    place.journal().iter().filter(|record| record["action"] == action).count()
}

#[tokio::test]
async fn without_any_goal_nothing_is_begun_and_a_mission_file_sets_one() {
    let place = Place::new();
    let session = place.open().await;
    let error = aimless(&session).await.unwrap_err().to_string();
    assert!(error.contains("no goal is known") && error.contains("`mission.md`"), "{error}");
    let error = session.side_effect("act").idempotent().run(|_| async { Ok::<_, Error>(1) }).await.unwrap_err();
    assert!(error.to_string().contains("no goal is known"), "{error}");
    assert_eq!((count(&place, "run"), count(&place, "reserve")), (0, 0));
    session.close().await.unwrap();

    fs::write(place.dir.join("mission.md"), "# Mission\n\nCount to\none.\n\nNothing else.\n").unwrap();
    let session = place.open().await;
    assert_eq!(session.inventory().goal.as_deref(), Some("Count to one."));
    assert_eq!(aimless(&session).await.unwrap(), 1);
    drop(session);
    assert_eq!(
        place.journal().iter().rfind(|record| record["action"] == "checkpoint").unwrap()["goal"],
        "Count to one."
    );

    fs::remove_file(place.dir.join("mission.md")).unwrap();
    assert_eq!(place.open().await.inventory().goal.as_deref(), Some("Count to one."), "it is recorded");
}

#[tokio::test]
async fn a_session_begins_in_a_directory_that_holds_a_mission_and_nothing_else() {
    let place = Place::new();
    fs::create_dir(&place.dir).unwrap();
    fs::write(place.dir.join("mission.md"), "Pay the invoices.").unwrap();
    assert_eq!(place.open().await.inventory().goal.as_deref(), Some("Pay the invoices."));
    assert!(place.dir.join("mission.md").exists());
}

#[tokio::test]
async fn the_program_names_another_mission_file_or_gives_the_goal_itself() {
    let place = Place::new();
    let file = place.dir.with_file_name("order.md");
    fs::write(&file, "Pay Ada.\n").unwrap();
    let session = Session::builder(&place.dir).mission_file(&file).open().await.unwrap();
    assert_eq!(session.inventory().goal.as_deref(), Some("Pay Ada."));
    drop(session);
    let session = Session::builder(&place.dir).mission_file(&file).goal("pay Grace").open().await.unwrap();
    assert_eq!(session.inventory().goal.as_deref(), Some("pay Grace"));
}

#[tokio::test]
async fn a_mission_file_that_says_nothing_is_refused_and_nothing_is_changed() {
    let place = Place::new();
    let file = place.dir.with_file_name("order.md");
    let refused = async |why: &str| {
        let error = Session::builder(&place.dir).mission_file(&file).open().await.map(drop).unwrap_err().to_string();
        assert!(error.contains("order.md`") && error.contains(why), "{error}");
        assert!(!place.dir.exists());
    };
    refused("cannot be read").await;
    for (text, why) in [
        (b"# \n\n".to_vec(), "says nothing"),
        (b"x".repeat(1_001), "a first paragraph of 1001 bytes"),
        (b"\n".repeat(65_537), "larger than 65536 bytes"),
        (vec![b'a', 0xff], "is not UTF-8"),
    ] {
        fs::write(&file, text).unwrap();
        refused(why).await;
    }

    fs::create_dir(&place.dir).unwrap();
    symlink(&file, place.dir.join("mission.md")).unwrap();
    let error = Session::open(&place.dir).await.map(drop).unwrap_err().to_string();
    assert!(error.contains("mission.md` cannot be read") && error.contains("link"), "{error}");
}
