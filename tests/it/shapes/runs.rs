//! Calls of other workflows that are named at the call. Each effect is known to the bank by its full key.

use durable_runtime::prelude::*;

use super::bank::{Bank, Done, Failure, twice};

#[durable_workflow(key = "its/own/{name}")]
async fn welcome(session: &Session, #[resource] bank: &Bank, name: &str) -> Done<u32> {
    #[side_effect(key = "mail" as mail, in_doubt = "office")]
    let sent = bank.book(mail.as_str()).await?;
    Ok(sent)
}

/// No workflow, but it calls one.
async fn helper(session: &Session, bank: &Bank, name: &str) -> Done<u32> {
    bank.find("nothing").await.map_or(Ok(()), |_| Err(Failure("found".to_owned())))?;
    welcome(session, bank, name).await
}

async fn name_of(n: u32) -> Done<String> {
    Ok(format!("n{n}"))
}

#[tokio::test]
async fn a_named_run_may_stand_wherever_a_step_may() {
    #[durable_workflow]
    async fn all(session: &Session, #[resource] bank: &Bank, id: u32) -> Done<u32> {
        #[run(key = "let/{id}", title = "welcome {id + 1}")]
        let first = welcome(session, bank, "ann").await?;
        #[run(key = "statement")]
        welcome(session, bank, "bob").await?;
        let third: u32 = #[run(key = "expression")]
        welcome(session, bank, "cid").await?;
        let mut last = third;
        #[run(key = "assigned")]
        last += welcome(session, bank, "dan").await?;
        #[run(key = "helped")]
        helper(session, bank, "eve").await?;
        #[run(key = "block")]
        let block = {
            let name = format!("{first}");
            welcome(session, bank, &name).await
        }?;
        #[run(key = "kept")]
        let kept = welcome(session, bank, "fay").await;
        #[run(key = "inner")]
        welcome(session, bank, &name_of(id).await?).await?;
        bank.last()?;
        Ok(last + block + kept?)
    }
    fn sent<F: Future + Send>(work: F) -> F {
        work
    }
    let (value, booked) = twice(async |session, bank| sent(all(&session, bank, 7)).await).await;
    assert_eq!(value, 3 + 4 + 6 + 7);
    let keys = ["let/7", "statement", "expression", "assigned", "helped", "block", "kept", "inner"];
    assert_eq!(booked, keys.map(|key| format!("all//{key}//mail")).join(" "));
}

#[tokio::test]
async fn named_runs_may_stand_in_loops_closures_and_blocks_at_the_same_time() {
    #[durable_workflow]
    async fn many(session: &Session, #[resource] bank: &Bank) -> Done {
        for n in 0..2 {
            #[run(key = "loop/{n}")]
            welcome(session, bank, "same").await?;
        }
        let call = async |n: u32| {
            #[run(key = "closure/{n}")]
            let sent = welcome(session, bank, "same").await?;
            Ok::<_, Failure>(sent)
        };
        call(1).await?;
        tokio::try_join!(
            async {
                #[run(key = "left")]
                welcome(session, bank, "same").await?;
                Ok(())
            },
            async {
                #[run(key = "right")]
                welcome(session, bank, "same").await.map(drop)
            },
            async {
                #[side_effect(key = "middle" as middle, in_doubt = "office")]
                bank.book(middle.as_str()).await?;
                Ok::<_, Failure>(())
            },
        )?;
        bank.last()
    }
    let (_, booked) = twice(async |session, bank| many(&session, bank).await).await;
    let mut booked: Vec<_> = booked.split(' ').collect();
    booked.sort_unstable();
    let keys = ["closure/1//mail", "left//mail", "loop/0//mail", "loop/1//mail", "middle", "right//mail"];
    assert_eq!(booked, keys.map(|key| format!("many//{key}")));
}

struct Office<'a> {
    session: Session,
    bank: &'a Bank,
}

impl Office<'_> {
    #[durable_workflow(session = self.session)]
    async fn send(&self, name: &str) -> Done<u32> {
        #[run(key = "inner/{name}")]
        let sent = welcome(&self.session, self.bank, name).await?;
        Ok(sent)
    }

    #[durable_workflow(session = self.session)]
    async fn send_all(&self, names: &[String]) -> Done {
        for name in names {
            #[run(key = "send/{name}")]
            self.send(name).await?;
        }
        self.bank.last()
    }
}

#[tokio::test]
async fn methods_call_each_other_under_names() {
    let names = ["ann".to_owned(), "bob".to_owned()];
    let send = async |session, bank: &Bank| Office { session, bank }.send_all(&names).await;
    let (_, booked) = twice(send).await;
    assert_eq!(booked, "send_all//send/ann//inner/ann//mail send_all//send/bob//inner/bob//mail");
}

#[test]
fn an_outline_names_the_runs() {
    #[durable_workflow]
    async fn told(session: &Session, #[resource] bank: &Bank, id: u32) -> Done {
        #[read(key = "look")]
        let found = bank.find("x").await;
        #[run(key = "welcome/{id}", title = "welcome {id}")]
        welcome(session, bank, "ann").await?;
        #[side_effect(key = "last", in_doubt = "office")]
        bank.book("last").await?;
        let _ = found;
        Ok(())
    }
    let _ = told;
    let outline = outline!(told);
    assert_eq!((outline.steps[0].next.as_slice(), outline.steps[1].next.as_slice()), (&[1][..], &[2][..]));
    assert_eq!(outline.to_string(), "told\n  look\n  welcome/{id} (a run) - welcome {id}\n  last");
}

#[tokio::test]
async fn g24_one_step_key_in_two_runs_and_in_another_workflow_is_three_effects() {
    #[durable_workflow(key = "user/{id}")]
    async fn user(session: &Session, #[resource] bank: &Bank, id: u32) -> Done<u32> {
        #[side_effect(key = "charge" as charge, in_doubt = "bank")]
        let charged = bank.book(charge.as_str()).await?;
        Ok(charged)
    }
    #[durable_workflow]
    async fn company(session: &Session, #[resource] bank: &Bank) -> Done<u32> {
        #[side_effect(key = "charge" as charge, in_doubt = "bank")]
        let charged = bank.book(charge.as_str()).await?;
        Ok(charged)
    }
    let (value, booked) = twice(async |session, bank| {
        let charged = user(&session, bank, 1).await? + user(&session, bank, 2).await? + company(&session, bank).await?;
        bank.last()?;
        Ok(charged)
    })
    .await;
    assert_eq!((value, booked.as_str()), (1 + 2 + 3, "user/1//charge user/2//charge company//charge"));
}
