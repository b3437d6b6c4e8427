//! `durable status`

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Args;
use durable_runtime::{Error, Outcome, Standing, each, inspect, sessions};
use serde_json::{Value, json};

use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Output, Style};
use crate::place::SessionArg;
use crate::summary::Summary;

/// Say how sessions stand, and what is to be done
///
/// A directory may be a session, or hold many: those are listed, the ones that need somebody last. The exit code is that of the
/// session, and of several that of the one that needs somebody most.
#[derive(Args)]
pub(crate) struct Status {
    #[command(flatten)]
    session: SessionArg,
    /// Sessions, or directories that hold them
    #[arg(value_name = "DIR")]
    dirs: Vec<PathBuf>,
    /// Leave out what is finished
    #[arg(long)]
    unfinished: bool,
    /// List all of them: else of many that need nobody it is only said how many there are
    #[arg(long, conflicts_with = "unfinished")]
    all: bool,
}

/// How many sessions are read at the same time.
const AT_ONCE: usize = 16;

impl Status {
    pub(crate) async fn run(self, output: &Output) -> Result<Exit, Failure> {
        let found = self.sessions()?;
        if let ([session], true, false) = (&found[..], self.is_one(), output.is_json()) {
            let summary = Summary::of(session.clone()).await;
            output.answer(&Value::Null, summary.in_words(output))?;
            return Ok(summary.exit());
        }
        // Of each no more is kept than is shown of it: there may be many, and each may be large.
        let row = async |session| Ok::<_, Error>(Row::of(&Summary::of(session).await, output));
        let rows = each(found, AT_ONCE, row).await.map_err(|error| self.session.failed(&error))?;
        let exit = worst(&rows);
        let shown: Vec<_> = rows.iter().filter(|row| !self.unfinished || row.needs_anything()).collect();
        let told: Vec<_> = shown.iter().map(|row| &row.told).collect();
        output.answer(&json!({ "sessions": told, "exit": exit.code() }), self.list(shown, &rows, output))?;
        Ok(exit)
    }

    fn list(&self, mut shown: Vec<&Row>, all: &[Row], output: &Output) -> String {
        let idle = shown.iter().filter(|row| !row.needs_anything()).count();
        let is_short = idle > MANY && !self.all;
        shown.retain(|row| !is_short || row.needs_anything());
        shown.sort_by_key(|row| row.need);
        let widest = shown.iter().map(|row| row.session.chars().count()).max().unwrap_or(0).min(WIDEST);
        let line = |row: &&Row| {
            let word = output.styled(row.style, format!("{:<11}", row.word.replace('_', " ")));
            format!("{word} {:<widest$}  {}", row.session, row.line).trim_end().to_owned()
        };
        let mut lines: Vec<_> = shown.iter().map(line).collect();
        lines.extend(is_short.then(|| format!("{idle} that need nobody are not listed: `--all` lists them")));
        lines.push(count(all));
        lines.join("\n")
    }

    /// Whether a single session was named.
    fn is_one(&self) -> bool {
        match &self.dirs[..] {
            [] => inspect(self.session.dir()).exists(),
            [dir] => inspect(dir).exists(),
            _ => false,
        }
    }

    fn sessions(&self) -> Result<Vec<SessionArg>, Failure> {
        if let [dir] = &self.dirs[..] {
            return under(dir);
        }
        if !self.dirs.is_empty() {
            // One that is none is a line of the list, and stops no other.
            let each = self.dirs.iter().map(|dir| under(dir).unwrap_or_else(|_| vec![SessionArg::at(dir)]));
            return Ok(each.flatten().collect());
        }
        match self.session.inspect() {
            Ok(_) => Ok(vec![self.session.clone()]),
            Err(failure) if self.session.is_given() => Err(failure),
            Err(failure) => under(Path::new(".")).map_err(|_| failure),
        }
    }
}

/// The session in this directory, or those under it.
fn under(dir: &Path) -> Result<Vec<SessionArg>, Failure> {
    if inspect(dir).exists() {
        return Ok(vec![SessionArg::at(dir)]);
    }
    let named = |found: PathBuf| found.strip_prefix(".").map(Path::to_owned).unwrap_or(found);
    let unlisted = |error: Error| Failure::new(Exit::USAGE, error.to_string());
    let found: Vec<_> =
        sessions(dir).map_err(unlisted)?.into_iter().map(|found| SessionArg::at(named(found))).collect();
    if found.is_empty() {
        let dir = SessionArg::at(dir).shown();
        let text = format!(
            "there is no session in `{dir}` or under it; name the directory of one, or the one that holds them"
        );
        return Err(Failure::new(Exit::USAGE, text));
    }
    Ok(found)
}

/// The codes, from what needs somebody most to what needs nobody.
const NEEDS: [Outcome; 8] = [
    Outcome::Damaged,
    Outcome::InDoubt,
    Outcome::Conflict,
    Outcome::Stopped,
    Outcome::Waiting,
    Outcome::Held,
    Outcome::Cancelled,
    Outcome::Finished,
];

/// What is kept of a session.
struct Row {
    session: String,
    word: &'static str,
    style: Style,
    exit: Exit,
    /// What needs nobody comes first.
    need: (Standing, bool),
    is_begun: bool,
    line: String,
    told: Value,
}

impl Row {
    fn of(summary: &Summary, output: &Output) -> Self {
        let is_json = output.is_json();
        Self {
            session: summary.session.shown(),
            word: summary.word(),
            style: summary.style(),
            exit: summary.exit(),
            need: summary.need(),
            is_begun: summary.is_begun(),
            line: if is_json { String::new() } else { summary.in_a_line() },
            told: if is_json { summary.told() } else { Value::Null },
        }
    }

    fn needs_anything(&self) -> bool {
        self.need.1
            || self.is_begun
            || !matches!(self.need.0, Standing::Finished | Standing::Empty | Standing::Cancelled)
    }
}

fn worst(rows: &[Row]) -> Exit {
    // What is no session at all needs somebody as much as what is stopped.
    let of = |row: &Row| if row.exit == Exit::USAGE { Exit::STOPPED } else { row.exit };
    let needs = NEEDS.iter().map(|outcome| Exit::from(*outcome));
    needs.into_iter().find(|exit| rows.iter().any(|row| of(row) == *exit)).unwrap_or(Exit::STOPPED)
}

/// From how many on those that need nobody are not listed.
const MANY: usize = 20;

/// How much room a name is given, where it needs it.
const WIDEST: usize = 60;

/// How many there are of each kind.
fn count(all: &[Row]) -> String {
    let mut counts: BTreeMap<_, usize> = BTreeMap::new();
    all.iter().for_each(|row| *counts.entry((row.need, row.word)).or_default() += 1);
    let counts: Vec<_> =
        counts.iter().map(|((_, word), count)| format!("{count} {}", word.replace('_', " "))).collect();
    let noun = if all.len() == 1 { "session" } else { "sessions" };
    format!("{} {noun}: {}", all.len(), counts.join(", "))
}
