//! Nothing that comes from outside reaches a terminal as more than text.

use durable_runtime::Session;

use crate::support::World;

/// It clears a screen, turns the writing direction and hides itself.
const HOSTILE: &str = "a\u{1b}[2J\u{9b}31m\u{202e}\u{200b}`id`'; $(id)";

#[tokio::test]
async fn no_key_value_error_or_name_carries_an_escape_sequence() {
    let world = World::with(&[]);
    let session = Session::builder(world.path("session")).identity(HOSTILE).goal(HOSTILE).open().await.unwrap();
    let key = format!("pay {}", HOSTILE.replace(|c: char| c.is_control(), ""));
    let done = session.side_effect(format!("{key} done")).title(HOSTILE).in_doubt(HOSTILE);
    done.run(async |_| Ok::<_, anyhow::Error>(HOSTILE.to_owned())).await.unwrap();
    let failing = session.side_effect(&key).title(HOSTILE).in_doubt(HOSTILE);
    failing.run(async |_| Err::<u32, _>(anyhow::anyhow!(HOSTILE))).await.unwrap_err();
    session.checkpoint(HOSTILE).await.unwrap();
    session.close().await.unwrap();
    for command in [&["status"][..], &["handoff"], &["keys"], &["outline"], &["journal"], &["show", &key], &["doctor"]]
    {
        for format in [&[][..], &["--json"]] {
            let ran = world.durable(&[command, format].concat());
            let obeyed = |c: char| (c.is_control() && c != '\n') || "\u{202e}\u{200b}".contains(c);
            assert!(!ran.out.contains(obeyed) && !ran.err.contains(obeyed), "{command:?}: {ran:?}");
            assert!(!ran.out.is_empty(), "{ran:?}");
        }
    }
    let error = world.durable(&["show", HOSTILE]).refused(2);
    assert!(!error.contains('\u{1b}') && error.contains("\\u{1b}"), "{error}");
}

#[test]
fn there_are_no_colours_where_nobody_looks() {
    let world = World::with(&["asked"]);
    let told = world.durable(&["status", "asked"]).told();
    assert!(told.contains("IN DOUBT") && !told.contains('\u{1b}'), "{told}");
}
