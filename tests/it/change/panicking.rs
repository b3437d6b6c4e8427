//! A panic in one of many that run side by side takes none of the others along.

use durable_runtime::prelude::*;
use durable_runtime::store::memory::MemoryStore;
use durable_runtime::{each, try_join};

use super::{World, keys, open};

/// Where the first of the items panics, if it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    Items,
    Call,
    BeforeStep,
    Effect,
    AfterStep,
    Nowhere,
}

impl At {
    fn panics_if(self, is_it: bool, here: Self) {
        assert!(!is_it || self != here, "a bug at {here:?}");
    }
}

/// The effect of a step that takes its time.
async fn slow(world: &World, what: &str) -> anyhow::Result<()> {
    for _ in 0..5 {
        tokio::task::yield_now().await;
    }
    Ok(world.act(what)?)
}

#[durable_workflow(goal = "work")]
async fn work(session: &Session, #[resource] world: &World, #[resource] at: At) -> anyhow::Result<Vec<u32>> {
    // The first two are under way when the third begins.
    let items = (0..5_u32).inspect(|n| at.panics_if(*n == 2, At::Items));
    let work = |n: u32| {
        at.panics_if(n == 2, At::Call);
        async move {
            at.panics_if(n == 2, At::BeforeStep);
            #[side_effect(key = "act/{n}" as act, verify = world.find(act.as_str()), settle = "0s")]
            {
                at.panics_if(n == 2, At::Effect);
                slow(world, act.as_str()).await?;
            };
            at.panics_if(n == 2, At::AfterStep);
            anyhow::Ok(n)
        }
    };
    each(items, 3, work).await
}

#[tokio::test]
async fn each_lets_the_others_end_where_one_panics() {
    for at in [At::Items, At::Call, At::BeforeStep, At::Effect, At::AfterStep] {
        let (store, world) = (MemoryStore::new(), World::default());
        let error = work(&open(&store).await, &world, at).await.unwrap_err().to_string();
        assert!(error.contains(&format!("a bug at {at:?}")), "{error}");
        // By the time that the third is behind its step, the others are too, and the next two have begun.
        let happened = if at == At::AfterStep { 5 } else { 2 };
        assert_eq!(world.happened().len(), happened, "{at:?}: what was running ends, and nothing is begun");
        assert_eq!(keys(&store, "done").len(), world.happened().len(), "{at:?}: and is recorded");
        let left = keys(&store, "reserve").len() - keys(&store, "done").len();
        assert_eq!(left, usize::from(at == At::Effect), "{at:?}: only what panicked itself is in doubt");
        assert_eq!(work(&open(&store).await, &world, At::Nowhere).await.unwrap(), [0, 1, 2, 3, 4]);
        assert_eq!(world.happened().len(), 5, "{at:?}: each once");
    }
}

#[tokio::test]
async fn try_join_lets_the_others_end_where_one_panics() {
    #[durable_workflow(goal = "work")]
    async fn pair(session: &Session, #[resource] world: &World, #[resource] at: At) -> anyhow::Result<()> {
        let ((), ()) = try_join!(
            async {
                #[side_effect(key = "slow" as act, verify = world.find(act.as_str()), settle = "0s")]
                slow(world, act.as_str()).await?;
                anyhow::Ok(())
            },
            async {
                at.panics_if(true, At::BeforeStep);
                Err(anyhow::anyhow!("and no error counts beside a panic"))
            },
        )?;
        Ok(())
    }
    let (store, world) = (MemoryStore::new(), World::default());
    let error = pair(&open(&store).await, &world, At::BeforeStep).await.unwrap_err().to_string();
    assert!(error.contains("a bug at BeforeStep"), "{error}");
    assert_eq!(
        (world.happened(), keys(&store, "done")),
        (vec!["pair//slow".to_owned()], vec!["pair//slow 1".to_owned()])
    );
}

/// The first counts, and an error before it does not hide it.
#[tokio::test]
async fn a_panic_counts_more_than_an_error() {
    let work = each(0..3, 3, async |n: u32| {
        for _ in 0..n {
            tokio::task::yield_now().await;
        }
        assert!(n != 1, "a bug");
        Err::<(), _>(std::io::Error::other(n.to_string()))
    });
    let panic = tokio::spawn(work).await.unwrap_err().into_panic();
    assert_eq!(panic.downcast_ref::<&str>(), Some(&"a bug"));
}
