//! The bank: HTTP on loopback, and a ledger in a file.
//!
//! `POST /transfers` books what it is given and replies with a receipt; `GET /transfers/{token}` says whether a transfer
//! was booked. It knows nothing of workers, sessions or retries.

use std::process::ExitCode;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::extract::{Path, State};
use axum::routing::{get, post};
use axum::{Json, Router};
use tokio::net::TcpListener;
use uuid::Uuid;

use crate::cli::BankArgs;
use crate::ledger::{Ledger, Receipt, Transfer};
use crate::pause::{Pause, Point};
use crate::process;

struct Bank {
    ledger: Mutex<Ledger>,
    pause: Pause,
}

/// Serves until it is killed.
pub(crate) async fn serve(args: BankArgs) -> anyhow::Result<ExitCode> {
    if args.with_parent {
        process::end_with_parent();
    }
    let bank = Bank { ledger: Mutex::new(Ledger::open(&args.dir)?), pause: args.pause };
    let routes = Router::new().route("/transfers", post(transfer)).route("/transfers/{token}", get(find));
    let listener = TcpListener::bind(("127.0.0.1", args.port)).await?;
    println!("http://{}", listener.local_addr()?);
    axum::serve(listener, routes.with_state(Arc::new(bank))).await?;
    Ok(ExitCode::SUCCESS)
}

async fn transfer(State(bank): State<Arc<Bank>>, Json(transfer): Json<Transfer>) -> Json<Receipt> {
    let key = transfer.key.clone();
    let receipt = bank.book(transfer);
    bank.pause.here(Point::AfterBooking, &key).await;
    Json(receipt)
}

/// An unknown token is answered with `null`, not with a 404: every wrong server has a 404 for every path, and a
/// verifier that took one for "did not happen" would pay twice.
async fn find(State(bank): State<Arc<Bank>>, Path(token): Path<Uuid>) -> Json<Option<Receipt>> {
    Json(bank.ledger().find(token))
}

impl Bank {
    /// Books in one piece, without an `await`: a caller that goes away cannot leave half a booking behind.
    fn book(&self, transfer: Transfer) -> Receipt {
        self.ledger().book(transfer).unwrap_or_else(|error| {
            // What is on disk is no longer known, so nobody may be told that a transfer was not booked.
            eprintln!("bank: the ledger cannot be written: {error}");
            std::process::exit(1)
        })
    }

    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
