//! Where passwords are hashed: one at a time on a thread of its own, because each takes 19 MiB and some 20 ms of a core.
//!
//! Who waits has turns ([`FairQueue`]), so that no network keeps the thread from others. It never keeps a password longer than its hash
//! takes, and computes nothing that nobody waits for.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

use super::fair_queue::{FairQueue, Full, Lane};

/// The way to the thread.
#[derive(Debug, Clone)]
pub(crate) struct PasswordWorker(Arc<Handle>);

/// Ends the thread with the last clone of the way to it.
#[derive(Debug)]
struct Handle(Arc<WorkQueue>);

#[derive(Debug, Default)]
struct WorkQueue {
    queue: Mutex<FairQueue<Job>>,
    has_changed: Condvar,
    has_ended: AtomicBool,
}

/// Work, and whether its caller has gone.
struct Job {
    work: Box<dyn FnOnce() + Send>,
    is_gone: Arc<AtomicBool>,
}

impl fmt::Debug for Job {
    /// Without anything of the password.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Job").finish_non_exhaustive()
    }
}

/// Too many wait already.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Busy;

/// Notes that a caller has gone, when it is dropped.
struct Gone(Arc<AtomicBool>);

impl Drop for Gone {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.0.has_ended.store(true, Ordering::Relaxed);
        drop(self.0.lock());
        self.0.has_changed.notify_one();
    }
}

impl PasswordWorker {
    /// Starts the thread; it ends with the last clone of this.
    ///
    /// # Errors
    /// That of the system when it gives no thread.
    pub(crate) fn start() -> std::io::Result<Self> {
        let shared = Arc::new(WorkQueue::default());
        let of_thread = Arc::clone(&shared);
        std::thread::Builder::new().name("passwords".to_owned()).spawn(move || of_thread.run())?;
        Ok(Self(Arc::new(Handle(shared))))
    }

    /// Runs work on the thread, in the turn of a lane.
    ///
    /// # Errors
    /// [`Busy`].
    pub(crate) async fn run<A: Send + 'static>(
        &self,
        lane: Lane,
        work: impl FnOnce() -> A + Send + 'static,
    ) -> Result<A, Busy> {
        let (sender, receiver) = oneshot::channel();
        let is_gone = Arc::new(AtomicBool::new(false));
        let _gone = Gone(Arc::clone(&is_gone));
        let work = Box::new(move || drop(sender.send(work())));
        self.0.0.push(lane, Job { work, is_gone }).map_err(|Full| Busy)?;
        receiver.await.map_err(|_| Busy)
    }
}

impl WorkQueue {
    fn lock(&self) -> MutexGuard<'_, FairQueue<Job>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, lane: Lane, job: Job) -> Result<(), Full> {
        let mut queue = self.lock();
        queue.retain(|job| !job.is_gone.load(Ordering::Relaxed));
        queue.push(lane, job)?;
        self.has_changed.notify_one();
        Ok(())
    }

    fn run(&self) {
        let mut queue = self.lock();
        while !self.has_ended.load(Ordering::Relaxed) {
            let Some(job) = queue.pop() else {
                queue = self.has_changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            drop(queue);
            if !job.is_gone.load(Ordering::Relaxed) {
                (job.work)();
            }
            queue = self.lock();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use tokio::runtime::Builder;

    use super::*;

    fn network(name: &str) -> Lane {
        Lane::Network(name.to_owned())
    }

    #[test]
    fn one_runs_eight_of_a_network_wait_and_another_network_is_served() {
        let worker = PasswordWorker::start().unwrap();
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let (release, held) = mpsc::channel::<()>();
        let (started, has_started) = mpsc::channel::<()>();
        let first = worker.clone();
        let first = runtime.spawn(async move {
            let work = move || {
                started.send(()).unwrap();
                held.recv().unwrap();
            };
            first.run(network("one"), work).await
        });
        has_started.recv_timeout(Duration::from_mins(1)).unwrap();
        let ask = |lane: Lane, number: usize| {
            let worker = worker.clone();
            runtime.spawn(async move { worker.run(lane, move || number).await })
        };
        let waiting: Vec<_> = (0..9).map(|number| ask(network("one"), number)).collect();
        while waiting.iter().filter(|task| task.is_finished()).count() == 0 {
            std::thread::yield_now();
        }
        let other = ask(network("other"), 100);
        let known = ask(Lane::Account("known".to_owned()), 101);
        release.send(()).unwrap();
        assert_eq!(runtime.block_on(other).unwrap(), Ok(100));
        assert_eq!(runtime.block_on(known).unwrap(), Ok(101));
        let results: Vec<_> = waiting.into_iter().map(|task| runtime.block_on(task).unwrap()).collect();
        assert_eq!(results.iter().filter(|result| result.is_err()).count(), 1);
        assert_eq!(results.into_iter().flatten().count(), 8);
        assert_eq!(runtime.block_on(first).unwrap(), Ok(()));
    }
}
