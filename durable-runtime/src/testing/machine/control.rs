//! What befalls a life: at which moment the process dies, or the disk or the network fails. And in which order tasks get
//! on: the seeded scheduler.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use super::super::story::{Fate, Moment, Plan, When};
use crate::store::files::Operation;

/// Shared by the disks and the world of one machine.
#[derive(Debug, Default)]
pub(crate) struct Control {
    life: Mutex<Life>,
    /// Ends this very process, where a death is a real one.
    dies: Option<fn()>,
}

/// The process that is running.
#[derive(Debug, Default)]
struct Life {
    plan: Option<Plan>,
    /// State of the scheduler; 0 for one that never holds anything up.
    random: u64,
    operations: u64,
    calls: u64,
    is_dead: bool,
    has_failed: bool,
    /// Calls that ask for an effect.
    acts: u64,
    killed: Vec<Waker>,
}

/// What becomes of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    GoesOn,
    /// The process dies just before it.
    Dies,
    /// The process is dead: nothing happens any more.
    Dead,
    /// The disk gives an error, and has done nothing.
    Fails,
    /// The disk has done half of it, and gives an error.
    FailsHalfWay,
}

impl Control {
    /// Deaths are those of this process.
    pub(super) fn of_this_process(dies: fn()) -> Self {
        Self { dies: Some(dies), ..Self::default() }
    }

    /// A new process begins.
    pub(crate) fn begin(&self, plan: Option<Plan>, seed: u64) {
        *self.life() = Life { plan, random: seed, ..Life::default() };
    }

    /// How many operations and calls there were in this life.
    pub(crate) fn counted(&self) -> (u64, u64) {
        let life = self.life();
        (life.operations, life.calls)
    }

    pub(crate) fn is_dead(&self) -> bool {
        self.life().is_dead
    }

    /// Whether what the plan says has happened.
    pub(crate) fn has_struck(&self) -> bool {
        let life = self.life();
        life.is_dead || life.has_failed
    }

    /// The process is over: whoever waits for something of it waits for ever.
    pub(crate) fn end(&self) {
        self.life().kill();
    }

    /// Ready once the process is dead.
    pub(crate) fn poll_killed(&self, context: &Context<'_>) -> Poll<()> {
        let mut life = self.life();
        if life.is_dead {
            return Poll::Ready(());
        }
        if !life.killed.iter().any(|waker| waker.will_wake(context.waker())) {
            life.killed.push(context.waker().clone());
        }
        Poll::Pending
    }

    /// The disk is asked for something. Its number, and what becomes of it.
    pub(super) fn operation(&self, operation: Operation) -> (u64, Verdict) {
        let mut life = self.life();
        if life.is_dead {
            return (life.operations, Verdict::Dead);
        }
        let number = life.operations;
        life.operations += 1;
        let Some(Plan { when: When::Operation(planned), fate }) = life.plan else { return (number, Verdict::GoesOn) };
        let verdict = match fate {
            Fate::Dies if number == planned => {
                self.kill(&mut life);
                Verdict::Dies
            }
            Fate::Fails if number == planned => Verdict::Fails,
            Fate::FailsHalfWay if number == planned => Verdict::FailsHalfWay,
            Fate::FailsForGood if number >= planned && changes(operation) => Verdict::Fails,
            _ => Verdict::GoesOn,
        };
        life.has_failed |= verdict != Verdict::GoesOn;
        (number, verdict)
    }

    /// Whether this life has asked the world for an effect.
    pub(crate) fn has_acted(&self) -> bool {
        self.life().acts > 0
    }

    /// The world is called, for an effect or for an answer only. The number of the call; `None` if the process is dead.
    pub(crate) fn call(&self, acts: bool) -> Option<u64> {
        let mut life = self.life();
        life.calls += 1;
        life.acts += u64::from(acts);
        (!life.is_dead).then(|| life.calls - 1)
    }

    /// What is planned for this moment of a call.
    pub(crate) fn moment(&self, call: u64, moment: Moment) -> Option<Fate> {
        let mut life = self.life();
        let plan = life.plan.filter(|plan| plan.when == When::Call(call, moment))?;
        if matches!(plan.fate, Fate::Dies | Fate::DiesLate) {
            self.kill(&mut life);
        } else {
            life.has_failed = true;
        }
        Some(plan.fate)
    }

    /// Waits for a turn: at once for seed 0, a little later by chance for others, never once the process is dead.
    pub(crate) fn turn(self: &Arc<Self>) -> Turn {
        Turn { waits: self.life().random_below(4), control: Arc::clone(self) }
    }

    fn kill(&self, life: &mut Life) {
        if let Some(dies) = self.dies {
            dies();
        }
        life.kill();
    }

    fn life(&self) -> MutexGuard<'_, Life> {
        self.life.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Life {
    fn kill(&mut self) {
        self.is_dead = true;
        self.killed.drain(..).for_each(Waker::wake);
    }

    /// SplitMix64.
    fn random_below(&mut self, end: u64) -> u64 {
        if self.random == 0 {
            return 0;
        }
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.random;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % end
    }
}

/// Whether a full or read-only disk refuses it.
fn changes(operation: Operation) -> bool {
    !matches!(operation, Operation::Lock | Operation::Identity | Operation::Read)
}

/// See [`Control::turn`].
#[derive(Debug)]
pub(crate) struct Turn {
    waits: u64,
    control: Arc<Control>,
}

impl Future for Turn {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if self.control.is_dead() {
            return Poll::Pending;
        }
        if self.waits == 0 {
            return Poll::Ready(());
        }
        self.waits -= 1;
        context.waker().wake_by_ref();
        Poll::Pending
    }
}
