//! Code that changed under a run, and keys that came from something that was not recorded: refused, never run twice.

mod by_hand;
mod cancelled;
mod conflicts;
mod ends;
mod fixtures;
mod inside;
mod later;
mod panicking;
mod rekeyed;
mod renamed;
mod retired;
mod rewritten;
mod together;
mod unnamed;
mod versions;
mod ways;

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use durable_runtime::core::record::Event;
use durable_runtime::prelude::*;
use durable_runtime::store::memory::MemoryStore;
use durable_runtime::{Error, StepKey};

/// What happened, in its order.
#[derive(Default)]
struct World {
    happened: Mutex<Vec<String>>,
    is_down: AtomicBool,
    /// How much of something was begun.
    begun: AtomicU32,
}

impl World {
    fn act(&self, what: &str) -> Result<(), Error> {
        self.happened.lock().unwrap().push(what.to_owned());
        Ok(())
    }

    fn begins(&self) {
        self.begun.fetch_add(1, Ordering::Relaxed);
    }

    fn has(&self, what: &str) -> bool {
        self.happened.lock().unwrap().iter().any(|happened| happened == what)
    }

    fn happened(&self) -> Vec<String> {
        self.happened.lock().unwrap().clone()
    }

    /// Does what the key names, and gives its token.
    fn pay(&self, key: &StepKey) -> Result<String, Error> {
        self.act(key.as_str())?;
        Ok(key.token().to_string())
    }

    /// Does what the token names, and the answer is lost.
    fn pay_and_fail(&self, key: &StepKey) -> anyhow::Result<()> {
        self.act(&key.token().to_string())?;
        Err(anyhow::anyhow!("no answer"))
    }

    /// Whether it happened, if the world answers.
    fn find(&self, what: &str) -> Result<bool, std::io::Error> {
        self.check().map(|()| self.has(what))
    }

    fn weigh(&self) -> u32 {
        7 + u32::from(self.is_down.load(Ordering::Relaxed))
    }

    fn check(&self) -> Result<(), std::io::Error> {
        if self.is_down.load(Ordering::Relaxed) { Err(std::io::Error::other("the world is down")) } else { Ok(()) }
    }
}

/// A world in which the first step works and what follows does not.
fn breaking() -> World {
    World { is_down: true.into(), ..World::default() }
}

mod before {
    use super::*;

    #[durable_workflow(key = "order", goal = "order")]
    pub(super) async fn order(session: &Session, #[resource] world: &World) -> anyhow::Result<()> {
        #[side_effect(key = "book", verify = world.has("book"), settle = "0s")]
        world.act("book")?;
        #[read(key = "check")]
        world.check()?;
        Ok(())
    }
}

mod after {
    use super::*;

    /// `book` is called otherwise now.
    #[durable_workflow(key = "order", goal = "order")]
    pub(super) async fn order(session: &Session, #[resource] world: &World) -> anyhow::Result<()> {
        #[side_effect(key = "reserve", verify = world.has("reserve"), settle = "0s")]
        world.act("reserve")?;
        #[read(key = "check")]
        world.check()?;
        Ok(())
    }
}

/// The keys of the records of one kind, each with its attempt.
fn keys(store: &MemoryStore, action: &str) -> Vec<String> {
    let key = |event: &Event| match event {
        Event::Reserve(reserve) => Some(format!("{} {}", reserve.key, reserve.attempt)),
        Event::Done(done) => Some(format!("{} {}", done.key, done.attempt)),
        _ => None,
    };
    let records = store.records();
    records.iter().map(|record| &record.event).filter(|event| event.action() == action).filter_map(key).collect()
}

async fn open(store: &MemoryStore) -> Session {
    Session::builder("memory").store(store.clone()).open().await.unwrap()
}

#[tokio::test]
async fn g19_a_recorded_step_that_the_code_no_longer_has_is_refused_before_anything_runs() {
    let (store, world) = (MemoryStore::new(), breaking());
    before::order(&open(&store).await, &world).await.unwrap_err();
    let error = after::order(&open(&store).await, &world).await.unwrap_err().to_string();
    assert!(error.contains("`order//book` of it is recorded") && error.contains("old key"), "{error}");
    assert_eq!(world.happened(), ["book"]);
    world.is_down.store(false, Ordering::Relaxed);
    before::order(&open(&store).await, &world).await.unwrap();
    assert_eq!(world.happened(), ["book"]);
}

/// G18: the key comes from something that is different in each start.
#[tokio::test]
async fn g18_a_run_that_does_not_reach_what_it_recorded_does_not_finish() {
    #[durable_workflow(goal = "order")]
    async fn order(session: &Session, #[resource] world: &World, #[resource] minute: u32) -> anyhow::Result<()> {
        let minute = minute.to_string();
        #[side_effect(key = "book/{minute}", verify = world.has(&format!("book {minute}")), settle = "0s")]
        world.act(&format!("book {minute}"))?;
        #[read(key = "check")]
        world.check()?;
        Ok(())
    }
    let (store, world) = (MemoryStore::new(), breaking());
    order(&open(&store).await, &world, 1).await.unwrap_err();
    world.is_down.store(false, Ordering::Relaxed);
    let error = order(&open(&store).await, &world, 2).await.unwrap_err().to_string();
    assert!(error.contains("without reaching `order//book/1`") && error.contains("#[read]"), "{error}");
    assert!(error.contains("and reached `order//book/2` instead"), "{error}");
    let error = order(&open(&store).await, &world, 1).await.unwrap_err().to_string();
    assert!(error.contains("without reaching `order//book/2`"), "{error}");
}

