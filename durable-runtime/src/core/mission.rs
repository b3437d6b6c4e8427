//! What a mission file says: the goal, in the words of whoever gave it.

use super::text;

/// How large a mission file may be, in bytes.
pub const FILE: usize = 64 * 1024;

/// How long the goal in it may be, in bytes.
pub const GOAL: usize = 1_000;

/// The goal: the first paragraph that is no heading, or, where there is nothing else, the first heading; in one line.
///
/// # Errors
///
/// Fails with what is wrong with the text.
pub fn goal(text: &str) -> Result<String, String> {
    let lines = || text.lines().map(str::trim);
    let is_heading = |line: &&str| line.starts_with('#');
    let is_text =
        |line: &&str| !line.is_empty() && !is_heading(line) && !line.bytes().all(|byte| b"-*_=".contains(&byte));
    let paragraph: Vec<_> = lines().skip_while(|line| !is_text(line)).take_while(is_text).collect();
    let heading = || lines().find(is_heading).map(|line| line.trim_start_matches('#').to_owned());
    let said = if paragraph.is_empty() { heading().unwrap_or_default() } else { paragraph.join(" ") };
    let goal: String = said.split_whitespace().collect::<Vec<_>>().join(" ");
    match goal.len() {
        0 => Err("says nothing".to_owned()),
        1..=GOAL => Ok(text::clean(&goal, 6 * GOAL)),
        size => Err(format!("has a first paragraph of {size} bytes, and {GOAL} is the most for a goal")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_paragraph_is_the_goal() {
        for (text, wanted) in [
            ("Pay the invoices.", "Pay the invoices."),
            ("# Mission\n\nPay the\n  invoices.\n\nThen rest.", "Pay the invoices."),
            ("---\n# Mission\n---\nPay.\r\n", "Pay."),
            ("\u{feff}# Pay the invoices\n", "\\u{feff}# Pay the invoices"),
            ("## Pay the invoices\n\n", "Pay the invoices"),
            ("Pay\u{1b}[2J.", "Pay\\u{1b}[2J."),
        ] {
            assert_eq!(goal(text).as_deref(), Ok(wanted), "{text:?}");
        }
    }

    #[test]
    fn a_file_that_says_nothing_or_too_much_is_none() {
        for text in ["", " \n\n", "#\n", "---\n"] {
            assert_eq!(goal(text), Err("says nothing".to_owned()), "{text:?}");
        }
        assert!(goal(&"x".repeat(1_001)).unwrap_err().contains("1001 bytes"));
    }
}
