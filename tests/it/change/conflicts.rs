//! Code that does not agree with the log: the exit code says so, for no number of starts mends it.

use durable_runtime::prelude::*;
use durable_runtime::store::memory::MemoryStore;
use durable_runtime::{Error, Outcome};
use serde_json::value::RawValue;

use super::open;

/// One start as a process has it, which must end with code 76.
async fn conflicts<T>(store: &MemoryStore, work: impl AsyncFnOnce(&Session) -> anyhow::Result<T>) -> String {
    let mut error = None;
    let outcome = Session::builder("memory").store(store.clone()).run(async |session| {
        let ended = work(session).await;
        error = ended.as_ref().err().map(|error| error.to_string());
        if let Err(ended) = &ended {
            let ours = ended.downcast_ref::<Error>().expect("an error of the library");
            assert!(ours.is_conflict(), "{ours}");
        }
        ended
    });
    assert_eq!(outcome.await.code(), 76);
    error.expect("it was refused")
}

async fn stops<T>(store: &MemoryStore, work: impl AsyncFnOnce(&Session) -> anyhow::Result<T>) {
    let outcome = Session::builder("memory").store(store.clone()).run(work).await;
    assert_eq!(outcome, Outcome::Stopped);
}

mod plain {
    use super::*;

    #[durable_workflow(goal = "order")]
    pub(super) async fn order(session: &Session, id: u32) -> anyhow::Result<u32> {
        #[read(key = "check")]
        let checked = anyhow::Result::<u32>::Err(anyhow::anyhow!("not today"))?;
        Ok(id + checked)
    }
}

#[tokio::test]
async fn a_run_without_an_input_that_the_code_has_now() {
    #[durable_workflow(goal = "order")]
    async fn order(session: &Session, id: u32, size: u32) -> anyhow::Result<u32> {
        #[read(key = "check")]
        let checked = u32::from(true);
        Ok(id + size + checked)
    }
    let store = MemoryStore::new();
    stops(&store, async |session| plain::order(session, 1).await).await;
    let error = conflicts(&store, async |session| order(session, 1, 2).await).await;
    assert!(error.contains("was begun without the input `size`") && error.contains("#[input(default"), "{error}");
}

#[tokio::test]
async fn a_run_with_an_input_of_another_type() {
    #[durable_workflow(goal = "order")]
    async fn order(session: &Session, id: String) -> anyhow::Result<usize> {
        #[read(key = "check")]
        let checked = id.len();
        Ok(checked)
    }
    let store = MemoryStore::new();
    stops(&store, async |session| plain::order(session, 1).await).await;
    let error = conflicts(&store, async |session| order(session, "1".to_owned()).await).await;
    assert!(error.contains("the recorded input `id` no longer reads"), "{error}");
}

#[tokio::test]
async fn a_decision_that_shows_something_else() {
    #[durable_workflow(goal = "send")]
    async fn send(session: &Session, #[resource] sum: u32) -> anyhow::Result<bool> {
        #[decision(key = "agree", ask = "finance", shows = sum)]
        let agree: Approval = session.decide().await?;
        Ok(agree.is_approved())
    }
    let store = MemoryStore::new();
    let exits = Session::builder("memory").store(store.clone()).waits(durable_runtime::Waits::Exit);
    assert_eq!(exits.run(async |session| send(session, 3).await).await, Outcome::Waiting);
    let error = conflicts(&store, async |session| send(session, 4).await).await;
    assert!(error.contains("it shows something else than was asked about, `shown`: recorded 3, given 4"), "{error}");
}

#[tokio::test]
async fn a_sleep_whose_key_was_that_of_another_step() {
    #[durable_workflow(goal = "rest")]
    async fn rest(session: &Session, #[resource] sleeps: bool) -> anyhow::Result<()> {
        if sleeps {
            session.sleep(std::time::Duration::from_secs(1)).key("rest").await?;
        }
        session.read("rest").run(async || Ok::<_, Error>(())).await?;
        anyhow::bail!("not today")
    }
    let store = MemoryStore::new();
    stops(&store, async |session| rest(session, false).await).await;
    let error = conflicts(&store, async |session| rest(session, true).await).await;
    assert!(error.contains("its key was recorded as that of a read"), "{error}");
}

/// A replay would pass over the effect for what was only looked at.
#[tokio::test]
async fn an_effect_whose_key_was_that_of_a_read() {
    #[durable_workflow(goal = "look, then act")]
    async fn work(session: &Session, #[resource] acts: bool) -> anyhow::Result<()> {
        match acts {
            true => session.side_effect("it").in_doubt("ada").run(async |_| Ok::<_, Error>(())).await?,
            false => session.read("it").run(async || Ok::<_, Error>(())).await?,
        }
        anyhow::bail!("not today")
    }
    let store = MemoryStore::new();
    stops(&store, async |session| work(session, false).await).await;
    let error = conflicts(&store, async |session| work(session, true).await).await;
    assert!(error.contains("its key was recorded as that of a read"), "{error}");
}

