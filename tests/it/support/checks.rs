//! What must hold whatever was killed.

use std::collections::BTreeSet;
use std::io::{ErrorKind, Write as _};
use std::process::Command;
use std::sync::Once;

use durable_runtime::core::time::Timestamp;
use durable_tests::stage::Fate;
use durable_tests::workflows::Kind;
use durable_tests::world::Act;
use serde_json::Value;

use super::{End, Trial};

impl Trial {
    /// After a kill, before anybody boots: whoever has nothing but the files is not led to do anything twice.
    pub(crate) fn check_what_the_kill_left(&self) {
        let files = self.files();
        // Both are read to see that they can be.
        let (registry, _state) = (files.registry().unwrap_or_default(), files.state());
        for &(key, kind) in self.workflow.steps() {
            let full = self.workflow.full_key(key);
            for seen in self.ledger().values(Act::Seen, key) {
                assert_eq!(self.recorded(&full), seen, "{self}: the workflow had the value of `{full}`");
            }
            if kind == Kind::Read || self.ledger().count(Act::Called, key) == 0 {
                continue;
            }
            assert!(files.reserved().contains(&full), "{self}: `{full}` was called, and the journal does not know");
            assert!(registry.contains(&full), "{self}: `{full}` was called, and the registry does not know");
            self.check_letter(&full, key, kind);
        }
        if files.path("idempotency.json").exists() {
            self.check_that_python_lists_the_registry();
        }
    }

    /// The value that the journal has for a key.
    fn recorded(&self, full: &str) -> Option<u64> {
        let records = self.files().records_of(full);
        records.iter().find(|record| record["action"] == "done")?["value"].as_u64()
    }

    /// The letter never leads to a second run of what may have happened.
    fn check_letter(&self, full: &str, key: &str, kind: Kind) {
        let records = self.files().records_of(full);
        let last = records.last().and_then(|record| record["action"].as_str());
        // Of an earlier attempt it is proven, or said by a person, that nothing happened.
        let is_proven = kind != Kind::Idempotent && !self.newest_attempt_was_called(key, &records);
        if is_proven || matches!(last, Some("absent" | "resolve")) {
            return;
        }
        let lines = self.files().section("Next action");
        let about: Vec<_> = lines.iter().filter(|line| names(line, full) || names(line, key)).collect();
        let letter = || lines.join("\n");
        assert!(!about.iter().any(|line| leads_to_run(line)), "{self}: run `{full}`, says the letter:\n{}", letter());
        if last != Some("done") {
            let is_told = about.iter().any(|line| leads_to_ask(line, kind));
            assert!(is_told, "{self}: the letter does not say that `{full}` is in doubt:\n{}", letter());
        }
    }

    /// A start that ended in doubt asks about a step whose kind leaves it to a person, and about nothing else.
    pub(crate) fn check_that_only_a_person_can_tell(&self, end: &End) {
        assert_eq!(end.code(), Some(75), "{self}: {}", end.stderr);
        let asked = self.asked();
        let is_persons = |key: &&str| self.workflow.steps().contains(&(*key, Kind::Person));
        assert!(!asked.is_empty() && asked.iter().all(is_persons), "{self}: it asks about {asked:?}");
    }

    pub(crate) fn check_that_none_happened_twice(&self) {
        for (key, _) in self.workflow.steps() {
            assert!(self.ledger().count(Act::Applied, key) <= 1, "{self}: {key} happened twice");
        }
    }

    /// There were calls; if there was only one attempt, they are its.
    fn newest_attempt_was_called(&self, key: &str, records: &[Value]) -> bool {
        let mut newest = records.iter().rev().filter(|record| record["action"] == "reserve");
        match (newest.next(), newest.next()) {
            (Some(newest), Some(_)) => self.ledger().was_called(key, instant(newest)),
            _ => true,
        }
    }

    /// The end: each effect once, the files agree, the values are those of a life without kills, and nothing is left.
    pub(crate) fn check_the_end(&mut self, result: &[u64], undisturbed: &[u64]) {
        self.check_that_each_happened_once();
        self.check_that_the_files_agree();
        self.check_values(result, undisturbed);
        self.check_that_nothing_is_left(result);
    }

    /// Starts until the end, and checks it.
    pub(crate) fn check_that_it_ends(&mut self, undisturbed: &[u64]) {
        let result = self.go_on();
        self.check_the_end(&result, undisturbed);
    }

    pub(crate) fn check_that_each_happened_once(&self) {
        let ledger = self.ledger();
        for &(key, kind) in self.workflow.steps().iter().filter(|(_, kind)| *kind != Kind::Read) {
            let applied = ledger.count(Act::Applied, key);
            assert_eq!(applied, 1, "{self}: n({key}), {:?}", ledger.entries());
            let records = self.files().records_of(&self.workflow.full_key(key));
            let absent = records.iter().filter(|record| record["action"] == "absent").count();
            let called = ledger.count(Act::Called, key);
            let is_proven = kind == Kind::Idempotent || called <= 1 + absent;
            assert!(is_proven, "{self}: {key} was called {called} times, and absent {absent} times");
        }
    }

