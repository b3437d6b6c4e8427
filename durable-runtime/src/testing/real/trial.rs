//! One session and one world, through as many real processes as it takes.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use tempfile::TempDir;

use super::Book;
use super::lab::Lab;
use super::launch::Ended;
use super::orders::{Answer, Orders, Said, Shown};
use super::place::Root;
use super::strace;
use super::strike::Strike;
use crate::clock::Clock as _;
use crate::testing::ManualClock;
use crate::testing::effects::Ledger;
use crate::testing::lab::judge::{Fault, miscounted, misled_by, restless, wrong_end};
use crate::testing::lab::trial::{ERRORS, LIVES};
use crate::testing::life::{Answers, End, Lived, stalled};
use crate::testing::story::When;

/// A directory with the sessions and the world, and who lived in it.
pub(super) struct Trial<'a> {
    lab: &'a Lab<'a>,
    root: Root,
    directory: Option<TempDir>,
    /// One line for each life.
    pub(super) lives: Vec<String>,
}

/// What a strike came to.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) strike: Strike,
    /// `false` if the life was over before its moment came.
    pub(super) has_struck: bool,
    pub(super) fault: Option<Fault>,
    /// The keys about which a person was asked.
    pub(super) asked: BTreeSet<String>,
    pub(super) lives: Vec<String>,
}

/// Strikes one process, starts others until the work is done, and judges what became of it.
pub(super) fn strike(lab: &Lab<'_>, strike: &Strike) -> Result<Outcome, String> {
    let mut trial = Trial::begin(lab)?;
    trial.befall(strike)
}

impl<'a> Trial<'a> {
    pub(super) fn begin(lab: &'a Lab<'a>) -> Result<Self, String> {
        let failed = |error| format!("there is no place for a trial: {error}");
        let (root, directory) = Root::new().map_err(failed)?;
        let trial = Self { lab, root, directory: Some(directory), lives: Vec::new() };
        lab.ground.begin(&trial.root.sessions()).map_err(failed)?;
        Ok(trial)
    }

    /// A life that nothing befalls.
    pub(super) fn undisturbed(&mut self) -> Result<Said, String> {
        self.live_on(Answers::new(), &[])
    }

    /// What a tracer saw of a life that nothing befell.
    pub(super) fn watched(&mut self, tracer: impl FnOnce(&Root) -> Vec<String>) -> Result<String, String> {
        let tracer = tracer(&self.root);
        self.live_on(Answers::new(), &tracer)?;
        Ok(self.root.log())
    }

    pub(super) fn befall(&mut self, strike: &Strike) -> Result<Outcome, String> {
        let tracer = strace::tracer(self.lab, &self.root, strike);
        let has_struck = match self.live(Some(strike), Answers::new(), &tracer)? {
            Ended::Killed => strike.kills(),
            Ended::Lived(_) => !strike.kills() && self.root.log().contains(strace::INJECTED),
        };
        let ground = self.lab.ground;
        ground.struck(&self.root.sessions()).map_err(|error| format!("the {} failed: {error}", ground.deed()))?;
        let misled = if strike.kills() && ground.is_kept() { self.misled()? } else { None };
        let (end, asked) = self.finish()?;
        let fault = match misled.or_else(|| miscounted(&self.counts(), &self.lab.baseline, &end)) {
            Some(fault) => Some(fault),
            None => match end {
                End::Done(result) if result == self.lab.baseline.result => self.rest()?,
                end => Some(wrong_end(end, &self.lab.baseline)),
            },
        };
        Ok(Outcome { strike: strike.clone(), has_struck, fault, asked, lives: std::mem::take(&mut self.lives) })
    }

    /// What was done to the world so far.
    pub(super) fn counts(&self) -> BTreeMap<String, usize> {
        Ledger::kept_in(Book::at(self.root.world())).counts()
    }

    /// Keeps the files of the trial. Gives where they are.
    pub(super) fn keep(&mut self) -> Option<String> {
        self.directory.take().map(|directory| directory.keep().display().to_string())
    }

