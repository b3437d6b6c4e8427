//! "Did you mean": the known name nearest to a mistyped one.

/// What makes the contrary of a name.
const NOT: &[&str] = &["disable", "never", "no", "non", "not", "skip", "un", "without"];

/// The nearest of `known`, if it is near enough to be what was meant.
pub(crate) fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let (distance, name) = known.iter().map(|name| (distance(word, name), *name)).min()?;
    let is_part = word.len() >= 3 && (name.contains(word) || word.contains(name));
    let sorted = |word: &str| {
        let mut letters: Vec<char> = word.chars().collect();
        letters.sort_unstable();
        letters
    };
    let is_mixed_up = sorted(word) == sorted(name);
    let is_contrary = word.strip_suffix(name).is_some_and(|before| NOT.contains(&before.trim_end_matches('_')));
    if is_contrary {
        return None;
    }
    (distance <= 1 + word.len() / 4 || is_part || is_mixed_up).then_some(name)
}

/// Levenshtein's edit distance.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_typing_error_finds_its_word() {
        let known = ["key", "title", "verify", "idempotent", "in_doubt", "settle"];
        for (word, want) in [
            ("verfy", Some("verify")),
            ("kye", Some("key")),
            ("keys", Some("key")),
            ("idempotant", Some("idempotent")),
            ("indoubt", Some("in_doubt")),
            ("doubt", Some("in_doubt")),
            ("settel", Some("settle")),
            ("not_idempotent", None),
            ("unverify", None),
            ("banana", None),
        ] {
            assert_eq!(nearest(word, &known), want, "{word}");
        }
    }
}
