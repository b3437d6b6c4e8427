//! Steps, runs and workflows that are called otherwise now: what is recorded under the old key goes on under it.

use std::sync::atomic::Ordering;

use durable_runtime::prelude::*;
use durable_runtime::store::memory::MemoryStore;

use super::{World, breaking, keys, open};

mod before {
    use super::*;

    #[durable_workflow(goal = "pay")]
    pub(super) async fn payroll(session: &Session, #[resource] world: &World, month: u32) -> anyhow::Result<String> {
        let mut tokens = Vec::new();
        for id in 1..=2 {
            #[side_effect(key = "pay/{id:03}" as pay, verify = world.has(pay.as_str()).then_some(pay.token().to_string()), settle = "0s")]
            let token = world.pay(pay)?;
            tokens.push(token);
        }
        #[read(key = "check")]
        world.check()?;
        #[run(key = "tell/{month}")]
        tell(session, world).await?;
        Ok(tokens.join(" "))
    }

    #[durable_workflow]
    pub(super) async fn tell(session: &Session, #[resource] world: &World) -> anyhow::Result<()> {
        #[side_effect(key = "mail" as mail, in_doubt = "office")]
        world.act(mail.as_str())?;
        #[read(key = "sent")]
        world.check()?;
        Ok(())
    }
}

mod after {
    use super::*;

    #[durable_workflow(key = "wages/{month}", formerly = ["payroll"], goal = "pay")]
    pub(super) async fn wages(session: &Session, #[resource] world: &World, month: u32) -> anyhow::Result<String> {
        let mut tokens = Vec::new();
        for id in 1..=3 {
            #[side_effect(
                key = "settle/{id}" as pay,
                formerly = ["pay/{id:03}"],
                verify = world.has(pay.as_str()).then_some(pay.token().to_string()),
                settle = "0s",
            )]
            let token = world.pay(pay)?;
            tokens.push(token);
        }
        #[read(key = "look", formerly = ["check"])]
        world.check()?;
        #[run(key = "inform/{month}", formerly = ["tell/{}"])]
        inform(session, world).await?;
        Ok(tokens.join(" "))
    }

    #[durable_workflow(formerly = ["tell"])]
    pub(super) async fn inform(session: &Session, #[resource] world: &World) -> anyhow::Result<()> {
        #[side_effect(key = "letter" as mail, formerly = ["mail"], in_doubt = "office")]
        world.act(mail.as_str())?;
        #[read(key = "sent")]
        world.check()?;
        Ok(())
    }
}

const OLD: [&str; 2] = ["payroll//pay/001", "payroll//pay/002"];

#[tokio::test]
async fn g20_a_renamed_workflow_goes_on_with_what_is_recorded_under_its_old_names() {
    let (store, world) = (MemoryStore::new(), breaking());
    before::payroll(&open(&store).await, &world, 7).await.unwrap_err();
    assert_eq!(world.happened(), OLD);

    world.is_down.store(false, Ordering::Relaxed);
    let session = open(&store).await;
    let tokens = after::wages(&session, &world, 7).await.unwrap();
    let new = ["payroll//settle/3", "payroll//inform/7//letter"];
    assert_eq!(world.happened(), [&OLD[..], &new[..]].concat());
    let token = |key: &str| durable_runtime::core::key::token(session.id(), key).to_string();
    assert_eq!(tokens, [OLD[0], OLD[1], new[0]].map(token).join(" "), "the token is that of the key reserved first");
    drop(session);

    assert_eq!(after::wages(&open(&store).await, &world, 7).await.unwrap(), tokens, "finished, it is found again");
    assert_eq!(world.happened().len(), 4);
}

#[tokio::test]
async fn a_renamed_run_inside_a_run_goes_on_where_it_was() {
    let (store, world) = (MemoryStore::new(), World::default());
    #[durable_workflow(goal = "pay")]
    async fn payroll(session: &Session, #[resource] world: &World, month: u32) -> anyhow::Result<String> {
        #[run(key = "tell/{month}")]
        before::tell(session, world).await?;
        Ok(String::new())
    }
    world.is_down.store(true, Ordering::Relaxed);
    payroll(&open(&store).await, &world, 7).await.unwrap_err();
    assert_eq!(world.happened(), ["payroll//tell/7//mail"]);
    world.is_down.store(false, Ordering::Relaxed);
    after::wages(&open(&store).await, &world, 7).await.unwrap();
    let mails = world.happened().iter().filter(|what| what.contains("mail") || what.contains("letter")).count();
    assert_eq!(mails, 1, "{:?}", world.happened());
}

