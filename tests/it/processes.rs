//! Two processes and one session. The kernel's lock decides, and nothing else.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::time::Duration;

use durable_runtime::core::view::StateView;
use durable_runtime::prelude::*;
use durable_runtime::testing::ManualClock;
use durable_runtime::{Durability, Error};
use durable_tests::stage::{Fate, Moment, WAITING};
use durable_tests::workflows::Workflow;
use durable_tests::world::Act;
use rustix::process::{Pid, Signal, kill_process};
use tokio::sync::Notify;

use crate::support::{End, Trial, Victim};

/// A trial whose first process stands still in the middle of its second effect.
fn held() -> (Trial, Victim) {
    let mut trial = Trial::new(Workflow::Verified);
    let mut holder = trial.begin(&trial.orders(Fate::WaitsAt(Moment::Applied, "credit".to_owned())));
    holder.wait_for(WAITING);
    (trial, holder)
}

fn assert_refused(end: &End, trial: &Trial, holder: &Victim) {
    assert_eq!(end.code(), Some(77), "{trial}: {}", end.stderr);
    let holder = format!("another process holds the session (process {}", holder.id());
    let told = [&holder, "nothing was changed", "durable_runtime::post(dir, word)"];
    assert!(told.iter().all(|words| end.stderr.contains(words)), "{trial}: {}", end.stderr);
}

#[test]
fn a_second_process_is_refused_at_once_and_finishes_once_the_first_is_gone() {
    let (mut trial, holder) = held();
    // The views may still follow what the holder did last; what decides does not change while it stands still.
    let deciding = |trial: &Trial| {
        let mut files = trial.files().bytes();
        files.retain(|name, _| ["journal.jsonl", "idempotency.json", "session.lock"].contains(&name.as_str()));
        files
    };
    let before = deciding(&trial);
    let second = trial.start(Fate::Lives);
    assert_refused(&second, &trial, &holder);
    assert_eq!(deciding(&trial), before, "{trial}: a refused process changed something");
    assert_eq!(trial.ledger().count(Act::Asked, "credit"), 0, "{trial}: a refused process asked the world");

    let killed = holder.kill();
    trial.ended(killed);
    trial.check_that_it_ends(&[1, 2, 3]);
}

// G03: a holder that gives no sign of life is not dead, and time proves nothing.
#[test]
fn g03_a_holder_that_is_frozen_keeps_the_session_and_every_byte_of_it() {
    let (mut trial, mut holder) = held();
    holder.freeze();
    let before = trial.files().bytes();
    for _ in 0..3 {
        let other = trial.start(Fate::Lives);
        assert_refused(&other, &trial, &holder);
    }
    assert_eq!(trial.files().bytes(), before, "{trial}: a refused process changed something");

    holder.thaw();
    holder.let_go();
    let end = trial.ended(holder.end());
    assert_eq!(end.code(), Some(0), "{trial}: {}", end.stderr);
    trial.check_the_end(&[1, 2, 3], &[1, 2, 3]);
}

#[durable_workflow(goal = "write to {recipients} people")]
async fn mails(session: &Session, #[resource] post: &Post, recipients: u32) -> Result<u32, Error> {
    for n in 0..recipients {
        #[side_effect(key = "mail/{n}" as mail, in_doubt = "post office")]
        post.mail(mail.as_str()).await?;
    }
    Ok(recipients)
}

/// It stands still at one letter until it is told to go on.
#[derive(Default)]
struct Post {
    sent: Mutex<Vec<String>>,
    goes_on: Notify,
}

impl Post {
    async fn mail(&self, what: &str) -> Result<(), Error> {
        self.sent.lock().unwrap().push(what.to_owned());
        if what.ends_with("/250") {
            self.goes_on.notified().await;
        }
        Ok(())
    }
}

/// G03: years later by its own clock, another one still finds the session held, and every letter goes out once.
#[tokio::test]
async fn g03_no_age_of_its_holder_opens_a_session() {
    let root = tempfile::tempdir().unwrap();
    let (path, post) = (root.path().join("session"), Post::default());
    let open = |clock: ManualClock| Session::builder(&path).durability(Durability::ProcessSafe).clock(clock).open();
    let session = open(ManualClock::default()).await.unwrap();
    let tries = async {
        while post.sent.lock().unwrap().len() < 251 {
            tokio::task::yield_now().await;
        }
        let clock = ManualClock::default();
        for _ in 0..10 {
            clock.advance(Duration::from_secs(365 * 24 * 3600));
            assert!(open(clock.clone()).await.unwrap_err().is_locked());
        }
        post.goes_on.notify_one();
    };
    let (sent, ()) = tokio::join!(mails(&session, &post, 500), tries);
    assert_eq!(sent.unwrap(), 500);
    let sent = post.sent.lock().unwrap();
    assert_eq!(*sent, (0..500).map(|n| format!("mails//mail/{n}")).collect::<Vec<_>>(), "each once");
}

