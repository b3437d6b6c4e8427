//! The ways out that the errors word for changed code: each is taken as it is written, and leads to the end.

use std::sync::atomic::Ordering;

use durable_runtime::prelude::*;
use durable_runtime::store::memory::MemoryStore;

use super::{World, breaking, open};

mod unreached {
    use super::*;

    #[durable_workflow(goal = "pay")]
    pub(super) async fn two(session: &Session, #[resource] world: &World) -> anyhow::Result<()> {
        for n in [1_u32, 2] {
            #[side_effect(key = "pay/{n}", in_doubt = "bank")]
            world.act(&format!("pay {n}"))?;
        }
        #[read(key = "last")]
        world.check()?;
        Ok(())
    }

    pub(super) mod fewer {
        use super::*;

        #[durable_workflow(goal = "pay")]
        pub(crate) async fn two(session: &Session, #[resource] world: &World) -> anyhow::Result<()> {
            for n in [1_u32] {
                #[side_effect(key = "pay/{n}", in_doubt = "bank")]
                world.act(&format!("pay {n}"))?;
            }
            #[read(key = "last")]
            world.check()?;
            Ok(())
        }
    }

    pub(super) mod versioned {
        use super::*;

        #[durable_workflow(goal = "pay", version = 2)]
        pub(crate) async fn two(session: &Session, #[resource] world: &World) -> anyhow::Result<()> {
            let all = if session.began_at()?.version < 2 { 2 } else { 1 };
            for n in 1..=all {
                #[side_effect(key = "pay/{n}", in_doubt = "bank")]
                world.act(&format!("pay {n}"))?;
            }
            #[read(key = "last")]
            world.check()?;
            Ok(())
        }
    }
}

#[tokio::test]
async fn a_list_that_is_shorter_now_is_told_how_older_runs_end() {
    use unreached::{fewer, two, versioned};
    let (store, world) = (MemoryStore::new(), breaking());
    two(&open(&store).await, &world).await.unwrap_err();
    world.is_down.store(false, Ordering::Relaxed);
    let error = fewer::two(&open(&store).await, &world).await.unwrap_err().to_string();
    assert!(error.contains("without reaching `two//pay/2`"), "{error}");
    assert!(error.contains("let runs that began before go the way that leads there (`version`, `session.began_at()`)"));
    assert!(error.contains("or give the run up with `session.cancel(\"two\")`"), "{error}");
    versioned::two(&open(&store).await, &world).await.unwrap();
    assert_eq!(world.happened(), ["pay 1", "pay 2"]);
}

#[tokio::test]
async fn two_steps_that_became_one_are_told_which_is_left_behind() {
    mod before {
        use super::*;

        #[durable_workflow(goal = "send")]
        pub(super) async fn send(session: &Session, #[resource] world: &World) -> anyhow::Result<()> {
            #[side_effect(key = "pack", in_doubt = "office")]
            world.act("pack")?;
            #[side_effect(key = "post", in_doubt = "office")]
            world.act("post")?;
            #[read(key = "last")]
            world.check()?;
            Ok(())
        }
    }
    mod merged {
        use super::*;

        #[durable_workflow(goal = "send")]
        pub(super) async fn send(session: &Session, #[resource] world: &World) -> anyhow::Result<()> {
            #[side_effect(key = "ship", formerly = ["pack", "post"], in_doubt = "office")]
            world.act("ship")?;
            #[read(key = "last")]
            world.check()?;
            Ok(())
        }
    }
    mod told {
        use super::*;

        #[durable_workflow(goal = "send", retired = ["post"])]
        pub(super) async fn send(session: &Session, #[resource] world: &World) -> anyhow::Result<()> {
            #[side_effect(key = "ship", formerly = ["pack"], in_doubt = "office")]
            world.act("ship")?;
            #[read(key = "last")]
            world.check()?;
            Ok(())
        }
    }
    let (store, world) = (MemoryStore::new(), breaking());
    before::send(&open(&store).await, &world).await.unwrap_err();
    world.is_down.store(false, Ordering::Relaxed);
    let error = merged::send(&open(&store).await, &world).await.unwrap_err().to_string();
    let way = "take \"post\" out of `formerly`, and write `retired = [\"post\"]` on the workflow";
    assert!(error.contains(way), "{error}");
    told::send(&open(&store).await, &world).await.unwrap();
    assert_eq!(world.happened(), ["pack", "post"]);
}

