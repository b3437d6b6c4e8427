//! A module with the name of its function.

use durable_runtime::prelude::*;

use super::bank::{Bank, Done, twice};

#[durable_workflow(key = "receipt/{n}")]
pub(super) async fn receipt(session: &Session, #[resource] bank: &Bank, n: u32) -> Done<u32> {
    #[side_effect(key = "print", in_doubt = "bank")]
    let printed = bank.book("receipt").await?;
    bank.last()?;
    Ok(printed)
}

#[tokio::test]
async fn a_workflow_may_share_the_name_of_its_module() {
    let (value, booked) = twice(async |session, bank| super::receipt(&session, bank, 1).await).await;
    assert_eq!((value, booked.as_str()), (1, "receipt"));
    assert_eq!(outline!(super::receipt::receipt).name, "receipt");
}
