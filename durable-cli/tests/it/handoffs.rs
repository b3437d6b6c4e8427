//! What a handoff tells a person to type can be typed.

use std::path::Path;

use durable_runtime::Session;

use crate::support::World;
use crate::workflows::{once, paint, ring, say, send, wire};

/// A key that a shell would take apart.
const KEY: &str = "pay `it`; $(x) 'now' \"ok\" \\ ~\u{202e}*";

/// The commands in a handoff, as they stand there.
fn commands(handoff: &str) -> Vec<String> {
    let line = |line: &str| {
        let at = line.find("durable ")?;
        let before = &line[..at];
        let fence: String = before.trim_end().chars().rev().take_while(|c| *c == '`').collect();
        let end = line[at..].find(&fence)?;
        Some(line[at..at + end].trim_end().to_owned())
    };
    handoff.lines().filter_map(line).collect()
}

/// What the one command of the handoff is, with each place filled in.
async fn typed<T, E>(work: impl AsyncFn(&Session) -> Result<T, E>, value: &str, fits: impl Fn(&Path)) -> String {
    let world = World::with(&[]);
    let dir = world.path("session");
    once(&dir, &work).await.err().expect("it asks somebody");
    let found = commands(&world.durable(&["handoff"]).done());
    let [command] = &found[..] else { panic!("{found:?}") };
    let before = world.bytes();
    let refused = world.typed("session", command);
    assert_eq!((refused.code, world.bytes() == before), (2, true), "places are no names: {refused:?}");
    let filled = command.replace("WHO", "ada").replace("WHY", "'it is in the book'");
    let filled = filled.replace("RESULT", value).replace("ANSWER", value);
    assert!(world.typed("session", &filled).done().contains("The word is left"));
    assert!(once(&dir, &work).await.is_ok());
    fits(&dir);
    command.clone()
}

#[tokio::test]
async fn the_command_in_a_handoff_is_typed_as_it_stands_there() {
    let fits = |_: &Path| {};
    assert_eq!(typed(send, "", fits).await, "durable decide send//send approve --by WHO --because WHY");
    assert_eq!(typed(say, "hello", fits).await, "durable decide say//words ANSWER --by WHO --because WHY");
    assert_eq!(typed(paint, "'\"red\"'", fits).await, "durable decide paint//color ANSWER --by WHO --because WHY");
    let resolve = "durable resolve wire//wire --happened --value RESULT --by WHO --because WHY";
    assert_eq!(typed(wire, "7", fits).await, resolve);
    assert_eq!(typed(ring, "", fits).await, "durable resolve ring//ring --happened --by WHO --because WHY");
}

#[tokio::test]
async fn a_key_that_a_shell_would_take_apart_is_one_word() {
    let work = async |session: &Session| {
        let step = session.side_effect(KEY).in_doubt("treasury");
        step.run(async |_| Err::<u32, _>(anyhow::anyhow!("no answer"))).await
    };
    let command = typed(work, "7", |_| {}).await;
    assert!(
        command.starts_with("durable resolve $'pay `it`; $(x) \\'now\\' \"ok\" \\\\ ~\\U0000202e*' --happened"),
        "{command}"
    );
}

#[tokio::test]
async fn a_run_that_must_be_given_up_too_is_given_up_as_the_handoff_says() {
    use durable_runtime::prelude::*;
    #[durable_workflow(goal = "around")]
    async fn around(session: &Session) -> Result<String, durable_runtime::Error> {
        #[run(key = "inner")]
        let sent = send(session).await?;
        Ok(sent)
    }
    let world = World::with(&[]);
    let dir = world.path("session");
    once(&dir, around).await.unwrap_err();
    world.durable(&["cancel", "around//inner", "--by", "ada", "--because", "not wanted"]).done();
    once(&dir, around).await.unwrap_err();
    let found = commands(&world.durable(&["handoff"]).done());
    assert_eq!(found[0], "durable cancel around --by WHO --because WHY");
    let filled = found[0].replace("WHO", "ada").replace("WHY", "'not wanted'");
    world.typed("session", &filled).done();
    once(&dir, around).await.unwrap_err();
    assert_eq!(world.durable(&["status"]).code, 80);
}
