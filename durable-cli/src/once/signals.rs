//! What becomes of a signal that is to end the process.
#![expect(clippy::disallowed_methods, reason = "which signals are ignored is told in a file of the system alone")]

use std::cell::Cell;
use std::fs;
use std::io;

use rustix::process::{Pid, Signal, kill_process};
use tokio::signal::unix::{self, SignalKind};

/// What the process is at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum At {
    /// Nothing that is lost if the process ends.
    #[default]
    Rest,
    /// The command runs.
    Command(Pid),
    /// It is to be started, or has ended and that is not recorded yet.
    Record,
}

/// The signals that end a process.
pub(super) struct Signals {
    interrupt: Awaited,
    quit: Awaited,
    terminate: Awaited,
    hang_up: Awaited,
}

/// One that is waited for, unless whoever started the process has it ignored, as `nohup` does. Then the command ignores it too.
struct Awaited(Option<unix::Signal>);

impl Signals {
    /// From here on they end the process only where it says so.
    pub(super) fn new() -> io::Result<Self> {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let ignored = ignored(&status);
        let awaited = |signal: Signal| {
            let is_ignored = ignored & (1 << (signal.as_raw() - 1)) != 0;
            let kind = SignalKind::from_raw(signal.as_raw());
            Ok::<_, io::Error>(Awaited(if is_ignored { None } else { Some(unix::signal(kind)?) }))
        };
        Ok(Self {
            interrupt: awaited(Signal::INT)?,
            quit: awaited(Signal::QUIT)?,
            terminate: awaited(Signal::TERM)?,
            hang_up: awaited(Signal::HUP)?,
        })
    }

    /// Waits for one that ends the process. While the command runs none does: a terminal gives what it sends to the command
    /// too, and what is sent to this process alone is passed on; the command's end is recorded then.
    pub(super) async fn interrupted(&mut self, at: &Cell<At>) -> Signal {
        loop {
            let (signal, is_of_terminal) = tokio::select! {
                () = self.interrupt.comes() => (Signal::INT, true),
                () = self.quit.comes() => (Signal::QUIT, true),
                () = self.terminate.comes() => (Signal::TERM, false),
                () = self.hang_up.comes() => (Signal::HUP, false),
            };
            match at.get() {
                At::Rest => return signal,
                // It may have ended a moment ago.
                At::Command(pid) if !is_of_terminal => drop(kill_process(pid, signal)),
                At::Command(_) | At::Record => {}
            }
        }
    }
}

impl Awaited {
    async fn comes(&mut self) {
        match &mut self.0 {
            Some(signal) => drop(signal.recv().await),
            None => std::future::pending().await,
        }
    }
}

/// The signals that this process ignores, a bit for each; none where the system does not tell.
fn ignored(status: &str) -> u64 {
    let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    line.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_system_says_of_ignored_signals_is_read() {
        assert_eq!(ignored("Name:\tsh\nSigBlk:\t0000000000000000\nSigIgn:\t0000000000001001\n"), 0x1001);
        assert_eq!([ignored(""), ignored("SigIgn:\tnone\n")], [0, 0]);
    }
}
