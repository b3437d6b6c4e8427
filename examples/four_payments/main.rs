//! Four payments survive `kill -9`.
//!
//! A worker pays $1 to each of four invoices at a bank in another process. In the middle of the third payment, after
//! the bank has booked it and before the worker knows, the worker is killed with SIGKILL. A fresh worker boots, asks
//! the bank about the one payment that is in doubt, pays what is left, and the bank's ledger holds four entries.
//!
//! ```text
//! cargo run --example four_payments
//! cargo run --example four_payments -- --kill before-send     # or after-booking, after-reply, none
//! ```
//!
//! Read `worker.rs` first: the workflow is there, and it is all that a user of the library writes. The rest is the
//! world around it: `bank.rs` and `ledger.rs` are the bank, `client.rs` talks to it, `demo.rs` starts, kills and boots,
//! `report.rs` reads the files that are left, and `pause.rs` makes a kill land exactly where it should.
//!
//! To kill it by hand, start the two processes yourself:
//!
//! ```text
//! four_payments bank   --dir DIR --port 4000
//! four_payments worker --dir DIR --bank http://127.0.0.1:4000 --payments 4
//! ```

mod bank;
mod cli;
mod client;
mod demo;
mod ledger;
mod pause;
mod process;
mod report;
mod worker;

use std::process::ExitCode;

use clap::Parser as _;

use self::cli::{Cli, Role};

#[tokio::main]
async fn main() -> ExitCode {
    let cli = Cli::parse();
    let ended = match cli.role {
        None => demo::play(&cli.demo).await,
        Some(Role::Bank(args)) => bank::serve(args).await,
        Some(Role::Worker(args)) => worker::work(args).await,
    };
    ended.unwrap_or_else(|error| {
        eprintln!("four_payments: {error:#}");
        ExitCode::FAILURE
    })
}
