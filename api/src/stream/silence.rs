//! How long a client has heard nothing.
//!
//! One timer for the life of a stream, which is set again when it rings: not each time that something is sent.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep};

/// A client's silence.
#[derive(Debug)]
pub(super) struct Silence {
    limit: Duration,
    last_sent: Instant,
    /// Rings when it is over, or before.
    timer: Pin<Box<Sleep>>,
}

impl Silence {
    /// Begins now, and may last so long.
    pub(super) fn new(limit: Duration) -> Self {
        Self { limit, last_sent: Instant::now(), timer: Box::pin(sleep(limit)) }
    }

    /// Something is sent.
    pub(super) fn end(&mut self) {
        self.last_sent = Instant::now();
    }

    /// Whether it has lasted too long; who asks is woken when it has.
    pub(super) fn poll(&mut self, context: &mut Context<'_>) -> Poll<()> {
        loop {
            ready!(self.timer.as_mut().poll(context));
            let due = self.last_sent + self.limit;
            if Instant::now() >= due {
                return Poll::Ready(());
            }
            self.timer.as_mut().reset(due);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use super::*;

    #[test]
    fn it_is_never_over_before_its_limit_and_begins_anew_with_what_is_sent() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let limit = Duration::from_millis(3);
            let mut silence = Silence::new(limit);
            for _ in 0..5 {
                // In the middle of it: the timer is set for too early now.
                sleep(limit / 2).await;
                silence.end();
                let begun = silence.last_sent;
                poll_fn(|context| silence.poll(context)).await;
                assert!(begun.elapsed() >= limit);
                let again = poll_fn(|context| Poll::Ready(silence.poll(context))).await;
                assert!(again.is_ready(), "it is not over until something is sent");
            }
        });
    }
}
