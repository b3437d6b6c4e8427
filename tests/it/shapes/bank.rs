//! A bank that counts, and a workflow that is killed after each of its effects.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use durable_runtime::Session;
use durable_runtime::core::record::{Event, Record, Stored};
use durable_runtime::store::memory::MemoryStore;
use tokio::sync::Notify;

use super::mortal::Mortal;

#[derive(Debug)]
pub(super) struct Failure(pub(super) String);

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Failure {}

impl From<durable_runtime::Error> for Failure {
    fn from(error: durable_runtime::Error) -> Self {
        Self(error.to_string())
    }
}

impl From<std::num::ParseIntError> for Failure {
    fn from(error: std::num::ParseIntError) -> Self {
        Self(error.to_string())
    }
}

pub(super) type Done<T = ()> = Result<T, Failure>;

#[derive(Debug, Default)]
pub(super) struct Bank {
    booked: Mutex<Vec<String>>,
    is_open: AtomicBool,
    /// The process dies when this many effects have happened.
    dies_after: AtomicUsize,
    dead: Arc<AtomicBool>,
    died: Notify,
}

impl Bank {
    /// Its own answer to `last`: open from the beginning.
    fn open() -> Self {
        Self { is_open: true.into(), ..Self::default() }
    }

    pub(super) async fn book(&self, what: impl Into<String>) -> Done<u32> {
        tokio::task::yield_now().await;
        let count = {
            let mut booked = self.booked.lock().unwrap();
            booked.push(what.into());
            booked.len()
        };
        if count == self.dies_after.load(Ordering::Relaxed) {
            self.dead.store(true, Ordering::Relaxed);
            self.died.notify_one();
            std::future::pending::<()>().await;
        }
        Ok(u32::try_from(count).unwrap())
    }

    /// The same for a receiver that drops repeats.
    pub(super) async fn book_once(&self, what: &str) -> Done<u32> {
        match self.find(what).await {
            Some(number) => Ok(number),
            None => self.book(what).await,
        }
    }

    pub(super) async fn note(&self, what: &str) -> u32 {
        self.book(what).await.unwrap()
    }

    pub(super) async fn find(&self, what: &str) -> Option<u32> {
        let booked = self.booked.lock().unwrap();
        booked.iter().position(|entry| entry == what).map(|at| u32::try_from(at + 1).unwrap())
    }

    pub(super) fn booked(&self) -> Vec<String> {
        self.booked.lock().unwrap().clone()
    }

    /// Fails in the first start, so that there is a second.
    pub(super) fn last(&self) -> Done {
        if self.is_open.swap(true, Ordering::Relaxed) { Ok(()) } else { Err(Failure("closed".to_owned())) }
    }
}

/// One session and the bank outside it.
struct World {
    store: MemoryStore,
    bank: Bank,
}

impl World {
    fn new(bank: Bank) -> Self {
        Self { store: MemoryStore::new(), bank }
    }

    async fn session(&self) -> Session {
        let store = Mortal::new(&self.store, &self.bank.dead);
        Session::builder("unused").store(store).goal("try the shapes").open().await.unwrap()
    }

    /// What each step gave.
    fn results(&self) -> Vec<(String, Stored)> {
        let result = |record: Record| match record.event {
            Event::Done(done) => Some((done.key.to_string(), done.value?)),
            _ => None,
        };
        self.store.records().into_iter().filter_map(result).collect()
    }

    /// Starts the work until it ends, and answers what it asks: the bank knows what was booked under the key, and what is
    /// booked under another name was booked when the process died. What it gave, the undisturbed run knows. So steps that
    /// run at the same time are booked under their keys, or have a verifier.
    async fn finish<T>(&self, work: &impl AsyncFn(Session, &Bank) -> Done<T>, known: &World) -> T {
        for _ in 0..8 {
            let seen = self.store.records().len();
            let session = self.session().await;
            let error = match work(session.clone(), &self.bank).await {
                Ok(value) => return value,
                Err(error) => error,
            };
            let asked = self.store.records().split_off(seen).into_iter();
            let asked: Vec<String> = asked
                .filter_map(|record| match record.event {
                    Event::InDoubt(doubt) => Some(doubt.key),
                    _ => None,
                })
                .collect();
            assert!(!asked.is_empty(), "{error}");
            for key in asked {
                let results = known.results();
                let (_, value) = results.iter().find(|(known, _)| *known == key).unwrap();
                let answer = match known.bank.find(&key).await.is_some() && self.bank.find(&key).await.is_none() {
                    true => session.resolve(key).did_not_happen(),
                    false => session.resolve(key).happened(value),
                };
                answer.by("the bank", "its books say so").await.unwrap();
            }
        }
        panic!("the work asks again and again");
    }
}

/// Runs a workflow in one go, in two starts with an error at the end of the first, and killed inside each effect, after
/// it happened and before its answer came: always with the same result, and each effect once. Gives the result, and the
/// effects in the order they happened.
pub(super) async fn twice<T: fmt::Debug + PartialEq>(work: impl AsyncFn(Session, &Bank) -> Done<T>) -> (T, String) {
    let whole = World::new(Bank::open());
    let value = work(whole.session().await, &whole.bank).await.unwrap();
    let effects = whole.bank.booked();
    halted(&work, &value, &effects).await;
    for count in 1..=effects.len() {
        killed(&work, count, &whole, &value).await;
    }
    (value, effects.join(" "))
}

/// The first start ends with an error, where the workflow asks the bank whether it is open.
async fn halted<T: fmt::Debug + PartialEq>(
    work: &impl AsyncFn(Session, &Bank) -> Done<T>,
    value: &T,
    effects: &[String],
) {
    let world = World::new(Bank::default());
    let first = work(world.session().await, &world.bank).await;
    assert_eq!(first.unwrap_err().to_string(), "closed");
    assert_eq!(work(world.session().await, &world.bank).await.unwrap(), *value);
    assert_eq!(world.bank.booked(), effects);
}

/// The first start dies when `count` effects have happened.
async fn killed<T: fmt::Debug + PartialEq>(
    work: &impl AsyncFn(Session, &Bank) -> Done<T>,
    count: usize,
    whole: &World,
    value: &T,
) {
    let world = World::new(Bank { dies_after: count.into(), ..Bank::open() });
    let session = world.session().await;
    tokio::select! {
        biased;
        () = world.bank.died.notified() => {}
        ended = work(session, &world.bank) => panic!("it was to die after effect {count}, and ended: {ended:?}"),
    }
    world.bank.dead.store(false, Ordering::Relaxed);
    assert_eq!(world.finish(work, whole).await, *value, "killed after effect {count}");
    let (mut effects, mut once) = (world.bank.booked(), whole.bank.booked());
    effects.sort_unstable();
    once.sort_unstable();
    assert_eq!(effects, once, "killed after effect {count}");
}
