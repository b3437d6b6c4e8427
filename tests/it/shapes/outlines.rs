//! What a workflow says of itself without being run.

use durable_runtime::{Outline, outline};

use self::elsewhere::listed;

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
fn an_outline_follows_a_workflow_through_its_import() {
    let outline: Outline = outline!(listed);
    let _ = listed;
    assert_eq!((outline.name.as_str(), outline.goal.as_deref()), ("listed", Some("list {n}")));
    assert_eq!(outline.entry, [0]);
    let steps = outline.steps.iter().map(|step| (step.shape.as_str(), step.ask.as_str(), step.next.as_slice()));
    let want: [(_, _, &[u16]); 3] =
        [("look", "operator", &[1, 2]), ("one", "treasury", &[2]), ("each/{}", "operator", &[2])];
    assert!(steps.eq(want), "{outline:?}");
}