#[durable_workflow(goal = "checkpoint {times} times")]
async fn checkpoints(session: &Session, #[resource] name: &str, times: u32) -> Result<u32, Error> {
    for n in 0..times {
        #[sleep(key = "{n}", title = "{name}")]
        session.sleep(Duration::ZERO).await?;
    }
    Ok(times)
}

/// G35: two sessions in one root write their views as fast as they can, and somebody takes the lock's file away. Whoever
/// reads a state meanwhile finds a whole one, and of its own session.
#[test]
fn g35_no_writer_tears_the_state_of_another_or_its_own() {
    const TIMES: u32 = 150;
    let root = tempfile::tempdir().unwrap();
    let names = ["left", "right"];
    let writes = |name: &'static str| {
        let path = root.path().join(name);
        move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let builder = || Session::builder(&path).identity(name).durability(Durability::ProcessSafe);
                let session = builder().clock(ManualClock::default()).open().await.unwrap();
                fs::remove_file(path.join("session.lock")).unwrap();
                assert!(builder().open().await.unwrap_err().is_locked(), "the lock's file is not the lock");
                assert_eq!(checkpoints(&session, name, TIMES).await.unwrap(), TIMES);
            });
        }
    };
    let (mut seen, mut parsed) = ([0_u64; 2], 0);
    std::thread::scope(|scope| {
        let writers = names.map(|name| scope.spawn(writes(name)));
        while !writers.iter().all(std::thread::ScopedJoinHandle::is_finished) {
            for (name, newest) in names.iter().zip(&mut seen) {
                let Ok(text) = fs::read_to_string(root.path().join(name).join("state.json")) else { continue };
                let state: StateView = serde_json::from_str(&text).expect("a reader never finds half a state");
                assert_eq!(state.identity, *name);
                assert!(state.durable.seq >= *newest, "an older state has replaced a newer one");
                *newest = state.durable.seq;
                parsed += 1;
            }
        }
    });
    assert!(parsed > 100 && seen.iter().all(|newest| *newest > 100), "nobody looked: {parsed}, {seen:?}");
}

// G51: the process id in the state is a note for messages.
#[test]
fn a_live_process_id_in_the_note_does_not_hold_the_session() {
    let mut trial = Trial::new(Workflow::Verified);
    trial.die_at(Moment::Applied, "credit");
    let mut state = trial.files().state().expect("a booted session has a state");
    state.durable.pid = std::process::id();
    let text = serde_json::to_string(&state).expect("a state is plain data");
    fs::write(trial.files().path("state.json"), text).expect("the state can be written");

    let result = trial.finish();
    trial.check_the_end(&result, &[1, 2, 3]);
}

/// A shell that holds the lock of the directory and has ended; what it has started lives on, with the lock's descriptor. Gives
/// the id of that; why not, if it cannot be done here.
fn forked_by_one_that_ended(directory: &Path) -> Result<Pid, String> {
    let script = "exec 9<\"$0\" && flock 9 && { sleep 1000 >&- 2>&- & echo $!; }";
    let output = Command::new("sh").arg("-c").arg(script).arg(directory).output().map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(format!("there is no flock: {}", String::from_utf8_lossy(&output.stderr)));
    }
    let id = String::from_utf8_lossy(&output.stdout).trim().parse().ok().and_then(Pid::from_raw);
    id.ok_or_else(|| "the shell did not say what it has started".to_owned())
}

/// The kernel gives a lock free with the last descriptor of it, and a process that was forked has them all.
#[test]
fn what_a_dead_holder_has_forked_keeps_the_session_and_is_spoken_of() {
    let mut trial = Trial::new(Workflow::Verified);
    trial.die_at(Moment::Applied, "credit");
    let child = match forked_by_one_that_ended(trial.files().dir()) {
        Ok(child) => child,
        Err(why) => return writeln!(std::io::stderr(), "\nnot measured here: {why}\n").unwrap(),
    };
    let before = trial.files().bytes();
    let refused = trial.start(Fate::Lives);
    let is_unchanged = trial.files().bytes() == before;
    kill_process(child, Signal::KILL).unwrap();
    // Returns once the lock is free.
    assert!(Command::new("flock").arg(trial.files().dir()).arg("true").status().unwrap().success());
    assert_eq!(refused.code(), Some(77), "{trial}: {}", refused.stderr);
    assert!(refused.stderr.contains("a process that it forked has its lock"), "{trial}: {}", refused.stderr);
    assert!(is_unchanged, "{trial}: a refused process changed something");
    trial.check_that_it_ends(&[1, 2, 3]);
}
