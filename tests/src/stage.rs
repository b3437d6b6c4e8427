//! Where a victim dies, or stands still.

use std::io::{self, Read as _};

use durable_runtime::testing::Call;
use rustix::process::{Signal, getpid, kill_process};
use serde::{Deserialize, Serialize};

/// A moment in the life of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Moment {
    /// It is reserved, and not called (C1).
    Reserved,
    /// It is called, and has no effect yet (C2).
    Called,
    /// Its effect is applied, and not answered (C3).
    Applied,
    /// It is answered, and its result not recorded (C3).
    Answered,
    /// Its result is recorded, and the next step not begun (C4).
    Recorded,
}

impl Moment {
    /// All of them, in their order.
    pub const ALL: [Self; 5] = [Self::Reserved, Self::Called, Self::Applied, Self::Answered, Self::Recorded];
}

/// What befalls a victim.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// Nothing.
    #[default]
    Lives,
    /// SIGKILL in the place of a disk operation, the first being 0.
    DiesAtOperation(u64),
    /// SIGKILL at this moment of this step.
    DiesAt(Moment, String),
    /// It stands still at this moment of this step until its standard input is closed.
    WaitsAt(Moment, String),
}

/// Sees to it that the fate comes.
#[derive(Clone, Debug)]
pub struct Stage(Fate);

impl Stage {
    /// A stage for this fate.
    pub fn new(fate: Fate) -> Self {
        Self(fate)
    }

    /// Says on standard output that the moment has come; it may be the last.
    pub(crate) async fn comes(&self, moment: Moment, key: &str) {
        println!("{moment:?} {key}");
        match &self.0 {
            Fate::DiesAt(when, step) if (*when, step.as_str()) == (moment, key) => die(),
            Fate::WaitsAt(when, step) if (*when, step.as_str()) == (moment, key) => wait().await,
            _ => {}
        }
    }

    /// The disk is about to be asked for something; it may be the last.
    pub fn before(&self, call: Call<'_>) {
        if self.0 == Fate::DiesAtOperation(call.number) {
            die();
        }
    }
}

/// No handler runs, nothing is flushed, and no thread gets another turn.
fn die() -> ! {
    kill_process(getpid(), Signal::KILL).expect("a process may kill itself");
    loop {
        std::thread::park();
    }
}

/// The line that says that a victim stands still.
pub const WAITING: &str = "waiting";

async fn wait() {
    println!("{WAITING}");
    let closed = tokio::task::spawn_blocking(|| io::stdin().read_to_end(&mut Vec::new()));
    closed.await.expect("nobody cancels the wait").expect("standard input can be read");
}
