//! Every moment of the undisturbed run, and what becomes of a session that is disturbed there: fit for a snapshot.

use std::collections::BTreeMap;
use std::fmt;

use super::findings::{Cell, Column};
use super::tell::{said, word};
use crate::testing::machine::trace::Traced;
use crate::testing::story::{Moment, When};

/// The moments of a run, one a row, and what becomes of a session that is disturbed at each.
///
/// Its text holds no counts, times or paths: the same for the same workflow, on every machine.
#[derive(Clone, Debug, Default)]
pub struct Table {
    rows: Vec<Row>,
}

#[derive(Clone, Debug)]
struct Row {
    what: String,
    cells: BTreeMap<Column, Cell>,
}

impl Table {
    pub(super) fn of(
        trace: &[Traced],
        cells: &BTreeMap<(When, Column), Cell>,
        with_keys: impl Fn(&str) -> String,
    ) -> Self {
        let of = |when: When| {
            cells.iter().filter(|((other, _), _)| *other == when).map(|((_, column), cell)| (*column, *cell)).collect()
        };
        let mut rows = Vec::new();
        for traced in trace {
            match traced {
                Traced::Operation { number, operation, file, records } => {
                    let records: Vec<_> = records.iter().filter_map(said).collect();
                    let records = records.iter().map(|text| text.trim_start_matches("log: "));
                    let records: String = records.map(|text| format!(" + {text}")).collect();
                    let what = format!("{number:>3} {} {file}{records}", word(*operation));
                    rows.push(Row { what, cells: of(When::Operation(*number)) });
                }
                Traced::Call { number, effect, .. } => {
                    for (moment, text) in MOMENTS {
                        let what = with_keys(&format!("    request `{effect}` {text}"));
                        rows.push(Row { what, cells: of(When::Call(*number, moment)) });
                    }
                }
                Traced::Done { .. } => {}
            }
        }
        Self { rows }
    }
}

const MOMENTS: [(Moment, &str); 3] = [
    (Moment::Sent, "before it is applied"),
    (Moment::Applied, "applied, not answered"),
    (Moment::Answered, "answered, not recorded"),
];

const COLUMNS: [(Column, &str); 5] = [
    (Column::Kill, "kill"),
    (Column::Power, "power"),
    (Column::Weak, "weak"),
    (Column::Late, "late"),
    (Column::Error, "error"),
];

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (_, name) in COLUMNS {
            write!(f, "{name:<7}")?;
        }
        writeln!(f, "just before")?;
        for row in &self.rows {
            for (column, _) in COLUMNS {
                write!(f, "{:<7}", row.cells.get(&column).map_or("-", |cell| cell.word()))?;
            }
            writeln!(f, "{}", row.what)?;
        }
        Ok(())
    }
}
