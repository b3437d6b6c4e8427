//! Payments at a bank that counts, in one process, and the files that they leave.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use durable_runtime::prelude::*;
use durable_runtime::store::files::FilesStore;
use durable_runtime::testing::{CountingDisk, ManualClock, RealDisk};
use durable_runtime::{SessionBuilder, StepKey};
use durable_tests::files::SessionFiles;
use tempfile::TempDir;

/// The id of every session here: tokens and checksums come out the same each time.
pub(crate) const ID: &str = "5e551014-0000-4000-8000-000000000001";

pub(crate) type Paid<T = u32> = Result<T, Box<dyn Error + Send + Sync>>;

/// Gives the number of payments in the bank's ledger.
#[durable_workflow(
    goal = "pay {payments} invoices of $1",
    invariants = ["each payment reaches the bank's ledger at most once"]
)]
pub(crate) async fn four_payments(session: &Session, #[resource] bank: &Bank, payments: u32) -> Paid {
    let mut entries = 0;
    for n in 1..=payments {
        #[side_effect(key = "pay/{n:03}" as pay, title = "pay $1 to invoice {n}", verify = bank.find(pay))]
        let entry = bank.book(pay).await?;
        entries = entry;
    }
    Ok(entries)
}

/// What it is to pay: full keys.
pub(crate) fn due(payments: usize) -> Vec<String> {
    (1..=payments).map(|n| format!("four_payments//pay/{n:03}")).collect()
}

/// A bank that books whatever it is sent: whoever sends twice is seen.
#[derive(Default)]
pub(crate) struct Bank {
    ledger: Mutex<Vec<String>>,
    asked: Mutex<Vec<String>>,
    during: Option<During>,
    refuses: Option<&'static str>,
    hangs: Option<&'static str>,
}

type During = Box<dyn Fn(&str) + Send + Sync>;

#[derive(Debug)]
pub(crate) struct Refused;

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("402: the account is empty")
    }
}

impl Error for Refused {}

impl Bank {
    /// One that has booked these payments in an earlier life of the worker.
    pub(crate) fn holding(payments: usize) -> Self {
        Self { ledger: Mutex::new(due(payments)), ..Self::default() }
    }

    /// Calls `during` with the key in the middle of each payment, once it is booked.
    pub(crate) fn calling(during: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self { during: Some(Box::new(during)), ..Self::default() }
    }

    /// Turns the payments away whose key ends so.
    pub(crate) fn refusing(key: &'static str) -> Self {
        Self { refuses: Some(key), ..Self::default() }
    }

    /// Books the payments whose key ends so, and never confirms them.
    pub(crate) fn hanging(key: &'static str) -> Self {
        Self { hangs: Some(key), ..Self::default() }
    }

    pub(crate) async fn book(&self, pay: &StepKey) -> Result<u32, Refused> {
        if self.refuses.is_some_and(|key| pay.as_str().ends_with(key)) {
            return Err(Refused);
        }
        let entry = {
            let mut ledger = self.ledger.lock().unwrap();
            ledger.push(pay.to_string());
            u32::try_from(ledger.len()).unwrap()
        };
        if let Some(during) = &self.during {
            during(pay.as_str());
        }
        if self.hangs.is_some_and(|key| pay.as_str().ends_with(key)) {
            std::future::pending::<()>().await;
        }
        Ok(entry)
    }

    pub(crate) fn find(&self, pay: &StepKey) -> Option<u32> {
        self.asked.lock().unwrap().push(pay.to_string());
        let entry = self.ledger.lock().unwrap().iter().position(|booked| booked == pay.as_str())?;
        u32::try_from(entry + 1).ok()
    }

    /// Every payment that was ever booked, in order.
    pub(crate) fn ledger(&self) -> Vec<String> {
        self.ledger.lock().unwrap().clone()
    }

