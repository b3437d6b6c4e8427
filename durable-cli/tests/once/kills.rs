//! A shell script whose steps are calls of the command is killed at random moments, and started again until it is through.

use std::fs;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use crate::place::Place;

/// Two payments that a verifier finds in the ledger, and between them a letter, of which a repeat is known by its token.
const SCRIPT: &str = r#"
set -eu
durable boot --wait 1h --goal "pay twice, and write" > boot.log
durable once --wait 1h --key pay/1 --verify 'grep -x pay/1 ledger' --settle 0s -- sh -c "$ACT"
durable once --wait 1h --key mail --idempotent -- sh -c "$ACT"
durable once --wait 1h --key pay/2 --verify 'grep -x pay/2 ledger' --settle 0s -- sh -c "$ACT"
durable note --wait 1h paid 2
durable end --wait 1h > end.log
"#;

/// It takes its time, so that a call that does not know of it would find nothing, and do it again.
const ACT: &str = r#"
i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done
case $DURABLE_KEY in
  mail) echo "$DURABLE_TOKEN" >> tokens ;;
  *) echo "$DURABLE_KEY" >> ledger ;;
esac
i=0; while [ $i -lt 2000 ]; do i=$((i + 1)); done
"#;

#[test]
fn a_script_that_is_killed_at_random_moments_does_nothing_twice() {
    let asked = std::env::var("DURABLE_KILLS").ok().map(|kills| kills.parse().expect("DURABLE_KILLS is a number"));
    let wanted: usize = asked.unwrap_or(30);
    let mut random = Random(7);
    let (mut kills, mut scripts) = (0, 0);
    while kills < wanted {
        kills += kill_until_it_is_through(&mut random);
        scripts += 1;
    }
    eprintln!("{kills} kills of {scripts} scripts");
}

/// Gives how often somebody was killed.
fn kill_until_it_is_through(random: &mut Random) -> usize {
    let place = Place::empty();
    fs::write(place.file("ledger"), "").unwrap();
    let mut kills = 0;
    for _ in 0..50 {
        let mut script = start(&place);
        if random.below(6) > 0 {
            kills += usize::from(strike(&place, &mut script, random));
        }
        let status = script.wait().unwrap();
        check(&place);
        if status.success() {
            return through(&place, kills);
        }
        let code = status.code();
        assert!(
            status.signal() == Some(9) || code == Some(137) || code.is_some_and(|code| code < 75),
            "{status}: {}",
            place.read("s/handoff.md")
        );
    }
    panic!("it does not come to its end: {}", place.read("s/handoff.md"));
}

/// One start of the script, with everything that it starts in one group.
fn start(place: &Place) -> Child {
    let mut script = place.shell(SCRIPT);
    script.env("ACT", ACT).process_group(0).stdout(Stdio::null()).stderr(Stdio::null());
    script.spawn().unwrap()
}

/// Waits for a moment, and kills somebody; `false` if the script was through before.
fn strike(place: &Place, script: &mut Child, random: &mut Random) -> bool {
    let written = size(place);
    let moment = written + random.below(4_000);
    while size(place) < moment {
        if script.try_wait().unwrap().is_some() {
            return false;
        }
        std::thread::yield_now();
    }
    // Somewhere in what follows that.
    (0..random.below(400)).for_each(|_| std::thread::yield_now());
    let all = members(Pid::from_child(script));
    let whom = random.below(4);
    let is_meant = |name: &str| match whom {
        0 => true,
        1 | 2 => name == "durable",
        _ => name != "durable",
    };
    let killed = all.iter().filter(|(pid, name)| is_meant(name) && kill_process(*pid, Signal::KILL).is_ok());
    killed.count() > 0
}

/// How much the session has written, and its world.
fn size(place: &Place) -> u64 {
    let files = ["s/journal.jsonl", "ledger", "tokens"].map(|file| fs::metadata(place.file(file)));
    files.iter().flatten().map(fs::Metadata::len).sum()
}

/// The processes of a group, and what they run.
fn members(group: Pid) -> Vec<(Pid, String)> {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let member = |entry: fs::DirEntry| {
        let pid = Pid::from_raw(entry.file_name().to_str()?.parse().ok()?)?;
        let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
        let (name, rest) = stat.split_once('(')?.1.rsplit_once(')')?;
        let is_member = rest.split_whitespace().nth(2)?.parse() == Ok(group.as_raw_nonzero().get());
        is_member.then(|| (pid, name.to_owned()))
    };
    processes.filter_map(member).collect()
}

/// Nothing has happened twice, whoever may still be at it.
fn check(place: &Place) {
    let ledger = place.read("ledger");
    let mut keys: Vec<_> = ledger.lines().collect();
    keys.sort_unstable();
    let len = keys.len();
    keys.dedup();
    assert_eq!(keys.len(), len, "something was paid twice: {ledger}");
    let tokens = place.read("tokens");
    let mut tokens: Vec<_> = tokens.lines().collect();
    tokens.dedup();
    assert!(tokens.len() <= 1, "a repeat had another token: {tokens:?}");
}

/// Everything has happened, and one more start does nothing.
fn through(place: &Place, kills: usize) -> usize {
    let world = || (place.read("ledger"), place.read("tokens"));
    let before = world();
    let mut ledger: Vec<_> = before.0.lines().collect();
    ledger.sort_unstable();
    assert_eq!((ledger, before.1.is_empty()), (vec!["pay/1", "pay/2"], false));
    assert!(start(place).wait().unwrap().success());
    assert_eq!(world(), before, "one more start did something");
    assert!(place.read("s/state.json").contains("\"status\": \"dormant\""));
    kills
}

/// Numbers that look random and are the same in every run: SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % end
    }
}
