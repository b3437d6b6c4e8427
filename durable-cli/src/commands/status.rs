//! `durable status`

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Args;
use durable_runtime::{Error, Outcome, Standing, each, inspect, sessions};
use serde_json::json;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;
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
}

/// How many sessions are read at the same time.
const AT_ONCE: usize = 16;

impl Status {
    pub(crate) async fn run(self, output: &Output) -> Result<Exit, Failure> {
        let found = self.sessions()?;
        let is_list = found.len() > 1 || !self.is_one();
        let looked = each(found, AT_ONCE, async |session| Ok::<_, Error>(Summary::of(session).await)).await?;
        let exit = worst(&looked);
        let shown: Vec<_> = looked.iter().filter(|summary| !self.unfinished || needs_anything(summary)).collect();
        if output.is_json() {
            let told: Vec<_> = shown.iter().map(|summary| summary.told()).collect();
            output.json(&json!({ "sessions": told, "exit": exit.code() }))?;
        } else if is_list {
            output.text(list(shown, &looked, output))?;
        } else {
            shown.iter().try_for_each(|summary| output.text(summary.in_words(output)))?;
        }
        Ok(exit)
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
        if !self.dirs.is_empty() {
            let each = self.dirs.iter().map(|dir| under(dir));
            return Ok(each.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect());
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
    let found: Vec<_> = sessions(dir)?.into_iter().map(|found| SessionArg::at(named(found))).collect();
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

fn worst(summaries: &[Summary]) -> Exit {
    let exits: Vec<_> = summaries.iter().map(Summary::exit).collect();
    let needs = NEEDS.iter().map(|outcome| Exit::from(*outcome));
    needs.into_iter().find(|exit| exits.contains(exit)).unwrap_or(Exit::STOPPED)
}

fn needs_anything(summary: &Summary) -> bool {
    let ends = |standing| matches!(standing, Standing::Finished | Standing::Empty | Standing::Cancelled);
    !summary.found.as_ref().is_ok_and(|session| ends(session.standing()))
}

fn list(mut shown: Vec<&Summary>, all: &[Summary], output: &Output) -> String {
    shown.sort_by_key(|summary| summary.need());
    let widest = shown.iter().map(|summary| summary.session.shown().chars().count()).max().unwrap_or(0).min(60);
    let line = |summary: &&Summary| {
        let word = summary.styled(output, format!("{:<11}", summary.word().replace('_', " ")));
        format!("{word} {:<widest$}  {}", summary.session.shown(), summary.in_a_line()).trim_end().to_owned()
    };
    let mut lines: Vec<_> = shown.iter().map(line).collect();
    lines.push(count(all));
    lines.join("\n")
}

/// How many there are of each kind.
fn count(all: &[Summary]) -> String {
    let mut counts: BTreeMap<_, usize> = BTreeMap::new();
    all.iter().for_each(|summary| *counts.entry((summary.need(), summary.word())).or_default() += 1);
    let counts: Vec<_> =
        counts.iter().map(|((_, word), count)| format!("{count} {}", word.replace('_', " "))).collect();
    let noun = if all.len() == 1 { "session" } else { "sessions" };
    format!("{} {noun}: {}", all.len(), counts.join(", "))
}
