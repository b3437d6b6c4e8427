//! The world outside: a shop whose ledger and mails are files.

use std::fs;
use std::path::Path;

use crate::common;
use crate::story::KILL;

pub(crate) struct Shop<'a>(pub(crate) &'a Path);

impl Shop<'_> {
    pub(crate) fn look_up(&self, order: u32) -> String {
        format!("order {order}: a lamp, 40 euros, paid")
    }

    /// Gives money back, and the line of the ledger that says so.
    pub(crate) fn refund(&self, token: impl ToString, order: u32, euros: u32) -> anyhow::Result<usize> {
        let ledger = self.ledger() + &format!("{} order {order}: {euros} euros back\n", token.to_string());
        fs::write(self.0.join("ledger.txt"), &ledger)?;
        common::moment(KILL)?;
        Ok(ledger.lines().count())
    }

    pub(crate) fn find_refund(&self, token: impl ToString) -> Option<usize> {
        let token = token.to_string();
        self.ledger().lines().position(|line| line.starts_with(&token)).map(|index| index + 1)
    }

    pub(crate) fn ledger(&self) -> String {
        fs::read_to_string(self.0.join("ledger.txt")).unwrap_or_default()
    }

    pub(crate) fn mail(&self, text: &str) -> std::io::Result<()> {
        fs::write(self.0.join("mail.txt"), text)
    }

    pub(crate) fn was_mailed(&self) -> bool {
        self.0.join("mail.txt").exists()
    }
}
