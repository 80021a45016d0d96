//! When to stop: on SIGINT or SIGTERM, and for a child when its standard input is closed.
//!
//! A parent holds its children's standard input, so that they end with it even if it is killed.

use std::io::Read;

use arb_runtime::stop::Stop;
use tokio::signal::unix::{SignalKind, signal};

use crate::cli::Child;

/// A [`Stop`] that is set when the process is asked to end. A second signal ends it at once.
///
/// # Errors
/// When the system gives no thread.
pub fn stop(child: Child) -> anyhow::Result<Stop> {
    let stop = Stop::default();
    let by_signal = stop.clone();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
        if let Err(error) = runtime.block_on(wait(&by_signal)) {
            tracing::error!(%error, "cannot wait for signals");
        }
    })?;
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

/// A second signal ends the process at once.
#[expect(clippy::disallowed_methods, reason = "what is not committed is aborted by its coordinator")]
fn at_once() -> ! {
    std::process::exit(130)
}

async fn wait(stop: &Stop) -> std::io::Result<()> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
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
    Ok(())
}
