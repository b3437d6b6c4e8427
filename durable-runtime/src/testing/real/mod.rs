//! Real kills: the work runs in a child process, on a real disk, and the child is killed with SIGKILL.
//!
//! The child is this very test, started anew: it comes to the same call of the lab, finds its [`Orders`] in the
//! environment, and lives one life instead of sweeping.

mod child;
mod lab;
mod launch;
mod ledger;
mod orders;
mod place;
mod report;
mod strace;
mod strike;
mod sweep;
mod trial;

use std::fmt::{Debug, Display};

pub(crate) use ledger::Book;
pub use place::Ground;
pub(crate) use place::Place;
pub use report::RealReport;

use self::lab::Lab;
use self::launch::Launcher;
use self::orders::Orders;
use self::place::Memory;
use super::lab::study::undisturbed;
use super::lab::{KillLab, SESSION, Trouble};
use super::life::Sessions;
use crate::session::Session;

impl<W> KillLab<W> {
    /// The path of the test that this lab stands in, as `cargo test -- --exact` takes it; empty for a program that is no
    /// test and needs no arguments. Real kills start it anew. Only needed where it is not the name of the thread.
    pub fn test(mut self, path: impl Into<String>) -> Self {
        self.test = Some(path.into());
        self
    }

    /// Runs `work` in child processes on a real disk, and kills one with SIGKILL at each operation of the disk and in
    /// each window of each call to the world. Each is started again until the work is done, and once more.
    ///
    /// Call it from a plain `#[test]`: every child runs that test up to this call. A test with several such calls looks
    /// at the reports behind the last one, for in the children of the others they are empty. The clock of the session is
    /// set by hand, so waits cost nothing; disk and processes are real.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// use durable_runtime::prelude::*;
    /// use durable_runtime::testing::{Effects, KillLab};
    ///
    /// #[durable_workflow(goal = "write to Ada")]
    /// async fn welcome(session: &Session, #[resource] mails: &Effects) -> Result<(), Box<dyn std::error::Error>> {
    ///     #[side_effect(key = "mail" as mail, verify = mails.find::<()>(mail))]
    ///     mails.apply(mail, || ()).await?;
    ///     Ok(())
    /// }
    ///
    /// // In a test of its own:
    /// let lab = KillLab::new("welcome", |mails| mails);
    /// lab.real_kills(async |session, mails| welcome(session, mails).await).assert_held();
    /// ```
    pub fn real_kills<T, E>(self, work: impl AsyncFn(&Session, &W) -> Result<T, E>) -> RealReport
    where
        T: PartialEq + Debug,
        E: Display,
    {
        self.real_kills_sessions(async |sessions: &Sessions, world: &W| in_one(sessions, world, &work).await)
    }

    /// The same, with as many sessions as `work` opens. They live and die in one process.
    pub fn real_kills_sessions<T, E>(self, work: impl AsyncFn(&Sessions, &W) -> Result<T, E>) -> RealReport
    where
        T: PartialEq + Debug,
        E: Display,
    {
        self.real_kills_on(&Memory, work)
    }

    /// The same on another ground than the memory of this machine.
    #[doc(hidden)]
    pub fn real_kills_on<T, E>(
        self,
        ground: &dyn Ground,
        work: impl AsyncFn(&Sessions, &W) -> Result<T, E>,
    ) -> RealReport
    where
        T: PartialEq + Debug,
        E: Display,
    {
        self.really("real", ground, false, sweep::kills, work)
    }

    /// The same with `strace` as the killer: at every system call that touches a session or the world. And each of those
    /// that can change a session fails once, with EIO and with ENOSPC.
    ///
    /// Where `strace` is missing, or must not trace, the verdict is [`NotMeasured`](super::LabVerdict::NotMeasured).
    pub fn strace_kills<T, E>(self, work: impl AsyncFn(&Session, &W) -> Result<T, E>) -> RealReport
    where
        T: PartialEq + Debug,
        E: Display,
    {
        self.strace_kills_sessions(async |sessions: &Sessions, world: &W| in_one(sessions, world, &work).await)
    }

    /// The same, with as many sessions as `work` opens.
    pub fn strace_kills_sessions<T, E>(self, work: impl AsyncFn(&Sessions, &W) -> Result<T, E>) -> RealReport
    where
        T: PartialEq + Debug,
        E: Display,
    {
        if Orders::given().is_none()
            && let Err(why) = strace::ability()
        {
            return RealReport::not_measured("strace", self.name, why);
        }
        self.really("strace", &Memory, true, sweep::syscalls, work)
    }

    fn really<T, E>(
        self,
        means: &'static str,
        ground: &dyn Ground,
        is_inline: bool,
        sweep: fn(&Lab<'_>, &mut RealReport) -> Result<(), String>,
        work: impl AsyncFn(&Sessions, &W) -> Result<T, E>,
    ) -> RealReport
    where
        T: PartialEq + Debug,
        E: Display,
    {
        match Orders::given() {
            Some(orders) if orders.lab == self.name => child::live(&self.scene(), &work, orders),
            // This process is the child of another lab of the same test.
            Some(_) => return RealReport::passed_by(means, self.name),
            None => {}
        }
        let mut report = RealReport::new(means, self.name.clone());
        if report.is_replayed_elsewhere() {
            return RealReport::passed_by(means, self.name);
        }
        let lab = Launcher::of(&self.name, self.test.as_deref())
            .and_then(|launcher| Ok((launcher, undisturbed(&self.scene(), &work)?)))
            .and_then(|(launcher, baseline)| Lab::new(launcher, baseline, ground, is_inline));
        if let Err(why) = lab.and_then(|lab| sweep(&lab, &mut report)) {
            report.break_off(why);
        }
        report
    }
}

/// Runs work that needs one session.
async fn in_one<W, T, E>(
    sessions: &Sessions,
    world: &W,
    work: &impl AsyncFn(&Session, &W) -> Result<T, E>,
) -> Result<T, Trouble<E>> {
    let session = sessions.open(SESSION).await.map_err(Trouble::Open)?;
    work(&session, world).await.map_err(Trouble::Work)
}