    /// Every payment that a verifier has looked up, in order.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

/// The directory of one session.
pub(crate) struct Directory {
    root: TempDir,
}

impl Directory {
    /// One that does not exist yet. It is in memory where the machine has a place for that: thousands are made.
    pub(crate) fn missing() -> Self {
        let memory = Path::new("/dev/shm");
        let root = if memory.is_dir() { TempDir::new_in(memory) } else { TempDir::new() }.unwrap();
        Self { root }
    }

    /// A session that knows its id and nothing else.
    pub(crate) fn new() -> Self {
        Self::of(&Files::default().with("session.lock", format!("{ID}\n")))
    }

    /// A session with these files.
    pub(crate) fn of(files: &Files) -> Self {
        let directory = Self::missing();
        fs::DirBuilder::new().mode(0o700).create(directory.path()).unwrap();
        for (name, bytes) in &files.0 {
            directory.put(name, bytes);
        }
        directory
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.root.path().join("session")
    }

    pub(crate) fn put(&self, name: &str, bytes: &[u8]) {
        let mut file = fs::OpenOptions::new();
        let file = file.write(true).create(true).truncate(true).mode(0o600).open(self.path().join(name));
        file.unwrap().write_all(bytes).unwrap();
    }

    /// What is there, read as anybody can.
    pub(crate) fn files(&self) -> SessionFiles {
        SessionFiles::at(self.path())
    }

    /// The session, at a clock that waits for nobody, on a disk that does not tell a copy from what it was made of.
    pub(crate) fn session(&self) -> SessionBuilder {
        let disk = CountingDisk::new(RealDisk::new(self.path()));
        let store = FilesStore::with_disk(Arc::new(disk));
        Session::builder(self.path()).store(store).identity("payer").clock(ManualClock::default())
    }
}

/// The files of a session, byte for byte.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Files(pub(crate) BTreeMap<String, Vec<u8>>);

impl Files {
    /// What a kill in the middle of payment `n` leaves: it is booked, and the worker does not know.
    pub(crate) async fn killed_in(n: usize) -> Self {
        Self::killed_at(&due(n)[n - 1], async |session, bank| four_payments(session, bank, 4).await).await
    }

    /// The same of any work, in the middle of the step whose key ends so.
    pub(crate) async fn killed_at(key: &str, work: impl AsyncFn(&Session, &Bank) -> Paid) -> Self {
        let directory = Directory::new();
        let taken = Arc::new(Mutex::new(None));
        let bank = Bank::calling({
            let (files, taken, key) = (directory.files(), Arc::clone(&taken), key.to_owned());
            move |reached| {
                if reached.ends_with(&key) {
                    *taken.lock().unwrap() = Some(Self(files.bytes()));
                }
            }
        });
        let session = directory.session().open().await.unwrap();
        work(&session, &bank).await.unwrap();
        taken.lock().unwrap().take().unwrap()
    }

    /// What a whole life leaves.
    pub(crate) async fn finished() -> Self {
        let directory = Directory::new();
        let session = directory.session().open().await.unwrap();
        four_payments(&session, &Bank::default(), 4).await.unwrap();
        session.close().await.unwrap();
        Self(directory.files().bytes())
    }

    pub(crate) fn text(&self, name: &str) -> &str {
        std::str::from_utf8(&self.0[name]).unwrap()
    }

    /// The journal's lines, each with its line feed.
    pub(crate) fn lines(&self) -> Vec<&str> {
        self.text("journal.jsonl").split_inclusive('\n').collect()
    }

    #[must_use]
    pub(crate) fn with(&self, name: &str, bytes: impl Into<Vec<u8>>) -> Self {
        let mut files = self.clone();
        files.0.insert(name.to_owned(), bytes.into());
        files
    }

    #[must_use]
    pub(crate) fn without(&self, names: &[&str]) -> Self {
        let mut files = self.clone();
        files.0.retain(|name, _| !names.contains(&name.as_str()));
        files
    }
}
