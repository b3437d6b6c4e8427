//! Two things never have one key.

use proptest::collection::vec;
use proptest::prelude::*;

use super::{Hole, check, fill, is_inside, scoped};

/// Values of the characters that could do harm: those that are escaped, and what their escapes are made of.
fn value() -> impl Strategy<Value = String> {
    "[/%:2F53Aa\n\u{e9} ]{1,4}"
}

/// What stands between two holes so that the macro accepts it: one of the characters that no value can say.
fn between() -> impl Strategy<Value = String> {
    ("[a2%]{0,2}", "[/:]", "[a2%]{0,2}").prop_map(|(before, mark, after)| format!("{before}{mark}{after}"))
}

/// The pieces of a template with `holes` holes.
fn pieces(holes: usize) -> impl Strategy<Value = Vec<String>> {
    ("[a2%]{0,2}", vec(between(), holes - 1), "[a2%]{0,2}").prop_map(|(first, mut pieces, last)| {
        pieces.insert(0, first);
        pieces.push(last);
        pieces
    })
}

/// A template and two sets of values for its holes.
fn two_fillings() -> impl Strategy<Value = (Vec<String>, Vec<String>, Vec<String>)> {
    (1..4_usize).prop_flat_map(|holes| (pieces(holes), vec(value(), holes), vec(value(), holes)))
}

/// Parts of keys: of a run, of the runs in it, of a step.
fn parts() -> impl Strategy<Value = Vec<String>> {
    vec("[ab]{1,2}(/[ab%:]{1,2}){0,2}", 1..4)
}

fn filled(pieces: &[String], values: &[String]) -> String {
    let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
    let holes: Vec<_> = values.iter().map(|value| Hole::Part(value)).collect();
    fill(&pieces, &holes).unwrap()
}

fn full(parts: &[String]) -> String {
    parts.iter().fold(String::new(), |run, part| scoped(&run, part))
}

proptest! {
    #[test]
    fn no_two_sets_of_values_give_one_key((pieces, one, other) in two_fillings()) {
        let (a, b) = (filled(&pieces, &one), filled(&pieces, &other));
        prop_assert_eq!(one == other, a == b, "{} and {}", a, b);
    }

    #[test]
    fn no_run_and_step_have_the_key_of_another_run_and_step(one in parts(), other in parts()) {
        let (a, b) = (full(&one), full(&other));
        prop_assert_eq!(one == other, a == b, "{} and {}", a, b);
        prop_assert_eq!(one.starts_with(&other), is_inside(&a, &b), "{} in {}", a, b);
        prop_assert!(check(&a).is_ok());
    }
}
