//! Can two templates give the same string? A hole stands for one or more characters other than `/` and `:`, which the
//! runtime escapes in every hole.

use std::collections::{BTreeSet, VecDeque};

use super::Template;

/// The character that a witness shows for whatever a hole may hold.
const ANY: char = '1';

/// A shortest string that both templates can become.
pub(crate) fn witness(a: &Template, b: &Template) -> Option<String> {
    let (a, b) = (symbols(a), symbols(b));
    let mut queue = VecDeque::from([(0, 0, String::new())]);
    let mut seen = BTreeSet::new();
    while let Some((i, j, text)) = queue.pop_front() {
        if i == a.len() && j == b.len() {
            return Some(text);
        }
        if !seen.insert((i, j)) {
            continue;
        }
        // Leaving a hole costs no character, so it is tried before anything longer.
        if a.get(i) == Some(&Symbol::Many) {
            queue.push_front((i + 1, j, text.clone()));
        }
        if b.get(j) == Some(&Symbol::Many) {
            queue.push_front((i, j + 1, text.clone()));
        }
        if let (Some(x), Some(y)) = (a.get(i), b.get(j))
            && let Some(next) = x.meet(*y)
        {
            queue.push_back((x.after(i), y.after(j), text + next.encode_utf8(&mut [0; 4])));
        }
    }
    None
}

#[derive(Clone, Copy, PartialEq)]
enum Symbol {
    Exactly(char),
    /// The first character of a hole, which is never empty.
    One,
    /// The rest of a hole.
    Many,
}

impl Symbol {
    /// A character that both symbols accept.
    fn meet(self, other: Self) -> Option<char> {
        match (self, other) {
            (Self::Exactly(a), Self::Exactly(b)) => (a == b).then_some(a),
            (Self::Exactly(c), _) | (_, Self::Exactly(c)) => (!matches!(c, '/' | ':')).then_some(c),
            _ => Some(ANY),
        }
    }

    fn after(self, position: usize) -> usize {
        if self == Self::Many { position } else { position + 1 }
    }
}

fn symbols(template: &Template) -> Vec<Symbol> {
    let mut symbols = Vec::new();
    for (n, piece) in template.pieces.iter().enumerate() {
        if n > 0 {
            symbols.extend([Symbol::One, Symbol::Many]);
        }
        symbols.extend(piece.chars().map(Symbol::Exactly));
    }
    symbols
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_that_can_meet_have_a_shortest_witness() {
        for (a, b, want) in [
            ("pay", "pay", Some("pay")),
            ("pay", "pay2", None),
            ("pay_{i}", "pay_{j}", Some("pay_1")),
            ("pay_{i:03}", "pay_{j}", Some("pay_1")),
            ("order_{id}", "order_{id}_mail", Some("order_1_mail")),
            ("order/{id}", "order/{id}/mail", None),
            ("order:{id}", "order:{id}:mail", None),
            ("a_{x}", "a_1", Some("a_1")),
            ("a_{x}", "a_", None),
            ("a_{x}", "a_/", None),
            ("a_{x}_end", "a_{y}_fin", None),
            ("{a}{b}", "x", None),
            ("{a}{b}", "xy", Some("xy")),
            ("{a}/{b}", "{c}", None),
            ("{a}-{b}", "{c}", Some("1-1")),
            ("{a}x", "y{b}", Some("yx")),
            ("aa{x}", "{y}aab", Some("aaab")),
        ] {
            let parse = |text| Template::parse(text).unwrap();
            assert_eq!(witness(&parse(a), &parse(b)).as_deref(), want, "{a} and {b}");
            assert_eq!(witness(&parse(b), &parse(a)).is_some(), want.is_some(), "{b} and {a}");
        }
    }
}
