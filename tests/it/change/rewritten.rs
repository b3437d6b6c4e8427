//! Keys of the same shape that come out otherwise, since a hole of them is written otherwise now: refused, not done again.

use std::sync::atomic::Ordering;

use durable_runtime::prelude::*;
use durable_runtime::store::memory::MemoryStore;

use super::{World, breaking, open};

/// Workflows that do something twice, and then fail while the world is down: each time in a step, in a named run, in a
/// run that is called, and at the root.
macro_rules! workflows {
    ($name:ident, $n:ident: $pay:literal $(formerly $old:literal)*, $work:literal $(formerly $old_work:literal)*) => {
        pub(super) mod $name {
            use super::*;

            #[durable_workflow(goal = "pay")]
            pub(super) async fn steps(session: &Session, #[resource] world: &World) -> anyhow::Result<()> {
                for $n in [1_u32, 2] {
                    #[side_effect(key = $pay $(, formerly = [$old])*, in_doubt = "bank")]
                    world.act(&format!("pay {}", $n))?;
                }
                #[read(key = "last")]
                world.check()?;
                Ok(())
            }

            #[durable_workflow(goal = "pay")]
            pub(super) async fn named(session: &Session, #[resource] world: &World) -> anyhow::Result<()> {
                for $n in [1_u32, 2] {
                    #[run(key = $pay $(, formerly = [$old])*)]
                    one(session, world, $n).await?;
                }
                #[read(key = "last")]
                world.check()?;
                Ok(())
            }

            #[durable_workflow]
            async fn one(session: &Session, #[resource] world: &World, $n: u32) -> anyhow::Result<()> {
                #[side_effect(key = "pay", in_doubt = "bank")]
                world.act(&format!("pay {}", $n))?;
                Ok(())
            }

            #[durable_workflow(goal = "pay")]
            pub(super) async fn called(session: &Session, #[resource] world: &World) -> anyhow::Result<()> {
                for $n in [1_u32, 2] {
                    work(session, world, $n).await?;
                }
                #[read(key = "last")]
                world.check()?;
                Ok(())
            }

            #[durable_workflow(key = $work $(, formerly = [$old_work])*, goal = "pay")]
            async fn work(session: &Session, #[resource] world: &World, $n: u32) -> anyhow::Result<()> {
                #[side_effect(key = "pay", in_doubt = "bank")]
                world.act(&format!("pay {}", $n))?;
                Ok(())
            }

            #[durable_workflow(key = $work $(, formerly = [$old_work])*, goal = "pay")]
            pub(super) async fn root(session: &Session, #[resource] world: &World, $n: u32) -> anyhow::Result<()> {
                #[side_effect(key = "pay", in_doubt = "bank")]
                world.act(&format!("pay {}", $n))?;
                #[read(key = "last")]
                world.check()?;
                Ok(())
            }
        }
    };
}

workflows!(plain, n: "pay/{n}", "work/{n}");
workflows!(padded, n: "pay/{n:02}", "work/{n:02}");
workflows!(told, n: "pay/{n:02}" formerly "pay/{n}", "work/{n:02}" formerly "work/{n}");

mod as_now {
    use super::*;

    #[durable_workflow(goal = "pay")]
    pub(super) async fn steps(session: &Session, #[resource] world: &World) -> anyhow::Result<()> {
        for n in [1_u32, 2] {
            #[side_effect(key = "settle/{n:02}", formerly = ["pay/{}"], in_doubt = "bank")]
            world.act(&format!("pay {n}"))?;
        }
        Ok(())
    }
}

/// The run of `plain` breaks off; the other code refuses it with these words and does nothing; and the code that says how the
/// key was written goes on, though itself it breaks off once. Then the first cannot go on, where other keys are recorded now.
macro_rules! refused {
    ($workflow:ident($($n:expr)?), $other:ident: $words:expr) => {{
        let (store, world) = (MemoryStore::new(), breaking());
        plain::$workflow(&open(&store).await, &world $(, $n)?).await.unwrap_err();
        let before = world.happened();
        // The second time it has forgotten again what code between them knew.
        for _ in 0..2 {
            let error = $other::$workflow(&open(&store).await, &world $(, $n)?).await.unwrap_err();
            let error = error.downcast::<durable_runtime::Error>().expect("an error of the library");
            assert!(error.is_conflict() && error.to_string().contains($words), "{error}");
            told::$workflow(&open(&store).await, &world $(, $n)?).await.unwrap_err();
        }
        world.is_down.store(false, Ordering::Relaxed);
        told::$workflow(&open(&store).await, &world $(, $n)?).await.unwrap();
        assert_eq!(world.happened(), before);
    }};
}

