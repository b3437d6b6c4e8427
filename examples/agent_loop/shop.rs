//! The world outside: a shop whose ledger and mails are files.

use std::fs;
use std::path::Path;

use crate::common;
use crate::list::List;
use crate::story::KILL;

pub(crate) struct Shop<'a>(pub(crate) &'a Path);

impl Shop<'_> {
    pub(crate) fn look_up(&self, order: u32) -> String {
        format!("order {order}: a lamp, 40 euros, paid")
    }

    /// Gives money back, and the line of the ledger that says so.
    pub(crate) fn refund(&self, token: impl ToString, order: u32, euros: u32) -> anyhow::Result<usize> {
        let line = self.ledger().add(token, &format!("order {order}: {euros} euros back"))?;
        common::moment(KILL)?;
        Ok(line)
    }

    pub(crate) fn find_refund(&self, token: impl ToString) -> Option<usize> {
        self.ledger().find(token)
    }

    pub(crate) fn ledger(&self) -> List {
        List(self.0.join("ledger.txt"))
    }

    pub(crate) fn mail(&self, text: &str) -> std::io::Result<()> {
        fs::write(self.0.join("mail.txt"), text)
    }

    pub(crate) fn was_mailed(&self) -> bool {
        self.0.join("mail.txt").exists()
    }
}
