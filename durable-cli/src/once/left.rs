//! What a command has left running when it ended: no verifier can tell before that has ended too.

use std::io;
use std::os::fd::OwnedFd;

use tokio::io::AsyncReadExt as _;
use tokio::net::unix::pipe::Receiver;

/// The end of a pipe, whose other end everything has that the command has started.
pub(super) struct Left(Receiver);

/// The other end, inherited by what is started while it is kept.
pub(super) struct Inherited {
    _end: OwnedFd,
}

impl Left {
    pub(super) fn new() -> io::Result<(Self, Inherited)> {
        let (ours, theirs) = io::pipe()?;
        let end = rustix::io::dup(&theirs)?;
        Ok((Self(Receiver::from_owned_fd(ours.into())?), Inherited { _end: end }))
    }

    /// Waits until nothing of it runs any more. Nobody writes into the pipe on purpose, and what is written says nothing.
    pub(super) async fn has_ended(&mut self) {
        let mut piece = [0; 512];
        while self.0.read(&mut piece).await.is_ok_and(|read| read > 0) {}
    }
}
