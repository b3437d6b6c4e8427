//! Explores every subject of the kill lab as far as it is told, and says how many states that were.
//!
//! `explore 1000000`: until so many states have been looked at; the process fails if one of them is broken.

use std::process::ExitCode;

use durable_runtime::testing::Verdict;
use durable_tests::lab::Subject;

fn main() -> ExitCode {
    let wanted: u64 = std::env::args().nth(1).and_then(|text| text.parse().ok()).expect("the number of states to look at");
    let (mut states, mut distinct, mut is_broken) = (0, 0, false);
    // Each round goes deeper than the last one.
    for subject in Subject::ALL {
        let share = wanted.saturating_sub(states) / SHARES;
        let report = subject.study(|lab| lab.forks().thorough().states(share / STATES_PER_DISTINCT));
        println!("{report}");
        states += report.states();
        distinct += report.distinct_states();
        is_broken |= report.verdict() > Verdict::InDoubt || report.in_doubt().any(|key| !subject.asks().contains(&key));
    }
    println!("{states} states, {distinct} of them distinct");
    if is_broken || states < wanted { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

const SHARES: u64 = 7;
const STATES_PER_DISTINCT: u64 = 10;
