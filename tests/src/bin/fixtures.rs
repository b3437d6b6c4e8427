//! Writes the sessions of `tests/fixtures` that are not there yet, as today's library leaves them. Those that are there
//! stay as they are: they are what an earlier version has left.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use durable_runtime::Session;
use durable_tests::fixtures::{self, Manner, World, either, letter, letters, names, payroll, rounds};
use durable_tests::hostile::{sealed, unsealed};
use durable_tests::lab::Stop;

#[tokio::main(flavor = "current_thread")]
async fn main() -> std::io::Result<()> {
    let root = fixtures::root();
    let directory = std::env::temp_dir().join(format!("fixtures-{}", std::process::id()));
    let all: [(&str, World); 9] = [
        ("finished", World::default()),
        ("in_the_middle", World::after(&[], Manner::Refuses(4))),
        ("in_doubt", World::after(&[], Manner::Hangs(2))),
        ("waiting_for_settle", World::after(&[], Manner::Refuses(2))),
        ("asked", World::after(&[], Manner::Refuses(1))),
        ("errors_recorded", World::after(&[], Manner::Refuses(1))),
        ("named_runs", World::after(&[], Manner::Hangs(2))),
        ("trimmed", World::after(&[], Manner::Hangs(2))),
        ("noted", World::after(&[], Manner::Hangs(2))),
    ];
    for (name, world) in all {
        let kept = root.join(format!("format-1-{name}"));
        if !kept.exists() {
            leave(name, &directory.join(name), world).await;
            fixtures::copy(&directory.join(name), &kept)?;
            anywhere(&kept)?;
            println!("{}", kept.display());
        }
    }
    Ok(())
}

/// Takes out of its boots where the session stood: a fixture is opened where it is copied to.
fn anywhere(session: &Path) -> std::io::Result<()> {
    let id = fs::read_to_string(session.join("session.lock"))?;
    let id = id.trim().parse().map_err(std::io::Error::other)?;
    for log in ["journal.jsonl", "snapshot.jsonl"].map(|name| session.join(name)) {
        if log.exists() {
            let records = unsealed(&fs::read_to_string(&log)?);
            let records: String = records.split_inclusive('\n').map(without_place).collect();
            fs::write(log, sealed(id, records.as_bytes()))?;
        }
    }
    Ok(())
}

fn without_place(record: &str) -> String {
    match record.split_once(r#","place":""#).and_then(|(before, rest)| Some((before, rest.split_once('"')?.1))) {
        Some((before, behind)) => [before, behind].concat(),
        None => record.to_owned(),
    }
}

/// Lets a process work on a session until it hangs or stops, and leaves it as a kill would.
#[expect(clippy::disallowed_methods, reason = "what is left to a kill is what stands there after a while")]
async fn leave(name: &'static str, directory: &Path, world: World) {
    let session = Session::builder(directory).identity("fixture").open().await.expect("it opens");
    let world = Arc::new(world);
    let work = tokio::spawn(work(name, session.clone(), Arc::clone(&world)));
    tokio::select! {
        result = work => println!("{name}: {}", result.expect("it does not panic")),
        () = world.hangs.notified() => println!("{name}: hangs"),
        () = tokio::time::sleep(Duration::from_millis(500)) => println!("{name}: waits"),
    }
    if name == "finished" {
        return session.close().await.expect("it closes");
    }
    // The views are written a little later than the log; nothing is dropped, as nothing is by a kill.
    tokio::time::sleep(Duration::from_millis(300)).await;
    std::mem::forget(session);
}

/// Payrolls that are finished and have left the log, and then another one, of other people.
async fn trimmed(session: &Session, world: &World) -> Result<Vec<String>, Stop> {
    for (month, names) in fixtures::earlier() {
        payroll(session, &World::default(), month, &names).await?;
    }
    session.trim().await?;
    payroll(session, world, 7, &names()).await
}

async fn work(name: &'static str, session: Session, world: Arc<World>) -> String {
    let all = || async { payroll(&session, &world, 7, &names()).await.map(|receipts| receipts.join(", ")) };
    let result: Result<String, Stop> = match name {
        "asked" => letter(&session, &world).await,
        "errors_recorded" => either(&session, &world).await,
        "noted" => rounds(&session, &world).await.map(|told| told.join(", ")),
        "trimmed" => trimmed(&session, &world).await.map(|receipts| receipts.join(", ")),
        "named_runs" => letters(&session, &world).await,
        _ => all().await,
    };
    result.unwrap_or_else(|error| error.to_string())
}