    fn check_that_the_files_agree(&self) {
        let files = self.files();
        let effects = self.workflow.steps().iter().filter(|(_, kind)| *kind != Kind::Read);
        let effects: BTreeSet<_> = effects.map(|(key, _)| self.workflow.full_key(key)).collect();
        assert_eq!(files.reserved(), effects, "{self}: the journal");
        let registry: BTreeSet<_> = files.registry().unwrap_or_default().into_iter().collect();
        assert_eq!(registry, effects, "{self}: the registry");

        let (state, letter) = (files.state().expect("a closed session has a state"), files.handoff());
        let letter = letter.expect("a closed session has a letter");
        let boots = files.records("boot").len();
        assert_eq!(state.status, "dormant", "{self}");
        assert_eq!(state.session_iteration, boots as u64, "{self}");
        assert!(letter.starts_with(&format!("# Handoff — victim — iteration {boots}\n")), "{self}: {letter}");
        for line in [state.last_action, state.next_action].into_iter().flatten().chain(state.open_invariants) {
            assert!(letter.contains(&line), "{self}: the state says {line:?}, and not the letter:\n{letter}");
        }
        assert!(letter.contains("\n1. NOTHING is left to do"), "{self}: {letter}");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
        let audit = runtime.block_on(durable_runtime::audit(files.dir())).expect("a closed session can be audited");
        assert!(audit.holds() && !audit.to_string().contains("or another hand"), "{self}: {audit}");
    }

    /// A replayed value is the one that was recorded, not one of a second run.
    pub(crate) fn check_values(&self, result: &[u64], undisturbed: &[u64]) {
        let ledger = self.ledger();
        for (index, &(key, kind)) in self.workflow.steps().iter().enumerate() {
            let seen: BTreeSet<_> = ledger.values(Act::Seen, key).into_iter().collect();
            assert_eq!(seen, BTreeSet::from([Some(result[index])]), "{self}: what the workflow saw of {key}");
            let wanted = match kind {
                // A read that was killed before it was recorded is run again, and has changed.
                Kind::Read => ledger.values(Act::Read, key).last().copied().flatten(),
                Kind::Verify | Kind::Idempotent | Kind::Person => Some(undisturbed[index]),
            };
            assert_eq!(Some(result[index]), wanted, "{self}: {key}");
        }
    }

    pub(crate) fn check_that_nothing_is_left(&mut self, result: &[u64]) {
        let before = self.ledger().entries();
        let end = self.start(Fate::Lives);
        assert_eq!((end.code(), end.result()), (Some(0), Some(result)), "{self}: a further start: {}", end.stderr);
        assert_eq!(self.ledger().entries(), before, "{self}: a further start ran something");
    }

    /// Whoever reads the registry with a script gets every key.
    pub(crate) fn check_that_python_lists_the_registry(&self) {
        let script = "import json, sys\nfor key in json.load(open(sys.argv[1])): print(key)";
        let path = self.files().path("idempotency.json");
        let listed = Command::new("python3").arg("-c").arg(script).arg(path).output();
        if listed.as_ref().is_err_and(|error| error.kind() == ErrorKind::NotFound) {
            // Not with `eprintln`, which is kept from the terminal while tests pass.
            static TOLD: Once = Once::new();
            let text = b"not measured here: there is no python3 to list idempotency.json\n";
            return TOLD.call_once(|| std::io::stderr().write_all(text).expect("standard error is open"));
        }
        let listed = listed.expect("python3 can be started");
        assert!(listed.status.success(), "{self}: python3 says {}", String::from_utf8_lossy(&listed.stderr));
        let listed = String::from_utf8(listed.stdout).expect("python3 prints text");
        assert_eq!(listed.lines().collect::<Vec<_>>(), self.files().registry().unwrap_or_default(), "{self}");
    }
}

fn names(line: &str, key: &str) -> bool {
    line.contains(&format!("`{key}`"))
}

fn leads_to_ask(line: &str, kind: Kind) -> bool {
    let asks = ["VERIFY", "ASK", "WAIT"].contains(&verb_of(line)) && line.contains("never run it by hand");
    match kind {
        Kind::Idempotent => verb_of(line) == "NEVER" && line.contains("same token"),
        _ => asks,
    }
}

fn leads_to_run(line: &str) -> bool {
    let runs_nothing = ["VERIFY", "ASK", "NEVER", "WAIT", "NOTHING"].contains(&verb_of(line));
    !runs_nothing && !line.contains("takes the answer that it happened, and does not run")
}

/// When a record was made.
fn instant(record: &Value) -> Timestamp {
    serde_json::from_value(record["t"].clone()).expect("every record has an instant")
}

/// The word behind the number of a line.
fn verb_of(line: &str) -> &str {
    line.split(' ').nth(1).unwrap_or_default()
}
