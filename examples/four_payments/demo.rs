//! The story: a bank opens, a worker pays and is killed in the middle, a fresh one boots, and the ledger is checked.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::ValueEnum as _;

use crate::cli::DemoArgs;
use crate::ledger;
use crate::pause::STANDING_STILL;
use crate::process::Process;
use crate::report::{Report, Teller};

struct Demo<'a> {
    args: &'a DemoArgs,
    tell: Teller,
    dir: PathBuf,
    bank: Process,
    url: String,
}

/// Succeeds only if both workers ended well and the ledger, read from its file, holds each payment once.
pub(crate) async fn play(args: &DemoArgs) -> anyhow::Result<ExitCode> {
    let mut demo = Demo::open(args).await?;
    let played = demo.acts().await;
    demo.bank.kill().await?;
    played.map(|()| ExitCode::SUCCESS)
}

impl<'a> Demo<'a> {
    async fn open(args: &'a DemoArgs) -> anyhow::Result<Self> {
        let tell = Teller { quiet: args.quiet };
        let dir = directory(args)?;
        let mut bank = Process::start("bank", &dir, pause(args))?;
        let url = bank.line().await?.context("the bank did not open")?;
        tell.heading("The stage");
        tell.line(format_args!("The bank listens at {url}; a worker pays $1 to each of {} invoices.", args.payments));
        tell.line(format_args!("Their files are in {}", dir.display()));
        Ok(Self { args, tell, dir, bank, url })
    }

    async fn acts(&mut self) -> anyhow::Result<()> {
        self.first_worker().await?;
        self.fresh_worker().await?;
        self.reckon()
    }

    /// Pays until it stands still in the middle of a payment, and is killed there.
    async fn first_worker(&mut self) -> anyhow::Result<()> {
        let mut worker = self.hire(pause(self.args))?;
        let Some(moment) = self.stands_still(&mut worker).await? else {
            worker.finish("worker").await?;
            self.tell.heading("Nobody is killed");
            self.tell.line("The worker went through to the end.");
            return Ok(());
        };
        let id = worker.kill().await?;
        self.tell.heading("kill -9");
        self.tell.line(format_args!("Worker {id} dies while {moment}."));
        self.tell.line(format_args!("Entries in the bank's ledger now: {}", ledger::read(&self.dir)?.len()));
        Ok(())
    }

    /// A new process that knows nothing but what is on disk. It prints the handoff that it finds.
    async fn fresh_worker(&self) -> anyhow::Result<()> {
        self.tell.heading("A fresh worker boots, and finds this handoff");
        let mut worker = self.hire(Vec::new())?;
        while let Some(line) = worker.line().await? {
            self.tell.line(line);
        }
        worker.finish("fresh worker").await
    }

    /// Reads what is on disk now, and believes only that.
    fn reckon(&self) -> anyhow::Result<()> {
        let report = Report::read(&self.dir)?;
        report.print(self.tell);
        report.check(self.args.payments, self.tell)?;
        Ok(())
    }

    fn hire(&self, pause: Vec<String>) -> anyhow::Result<Process> {
        let own = ["--bank".to_owned(), self.url.clone(), "--payments".to_owned(), self.args.payments.to_string()];
        Process::start("worker", &self.dir, own.into_iter().chain(pause))
    }

    /// Waits until bank or worker stands still, and tells where; `None` if the worker ended instead.
    async fn stands_still(&mut self, worker: &mut Process) -> anyhow::Result<Option<String>> {
        loop {
            let line = tokio::select! {
                line = self.bank.line() => line?.context("the bank closed")?,
                line = worker.line() => match line? {
                    Some(line) => line,
                    None => return Ok(None),
                },
            };
            if let Some(moment) = line.strip_prefix(STANDING_STILL) {
                return Ok(Some(moment.to_owned()));
            }
        }
    }
}

/// A temporary directory stays when the demo is over, for readers who want to look into the files.
fn directory(args: &DemoArgs) -> anyhow::Result<PathBuf> {
    match &args.dir {
        Some(dir) => Ok(dir.clone()),
        None => Ok(tempfile::Builder::new().prefix("four-payments-").tempdir()?.keep()),
    }
}

/// Where to stand still: in the third payment, or in the last of fewer. Bank and first worker are told the same, and the
/// one in whom the moment happens obeys.
fn pause(args: &DemoArgs) -> Vec<String> {
    let Some(point) = args.kill.point().and_then(|point| point.to_possible_value()) else { return Vec::new() };
    let payment = args.payments.min(3).to_string();
    vec!["--pause".to_owned(), point.get_name().to_owned(), "--pause-at".to_owned(), payment]
}
