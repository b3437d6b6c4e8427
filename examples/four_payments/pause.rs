//! How a kill lands exactly where it should.
//!
//! Nobody sleeps and hopes. The process in which the moment happens stands still there, for ever, and says so on a line
//! of its own; whoever reads the line can take their time with `kill -9`. A workflow of your own needs nothing of this.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::{Args, ValueEnum};

/// How the line begins.
pub(crate) const STANDING_STILL: &str = "standing still: ";

/// A moment in the life of a payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Point {
    /// In the worker: the key is reserved, the request is not sent
    BeforeSend,
    /// In the bank: the transfer is booked, the reply is not sent
    AfterBooking,
    /// In the worker: the reply has come, the result is not recorded
    AfterReply,
}

#[derive(Args)]
pub(crate) struct Pause {
    /// Stand still at this point of one payment, once
    #[arg(long = "pause", value_enum, value_name = "POINT")]
    point: Option<Point>,
    /// The number of that payment
    #[arg(long = "pause-at", default_value_t = 3, value_name = "N")]
    payment: u32,
    #[arg(skip)]
    reached: AtomicBool,
}

impl Pause {
    /// Stands still if this is the point and the payment.
    pub(crate) async fn here(&self, point: Point, key: &str) {
        let meant = self.point == Some(point) && key.ends_with(&format!("pay/{:03}", self.payment));
        if meant && !self.reached.swap(true, Ordering::Relaxed) {
            println!("{STANDING_STILL}{key} {point}");
            std::future::pending::<()>().await;
        }
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::BeforeSend => "is reserved and not yet sent",
            Self::AfterBooking => "is booked by the bank, and the worker does not know",
            Self::AfterReply => "is booked, the worker has the receipt, and has not recorded it",
        })
    }
}