#[tokio::test]
async fn a_step_whose_hole_has_another_format_is_not_done_again() {
    refused!(steps(), padded: "step `steps//pay/1` in it is recorded under a key that was written `pay/{n}`");
    refused!(steps(), padded: "the code writes `pay/{n:02}`");
    refused!(steps(), padded: "write `formerly = [\"pay/{n}\"]` on it");
}

#[tokio::test]
async fn a_former_key_that_takes_the_format_of_now_is_not_what_is_recorded() {
    refused!(steps(), as_now: "the code writes `pay/{n:02}`");
}

#[tokio::test]
async fn a_named_run_whose_hole_has_another_format_is_not_begun_again() {
    refused!(named(), padded: "write `formerly = [\"pay/{n}\"]` into its `#[run]`");
}

#[tokio::test]
async fn a_called_run_with_the_same_inputs_is_not_begun_under_another_key() {
    refused!(called(), padded: "run `called//work/1` of its workflow `work` was begun with inputs that are recorded the same");
}

#[tokio::test]
async fn a_root_run_with_the_same_inputs_is_not_begun_under_another_key() {
    refused!(root(1), padded: "run `work/1` of its workflow `root` was begun with inputs that are recorded the same");
}

#[tokio::test]
async fn another_run_of_a_workflow_is_begun_beside_an_unfinished_one() {
    let (store, world) = (MemoryStore::new(), breaking());
    plain::root(&open(&store).await, &world, 1).await.unwrap_err();
    plain::root(&open(&store).await, &world, 2).await.unwrap_err();
    assert_eq!(world.happened(), ["pay 1", "pay 2"]);
}

#[tokio::test]
async fn older_code_does_not_do_again_what_the_newer_has_done_under_another_format() {
    let (store, world) = (MemoryStore::new(), World::default());
    world.is_down.store(true, Ordering::Relaxed);
    told::steps(&open(&store).await, &world).await.unwrap_err();
    let error = plain::steps(&open(&store).await, &world).await.unwrap_err().to_string();
    assert!(error.contains("was written `pay/{n:02}`, and the code writes `pay/{n}`"), "{error}");
    assert_eq!(world.happened(), ["pay 1", "pay 2"]);
}

#[tokio::test]
async fn a_receiver_is_no_input_so_two_of_one_workflow_have_a_run_each() {
    struct Account {
        id: u32,
        session: Session,
    }
    impl Account {
        #[durable_workflow(key = "close/{self.id}", goal = "close", session = self.session)]
        async fn close(&self, #[resource] world: &World, why: &str) -> anyhow::Result<()> {
            let what = format!("close {} {why}", self.id);
            #[side_effect(key = "close", in_doubt = "branch")]
            world.act(&what)?;
            #[read(key = "last")]
            world.check()?;
            Ok(())
        }
    }
    let (store, world) = (MemoryStore::new(), breaking());
    for id in [1, 2] {
        Account { id, session: open(&store).await }.close(&world, "moved").await.unwrap_err();
    }
    assert_eq!(world.happened(), ["close 1 moved", "close 2 moved"]);
}

#[tokio::test]
async fn a_key_of_what_is_no_input_names_runs_of_the_same_inputs() {
    struct Month(u32);
    impl KeyPart for Month {
        fn write_part(&self, out: &mut dyn std::fmt::Write) -> std::fmt::Result {
            write!(out, "{}", self.0)
        }
    }
    impl Month {
        #[durable_workflow(key = "month/{self}", goal = "close")]
        async fn close(&self, session: &Session, #[resource] world: &World, why: &str) -> anyhow::Result<()> {
            let what = format!("close {} {why}", self.0);
            #[side_effect(key = "close", in_doubt = "branch")]
            world.act(&what)?;
            #[read(key = "last")]
            world.check()?;
            Ok(())
        }
    }
    #[durable_workflow(key = "shard/{N:02}", goal = "scan")]
    async fn scan<const N: usize>(session: &Session, #[resource] world: &World, how: &str) -> anyhow::Result<()> {
        #[side_effect(key = "scan", in_doubt = "branch")]
        world.act(&format!("scan {N} {how}"))?;
        #[read(key = "last")]
        world.check()?;
        Ok(())
    }
    let (store, world) = (MemoryStore::new(), breaking());
    for month in [1, 2] {
        Month(month).close(&open(&store).await, &world, "over").await.unwrap_err();
    }
    let (others, scanned) = (MemoryStore::new(), breaking());
    scan::<1>(&open(&others).await, &scanned, "fully").await.unwrap_err();
    scan::<2>(&open(&others).await, &scanned, "fully").await.unwrap_err();
    assert_eq!(world.happened(), ["close 1 over", "close 2 over"]);
    assert_eq!(scanned.happened(), ["scan 1 fully", "scan 2 fully"]);
}

