//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::pause::{Pause, Point};

/// Four payments survive `kill -9`: starts a bank and a worker, kills the worker in the middle of the third payment,
/// boots a fresh one, and checks the bank's ledger.
#[derive(Parser)]
#[command(name = "four_payments", version, args_conflicts_with_subcommands = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) role: Option<Role>,
    #[command(flatten)]
    pub(crate) demo: DemoArgs,
}

#[derive(Subcommand)]
pub(crate) enum Role {
    /// Only the bank; the first line it prints is its URL
    Bank(BankArgs),
    /// Only the worker; its exit status is 0 finished, 1 stopped, 75 in doubt, 77 session held by another process
    Worker(WorkerArgs),
}

#[derive(Args)]
pub(crate) struct DemoArgs {
    /// When the worker is killed
    #[arg(long, value_enum, default_value_t = Kill::AfterBooking)]
    pub(crate) kill: Kill,
    /// Where the session and the bank's ledger are kept; a fresh temporary directory if not given
    #[arg(long)]
    pub(crate) dir: Option<PathBuf>,
    /// How many invoices to pay
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) payments: u32,
    /// Print nothing unless something is wrong
    #[arg(long)]
    pub(crate) quiet: bool,
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Kill {
    /// The payment is reserved, its request not sent
    BeforeSend,
    /// The bank has booked the payment, the worker does not know
    AfterBooking,
    /// The worker has the bank's reply, and has not recorded it
    AfterReply,
    /// Not at all
    None,
}

#[derive(Args)]
pub(crate) struct BankArgs {
    /// Where `ledger.jsonl` is kept
    #[arg(long)]
    pub(crate) dir: PathBuf,
    /// The port on 127.0.0.1; 0 for any
    #[arg(long, default_value_t = 0)]
    pub(crate) port: u16,
    #[command(flatten)]
    pub(crate) pause: Pause,
    /// End when standard input closes
    #[arg(long, hide = true)]
    pub(crate) with_parent: bool,
}

#[derive(Args)]
pub(crate) struct WorkerArgs {
    /// Where the folder `session` is kept
    #[arg(long)]
    pub(crate) dir: PathBuf,
    /// The bank's URL
    #[arg(long, value_name = "URL")]
    pub(crate) bank: String,
    /// How many invoices to pay
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) payments: u32,
    #[command(flatten)]
    pub(crate) pause: Pause,
    /// End when standard input closes
    #[arg(long, hide = true)]
    pub(crate) with_parent: bool,
}

impl Kill {
    /// Where the process that is on the stage has to stand still; `None` if nobody is killed.
    pub(crate) fn point(self) -> Option<Point> {
        match self {
            Self::BeforeSend => Some(Point::BeforeSend),
            Self::AfterBooking => Some(Point::AfterBooking),
            Self::AfterReply => Some(Point::AfterReply),
            Self::None => None,
        }
    }
}
