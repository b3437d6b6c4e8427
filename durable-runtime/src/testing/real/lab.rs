//! What is the same in all real trials of a lab.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::path::PathBuf;

use super::launch::Launcher;
use super::orders::{Said, Shown};
use super::place::{Ground, SESSIONS};
use super::trial::Trial;
use crate::testing::lab::baseline::Baseline;
use crate::testing::life::End;

/// What is the same in all trials.
pub(super) struct Lab<'a> {
    pub(super) launcher: Launcher,
    /// Of the simulated machine; the real one comes to the same.
    pub(super) baseline: Baseline<Shown>,
    pub(super) ground: &'a dyn Ground,
    pub(super) is_inline: bool,
    /// What the child said that nothing befell.
    pub(super) undisturbed: Said,
    /// Every file and directory of the sessions, in the directory of a trial.
    pub(super) touched: BTreeSet<PathBuf>,
}

impl<'a> Lab<'a> {
    /// Runs the work undisturbed in a child, which must come to the same as it did on the simulated machine.
    pub(super) fn new<T: Debug>(
        launcher: Launcher,
        simulated: Baseline<T>,
        ground: &'a dyn Ground,
        is_inline: bool,
    ) -> Result<Self, String> {
        let Baseline { result, counts, given, trace, told, is_online } = simulated;
        let baseline = Baseline { result: Shown(format!("{result:?}")), counts, given, trace, told, is_online };
        let nothing =
            Said::of(crate::testing::life::Lived::<()> { end: End::Stalled(Vec::new()), asked: Vec::new() }, &[], 0);
        let mut lab = Self { launcher, baseline, ground, is_inline, undisturbed: nothing, touched: BTreeSet::new() };
        let mut trial = Trial::begin(&lab)?;
        let said = trial.undisturbed()?;
        lab.agree(&said, &trial)?;
        drop(trial);
        lab.touched = touched(&said);
        lab.undisturbed = said;
        Ok(lab)
    }

    fn agree(&self, said: &Said, trial: &Trial<'_>) -> Result<(), String> {
        let (wanted, counts) = (&self.baseline.result, trial.counts());
        match said.lived().end {
            End::Done(result) if result == *wanted && counts == self.baseline.counts => Ok(()),
            End::Done(result) => Err(format!(
                "undisturbed, a process of its own gives {result:?} and does {counts:?}, and within this one the work \
                 gives {wanted:?} and does {:?}: it must depend on nothing but its session and its world",
                self.baseline.counts
            )),
            end => Err(format!("undisturbed, a process of its own does not finish the work: {end:?}")),
        }
    }
}

fn touched(said: &Said) -> BTreeSet<PathBuf> {
    let mut touched = BTreeSet::from([PathBuf::from(SESSIONS)]);
    for (_, file) in &said.operations {
        let file = PathBuf::from(SESSIONS).join(file);
        touched.extend(file.parent().map(PathBuf::from));
        // The directory itself goes by the name `.`, which a path does not keep.
        touched.insert(file.components().collect());
    }
    touched
}
