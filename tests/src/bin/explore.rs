//! Disturbs every subject of the kill lab until so many states have been looked at: `explore 1000000`. Fails if one of
//! them is broken.

use std::process::ExitCode;

use durable_runtime::testing::Verdict;
use durable_tests::lab::Subject;

fn main() -> ExitCode {
    let wanted = std::env::args().nth(1).and_then(|text| text.parse().ok());
    let wanted: u64 = wanted.expect("the first argument is a number of states");
    let (mut states, mut distinct, mut holds) = (0, 0, true);
    for (subject, left) in Subject::ALL.into_iter().zip((1..=Subject::ALL.len() as u64).rev()) {
        let share = wanted.saturating_sub(states).div_ceil(left);
        let report = subject.study(|lab| lab.forks().thorough().states(share));
        println!("{report}");
        states += report.states();
        distinct += report.distinct_states();
        holds &= report.verdict() <= Verdict::InDoubt && report.in_doubt().all(|key| subject.asks().contains(&key));
    }
    println!("{states} states, {distinct} of them distinct");
    if holds && states >= wanted { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