/// Nor is an error a result of the effect, or a value that could not be stored.
#[tokio::test]
async fn an_effect_whose_key_was_that_of_a_read_without_a_value() {
    #[durable_workflow(goal = "look, then act")]
    async fn work(session: &Session, #[resource] acts: bool, #[resource] stores: bool) -> anyhow::Result<()> {
        if acts {
            session.side_effect("it").in_doubt("ada").run(async |_| Ok::<_, Error>(())).await?;
        } else if stores {
            #[read(key = "it", errors = "recorded")]
            let number = "none".parse::<u8>();
            anyhow::ensure!(number.is_ok(), "not today");
        } else {
            session.read("it").run(async || Ok::<_, Error>(raw())).await?;
        }
        Ok(())
    }
    fn raw() -> Box<RawValue> {
        RawValue::from_string(r#"{"$blob":1}"#.to_owned()).unwrap()
    }
    for stores in [true, false] {
        let store = MemoryStore::new();
        work(&open(&store).await, false, stores).await.unwrap_err();
        let error = conflicts(&store, async |session| work(session, true, stores).await).await;
        assert!(error.contains("its key was recorded as that of a read"), "{error}");
    }
}

#[tokio::test]
async fn a_step_that_gives_another_type_now() {
    #[durable_workflow(goal = "count")]
    async fn count(session: &Session, #[resource] as_text: bool) -> anyhow::Result<()> {
        if as_text {
            session.read("number").run(async || Ok::<_, Error>("three".to_owned())).await?;
        } else {
            session.read("number").run(async || Ok::<_, Error>(3)).await?;
        }
        anyhow::bail!("not today")
    }
    let store = MemoryStore::new();
    stops(&store, async |session| count(session, false).await).await;
    let error = conflicts(&store, async |session| count(session, true).await).await;
    assert!(error.contains("no longer reads as `alloc::string::String`"), "{error}");
}

mod renamed {
    use super::*;

    #[durable_workflow(goal = "order")]
    pub(super) async fn order(session: &Session, id: u32) -> anyhow::Result<u32> {
        #[read(key = "checked")]
        let checked = anyhow::Result::<u32>::Ok(1)?;
        #[side_effect(key = "send", in_doubt = "ada")]
        let sent = anyhow::Result::<u32>::Err(anyhow::anyhow!("not today"))?;
        Ok(id + checked + sent)
    }
}

#[tokio::test]
async fn a_step_whose_key_was_renamed() {
    #[durable_workflow(goal = "order")]
    async fn order(session: &Session, id: u32) -> anyhow::Result<u32> {
        #[read(key = "check")]
        let checked = anyhow::Result::<u32>::Ok(1)?;
        anyhow::ensure!(checked == 0, "not today");
        Ok(id)
    }
    let store = MemoryStore::new();
    stops(&store, async |session| order(session, 1).await).await;
    let error = conflicts(&store, async |session| renamed::order(session, 1).await).await;
    assert!(error.contains(r#"write `formerly = ["check"]`"#), "{error}");
}

#[durable_workflow(goal = "order")]
async fn part(session: &Session) -> anyhow::Result<()> {
    #[read(key = "check")]
    let () = anyhow::Result::<()>::Ok(())?;
    anyhow::bail!("not today")
}

mod named_otherwise {
    use super::*;

    #[durable_workflow(goal = "order all")]
    pub(super) async fn whole(session: &Session) -> anyhow::Result<()> {
        #[run(key = "second")]
        part(session).await
    }
}

#[tokio::test]
async fn a_call_whose_run_is_named_otherwise() {
    #[durable_workflow(goal = "order all")]
    async fn whole(session: &Session) -> anyhow::Result<()> {
        #[run(key = "first")]
        part(session).await
    }
    let store = MemoryStore::new();
    stops(&store, async |session| whole(session).await).await;
    let error = conflicts(&store, async |session| named_otherwise::whole(session).await).await;
    assert!(error.contains(r#"write `formerly = ["first"]` into its `#[run]`"#), "{error}");
}

#[tokio::test]
async fn a_run_that_a_newer_program_began() {
    mod newer {
        use super::*;

        #[durable_workflow(goal = "order", version = 2)]
        pub(super) async fn order(session: &Session) -> anyhow::Result<()> {
            #[read(key = "check")]
            let () = anyhow::Result::Err(anyhow::anyhow!("not today"))?;
            Ok(())
        }
    }
    #[durable_workflow(goal = "order")]
    async fn order(session: &Session) -> anyhow::Result<()> {
        #[read(key = "check")]
        let () = anyhow::Result::<()>::Ok(())?;
        Ok(())
    }
    let store = MemoryStore::new();
    stops(&store, async |session| newer::order(session).await).await;
    let error = conflicts(&store, async |session| order(session).await).await;
    assert!(error.contains("start the newer program again"), "{error}");
}