/// Runs that were entered under one form of their key, finished under another, and then left out of the log: what that says of the
/// key is what it said before.
#[tokio::test]
async fn a_log_is_shrunk_that_knows_of_a_key_which_was_written_otherwise() {
    macro_rules! halves {
        ($name:ident, $n:ident: $key:literal $(formerly $old:literal)*) => {
            mod $name {
                use super::*;

                #[durable_workflow(key = "year", goal = "pay")]
                pub(super) async fn year(session: &Session, #[resource] world: &World, #[resource] ends: bool) -> anyhow::Result<()> {
                    for $n in [1_u32, 2] {
                        #[run(key = $key $(, formerly = [$old])*)]
                        month(session, world, $n).await?;
                    }
                    anyhow::ensure!(ends, "no power");
                    Ok(())
                }

                #[durable_workflow]
                async fn month(session: &Session, #[resource] world: &World, $n: u32) -> anyhow::Result<()> {
                    #[side_effect(key = "pay", in_doubt = "bank")]
                    world.act(&format!("pay {}", $n))?;
                    #[read(key = "check")]
                    world.check()?;
                    Ok(())
                }
            }
        };
    }
    halves!(first, n: "month/{n}");
    halves!(second, n: "month/{n:02}" formerly "month/{n}");
    halves!(third, n: "month/{n:02}");
    let (store, world) = (MemoryStore::new(), breaking());
    first::year(&open(&store).await, &world, true).await.unwrap_err();
    world.is_down.store(false, Ordering::Relaxed);
    let session = open(&store).await;
    second::year(&session, &world, false).await.unwrap_err();
    let before = store.records().len();
    session.trim().await.unwrap();
    assert!(store.records().len() < before, "what stood in the finished month is left out");
    drop(session);
    let error = third::year(&open(&store).await, &world, true).await.unwrap_err().to_string();
    assert!(error.contains("was written `month/{n}`"), "{error}");
    second::year(&open(&store).await, &world, true).await.unwrap();
    assert_eq!(world.happened(), ["pay 1", "pay 2"]);
}

/// The recorded form tells two inputs apart no more; that the key is written otherwise is only one of the reasons.
#[tokio::test]
async fn a_key_that_names_what_is_not_recorded_is_told_of_as_that() {
    #[derive(Clone, serde::Serialize, serde::Deserialize)]
    struct Order {
        #[serde(skip)]
        id: u32,
        name: String,
    }
    #[durable_workflow(key = "ship/{order.id}", goal = "ship")]
    async fn ship(session: &Session, #[resource] world: &World, order: &Order) -> anyhow::Result<()> {
        #[side_effect(key = "ship", in_doubt = "carrier")]
        world.act("ship")?;
        #[read(key = "last")]
        world.check()?;
        Ok(())
    }
    let (store, world) = (MemoryStore::new(), breaking());
    let order = |id| Order { id, name: "desk".to_owned() };
    ship(&open(&store).await, &world, &order(7)).await.unwrap_err();
    let error = ship(&open(&store).await, &world, &order(8)).await.unwrap_err().to_string();
    assert!(error.contains("or it names a part of an input that the recorded form leaves out"), "{error}");
    world.is_down.store(false, Ordering::Relaxed);
    ship(&open(&store).await, &world, &order(7)).await.unwrap();
    ship(&open(&store).await, &world, &order(8)).await.unwrap();
    assert_eq!(world.happened(), ["ship", "ship"]);
}

