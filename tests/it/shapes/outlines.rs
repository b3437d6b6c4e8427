//! What a workflow says of itself without being run.

use durable_runtime::prelude::*;
use durable_runtime::{Outline, Workflows};

use super::bank::{Bank, Done};

mod elsewhere {
    use durable_runtime::prelude::*;

    use super::super::bank::{Bank, Done};

    #[durable_workflow(key = "listed/{n}", goal = "list {n}")]
    pub(super) async fn listed(session: &Session, #[resource] bank: &Bank, n: u32) -> Done {
        #[read(key = "look", title = "look around")]
        let found = bank.find("x").await;
        if found.is_some() {
            #[side_effect(key = "one", in_doubt = "treasury")]
            bank.book("one").await?;
        }
        for i in 0..n {
            #[side_effect(key = "each/{i}", verify = bank.find("each").await)]
            bank.book("each").await?;
        }
        Ok(())
    }
}

#[test]
fn an_outline_is_found_in_the_module_of_its_workflow() {
    let outline: Outline = outline!(elsewhere::listed);
    let _ = elsewhere::listed;
    assert_eq!((outline.name.as_str(), outline.goal.as_deref()), ("listed", Some("list {n}")));
    assert_eq!(outline.entry, [0]);
    let steps = outline.steps.iter().map(|step| (step.shape.as_str(), step.ask.as_str(), step.next.as_slice()));
    let want: [(_, _, &[u16]); 3] =
        [("look", "operator", &[1, 2]), ("one", "treasury", &[2]), ("each/{}", "operator", &[2])];
    assert!(steps.eq(want), "{outline:?}");
}

mod all_of_it {
    pub(super) use super::elsewhere::*;
}

#[test]
fn an_outline_comes_along_with_an_import_of_everything() {
    assert_eq!(outline!(all_of_it::listed), outline!(elsewhere::listed));
}

struct Teller<'a, T> {
    session: Session,
    bank: &'a Bank,
    name: T,
}

trait Pays {
    async fn pay(&self, amount: u32) -> Done<u32>;
    async fn refuse(session: &Session) -> Done<u32>;
}

#[durable_methods]
impl<T: AsRef<str>> Teller<'_, T> {
    #[durable_workflow(key = "shared/{n}", session = self.session)]
    async fn shared(&self, n: u32) -> Done<u32> {
        #[side_effect(key = "book/{n}", in_doubt = "bank")]
        let booked = self.bank.book(self.name.as_ref()).await?;
        Ok(booked)
    }

    #[durable_workflow]
    pub(crate) async fn associated(session: &Session, #[resource] bank: &Bank) -> Done<u32> {
        #[side_effect(key = "open", in_doubt = "bank")]
        let booked = bank.book("open").await?;
        Ok(booked)
    }
}

#[durable_methods]
impl<T: AsRef<str>> Pays for Teller<'_, T>
where
    T: Clone,
{
    #[durable_workflow(key = "pay/{amount}", session = self.session)]
    async fn pay(&self, amount: u32) -> Done<u32> {
        #[side_effect(key = "send/{amount}", in_doubt = "bank")]
        let booked = self.bank.book(self.name.as_ref()).await?;
        Ok(booked)
    }

    #[durable_workflow]
    async fn refuse(session: &Session) -> Done<u32> {
        #[read(key = "reason")]
        let reason = 1 + 2;
        Ok(reason)
    }
}

#[test]
fn methods_have_outlines() {
    let keys = |outline: Outline| outline.steps.into_iter().map(|step| step.key).collect::<Vec<_>>().join(" ");
    assert_eq!(keys(outline!(Teller::<String>::shared)), "book/{n}");
    assert_eq!(keys(outline!(<Teller<'_, String>>::associated)), "open");
    assert_eq!(keys(outline!(<Teller<'_, String> as Pays>::pay)), "send/{amount}");
    assert_eq!(keys(outline!(<Teller<'_, String> as Pays>::refuse)), "reason");
}

#[tokio::test]
async fn methods_with_outlines_run_as_others_do() {
    let (value, booked) = super::bank::twice(async |session, bank| {
        let teller = Teller { session: session.clone(), bank, name: "ann" };
        let first = Teller::<&str>::associated(&session, bank).await?;
        let booked = teller.shared(7).await? + teller.pay(8).await? + Teller::<&str>::refuse(&session).await? + first;
        bank.last()?;
        Ok(booked)
    })
    .await;
    assert_eq!((value, booked.as_str()), (2 + 3 + 3 + 1, "open ann ann"));
}

#[test]
fn the_workflows_of_a_program_are_listed() {
    static ALL: Workflows = workflows![elsewhere::listed, <Teller<'static, String> as Pays>::pay];
    let names: Vec<_> = ALL.outlines().map(|outline| outline.name).collect();
    assert_eq!(names, ["listed", "pay"]);
    assert!(ALL.outline("pay").is_some() && ALL.outline("paid").is_none());
}
