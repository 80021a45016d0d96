//! Since when a client has been sent nothing.
//!
//! It is polled after every event of every stream, so the time is passed in, and the timer is polled only
//! when it may have fired.

use std::pin::Pin;
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;

use tokio::task::coop::unconstrained;
use tokio::time::{Instant, Sleep, sleep_until};

/// The time since something was last sent to a client.
#[derive(Debug)]
pub(super) struct IdleTimer {
    limit: Duration,
    last_sent: Instant,
    /// Something was sent since it was last asked.
    is_restarted: bool,
    /// Fires when it is over, or before: it is set again when it fires, not each time that something is sent.
    timer: Pin<Box<Sleep>>,
    fires_at: Instant,
    /// The task that it wakes, once it is set.
    waker: Option<Waker>,
}

impl IdleTimer {
    /// Begins now, and may last so long.
    pub(super) fn new(limit: Duration) -> Self {
        let (last_sent, is_restarted) = (Instant::now(), false);
        let fires_at = last_sent + limit;
        Self { limit, last_sent, is_restarted, timer: Box::pin(sleep_until(fires_at)), fires_at, waker: None }
    }

    /// Something is sent.
    pub(super) fn restart(&mut self) {
        self.is_restarted = true;
    }

    /// Whether it has lasted too long by now; otherwise the caller is woken when it has.
    pub(super) fn poll(&mut self, now: Instant, context: &mut Context<'_>) -> Poll<()> {
        if std::mem::take(&mut self.is_restarted) {
            self.last_sent = now;
        }
        let due = self.last_sent + self.limit;
        if now >= due {
            return Poll::Ready(());
        }
        let is_set = self.waker.as_ref().is_some_and(|waker| waker.will_wake(context.waker()));
        if is_set && now < self.fires_at {
            return Poll::Pending;
        }
        self.waker = Some(context.waker().clone());
        ready!(self.poll_timer(context));
        // It has fired for what would have been due if nothing had been sent.
        self.fires_at = due;
        self.timer.as_mut().reset(due);
        self.poll_timer(context)
    }

    /// Polled without the task's budget: with a spent budget the poll would return early, and the timer would
    /// not be set.
    fn poll_timer(&mut self, context: &mut Context<'_>) -> Poll<()> {
        Pin::new(&mut unconstrained(self.timer.as_mut())).poll(context)
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use tokio::task::coop::{consume_budget, has_budget_remaining};
    use tokio::time::timeout;

    use super::*;

    #[test]
    fn it_fires_also_for_a_task_that_has_spent_its_budget() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let fired = async {
            let (mut timer, mut is_first) = (IdleTimer::new(Duration::from_millis(1)), true);
            poll_fn(|context| {
                while is_first && has_budget_remaining() {
                    let _ = std::pin::pin!(consume_budget()).poll(context);
                }
                is_first = false;
                timer.poll(Instant::now(), context)
            })
            .await;
        };
        let fired = async { timeout(Duration::from_secs(30), tokio::spawn(fired)).await };
        runtime.block_on(fired).expect("it ends").unwrap();
    }

    #[test]
    fn it_never_fires_before_its_limit_and_restarts_at_each_piece() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let limit = Duration::from_millis(3);
            let mut timer = IdleTimer::new(limit);
            for _ in 0..5 {
                // In the middle of it: the timer is set for too early now.
                sleep_until(Instant::now() + limit / 2).await;
                let begun = Instant::now();
                timer.restart();
                poll_fn(|context| timer.poll(Instant::now(), context)).await;
                assert!(begun.elapsed() >= limit);
                let again = poll_fn(|context| Poll::Ready(timer.poll(Instant::now(), context))).await;
                assert!(again.is_ready(), "it is not over until something is sent");
            }
        });
    }
}