/// `{}` of a former key takes the format of the key of now: where the key has another name too, that is no key that was recorded.
#[tokio::test]
async fn a_run_whose_former_key_comes_out_otherwise_is_not_begun_again() {
    #[durable_workflow(key = "job/{n:02}", formerly = ["work/{}", "root"], goal = "pay")]
    async fn job(session: &Session, #[resource] world: &World, n: u32) -> anyhow::Result<()> {
        #[side_effect(key = "pay", in_doubt = "bank")]
        world.act(&format!("pay {n}"))?;
        Ok(())
    }
    #[durable_workflow(key = "job/{n:02}", formerly = ["work/{n}", "root"], goal = "pay", retired = ["last"])]
    async fn told(session: &Session, #[resource] world: &World, n: u32) -> anyhow::Result<()> {
        #[side_effect(key = "pay", in_doubt = "bank")]
        world.act(&format!("pay {n}"))?;
        Ok(())
    }
    let (store, world) = (MemoryStore::new(), breaking());
    plain::root(&open(&store).await, &world, 1).await.unwrap_err();
    let error = job(&open(&store).await, &world, 1).await.unwrap_err().to_string();
    assert!(
        error.contains("run `work/1` of its workflow `job` was begun with inputs that are recorded the same"),
        "{error}"
    );
    told(&open(&store).await, &world, 1).await.unwrap();
    assert_eq!(world.happened(), ["pay 1"]);
}

/// The version between gave the step another name, and said what the old one was.
#[tokio::test]
async fn how_a_key_was_written_before_its_step_was_renamed_stays_known() {
    macro_rules! sends {
        ($name:ident, $n:ident, $key:literal, $former:literal) => {
            #[durable_workflow(key = "steps", formerly = ["steps"], goal = "pay")]
            async fn $name(session: &Session, #[resource] world: &World) -> anyhow::Result<()> {
                for $n in [1_u32, 2] {
                    #[side_effect(key = $key, formerly = [$former], in_doubt = "bank")]
                    world.act(&format!("pay {}", $n))?;
                }
                #[read(key = "last")]
                world.check()?;
                Ok(())
            }
        };
    }
    sends!(exact, n, "send/{n:02}", "pay/{n}");
    sends!(vague, n, "send/{n:02}", "pay/{}");
    let (store, world) = (MemoryStore::new(), breaking());
    plain::steps(&open(&store).await, &world).await.unwrap_err();
    exact(&open(&store).await, &world).await.unwrap_err();
    let error = vague(&open(&store).await, &world).await.unwrap_err().to_string();
    assert!(error.contains("was written `pay/{n}`"), "{error}");
    world.is_down.store(false, Ordering::Relaxed);
    exact(&open(&store).await, &world).await.unwrap();
    assert_eq!(world.happened(), ["pay 1", "pay 2"]);
}

/// A step that stands in a called workflow now, under another name and in another form.
#[tokio::test]
async fn a_step_that_has_moved_and_comes_out_otherwise_is_not_done_again() {
    macro_rules! moves {
        ($name:ident, $n:ident, $each:literal, $key:literal, $former:literal) => {
            mod $name {
                use super::*;

                #[durable_workflow(key = "steps", formerly = ["steps"], goal = "pay", retired = ["pay/{}", "last"])]
                pub(super) async fn all(session: &Session, #[resource] world: &World) -> anyhow::Result<()> {
                    for $n in [1_u32, 2] {
                        #[run(key = $each)]
                        one(session, world, $n).await?;
                    }
                    Ok(())
                }

                #[durable_workflow]
                async fn one(session: &Session, #[resource] world: &World, $n: u32) -> anyhow::Result<()> {
                    #[side_effect(key = $key, formerly = [$former], in_doubt = "bank")]
                    world.act(&format!("pay {}", $n))?;
                    Ok(())
                }
            }
        };
    }
    moves!(vague, n, "each/{n}", "go/{n:02}", "steps//pay/{}");
    moves!(exact, n, "each/{n}", "go/{n:02}", "steps//pay/{n}");
    let (store, world) = (MemoryStore::new(), breaking());
    plain::steps(&open(&store).await, &world).await.unwrap_err();
    let error = vague::all(&open(&store).await, &world).await.unwrap_err().to_string();
    assert!(error.contains("write `formerly = [\"steps//pay/{n}\"]` on it"), "{error}");
    exact::all(&open(&store).await, &world).await.unwrap();
    assert_eq!(world.happened(), ["pay 1", "pay 2"]);
}
