//! The worker: pays $1 to each invoice. Kill it wherever you like.

use std::process::ExitCode;

use durable_runtime::prelude::*;
use serde::{Deserialize, Serialize};

use crate::cli::WorkerArgs;
use crate::client::Bank;
use crate::process;

/// What the workflow gives. It is recorded, so a worker that boots after the end is given it again.
#[derive(Serialize, Deserialize)]
struct Summary {
    entries: Vec<usize>,
}

/// An ordinary `async fn`. After a kill it runs again from the top, in a new process, and each step decides anew:
/// a payment that is known gives its recorded receipt and sends nothing; one that is in doubt, because an attempt was
/// reserved and no result came back, is looked up first; only one that did not happen is paid.
///
/// `session` is the directory in which all that is written. `bank` is a resource: each process brings its own.
/// `payments` is an input: recorded with the run, so that a resumed run cannot be given another number unnoticed.
#[durable_workflow(
    goal = "pay {payments} invoices of $1",
    invariants = ["each payment reaches the bank's ledger at most once"]
)]
async fn four_payments(session: &Session, #[resource] bank: &Bank, payments: u32) -> anyhow::Result<Summary> {
    let mut entries = Vec::new();
    for n in 1..=payments {
        // The key is the payment's name for ever. `pay` is that name in here; its token goes to the bank with the
        // payment and finds it there again. When the bank knows no such transfer, `settle` is how long that answer is
        // not yet believed, for a request may still be on its way. This bank books a request when it reads it, on
        // this machine, and nothing later, so 200 ms are plenty; the default for a bank that queues is 30 s.
        #[side_effect(
            key = "pay/{n:03}" as pay,
            title = "pay $1 to invoice {n}",
            verify = bank.find(pay.token()).await,
            settle = "200ms"
        )]
        let receipt = bank.transfer(pay.token(), pay.as_str(), 1).await?;
        entries.push(receipt.entry);
    }
    Ok(Summary { entries })
}

/// One start of the session: boots it, runs the workflow, and leaves a handoff for whoever comes next.
pub(crate) async fn work(args: WorkerArgs) -> anyhow::Result<ExitCode> {
    if args.with_parent {
        process::end_with_parent();
    }
    let bank = Bank::at(&args.bank, args.pause)?;
    let session = Session::builder(args.dir.join("session")).identity("four-payments");
    let outcome = session
        .run(async |session| {
            if let Some(handoff) = session.boot_report().handoff() {
                println!("{handoff}");
            }
            let summary = four_payments(session, &bank, args.payments).await?;
            println!("paid {} invoices; their entries at the bank: {:?}", args.payments, summary.entries);
            anyhow::Ok(())
        })
        .await;
    Ok(outcome.into())
}
