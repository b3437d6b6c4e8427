//! One stream of a program, passed on while its beginning is kept.

use std::io;
use std::os::fd::AsFd;

use rustix::io::Errno;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

use super::printed::Beginning;

/// How much waits for a reader that is slower than the program; then the program waits too.
const WAITING: usize = 64 * 1024;

/// How much is read at once.
const PIECE: usize = 8 * 1024;

/// The most that can stand in a pipe when its writer has ended.
const LEFT: usize = 1024 * 1024;

/// One stream of a program.
pub(super) struct Tee<R> {
    /// `None` once it has ended.
    from: Option<R>,
    /// `None` if nobody reads.
    to: Option<Box<dyn AsyncWrite + Unpin>>,
    late: Vec<u8>,
    /// Why it could not be passed on to its end, unless its reader has gone away.
    pub(super) broken: Option<io::Error>,
    pub(super) kept: Beginning,
}

impl<R: AsyncRead + AsFd + Unpin> Tee<R> {
    pub(super) fn new(from: Option<R>, to: Option<Box<dyn AsyncWrite + Unpin>>, keep: usize) -> Self {
        Self { from, to, late: Vec::new(), broken: None, kept: Beginning::new(keep) }
    }

    /// Whether there is anything left to read or to pass on.
    pub(super) fn is_open(&self) -> bool {
        self.from.is_some() || !self.late.is_empty()
    }

    /// Reads a piece, or passes one on. Nothing is lost if it is dropped in between.
    pub(super) async fn pass(&mut self) {
        let mut piece = [0; PIECE];
        let may_read = self.late.len() < WAITING;
        tokio::select! {
            read = read(&mut self.from, &mut piece), if may_read && self.from.is_some() => match read {
                0 => self.from = None,
                read => self.take(&piece[..read]),
            },
            written = write(&mut self.to, &self.late), if !self.late.is_empty() => match written {
                Ok(written) => drop(self.late.drain(..written)),
                Err(error) => self.breaks_off(error),
            },
        }
    }

    /// Takes what the program has left in the pipe, and waits for nobody else who has the pipe too.
    pub(super) fn drain(&mut self) {
        let Some(from) = self.from.take() else { return };
        let (mut piece, mut left) = ([0; PIECE], LEFT);
        while left > 0 {
            match rustix::io::read(&from, &mut piece) {
                Ok(0) => return,
                Ok(read) => {
                    left = left.saturating_sub(read);
                    self.take(&piece[..read]);
                }
                Err(Errno::INTR) => {}
                Err(_) => return,
            }
        }
    }

    /// Passes on what is left.
    pub(super) async fn finish(&mut self) {
        if let Some(to) = &mut self.to
            && let Err(error) = write_all(to, &self.late).await
        {
            self.breaks_off(error);
        }
        self.late.clear();
    }

    fn take(&mut self, piece: &[u8]) {
        self.kept.add(piece);
        if self.to.is_some() {
            self.late.extend_from_slice(piece);
        }
    }

    /// Whoever reads no more has read enough. Any other end, such as a full disk, is to be told.
    fn breaks_off(&mut self, error: io::Error) {
        if error.kind() != io::ErrorKind::BrokenPipe {
            self.broken.get_or_insert(error);
        }
        self.to = None;
        self.late.clear();
    }
}

/// How much was read; nothing where it has ended, or cannot be read.
async fn read<R: AsyncRead + Unpin>(from: &mut Option<R>, piece: &mut [u8]) -> usize {
    match from {
        Some(from) => from.read(piece).await.unwrap_or(0),
        None => 0,
    }
}

/// How much was written.
async fn write(to: &mut Option<Box<dyn AsyncWrite + Unpin>>, late: &[u8]) -> io::Result<usize> {
    match to {
        Some(to) => match to.write(late).await? {
            0 => Err(io::ErrorKind::WriteZero.into()),
            written => Ok(written),
        },
        None => Err(io::ErrorKind::BrokenPipe.into()),
    }
}

async fn write_all(to: &mut (dyn AsyncWrite + Unpin), late: &[u8]) -> io::Result<()> {
    to.write_all(late).await?;
    to.flush().await
}
