//! When to stop: on SIGINT or SIGTERM, and for a child when its standard input is closed.
//!
//! A parent holds its children's standard input, so that they end with it even if it is killed.

use std::io::Read;
use std::time::Duration;

use arb_runtime::stop::Stop;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::cli::Child;

/// A [`Stop`] that is set when the process is asked to end, from the return of this on. A second signal ends it at once.
///
/// # Errors
/// When the system gives no thread or no signal handler.
pub fn stop(child: Child) -> anyhow::Result<Stop> {
    let stop = Stop::default();
    let by_signal = stop.clone();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    // Before the thread: a signal that came before its handler would end the process at once.
    let [interrupt, terminate] = {
        let _entered = runtime.enter();
        [signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?]
    };
    std::thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || runtime.block_on(wait(interrupt, terminate, &by_signal)))?;
    if child.child {
        let by_parent = stop.clone();
        std::thread::Builder::new().name("parent".to_owned()).spawn(move || {
            let mut nothing = [0; 64];
            while std::io::stdin().read(&mut nothing).is_ok_and(|read| read > 0) {}
            by_parent.stop();
        })?;
    }
    Ok(stop)
}

/// While this exists a signal sets its [`Stop`]; after that a signal ends the process at once. For a question at the terminal,
/// which has to be restored first.
pub(crate) struct Question {
    pub(crate) stop: Stop,
    is_over: Stop,
}

impl Question {
    /// Begins one.
    ///
    /// # Errors
    /// As [`stop`].
    pub(crate) fn begin() -> anyhow::Result<Self> {
        let (stop, is_over) = (stop(Child { child: false })?, Stop::default());
        let (asked, over) = (stop.clone(), is_over.clone());
        std::thread::Builder::new().name("question".to_owned()).spawn(move || {
            while !asked.wait(Duration::from_hours(1)) {}
            if over.is_stopped() {
                at_once();
            }
        })?;
        Ok(Self { stop, is_over })
    }
}

impl Drop for Question {
    fn drop(&mut self) {
        self.is_over.stop();
    }
}

/// A second signal ends the process at once.
#[expect(clippy::disallowed_methods, reason = "what is not committed is aborted by its coordinator")]
fn at_once() -> ! {
    std::process::exit(130)
}

async fn wait(mut interrupt: Signal, mut terminate: Signal, stop: &Stop) {
    for is_second in [false, true] {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        if is_second {
            at_once();
        }
        stop.stop();
    }
}
