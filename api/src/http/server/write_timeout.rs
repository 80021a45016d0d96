//! A connection that is closed when its client does not read.
//!
//! hyper stops asking a response for more when the socket is full, and then waits for ever. Here a write that makes no
//! progress for a while is an error, which ends the connection and frees what it holds: no other time-out is needed for
//! that, neither for streams nor for long answers.
//!
//! It treats all clients alike. A slow client that still reads stays connected, down to a bound: the
//! operating system accepts more bytes only after a third of its buffer has been acknowledged (of
//! `SEND_BUFFER`, which it doubles: 85 kB), so a client that takes less than that within the time-out, 8 kB/s
//! at 10 s, is treated as one that does not read.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// A stream whose writes make progress, or fail.
pub(super) struct WriteTimeout<S> {
    stream: S,
    limit: Duration,
    /// Set while a write waits.
    stuck: Option<Pin<Box<Sleep>>>,
}

impl<S> WriteTimeout<S> {
    /// A stream whose writes may wait so long.
    pub(super) fn new(stream: S, limit: Duration) -> Self {
        Self { stream, limit, stuck: None }
    }

    fn watch<T>(&mut self, context: &mut Context<'_>, write: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if write.is_ready() {
            self.stuck = None;
            return write;
        }
        let stuck = self.stuck.get_or_insert_with(|| Box::pin(sleep(self.limit)));
        ready!(stuck.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for WriteTimeout<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for WriteTimeout<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let write = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.watch(context, write)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let write = Pin::new(&mut self.stream).poll_write_vectored(context, bytes);
        self.watch(context, write)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flush = Pin::new(&mut self.stream).poll_flush(context);
        self.watch(context, flush)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    use super::*;

    fn run(test: impl Future<Output = ()>) {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(test);
    }

    #[test]
    fn a_write_that_nobody_reads_fails() {
        run(async {
            let (near, _far) = duplex(8);
            let mut near = WriteTimeout::new(near, Duration::from_millis(1));
            let error = near.write_all(&[0; 9]).await.unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        });
    }

    #[test]
    fn a_write_that_is_read_succeeds_however_little_at_a_time() {
        run(async {
            let (near, mut far) = duplex(8);
            let mut near = WriteTimeout::new(near, Duration::from_mins(10));
            let reader = tokio::spawn(async move {
                for _ in 0..100 {
                    far.read_u8().await.unwrap();
                }
            });
            near.write_all(&[0; 100]).await.unwrap();
            reader.await.unwrap();
            assert!(near.stuck.is_none());
        });
    }
}
