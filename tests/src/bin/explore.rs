//! Disturbs every subject of the kill lab until so many states have been looked at, with so many damages to the bytes of
//! each: `explore 1000000 1000`, `explore 0 all`. Fails if one of them is broken.

use std::process::ExitCode;

use durable_runtime::testing::LabVerdict;
use durable_tests::lab::Subject;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let mut number = |what| arguments.next().and_then(|text| number(&text)).expect(what);
    let wanted = number("the first argument is a number of states");
    let damages = usize::try_from(number("the second argument is a number of damages, or `all`")).unwrap_or(usize::MAX);
    let (mut states, mut distinct, mut holds) = (0, 0, true);
    for (subject, left) in Subject::ALL.into_iter().rev().zip((1..=Subject::ALL.len() as u64).rev()) {
        let share = wanted.saturating_sub(states).div_ceil(left);
        // A life of two sessions costs twice as much, and its single crashes leave many more images already.
        let share = if subject == Subject::TwoSessions { share / 8 } else { share };
        let report = subject.study(|lab| lab.forks().thorough().states(share).damages(damages));
        println!("{report}");
        states += report.states();
        distinct += report.distinct_states();
        holds &= report.verdict() <= LabVerdict::InDoubt && report.in_doubt().all(|key| subject.asks().contains(&key));
    }
    println!("{states} states, {distinct} of them distinct");
    if holds && states >= wanted { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn number(text: &str) -> Option<u64> {
    if text == "all" { Some(u64::MAX) } else { text.parse().ok() }
}