/// G19: the doubt was raised under the old key, and it is verified under it.
#[tokio::test]
async fn g19_a_renamed_step_in_doubt_is_verified_with_the_token_of_its_old_key() {
    mod v1 {
        use super::*;

        #[durable_workflow(goal = "pay")]
        pub(super) async fn pay(session: &Session, #[resource] world: &World) -> anyhow::Result<()> {
            #[side_effect(key = "pay" as pay, verify = world.find(&pay.token().to_string()), settle = "0s")]
            world.pay_and_fail(pay)?;
            Ok(())
        }
    }
    mod v2 {
        use super::*;

        #[durable_workflow(goal = "pay")]
        pub(super) async fn pay(session: &Session, #[resource] world: &World) -> anyhow::Result<()> {
            #[side_effect(key = "transfer" as pay, formerly = ["pay"], verify = world.has(&pay.token().to_string()), settle = "0s")]
            world.act(&pay.token().to_string())?;
            Ok(())
        }
    }
    let (store, world) = (MemoryStore::new(), breaking());
    v1::pay(&open(&store).await, &world).await.unwrap_err();
    let session = open(&store).await;
    v2::pay(&session, &world).await.unwrap();
    assert_eq!(world.happened(), [durable_runtime::core::key::token(session.id(), "pay//pay").to_string()]);
    let attempts = store.records().iter().filter(|record| record.event.action() == "reserve").count();
    assert_eq!(attempts, 1);
}

/// The attempts of the old key go on: the new one is number two.
#[tokio::test]
async fn attempts_go_on_under_the_old_key() {
    mod v1 {
        use super::*;

        #[durable_workflow(goal = "pay")]
        pub(super) async fn pay(session: &Session, #[resource] world: &World) -> anyhow::Result<()> {
            #[side_effect(key = "pay", verify = world.has("paid"), settle = "0s")]
            world.check()?;
            Ok(())
        }
    }
    mod v2 {
        use super::*;

        #[durable_workflow(goal = "pay")]
        pub(super) async fn pay(session: &Session, #[resource] world: &World) -> anyhow::Result<()> {
            #[side_effect(key = "transfer", formerly = ["pay"], verify = world.has("paid"), settle = "0s")]
            world.act("paid")?;
            Ok(())
        }
    }
    let (store, world) = (MemoryStore::new(), breaking());
    v1::pay(&open(&store).await, &world).await.unwrap_err();
    v2::pay(&open(&store).await, &world).await.unwrap();
    assert_eq!(keys(&store, "reserve"), ["pay//pay 1", "pay//pay 2"]);
}

#[tokio::test]
async fn a_step_that_moved_into_another_run_is_found_by_its_full_key() {
    mod v1 {
        use super::*;

        #[durable_workflow(key = "order/{id}", goal = "order")]
        pub(super) async fn order(session: &Session, #[resource] world: &World, id: u32) -> anyhow::Result<()> {
            #[side_effect(key = "ship" as ship, in_doubt = "office")]
            world.act(ship.as_str())?;
            #[read(key = "check")]
            world.check()?;
            Ok(())
        }
    }
    mod v2 {
        use super::*;

        #[durable_workflow(key = "order/{id}", goal = "order", retired = ["ship"])]
        pub(super) async fn order(session: &Session, #[resource] world: &World, id: u32) -> anyhow::Result<()> {
            shipping(session, world, id).await?;
            #[read(key = "check")]
            world.check()?;
            Ok(())
        }

        #[durable_workflow]
        async fn shipping(session: &Session, #[resource] world: &World, id: u32) -> anyhow::Result<()> {
            #[side_effect(key = "ship" as ship, formerly = ["order/{id}//ship"], in_doubt = "office")]
            world.act(ship.as_str())?;
            Ok(())
        }
    }
    let (store, world) = (MemoryStore::new(), breaking());
    v1::order(&open(&store).await, &world, 7).await.unwrap_err();
    world.is_down.store(false, Ordering::Relaxed);
    v2::order(&open(&store).await, &world, 7).await.unwrap();
    assert_eq!(world.happened(), ["order/7//ship"]);
}

#[tokio::test]
async fn a_workflow_under_a_new_name_is_told_to_say_its_old_one() {
    mod v2 {
        use super::*;

        #[durable_workflow(key = "payroll", goal = "pay")]
        pub(super) async fn wages(session: &Session, #[resource] world: &World, month: u32) -> anyhow::Result<String> {
            world.check()?;
            Ok(month.to_string())
        }
    }
    let (store, world) = (MemoryStore::new(), breaking());
    before::payroll(&open(&store).await, &world, 7).await.unwrap_err();
    let error = v2::wages(&open(&store).await, &world, 7).await.unwrap_err().to_string();
    assert!(error.contains("`formerly = [\"payroll\"]`"), "{error}");
}

#[tokio::test]
async fn a_workflow_of_another_name_says_so_also_where_its_key_is_that_name() {
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
    #[durable_workflow(key = "send", goal = "send")]
    async fn mail(session: &Session, #[resource] world: &World) -> anyhow::Result<()> {
        #[side_effect(key = "post", in_doubt = "office")]
        world.act("post")?;
        Ok(())
    }
    mod told {
        use super::*;

        #[durable_workflow(key = "send", formerly = ["send"], goal = "send")]
        pub(super) async fn mail(session: &Session, #[resource] world: &World) -> anyhow::Result<()> {
            #[side_effect(key = "post", in_doubt = "office")]
            world.act("post")?;
            Ok(())
        }
    }
    let (store, world) = (MemoryStore::new(), breaking());
    before::send(&open(&store).await, &world).await.unwrap_err();
    let error = mail(&open(&store).await, &world).await.unwrap_err().to_string();
    assert!(error.contains("write `formerly = [\"send\"]` on it"), "{error}");
    told::mail(&open(&store).await, &world).await.unwrap();
    assert_eq!(world.happened(), ["post"]);
}
