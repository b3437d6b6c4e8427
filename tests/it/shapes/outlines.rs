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
    insta::assert_debug_snapshot!(outline);
}
