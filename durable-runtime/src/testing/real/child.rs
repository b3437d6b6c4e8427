//! The child: one life on a real disk, which ends this process.

use std::fmt::{Debug, Display};

use super::Book;
use super::orders::{Orders, Said};
use super::place::{Place, Root};
use crate::testing::ManualClock;
use crate::testing::effects::{Effects, Ledger};
use crate::testing::lab::scene::Scene;
use crate::testing::life::{Process, Sessions};
use crate::testing::machine::Machine;

/// Lives as it is ordered, and never returns.
pub(super) fn live<W, T, E>(
    scene: &Scene<'_, W>,
    work: &impl AsyncFn(&Sessions, &W) -> Result<T, E>,
    orders: Orders,
) -> !
where
    T: Debug,
    E: Display,
{
    let root = Root::at(&orders.root);
    let machine = Machine::real(die);
    machine.begin(orders.kill.as_ref().and_then(super::strike::Strike::plan), 0);
    let clock = ManualClock::at(orders.now);
    let effects = Effects::new(&machine, &clock, Ledger::kept_in(Book::at(root.world())));
    let world = (scene.world)(effects.clone());
    let process = Process {
        machine,
        clock,
        views: true,
        is_online: scene.is_online || effects.is_online(),
        answers: orders.answers(),
        ground: Some(Place::new(root.sessions(), orders.is_inline)),
    };
    effects.begin_life();
    let lived = process.live(&world, work);
    effects.end_life();
    let (_, calls) = process.machine.control.counted();
    let trace = process.machine.trace().take().unwrap_or_default();
    root.say(&Said::of(lived, &trace, calls));
    end()
}

/// SIGKILL, which no handler, destructor or buffer outlives.
fn die() {
    use rustix::process::{Signal, getpid, kill_process};
    // It cannot fail, for a process may signal itself; and if it did, the parent would see that nobody died.
    kill_process(getpid(), Signal::KILL).ok();
    loop {
        std::thread::park();
    }
}

#[expect(clippy::disallowed_methods, reason = "a child has nothing to return to: its test is that of its parent")]
fn end() -> ! {
    std::process::exit(0)
}
