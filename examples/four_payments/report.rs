//! What the files say when all is over.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, ensure};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::ledger::{self, Transfer};

/// Talks to the terminal.
#[derive(Clone, Copy)]
pub(crate) struct Teller {
    pub(crate) quiet: bool,
}

impl Teller {
    pub(crate) fn heading(self, text: &str) {
        let rule = "─".repeat(76_usize.saturating_sub(text.chars().count()));
        self.line(format_args!("\n── {text} {rule}"));
    }

    pub(crate) fn line(self, text: impl Display) {
        if !self.quiet {
            println!("{text}");
        }
    }

    fn list(self, items: impl Iterator<Item = String>) {
        let items: Vec<_> = items.collect();
        self.line(if items.is_empty() { "nothing".to_owned() } else { items.join("\n") });
    }
}

/// The journal's lines since the last boot, and the whole ledger.
pub(crate) struct Report {
    since_boot: Vec<Line>,
    ledger: Vec<Transfer>,
}

/// What this report wants to know of a journal line.
#[derive(Deserialize)]
struct Line {
    action: String,
    key: Option<String>,
    how: Option<String>,
    value: Option<Box<RawValue>>,
    first: Option<String>,
    last: Option<String>,
}

impl Report {
    pub(crate) fn read(dir: &Path) -> anyhow::Result<Self> {
        let path = dir.join("session/journal.jsonl");
        let journal = fs::read_to_string(&path).with_context(|| format!("{} cannot be read", path.display()))?;
        let lines: Vec<Line> = journal.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        let boot = lines.iter().rposition(|line| line.action == "boot").context("the journal names no boot")?;
        let since_boot = lines.into_iter().skip(boot).collect();
        Ok(Self { since_boot, ledger: ledger::read(dir)? })
    }

    pub(crate) fn print(&self, tell: Teller) {
        tell.heading("What it knew: recorded results, given again without running anything");
        tell.list(self.since_boot.iter().filter_map(Line::replayed));
        tell.heading("What it verified, because it was in doubt");
        tell.list(self.since_boot.iter().filter_map(Line::verified));
        tell.heading("What it ran");
        tell.list(self.since_boot.iter().filter_map(Line::executed));
        tell.heading("The bank's ledger");
        let entry =
            |(index, transfer): (usize, &Transfer)| format!("{}  {}  ${}", index + 1, transfer.key, transfer.amount);
        tell.list(self.ledger.iter().enumerate().map(entry));
    }

    /// The demo's verdict: each payment is in the ledger, and none is there twice.
    pub(crate) fn check(&self, payments: u32, tell: Teller) -> anyhow::Result<()> {
        let booked = self.ledger.len();
        let keys: BTreeSet<_> = self.ledger.iter().map(|transfer| &transfer.key).collect();
        let tokens: BTreeSet<_> = self.ledger.iter().map(|transfer| transfer.token).collect();
        ensure!(booked == payments as usize, "the ledger has {booked} entries, and {payments} payments were due");
        ensure!(keys.len() == booked, "a payment was made twice: {booked} entries, {} keys", keys.len());
        ensure!(tokens.len() == booked, "a token was used twice: {booked} entries, {} tokens", tokens.len());
        tell.line(format_args!("\n{booked} payments were due, {booked} were made, each key once."));
        Ok(())
    }
}

impl Line {
    /// What a restart found done already: its payments, or the whole run once that is finished.
    fn replayed(&self) -> Option<String> {
        let (first, last) = (self.first.as_deref()?, self.last.as_deref()?);
        (self.action == "replayed").then(|| if first == last { first.to_owned() } else { format!("{first} to {last}") })
    }

    /// What the bank said about a payment of which nobody knew whether it had happened.
    fn verified(&self) -> Option<String> {
        match (self.action.as_str(), self.how.as_deref()) {
            ("done", Some("verified")) => Some(format!("{}  had happened: {}", self.key(), self.value())),
            ("absent", _) => Some(format!("{}  had not happened", self.key())),
            _ => None,
        }
    }

    /// A payment that was sent to the bank.
    fn executed(&self) -> Option<String> {
        (self.how.as_deref() == Some("executed")).then(|| format!("{}  gave {}", self.key(), self.value()))
    }

    fn key(&self) -> &str {
        self.key.as_deref().unwrap_or_default()
    }

    fn value(&self) -> &str {
        self.value.as_deref().map_or("", RawValue::get)
    }
}
