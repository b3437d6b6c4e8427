//! Runs that no `#[run]` named, and calls of them that changed: what they did is never done again unseen.

use std::sync::atomic::Ordering;

use durable_runtime::prelude::*;
use durable_runtime::store::memory::MemoryStore;

use super::{World, breaking, open};

/// A workflow `main` that does this, and then fails while the world is down.
macro_rules! main {
    ($name:ident($session:ident, $world:ident $(, $arg:ident = $value:expr)*) { $($body:tt)* }) => {
        mod $name {
            use super::*;

            #[durable_workflow(goal = "work" $(, $arg = $value)*)]
            pub(super) async fn main($session: &Session, #[resource] $world: &World) -> anyhow::Result<()> {
                $($body)*
                #[read(key = "last")]
                $world.check()?;
                Ok(())
            }
        }
    };
}

/// What becomes of a run that one `main` began when the other goes on with it: its result, and what happened in all.
macro_rules! changed {
    ($before:ident => $after:ident) => {{
        let (store, world) = (MemoryStore::new(), breaking());
        $before::main(&open(&store).await, &world).await.unwrap_err();
        assert_eq!(world.happened(), ["pay 7"]);
        world.is_down.store(false, Ordering::Relaxed);
        let result = $after::main(&open(&store).await, &world).await.map_err(|error| error.to_string());
        let happened = world.happened();
        if result.is_err() {
            $before::main(&open(&store).await, &world).await.expect("the old code still goes on");
            assert_eq!(world.happened(), ["pay 7"]);
        }
        (result, happened)
    }};
}

/// The other code is refused before anything happens, and says these words.
macro_rules! refused {
    ($before:ident => $after:ident: $($words:expr),+) => {{
        let (result, happened) = changed!($before => $after);
        let error = result.unwrap_err();
        $(assert!(error.contains($words), "{}: {error}", $words);)+
        assert_eq!(happened, ["pay 7"], "{error}");
    }};
}

/// The other code goes on with what is recorded.
macro_rules! goes_on {
    ($before:ident => $after:ident) => {{
        let (result, happened) = changed!($before => $after);
        assert_eq!((result, happened), (Ok(()), vec!["pay 7".to_owned()]));
    }};
}

#[durable_workflow]
async fn one(session: &Session, #[resource] world: &World, n: u32) -> anyhow::Result<()> {
    #[side_effect(key = "pay", in_doubt = "ada")]
    world.act(&format!("pay {n}"))?;
    Ok(())
}

/// It is not finished while the world is down.
#[durable_workflow]
async fn half(session: &Session, #[resource] world: &World, n: u32) -> anyhow::Result<()> {
    #[side_effect(key = "pay", in_doubt = "ada")]
    world.act(&format!("pay {n}"))?;
    #[read(key = "check")]
    world.check()?;
    Ok(())
}

#[durable_workflow]
async fn uno(session: &Session, #[resource] world: &World, n: u32) -> anyhow::Result<()> {
    #[side_effect(key = "pay", in_doubt = "ada")]
    world.act(&format!("pay {n}"))?;
    Ok(())
}

/// What was called `one` and `half`.
#[durable_workflow(formerly = ["one", "half"], retired = ["check"])]
async fn ein(session: &Session, #[resource] world: &World, n: u32) -> anyhow::Result<()> {
    #[side_effect(key = "pay", in_doubt = "ada")]
    world.act(&format!("pay {n}"))?;
    Ok(())
}

#[durable_workflow]
async fn nothing(session: &Session, #[resource] world: &World) -> anyhow::Result<()> {
    #[read(key = "nothing")]
    world.weigh();
    Ok(())
}

main!(calls(session, world) { one(session, world, 7).await?; });
main!(calls_half(session, world) { half(session, world, 7).await?; });