    /// Lives until the work is done, or gets on no more. Every question is answered truthfully.
    fn finish(&mut self) -> Result<(End<Shown>, BTreeSet<String>), String> {
        let (mut asked, mut errors, mut answers) = (BTreeSet::new(), 0, Answers::new());
        for _ in 0..LIVES {
            let lived = self.live_on(std::mem::take(&mut answers), &[])?.lived();
            asked.extend(lived.asked.iter().map(|(_, key)| key.clone()));
            match &lived.end {
                End::Done(_) | End::Stopped(_) if !lived.asked.is_empty() => {
                    answers = self.lab.baseline.answers(&self.counts(), &lived.asked);
                }
                End::Stopped(_) if errors + 1 < ERRORS => errors += 1,
                _ => return Ok((lived.end, asked)),
            }
        }
        Ok((End::Stalled(Vec::new()), asked))
    }

    /// One more start, which must do nothing and give the same.
    fn rest(&mut self) -> Result<Option<Fault>, String> {
        let said = self.live_on(Answers::new(), &[])?;
        let has_called = said.has_acted || self.counts() != self.lab.baseline.counts;
        Ok(restless(said.lived().end, has_called, &self.lab.baseline))
    }

    fn live_on(&mut self, answers: Answers, tracer: &[String]) -> Result<Said, String> {
        match self.live(None, answers, tracer)? {
            Ended::Lived(said) => Ok(said),
            Ended::Killed => Err("a child was killed, and not by the lab: is there too little memory?".to_owned()),
        }
    }

    /// One life. Its clock begins an hour after that of the last.
    fn live(&mut self, strike: Option<&Strike>, answers: Answers, tracer: &[String]) -> Result<Ended, String> {
        let hours = u32::try_from(self.lives.len()).unwrap_or(u32::MAX);
        let now = ManualClock::default().now().after(Duration::from_secs(60 * 60) * hours);
        let orders = Orders {
            lab: self.lab.launcher.lab.clone(),
            root: self.root.path().to_owned(),
            is_inline: self.lab.is_inline,
            kill: strike.cloned(),
            now,
            answers: Answer::all(answers),
        };
        let ended = self.lab.launcher.run(&orders, tracer)?;
        self.lives.push(self.told(strike, &ended));
        Ok(ended)
    }

    /// The key that a reader of the handoff is led to run, though it may have happened.
    fn misled(&self) -> Result<Option<Fault>, String> {
        let files = self.root.files().map_err(|error| format!("the files of a trial cannot be read: {error}"))?;
        let files = files.iter().map(|found| (found.session.as_str(), found.name.as_str(), &found.content[..]));
        Ok(misled_by(files, &self.counts(), &self.lab.baseline))
    }

    fn told(&self, strike: Option<&Strike>, ended: &Ended) -> String {
        let moment = match strike {
            Some(Strike::Kill(When::Operation(number))) => {
                let named = usize::try_from(*number).ok().and_then(|at| self.lab.undisturbed.operations.get(at));
                named.map_or_else(String::new, |(operation, file)| format!(" ({operation} {file})"))
            }
            _ => String::new(),
        };
        let befell = strike.map_or_else(|| "undisturbed".to_owned(), |strike| format!("{strike}{moment}"));
        let end = match ended {
            Ended::Killed => "killed".to_owned(),
            Ended::Lived(said) => described(&said.lived()),
        };
        format!("{befell}: {end}; done so far: {:?}", self.counts())
    }
}

impl Drop for Trial<'_> {
    fn drop(&mut self) {
        self.lab.ground.end(&self.root.sessions());
    }
}

fn described(lived: &Lived<Shown>) -> String {
    let end = match &lived.end {
        End::Done(result) => format!("done, {result:?}"),
        End::Stopped(error) => format!("stopped: {error}"),
        End::Refused(error) => format!("refused: {error}"),
        End::Panicked(text) => format!("panicked: {text}"),
        End::Stalled(what) => stalled(what),
        End::Died => "waits for ever".to_owned(),
    };
    let asked: Vec<_> = lived.asked.iter().map(|(_, key)| key.as_str()).collect();
    if asked.is_empty() { end } else { format!("{end}; asks about {}", asked.join(", ")) }
}