/// G18: and each further start would be one effect more.
#[tokio::test]
async fn g18_a_run_that_was_found_out_begins_no_further_key_of_that_template() {
    mod found_out {
        use super::*;

        #[durable_workflow]
        async fn one(session: &Session, #[resource] world: &World) -> anyhow::Result<()> {
            #[side_effect(key = "book", in_doubt = "ada")]
            world.act("book")?;
            Ok(())
        }

        #[durable_workflow(key = "order", goal = "order")]
        pub(super) async fn steps(
            session: &Session,
            #[resource] world: &World,
            #[resource] minute: u32,
        ) -> anyhow::Result<()> {
            let minute = minute.to_string();
            #[side_effect(key = "book/{minute}", in_doubt = "ada")]
            world.act("book")?;
            #[read(key = "check")]
            world.check()?;
            Ok(())
        }

        #[durable_workflow(key = "order", goal = "order")]
        pub(super) async fn runs(
            session: &Session,
            #[resource] world: &World,
            #[resource] minute: u32,
        ) -> anyhow::Result<()> {
            let minute = minute.to_string();
            #[run(key = "book/{minute}")]
            one(session, world).await?;
            #[read(key = "check")]
            world.check()?;
            Ok(())
        }
    }
    macro_rules! tried {
        ($order:ident) => {{
            let (store, world) = (MemoryStore::new(), breaking());
            found_out::$order(&open(&store).await, &world, 1).await.unwrap_err();
            world.is_down.store(false, Ordering::Relaxed);
            let error = found_out::$order(&open(&store).await, &world, 2).await.unwrap_err();
            assert!(error.to_string().contains("without reaching"), "{error}");
            for minute in 3..6 {
                let error = found_out::$order(&open(&store).await, &world, minute).await.unwrap_err();
                let is_conflict = error.downcast_ref::<Error>().is_some_and(Error::is_conflict);
                let (key, error) = (format!("`order//book/{minute}`"), error.to_string());
                assert!(error.contains(&key) && error.contains("ended without reaching"), "{error}");
                assert!(is_conflict, "no start mends it: {error}");
            }
            assert_eq!(world.happened(), ["book", "book"]);
        }};
    }
    tried!(steps);
    tried!(runs);
}

#[tokio::test]
async fn a_stopped_workflow_called_again_in_the_same_start_says_to_start_again() {
    let (store, world) = (MemoryStore::new(), breaking());
    let session = open(&store).await;
    before::order(&session, &world).await.unwrap_err();
    world.is_down.store(false, Ordering::Relaxed);
    let error = before::order(&session, &world).await.unwrap_err().to_string();
    assert!(error.contains("stopped in this start") && error.contains("start again"), "{error}");
}

#[tokio::test]
async fn g39_a_workflow_that_is_dropped_between_two_steps_is_stopped() {
    #[durable_workflow(goal = "wait")]
    async fn waits(session: &Session, #[resource] world: &World) -> anyhow::Result<()> {
        #[side_effect(key = "book", verify = world.has("book"), settle = "0s")]
        world.act("book")?;
        std::future::pending::<()>().await;
        Ok(())
    }
    let (store, world) = (MemoryStore::new(), World::default());
    let session = open(&store).await;
    tokio::select! {
        biased;
        _ = waits(&session, &world) => panic!("it waits for ever"),
        () = until(|| world.has("book")) => {}
    }
    let error = waits(&session, &world).await.unwrap_err().to_string();
    assert!(error.contains("dropped before it ended") && error.contains("start again"), "{error}");
    assert_eq!(world.happened(), ["book"]);
}

async fn until(is_true: impl Fn() -> bool) {
    while !is_true() {
        tokio::task::yield_now().await;
    }
    // The result of the step is recorded, and the workflow waits.
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_helper_that_is_called_in_a_loop_is_told_to_take_a_key_of_its_own() {
    #[durable_workflow]
    async fn helper(session: &Session, #[resource] world: &World) -> anyhow::Result<()> {
        #[side_effect(key = "book", verify = world.has("book"), settle = "0s")]
        world.act("book")?;
        Ok(())
    }
    #[durable_workflow(goal = "help")]
    async fn parent(session: &Session, #[resource] world: &World) -> anyhow::Result<()> {
        for _ in 0..2 {
            helper(session, world).await?;
        }
        Ok(())
    }
    let error = parent(&open(&MemoryStore::new()).await, &World::default()).await.unwrap_err().to_string();
    assert!(
        error.contains("`parent//helper` is reached twice") && error.contains("`#[run(key = \"helper/{n}\""),
        "{error}"
    );
}

/// The step is proven absent, tried again and done; then somebody puts an older journal back, which says *absent*.
#[tokio::test]
async fn g01_an_older_journal_beside_newer_witnesses_leads_to_verify_never_to_a_second_effect() {
    let directory = tempfile::tempdir().unwrap();
    let session = directory.path().join("session");
    let world = World::default();
    #[durable_workflow(goal = "book")]
    async fn book(session: &Session, #[resource] world: &World, #[resource] fails: bool) -> anyhow::Result<()> {
        #[side_effect(key = "book", verify = world.has("book"), settle = "0s")]
        if_works(fails, world)?;
        Ok(())
    }
    fn if_works(fails: bool, world: &World) -> anyhow::Result<()> {
        if fails { Err(anyhow::anyhow!("refused")) } else { Ok(world.act("book")?) }
    }
    let start = async |fails| {
        let opened = Session::open(&session).await.unwrap();
        let result = book(&opened, &world, fails).await;
        opened.close().await.unwrap();
        result
    };
    start(true).await.unwrap_err();
    let older = std::fs::read(session.join("journal.jsonl")).unwrap();
    start(false).await.unwrap();
    std::fs::write(session.join("journal.jsonl"), older).unwrap();
    start(false).await.unwrap();
    assert_eq!(world.happened(), ["book"]);
}