main!(named(session, world) {
    #[run(key = "pay/7")]
    one(session, world, 7).await?;
});
main!(named_formerly(session, world) {
    #[run(key = "pay/7", formerly = ["one"])]
    one(session, world, 7).await?;
});

#[tokio::test]
async fn a_call_that_is_named_now_is_told_to_say_what_its_run_was_called() {
    refused!(calls => named: "`main//pay/7`", "run `main//one` of workflow `one` is recorded", "`formerly = [\"one\"]` into its `#[run]`");
    refused!(calls_half => named: "run `main//half` of workflow `half` is recorded");
    goes_on!(calls => named_formerly);
}

main!(renamed(session, world) { uno(session, world, 7).await?; });
main!(renamed_formerly(session, world) { ein(session, world, 7).await?; });
main!(renamed_and_named(session, world) {
    #[run(key = "pay", formerly = ["one", "half"])]
    ein(session, world, 7).await?;
});

#[tokio::test]
async fn a_called_workflow_that_was_renamed_is_told_to_say_so() {
    refused!(calls => renamed: "`main//uno`", "run `main//one` of workflow `one` is recorded", "`formerly = [\"one\"]`");
    refused!(calls_half => renamed: "run `main//half` of workflow `half` is recorded");
    goes_on!(calls => renamed_formerly);
    goes_on!(calls_half => renamed_formerly);
    goes_on!(calls => renamed_and_named);
    goes_on!(calls_half => renamed_and_named);
}

main!(inlined(session, world) {
    #[side_effect(key = "pay", in_doubt = "ada")]
    world.act("pay 7")?;
});
main!(inlined_formerly(session, world) {
    #[side_effect(key = "pay", formerly = ["main//one//pay"], in_doubt = "ada")]
    world.act("pay 7")?;
});
main!(inlined_half(session, world) {
    #[side_effect(key = "pay", formerly = ["main//half//pay"], in_doubt = "ada")]
    world.act("pay 7")?;
    #[read(key = "check", formerly = ["main//half//check"])]
    world.check()?;
});
main!(inlined_in_part(session, world) {
    #[side_effect(key = "paid", in_doubt = "ada")]
    world.act("pay 7")?;
    #[read(key = "check", formerly = ["main//half//check"])]
    world.check()?;
});

#[tokio::test]
async fn a_step_that_stands_in_the_caller_now_is_told_to_say_where_it_was() {
    refused!(calls => inlined: "`main//pay`", "run `main//one`", "`formerly = [\"main//one//..\"]`", "`retired = [\"one\"]` on `main`");
    refused!(calls_half => inlined: "`formerly = [\"main//half//..\"]`");
    refused!(calls_half => inlined_in_part: "`main//paid`", "run `main//half`");
    goes_on!(calls_half => inlined_half);
}

/// What its step gave is gone with the run.
#[tokio::test]
async fn nothing_goes_on_with_a_step_of_a_finished_run() {
    refused!(calls => inlined_formerly: "step `main//pay`", "was `main//one//pay` formerly", "run `main//one`", "is finished", "`retired = [\"one\"]`");
}

main!(gone(session, world) {
    #[read(key = "other")]
    world.weigh();
});
main!(retired(session, world, retired = ["one", "half"]) {
    #[read(key = "other")]
    world.weigh();
});

#[tokio::test]
async fn a_call_that_is_gone_is_told_to_be_retired() {
    refused!(calls => gone: "run `main//one`", "`retired = [\"one\"]` on `main`");
    goes_on!(calls => retired);
    goes_on!(calls_half => retired);
}

main!(more(session, world) {
    #[read(key = "other")]
    world.weigh();
    #[run(key = "first")]
    nothing(session, world).await?;
    let (first, second) = tokio::join!(nothing(session, world), one(session, world, 7));
    first.and(second)?;
});
main!(wrapped(session, world) { wrap(session, world).await?; });

async fn wrap(session: &Session, world: &World) -> anyhow::Result<()> {
    one(session, world, 7).await
}

