//! `durable boot`

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use durable_runtime::core::memory::STARTED_BY;
use durable_runtime::core::text;
use durable_runtime::{BootReport, Session};
use serde_json::{Value, json};

use super::opening::Opening;
use crate::args::words;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;
use crate::place;

/// Begin an iteration: read what the last one has left, and take the work over
///
/// Prints the handoff first, then what was amiss with the files and was put right, what is in doubt, the next action, and the last
/// lines of the journal. The session is awake then, and a checkpoint is written. The commands that follow, `once`, `note`,
/// `checkpoint`, go on with this iteration, until `end`.
#[derive(Args)]
pub(crate) struct Boot {
    #[command(flatten)]
    opening: Opening,
    /// What the session is for; kept from the last boot if it is not given. Without any goal nothing is begun
    #[arg(long, value_name = "TEXT", value_parser = words)]
    goal: Option<String>,
    /// Read the goal from this file [default: mission.md in the session's directory, if it is there]
    #[arg(long, value_name = "FILE", conflicts_with = "goal")]
    mission: Option<PathBuf>,
    /// Who works here, as the handoff shows it; kept from the last boot if it is not given
    #[arg(long, value_name = "NAME")]
    identity: Option<String>,
    /// How this work is started again, typed in this directory, as the handoff then shows it: the script, or what gives the work to
    /// an agent; kept from the last boot if it is not given
    #[arg(long, value_name = "CMD", value_parser = words)]
    run: Option<String>,
}

impl Boot {
    pub(crate) async fn run(self, output: &Output) -> Result<Exit, Failure> {
        self.opening.refuse_inner("a boot")?;
        let session = self.opening.open_anew(|mut builder| {
            if let Some(goal) = &self.goal {
                builder = builder.goal(goal);
            }
            if let Some(mission) = &self.mission {
                builder = builder.mission_file(mission);
            }
            match &self.identity {
                Some(identity) => builder.identity(identity),
                None => builder,
            }
        });
        let session = session.await?;
        if let Some(run) = &self.run {
            let noted = session.memory().set(STARTED_BY, &here(run, &self.opening.place()?)?).await;
            noted.map_err(|error| self.opening.session.failed(&error))?;
        }
        let answer = (self.told(&session), self.in_words(&session));
        self.opening.leave(session).await?;
        output.answer(&answer.0, answer.1)?;
        Ok(Exit::DONE)
    }

    fn told(&self, session: &Session) -> Value {
        let report = session.boot_report();
        json!({
            "iteration": report.iteration(), "goal": session.handoff().goal(), "handoff": report.handoff(), "amiss": report.amiss(),
            "in_doubt": report.in_doubt(), "next_action": self.next(session), "journal": report.journal(),
        })
    }

    fn in_words(&self, session: &Session) -> String {
        let report = session.boot_report();
        let mut words = match report.handoff() {
            Some(handoff) => lines(handoff.trim_end()) + &self.whereabouts(),
            None => "There is no handoff: nobody has worked here before, or it is gone.\n".to_owned(),
        };
        // A string takes everything.
        write!(words, "\n# Boot — iteration {}\n", report.iteration()).ok();
        listed(&mut words, "Amiss, and put right", report.amiss());
        listed(&mut words, "In doubt", report.in_doubt());
        let next = self.next(session).map_or_else(|| "Nothing is recorded.".to_owned(), |next| seen(&next));
        write!(words, "\n## Next action\n{next}\n").ok();
        tail(&mut words, report);
        words
    }

    /// What is to be done now, typed here.
    fn next(&self, session: &Session) -> Option<String> {
        self.opening.session.typed_here(session.handoff()).next_action()
    }

    /// Where the letter was written to be read, for whoever reads it elsewhere.
    fn whereabouts(&self) -> String {
        let session = &self.opening.session;
        session.named().map_or_else(String::new, |_| {
            format!(
                "\n(The directory that this letter calls its own is `{}`: what it says to type is typed there.)\n",
                session.shown()
            )
        })
    }
}

/// The command, for whoever stands elsewhere. Where it would not find the session by itself it is told: it would begin another
/// one, and do everything again.
fn here(command: &str, session: &Path) -> Result<String, Failure> {
    let lost = |error| {
        Failure::new(Exit::STOPPED, format!("this directory cannot be named: {error}; stand in one that is there"))
    };
    let dir = std::env::current_dir().map_err(lost)?;
    let shell = |path: &Path| text::shell(&path.display().to_string());
    let named = match session == dir.join(place::DEFAULT) {
        true => String::new(),
        false => format!("{}={} ", place::ENV, shell(session)),
    };
    Ok(format!("cd {} && {named}{command}", shell(&dir)))
}

fn listed(words: &mut String, what: &str, list: &[String]) {
    write!(words, "\n## {what}\n").ok();
    if list.is_empty() {
        words.push_str("Nothing.\n");
    }
    words.extend(list.iter().map(|line| format!("- {}\n", seen(line))));
}

fn tail(words: &mut String, report: &BootReport) {
    words.push_str("\n## The last lines of the journal\n");
    if report.journal().is_empty() {
        words.push_str("None.\n");
    }
    words.push_str(&lines(&report.journal().join("\n")));
}

/// Text of several lines, none of which a terminal obeys.
fn lines(text: &str) -> String {
    text.lines().map(|line| seen(line) + "\n").collect()
}

fn seen(line: &str) -> String {
    text::clean(line, usize::MAX)
}
