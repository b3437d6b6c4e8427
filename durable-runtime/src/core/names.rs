//! Texts that stand in one record after another, each held once: the key of a run, the shape of a step, whom it asks.

use std::sync::Arc;

/// How many are looked through: a run has few templates, and its steps come in rows.
const RECENT: usize = 16;

/// The texts that were asked for last.
#[derive(Debug, Default)]
pub struct Names {
    recent: Vec<Arc<str>>,
    next: usize,
}

impl Names {
    /// This text, as it is held already if it was asked for lately.
    pub fn share(&mut self, text: &str) -> Arc<str> {
        match self.recent.iter().find(|known| std::ptr::eq(&***known, text) || &***known == text) {
            Some(known) => Arc::clone(known),
            None => self.hold(text.into()),
        }
    }

    fn hold(&mut self, text: Arc<str>) -> Arc<str> {
        if self.recent.len() < RECENT {
            self.recent.push(Arc::clone(&text));
        } else {
            self.recent[self.next] = Arc::clone(&text);
            self.next = (self.next + 1) % RECENT;
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_held_once_as_long_as_it_is_in_use() {
        let mut names = Names::default();
        let first = names.share("payroll");
        for other in 0..RECENT - 1 {
            names.share(&other.to_string());
            assert!(Arc::ptr_eq(&first, &names.share("payroll")));
        }
        names.share("one too many");
        assert_eq!(&*names.share("payroll"), "payroll");
    }
}
