//! A worker that dies when it is told to. Its exit code is the outcome's.

use std::process::ExitCode;
use std::sync::Arc;

use durable_runtime::store::files::FilesStore;
use durable_runtime::testing::{CountingDisk, RealDisk};
use durable_runtime::{Error, Session};
use durable_tests::orders::{Orders, Report};
use durable_tests::stage::Stage;
use durable_tests::warnings;
use durable_tests::world::{Ledger, World};

#[tokio::main]
async fn main() -> ExitCode {
    warnings::to_stderr();
    let orders = std::env::args().nth(1).expect("the orders are the first argument");
    let orders: Orders = serde_json::from_str(&orders).expect("the orders can be read");
    let stage = Stage::new(orders.fate.clone());
    let world = World::new(Ledger::at(&orders.world), stage.clone(), orders.world_is_down);
    let disk = CountingDisk::calling(RealDisk::new(&orders.session), move |call| {
        stage.before(call);
        Ok(())
    });
    let store = FilesStore::with_disk(Arc::new(disk.clone()));
    let mut result = None;
    let outcome = Session::builder(&orders.session)
        .store(store)
        .identity("victim")
        .run(async |session| {
            for answer in &orders.answers {
                answer.give(session).await?;
            }
            if let Some(workflow) = orders.workflow {
                result = Some(workflow.run(session, &world).await?);
            }
            Ok::<_, Error>(())
        })
        .await;
    let report = Report { operations: disk.total(), result };
    println!("{}", serde_json::to_string(&report).expect("a report is plain data"));
    outcome.into()
}
