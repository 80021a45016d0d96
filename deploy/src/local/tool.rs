//! Servers of others as child processes: how one is started so that it ends with this process, and how it is ended.
//!
//! Their commands are made by `arb_setup::program`, so they see none of our secrets.

use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use arb_setup::program;
use rustix::process::{Pid, Signal, kill_process};

/// How long a server may take to end by itself.
const END: Duration = Duration::from_secs(20);

/// A server that was ended by a signal, from outside.
#[derive(Debug, thiserror::Error)]
#[error("{what} was ended by signal {signal}")]
pub struct Killed {
    what: &'static str,
    signal: i32,
}

/// The code of a program that a signal has ended is this and the signal's number, as shells have it.
const SIGNALLED: u8 = 128;

impl Killed {
    /// Of a status, if it was a signal.
    pub(crate) fn of(what: &'static str, status: ExitStatus) -> Option<Self> {
        status.signal().map(|signal| Self { what, signal })
    }

    /// The code of a program whose server was ended so.
    pub(crate) fn code(&self) -> ExitCode {
        ExitCode::from(SIGNALLED.saturating_add(u8::try_from(self.signal).unwrap_or(0)))
    }
}

/// Whether the code of a program is that of a signal.
pub(crate) fn is_signal(code: i32) -> bool {
    code > i32::from(SIGNALLED)
}

/// Runs the given command, with a second process beside it that ends it when standard input is closed: which
/// happens when this process ends, in any way.
const WITH_US: &str = "exec 3<&0; (cat <&3 >/dev/null; kill -TERM $$ 2>/dev/null) & exec \"$@\" <&- 3<&-";

/// A program that is ended with this process, also when that is killed.
pub(crate) fn run_with_us(name: &str) -> Command {
    let mut command = program::command("sh");
    command.args(["-c", WITH_US, "sh", name]).stdin(Stdio::piped());
    command
}

/// Ends one in good order, or by force when that takes longer than 20 s.
pub(crate) fn end(child: Child) {
    let _ = kill_process(Pid::from_child(&child), Signal::TERM);
    wait(child);
}

/// The same for a program that ends when its standard input is closed.
pub(crate) fn end_by_input(mut child: Child) {
    drop(child.stdin.take());
    wait(child);
}

fn wait(mut child: Child) {
    let deadline = Instant::now() + END;
    while child.try_wait().is_ok_and(|status| status.is_none()) {
        if Instant::now() > deadline {
            let _ = child.kill();
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}
