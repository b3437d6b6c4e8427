//! One session, one world, and the starts that they go through.

use std::fmt;
use std::path::Path;

use durable_tests::files::SessionFiles;
use durable_tests::orders::{Answer, Orders};
use durable_tests::stage::{Fate, Moment};
use durable_tests::workflows::Workflow;
use durable_tests::world::Ledger;
use tempfile::TempDir;

use super::{End, Victim};

/// A session of a workflow, and its world.
pub(crate) struct Trial {
    pub(crate) workflow: Workflow,
    root: TempDir,
    /// What befell it so far, to be told when a check fails.
    starts: Vec<String>,
}

impl Trial {
    /// A fresh one, on a disk.
    pub(crate) fn new(workflow: Workflow) -> Self {
        let root = tempfile::tempdir().expect("a directory for the trial");
        Self { workflow, root, starts: Vec::new() }
    }

    /// A fresh one in memory, if the machine has a file system there: to a kill, what is written is written, so a sweep
    /// need not wait for the syncs of a disk.
    pub(crate) fn in_memory(workflow: Workflow) -> Self {
        let memory = Path::new("/dev/shm");
        let root = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
        Self { workflow, root: root.expect("a directory for the trial"), starts: Vec::new() }
    }

    pub(crate) fn files(&self) -> SessionFiles {
        SessionFiles::at(self.root.path().join("session"))
    }

    pub(crate) fn ledger(&self) -> Ledger {
        Ledger::at(self.root.path().join("world.jsonl"))
    }

    /// Orders to run the workflow, and to answer nothing.
    pub(crate) fn orders(&self, fate: Fate) -> Orders {
        Orders {
            session: self.files().dir().to_owned(),
            world: self.ledger().path().to_owned(),
            workflow: Some(self.workflow),
            fate,
            world_is_down: false,
            answers: Vec::new(),
        }
    }

    /// One start, to its end. Every open question is answered truthfully before.
    pub(crate) fn start(&mut self, fate: Fate) -> End {
        let answers = self.answers();
        self.obey(&Orders { answers, ..self.orders(fate) })
    }

    /// One start with these orders, to its end.
    pub(crate) fn obey(&mut self, orders: &Orders) -> End {
        let victim = self.begin(orders);
        self.ended(victim.end())
    }

    /// One start that nothing befalls, and that ends well.
    pub(crate) fn finish(&mut self) -> Vec<u64> {
        let end = self.start(Fate::Lives);
        assert_eq!(end.code(), Some(0), "{self}: {}", end.stderr);
        end.result().expect("a finished workflow has a result").to_vec()
    }

    /// One start that dies at this moment of this step.
    pub(crate) fn die_at(&mut self, moment: Moment, key: &str) {
        let end = self.start(Fate::DiesAt(moment, key.to_owned()));
        assert!(end.was_killed(), "{self}: it was to die, and ended with {:?}: {}", end.code(), end.stderr);
    }

    /// Begins a start; tell how it ended with [`ended`](Self::ended).
    pub(crate) fn begin(&mut self, orders: &Orders) -> Victim {
        let answers = orders.answers.iter().map(|Answer { key, value }| format!(", answering {key}: {value:?}"));
        self.starts.push(format!("{:?}{}", orders.fate, answers.collect::<String>()));
        Victim::start(orders)
    }

    /// Notes how a start ended.
    pub(crate) fn ended(&mut self, end: End) -> End {
        self.starts.push(end.code().map_or("killed".to_owned(), |code| format!("exit {code}")));
        end
    }

    /// Starts until the workflow is finished; the only thing that may hold it up is an effect of which nobody but a
    /// person can tell, once. Gives its result.
    pub(crate) fn go_on(&mut self) -> Vec<u64> {
        let end = self.start(Fate::Lives);
        if let Some(result) = end.result() {
            return result.to_vec();
        }
        self.check_that_only_a_person_can_tell(&end);
        self.finish()
    }

    /// The steps that a person is asked about.
    pub(super) fn asked(&self) -> Vec<&'static str> {
        let files = self.files();
        let is_asked = |key: &&str| {
            let records = files.records_of(&self.workflow.full_key(key));
            records.last().is_some_and(|record| record["action"] == "in_doubt")
        };
        self.workflow.steps().iter().map(|(key, _)| *key).filter(is_asked).collect()
    }

    /// The truth about each of them, by the world's file.
    fn answers(&self) -> Vec<Answer> {
        let answer = |key| Answer { key: self.workflow.full_key(key), value: self.ledger().applied(key) };
        self.asked().into_iter().map(answer).collect()
    }
}

impl fmt::Display for Trial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} [{}]", self.workflow, self.starts.join(", "))
    }
}