/// The newer code has entered a run, and nothing was done in it yet.
#[tokio::test]
async fn a_called_run_in_which_nothing_was_done_keeps_no_older_code_from_its_end() {
    mod newer {
        use super::*;

        #[durable_workflow(goal = "work")]
        pub(super) async fn work(session: &Session, #[resource] world: &World) -> anyhow::Result<()> {
            pause(session, world).await?;
            Ok(())
        }

        #[durable_workflow]
        async fn pause(session: &Session, #[resource] world: &World) -> anyhow::Result<()> {
            #[read(key = "check")]
            world.check()?;
            Ok(())
        }
    }
    #[durable_workflow(goal = "work")]
    async fn work(session: &Session, #[resource] world: &World) -> anyhow::Result<()> {
        #[side_effect(key = "post", in_doubt = "office")]
        world.act("post")?;
        Ok(())
    }
    let (store, world) = (MemoryStore::new(), breaking());
    newer::work(&open(&store).await, &world).await.unwrap_err();
    work(&open(&store).await, &world).await.unwrap();
    assert_eq!(world.happened(), ["post"]);
}

/// Workflows that enter a run in which nothing is done while the world is down, by a call of this kind.
macro_rules! entering {
    ($name:ident: $key:literal, $n:ident $(, $run:meta)?) => {
        mod $name {
            use super::*;

            #[durable_workflow(goal = "work")]
            pub(super) async fn work(session: &Session, #[resource] world: &World) -> anyhow::Result<()> {
                for $n in [1_u32] {
                    $(#[$run])?
                    pause(session, world, $n).await?;
                }
                Ok(())
            }

            /// The same, which fails before its end.
            #[durable_workflow(key = "work", goal = "work")]
            pub(super) async fn halfway(session: &Session, #[resource] world: &World) -> anyhow::Result<()> {
                for $n in [1_u32] {
                    $(#[$run])?
                    pause(session, world, $n).await?;
                }
                anyhow::bail!("no power")
            }

            #[durable_workflow(key = $key)]
            async fn pause(session: &Session, #[resource] world: &World, $n: u32) -> anyhow::Result<()> {
                #[read(key = "check")]
                world.check()?;
                #[side_effect(key = "post", in_doubt = "office")]
                world.act(&format!("post {}", $n))?;
                Ok(())
            }
        }
    };
}

entering!(named: "pause", n, run(key = "morning/{n}"));
entering!(named_anew: "pause", n, run(key = "morning/{n:02}"));
entering!(named_otherwise: "pause", n, run(key = "evening/{n}"));
entering!(keyed: "pause/{n}", n);
entering!(keyed_anew: "pause/{n:02}", n);
entering!(keyed_otherwise: "break/{n}", n);

/// Nothing would happen again, whatever the code calls the run now.
#[tokio::test]
async fn a_run_in_which_nothing_was_done_may_have_another_key_now() {
    macro_rules! goes_on {
        ($old:ident, $new:ident) => {{
            let (store, world) = (MemoryStore::new(), breaking());
            $old::work(&open(&store).await, &world).await.unwrap_err();
            world.is_down.store(false, Ordering::Relaxed);
            $new::work(&open(&store).await, &world).await.unwrap();
            assert_eq!(world.happened(), ["post 1"]);
        }};
    }
    goes_on!(named, named_anew);
    goes_on!(named, named_otherwise);
    goes_on!(named, keyed);
    goes_on!(keyed, named);
    goes_on!(keyed, keyed_anew);
    goes_on!(keyed, keyed_otherwise);
}

/// The newer code did it under another key, and is taken back: the run that the older has entered is not gone on with.
#[tokio::test]
async fn what_was_done_under_another_key_is_not_done_again_in_a_run_that_was_entered_before() {
    macro_rules! refused {
        ($old:ident, $new:ident) => {{
            let (store, world) = (MemoryStore::new(), breaking());
            $old::halfway(&open(&store).await, &world).await.unwrap_err();
            world.is_down.store(false, Ordering::Relaxed);
            $new::halfway(&open(&store).await, &world).await.unwrap_err();
            let error = $old::halfway(&open(&store).await, &world).await.unwrap_err().to_string();
            assert!(error.contains("under another"), "{error}");
            assert_eq!(world.happened(), ["post 1"]);
        }};
    }
    refused!(named, named_anew);
    refused!(named, named_otherwise);
    refused!(keyed, keyed_anew);
    refused!(keyed, keyed_otherwise);
}

/// A step that stands in a called workflow now: the way for that is said beside the others.
#[tokio::test]
async fn a_step_that_has_moved_into_a_called_workflow_goes_on_there() {
    mod before {
        use super::*;

        #[durable_workflow(goal = "send")]
        pub(super) async fn send(session: &Session, #[resource] world: &World) -> anyhow::Result<()> {
            #[side_effect(key = "post", in_doubt = "office")]
            world.act("post")?;
            #[read(key = "last")]
            world.check()?;
            Ok(())
        }
    }
    mod moved {
        use super::*;

        #[durable_workflow(goal = "send")]
        pub(super) async fn send(session: &Session, #[resource] world: &World) -> anyhow::Result<()> {
            deliver(session, world).await?;
            Ok(())
        }

        #[durable_workflow]
        async fn deliver(session: &Session, #[resource] world: &World) -> anyhow::Result<()> {
            #[side_effect(key = "post", in_doubt = "office")]
            world.act("post")?;
            Ok(())
        }
    }
    mod told {
        use super::*;

        #[durable_workflow(goal = "send", retired = ["post"])]
        pub(super) async fn send(session: &Session, #[resource] world: &World) -> anyhow::Result<()> {
            deliver(session, world).await?;
            Ok(())
        }

        #[durable_workflow]
        async fn deliver(session: &Session, #[resource] world: &World) -> anyhow::Result<()> {
            #[side_effect(key = "post", formerly = ["send//post"], in_doubt = "office")]
            world.act("post")?;
            Ok(())
        }
    }
    let (store, world) = (MemoryStore::new(), breaking());
    before::send(&open(&store).await, &world).await.unwrap_err();
    let error = moved::send(&open(&store).await, &world).await.unwrap_err().to_string();
    assert!(error.contains("there with its full key, `formerly = [\"send//post\"]`"), "{error}");
    told::send(&open(&store).await, &world).await.unwrap();
    assert_eq!(world.happened(), ["post"]);
}

#[tokio::test]
async fn a_called_workflow_that_has_another_name_says_so_itself() {
    macro_rules! sends {
        ($module:ident, $called:ident $(, $($args:tt)*)?) => {
            mod $module {
                use super::*;

                #[durable_workflow(goal = "send")]
                pub(super) async fn send(session: &Session, #[resource] world: &World) -> anyhow::Result<()> {
                    $called(session, world, 7).await?;
                    #[read(key = "last")]
                    world.check()?;
                    Ok(())
                }

                #[durable_workflow($($($args)*)?)]
                async fn $called(session: &Session, #[resource] world: &World, to: u32) -> anyhow::Result<u32> {
                    #[side_effect(key = "post", in_doubt = "office")]
                    world.act("post")?;
                    Ok(to)
                }
            }
        };
    }
    sends!(before, deliver);
    sends!(renamed, hand_over);
    sends!(told, hand_over, formerly = ["deliver"]);
    let (store, world) = (MemoryStore::new(), breaking());
    before::send(&open(&store).await, &world).await.unwrap_err();
    world.is_down.store(false, Ordering::Relaxed);
    let error = renamed::send(&open(&store).await, &world).await.unwrap_err().to_string();
    let way = "where `deliver` itself has another name now, write `formerly = [\"deliver\"]` on it";
    assert!(error.contains(way), "{error}");
    told::send(&open(&store).await, &world).await.unwrap();
    assert_eq!(world.happened(), ["post"]);
}
