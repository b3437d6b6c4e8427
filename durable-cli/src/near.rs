//! What may have been meant.

use durable_runtime::core::text;

use crate::exit::Exit;
use crate::failure::Failure;

/// How many are proposed.
const MEANT: usize = 3;

/// That there is no such thing, and which of those there are may be meant. `list` is the command that names them all.
pub(crate) fn unknown<'a>(what: &str, given: &str, all: impl Iterator<Item = &'a str>, list: &str) -> Failure {
    let near = near(given, all);
    let meant: Vec<_> = near.iter().map(|key| text::key(key, 400).to_string()).collect();
    let way_out = match meant.is_empty() {
        true => format!("`{list}` names them all"),
        false => format!("did you mean {}?", meant.join(" or ")),
    };
    Failure::new(Exit::USAGE, format!("there is no {what} {} here; {way_out}", text::key(given, 400)))
}

/// Those that are nearest to what was given, the nearest first.
fn near<'a>(given: &str, all: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut found: Vec<_> = all.filter_map(|known| Some((distance(given, known)?, known))).collect();
    found.sort_unstable();
    found.dedup();
    if found.first().is_some_and(|(distance, _)| *distance == 0) {
        found.retain(|(distance, _)| *distance == 0);
    }
    found.truncate(MEANT);
    found.into_iter().map(|(_, known)| known).collect()
}

/// How far a key is from what was given; `None` if nobody would take one for the other.
fn distance(given: &str, known: &str) -> Option<usize> {
    if known.ends_with(&format!("//{given}")) || known.replace("//", "/") == given {
        return Some(0);
    }
    // Of a key that is much longer or shorter nothing is compared: there may be many.
    let most = 1 + given.len() / 5;
    if known.len().abs_diff(given.len()) > most {
        return None;
    }
    Some(strsim::osa_distance(given, known)).filter(|distance| *distance <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_key_and_a_slip_of_the_finger_find_it() {
        let all = ["payroll/7//pay/ada", "payroll/7//pay/bob", "payroll/7//tell"];
        let near = |given| near(given, all.into_iter());
        assert_eq!(near("pay/bob"), ["payroll/7//pay/bob"]);
        assert_eq!(near("payroll/7/tell"), ["payroll/7//tell"]);
        assert_eq!(near("payrol/7//pay/bbo")[0], "payroll/7//pay/bob");
        assert_eq!(near("something/else"), [] as [&str; 0]);
    }
}
