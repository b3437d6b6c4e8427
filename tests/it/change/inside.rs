//! Steps and runs that are reached inside the expression of another step: a replay would not come to them.

use durable_runtime::prelude::*;
use durable_runtime::store::memory::MemoryStore;
use futures_util::StreamExt as _;

use super::{World, open};

#[durable_workflow]
async fn helper(session: &Session, #[resource] world: &World, name: &str) -> anyhow::Result<u32> {
    #[side_effect(key = "mail/{name}" as mail, in_doubt = "office")]
    world.act(mail.as_str())?;
    tokio::task::yield_now().await;
    Ok(1)
}

/// A resource that holds the session: what it calls, the compiler does not see.
struct Post<'a> {
    session: Session,
    world: &'a World,
}

impl<'a> Post<'a> {
    fn of(session: &Session, world: &'a World) -> Self {
        Self { session: session.clone(), world }
    }

    async fn send(&self, name: &str) -> anyhow::Result<u32> {
        helper(&self.session, self.world, name).await
    }

    async fn send_if(&self, sends: bool) -> anyhow::Result<u32> {
        tokio::task::yield_now().await;
        if sends { self.send("ada").await } else { Ok(1) }
    }
}

fn is_inside(error: &anyhow::Error, inner: &str, outer: &str) {
    let error = format!("{error:#}");
    for text in [&format!("`{inner}`"), &format!("inside the expression of step `{outer}`"), "#[run(key = ..)]"] {
        assert!(error.contains(text), "{text}: {error}");
    }
}

/// Whoever swallows the refusal comes to no end: the run has stopped.
#[tokio::test]
async fn a_workflow_that_a_step_calls_is_refused_and_stops_the_run() {
    #[durable_workflow(goal = "work")]
    async fn work(session: &Session, #[resource] post: &Post<'_>) -> anyhow::Result<u32> {
        #[read(key = "outer")]
        let sent = post.send("ada").await.unwrap_or(7);
        Ok(sent)
    }
    let (session, world) = (open(&MemoryStore::new()).await, World::default());
    let error = work(&session, &Post::of(&session, &world)).await.unwrap_err();
    is_inside(&error, "work//helper", "work//outer");
    assert_eq!(world.happened(), [""; 0], "nothing has begun");
}

/// The session is one that a resource holds, and belongs to no run.
#[tokio::test]
async fn a_step_is_refused_wherever_its_session_comes_from() {
    struct Office {
        session: Session,
        world: World,
    }
    impl Office {
        #[durable_workflow(session = self.session)]
        async fn send(&self) -> anyhow::Result<u32> {
            #[side_effect(key = "send", in_doubt = "office")]
            self.world.act("send")?;
            Ok(1)
        }

        /// No workflow.
        async fn help(&self) -> anyhow::Result<u32> {
            tokio::task::yield_now().await;
            self.send().await
        }

        #[durable_workflow(session = self.session, goal = "work")]
        async fn work(&self) -> anyhow::Result<u32> {
            #[side_effect(key = "outer", in_doubt = "office")]
            let sent = self.help().await?;
            Ok(sent)
        }
    }
    let office = Office { session: open(&MemoryStore::new()).await, world: World::default() };
    is_inside(&office.work().await.unwrap_err(), "work//send", "work//outer");
    assert_eq!(office.world.happened(), [""; 0]);
}

/// What stands in a closure or an `async` block has steps beside it: those are not inside it.
#[tokio::test]
async fn inside_is_told_from_beside_where_steps_run_at_the_same_time() {
    #[durable_workflow(goal = "work")]
    async fn work(
        session: &Session,
        #[resource] post: &Post<'_>,
        #[resource] world: &World,
        bad: bool,
    ) -> anyhow::Result<u32> {
        let (one, two) = tokio::join!(
            async {
                #[read(key = "left")]
                let left = post.send_if(bad).await?;
                anyhow::Ok(left)
            },
            async {
                #[read(key = "right")]
                let right = post.send_if(false).await?;
                #[run(key = "run")]
                helper(session, world, "bob").await?;
                anyhow::Ok(right)
            },
        );
        Ok(one? + two?)
    }
    let (session, world) = (open(&MemoryStore::new()).await, World::default());
    assert_eq!(work(&session, &Post::of(&session, &world), &world, false).await.unwrap(), 2);
    assert_eq!(world.happened(), ["work//run//mail/bob"]);
    let session = open(&MemoryStore::new()).await;
    let error = work(&session, &Post::of(&session, &world), &world, true).await.unwrap_err();
    is_inside(&error, "work//helper", "work//left");
}

#[tokio::test]
async fn a_verifier_starts_no_steps() {
    #[durable_workflow(goal = "work")]
    async fn work(session: &Session, #[resource] post: &Post<'_>) -> anyhow::Result<()> {
        #[side_effect(key = "pay" as pay, verify = post.send("ada").await.map(|_| true), settle = "0s")]
        post.world.pay_and_fail(pay)?;
        Ok(())
    }
    let (session, world) = (open(&MemoryStore::new()).await, World::default());
    let error = work(&session, &Post::of(&session, &world)).await.unwrap_err();
    assert!(format!("{error:#}").contains("inside the expression of step `work//pay`"), "{error:#}");
    assert_eq!(world.happened().len(), 1);
}

/// G15: none of these is inside another.
#[tokio::test]
async fn streams_streams_of_runs_and_runs_side_by_side_are_not_refused() {
    #[durable_workflow(key = "work/{id}", goal = "work")]
    async fn work(session: &Session, #[resource] world: &World, id: u32) -> anyhow::Result<u32> {
        #[read(key = "first")]
        let first = {
            // The other run begins meanwhile.
            tokio::task::yield_now().await;
            id
        };
        let sends = (0..3).map(async |n| {
            #[run(key = "to/{n}")]
            let sent = helper(session, world, "all").await?;
            #[read(key = "seen/{n}")]
            let seen = async { sent }.await;
            anyhow::Ok(seen)
        });
        let mut all = sends.collect::<futures_util::stream::FuturesUnordered<_>>();
        let mut total = 0;
        while let Some(sent) = all.next().await {
            total += sent?;
        }
        Ok(total + first - id)
    }
    let (session, world) = (open(&MemoryStore::new()).await, World::default());
    let (one, two) = tokio::join!(work(&session, &world, 1), work(&session, &world, 2));
    assert_eq!((one.unwrap(), two.unwrap(), world.happened().len()), (3, 3, 6));
}

/// A step may work on another session: what that records is another matter.
#[tokio::test]
async fn a_step_may_run_a_workflow_of_another_session() {
    #[durable_workflow(goal = "work")]
    async fn work(session: &Session, #[resource] other: &Session, #[resource] world: &World) -> anyhow::Result<u32> {
        #[side_effect(key = "outer", idempotent = "the other session knows what it did")]
        let sent = root(other, world).await?;
        let beside = async {
            #[side_effect(key = "beside", idempotent = "the other session knows what it did")]
            let sent = again(other, world).await?;
            anyhow::Ok(sent)
        };
        Ok(sent + beside.await?)
    }
    #[durable_workflow(goal = "mail")]
    async fn again(session: &Session, #[resource] world: &World) -> anyhow::Result<u32> {
        helper(session, world, "bob").await
    }
    #[durable_workflow(goal = "mail")]
    async fn root(session: &Session, #[resource] world: &World) -> anyhow::Result<u32> {
        helper(session, world, "ada").await
    }
    let world = World::default();
    let (session, other) = (open(&MemoryStore::new()).await, open(&MemoryStore::new()).await);
    assert_eq!(work(&session, &other, &world).await.unwrap(), 2);
}
