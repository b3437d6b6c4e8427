//! The bank's ledger: `ledger.jsonl`, one JSON object per booked transfer.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// A booked transfer; also what a customer asks for.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Transfer {
    /// The worker's name for the payment. The bank only writes it down.
    pub(crate) key: String,
    /// The worker's token, by which it can find the transfer again.
    pub(crate) token: Uuid,
    /// Whole dollars.
    pub(crate) amount: u32,
}

/// What the bank says about a booked transfer.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Receipt {
    /// Number of the entry in the ledger, from 1.
    pub(crate) entry: usize,
    /// Whole dollars.
    pub(crate) amount: u32,
}

/// The ledger as its bank holds it.
pub(crate) struct Ledger {
    file: File,
    booked: Vec<Transfer>,
}

impl Ledger {
    /// Opens the ledger in `dir`, with everything that an earlier bank booked there.
    pub(crate) fn open(dir: &Path) -> anyhow::Result<Self> {
        fs::create_dir_all(dir).with_context(|| format!("{} cannot be created", dir.display()))?;
        let path = path(dir);
        let file = OpenOptions::new().append(true).create(true).open(&path)?;
        // A bank killed in the middle of a line had booked nothing yet: whole lines count, the rest goes.
        let text = fs::read_to_string(&path)?;
        file.set_len(whole_lines(&text).len() as u64)?;
        Ok(Self { file, booked: parse(&text)? })
    }

    /// Books a transfer: on disk before it returns.
    ///
    /// A repeated token is booked again, and money flows twice. A bank that dropped repeats would make this demo pass
    /// with any worker; here, whoever sends twice is seen.
    pub(crate) fn book(&mut self, transfer: Transfer) -> io::Result<Receipt> {
        let line = serde_json::to_string(&transfer)? + "\n";
        self.file.write_all(line.as_bytes())?;
        self.file.sync_data()?;
        self.booked.push(transfer);
        Ok(self.receipt(self.booked.len() - 1))
    }

    /// The transfer that carries this token, if one was booked.
    pub(crate) fn find(&self, token: Uuid) -> Option<Receipt> {
        self.booked.iter().position(|transfer| transfer.token == token).map(|index| self.receipt(index))
    }

    fn receipt(&self, index: usize) -> Receipt {
        Receipt { entry: index + 1, amount: self.booked[index].amount }
    }
}

/// Reads the ledger in `dir` as anybody can who has the file.
pub(crate) fn read(dir: &Path) -> anyhow::Result<Vec<Transfer>> {
    let path = path(dir);
    let text = fs::read_to_string(&path).with_context(|| format!("{} cannot be read", path.display()))?;
    parse(&text)
}

fn path(dir: &Path) -> PathBuf {
    dir.join("ledger.jsonl")
}

fn parse(text: &str) -> anyhow::Result<Vec<Transfer>> {
    let line = |(index, line)| serde_json::from_str(line).with_context(|| format!("line {} of the ledger", index + 1));
    whole_lines(text).lines().enumerate().map(line).collect()
}

fn whole_lines(text: &str) -> &str {
    text.rfind('\n').map_or("", |end| &text[..=end])
}
