//! Where passwords are hashed: one at a time on a thread of its own, because each takes 19 MiB and some 20 ms of a core.
//!
//! Of more than eight that wait the next is refused. It never keeps a password longer than its hash takes.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use tokio::sync::oneshot;

/// Hashes that wait.
const QUEUE: usize = 8;

type Job = Box<dyn FnOnce() + Send>;

/// The way to the thread.
#[derive(Debug, Clone)]
pub(crate) struct PasswordWorker(SyncSender<Job>);

/// Too many wait already.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Busy;

impl PasswordWorker {
    /// Starts the thread; it ends with the last clone of this.
    ///
    /// # Errors
    /// That of the system when it gives no thread.
    pub(crate) fn start() -> std::io::Result<Self> {
        let (sender, jobs): (_, Receiver<Job>) = sync_channel(QUEUE);
        std::thread::Builder::new()
            .name("passwords".to_owned())
            .spawn(move || jobs.into_iter().for_each(|job| job()))?;
        Ok(Self(sender))
    }

    /// Runs work on the thread.
    ///
    /// # Errors
    /// [`Busy`].
    pub(crate) async fn run<A: Send + 'static>(
        &self,
        work: impl FnOnce() -> A + Send + 'static,
    ) -> Result<A, Busy> {
        let (sender, receiver) = oneshot::channel();
        let job = move || {
            // Nobody waits any more for the work of a connection that has ended.
            if !sender.is_closed() {
                let _ = sender.send(work());
            }
        };
        self.0.try_send(Box::new(job)).map_err(|_| Busy)?;
        receiver.await.map_err(|_| Busy)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use tokio::runtime::Builder;

    use super::*;

    #[test]
    fn one_runs_eight_wait_and_the_next_is_refused() {
        let worker = PasswordWorker::start().unwrap();
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let (release, held) = mpsc::channel::<()>();
        let (started, has_started) = mpsc::channel::<()>();
        let first = worker.clone();
        let first = runtime.spawn(async move {
            first
                .run(move || {
                    started.send(()).unwrap();
                    held.recv().unwrap();
                })
                .await
        });
        has_started.recv_timeout(Duration::from_mins(1)).unwrap();
        let waiting: Vec<_> = (0..9)
            .map(|number| {
                let worker = worker.clone();
                runtime.spawn(async move { worker.run(move || number).await })
            })
            .collect();
        while waiting.iter().filter(|task| task.is_finished()).count() == 0 {
            std::thread::yield_now();
        }
        release.send(()).unwrap();
        let results: Vec<_> = waiting.into_iter().map(|task| runtime.block_on(task).unwrap()).collect();
        assert_eq!(results.iter().filter(|result| result.is_err()).count(), 1);
        assert_eq!(results.into_iter().flatten().count(), 8);
        assert_eq!(runtime.block_on(first).unwrap(), Ok(()));
    }
}