#[tokio::test]
async fn what_is_put_in_front_of_a_call_and_beside_it_is_no_change_of_it() {
    goes_on!(calls => more);
    goes_on!(calls => wrapped);
}

/// That the code has changed stays known: the start that was refused has recorded the new code.
#[tokio::test]
async fn a_refused_start_is_refused_again() {
    let (store, world) = (MemoryStore::new(), breaking());
    calls::main(&open(&store).await, &world).await.unwrap_err();
    for _ in 0..3 {
        renamed::main(&open(&store).await, &world).await.unwrap_err();
        inlined::main(&open(&store).await, &world).await.unwrap_err();
    }
    assert_eq!(world.happened(), ["pay 7"]);
}

#[durable_workflow(goal = "work")]
async fn outer(session: &Session, #[resource] world: &World, #[resource] calls: bool) -> anyhow::Result<()> {
    if calls { calls::main(session, world).await } else { renamed::main(session, world).await }
}

/// The run that changed stands inside another.
#[tokio::test]
async fn a_changed_run_inside_another_is_refused_as_well() {
    let (store, world) = (MemoryStore::new(), breaking());
    outer(&open(&store).await, &world, true).await.unwrap_err();
    world.is_down.store(false, Ordering::Relaxed);
    let error = outer(&open(&store).await, &world, false).await.unwrap_err().to_string();
    assert!(error.contains("run `outer//main//one`"), "{error}");
    assert_eq!(world.happened(), ["pay 7"]);
}

/// A loop over calls without names begins one run, and stops at the second.
#[tokio::test]
async fn a_loop_over_calls_that_have_names_now_goes_on_with_the_one_that_had_none() {
    mod before {
        use super::*;

        #[durable_workflow(goal = "work")]
        pub(super) async fn main(session: &Session, #[resource] world: &World) -> anyhow::Result<()> {
            for n in 0..3 {
                one(session, world, n).await?;
            }
            Ok(())
        }
    }
    mod forgetful {
        use super::*;

        #[durable_workflow(goal = "work")]
        pub(super) async fn main(session: &Session, #[resource] world: &World) -> anyhow::Result<()> {
            for n in 0..3 {
                #[run(key = "one/{n}")]
                one(session, world, n).await?;
            }
            Ok(())
        }
    }
    mod after {
        use super::*;

        #[durable_workflow(goal = "work")]
        pub(super) async fn main(
            session: &Session,
            #[resource] world: &World,
            #[resource] all: &[u32],
        ) -> anyhow::Result<()> {
            for n in all {
                #[run(key = "one/{n}", formerly = ["one"])]
                one(session, world, *n).await?;
                world.check()?;
            }
            Ok(())
        }
    }
    let (store, world) = (MemoryStore::new(), World::default());
    let error = before::main(&open(&store).await, &world).await.unwrap_err().to_string();
    for words in ["run `main//one` is reached twice", "in a loop", "`#[run(key = \"one/{n}\", formerly = [\"one\"])]`"]
    {
        assert!(error.contains(words), "{words}: {error}");
    }
    let error = forgetful::main(&open(&store).await, &world).await.unwrap_err().to_string();
    assert!(error.contains("`formerly = [\"one\"]` into its `#[run]`"), "{error}");
    let error = after::main(&open(&store).await, &world, &[1, 0, 2]).await.unwrap_err().to_string();
    assert!(error.contains("another input, `n`: recorded 0, given 1"), "{error}");
    assert_eq!(world.happened(), ["pay 0"]);
    world.is_down.store(true, Ordering::Relaxed);
    after::main(&open(&store).await, &world, &[0, 1, 2]).await.unwrap_err();
    world.is_down.store(false, Ordering::Relaxed);
    after::main(&open(&store).await, &world, &[0, 1, 2]).await.unwrap();
    assert_eq!(world.happened(), ["pay 0", "pay 1", "pay 2"]);
}
