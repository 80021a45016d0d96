//! Servers of others as child processes: how one is started so that it ends with this process, and how it is ended.
//!
//! Their commands are made by `arb_setup::program`, so they see none of our secrets.

use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use arb_setup::program;
use rustix::process::{Pid, Signal, kill_process};

/// How long a server may take to end by itself.
pub(super) const END: Duration = Duration::from_secs(20);

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
/// happens when this process ends, in any way. After so many seconds more it is ended by force.
const WITH_US: &str = "limit=$1; shift; exec 3<&0; \
    (cat <&3 >/dev/null; kill -TERM $$ 2>/dev/null; \
     while [ $limit -gt 0 ]; do sleep 1; kill -0 $$ 2>/dev/null || exit; limit=$((limit - 1)); done; \
     kill -KILL $$ 2>/dev/null) & \
    exec \"$@\" <&- 3<&-";

/// A program that is ended with this process, also when that is killed: in good order, or by force when that takes longer
/// than 20 s. The one that is started in its place waits for its ports.
pub(crate) fn run_with_us(name: &str) -> Command {
    with_us(name, END)
}

fn with_us(name: &str, limit: Duration) -> Command {
    let mut command = program::command("sh");
    command.args(["-c", WITH_US, "sh", &limit.as_secs().to_string(), name]).stdin(Stdio::piped());
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

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    fn ended_by(program: &str, limit: Duration) -> Option<i32> {
        let mut command = with_us("sh", limit);
        let mut child = command.args(["-c", program]).stdout(Stdio::piped()).spawn().unwrap();
        // It prints a line once it is ready for signals.
        let mut ready = [0];
        child.stdout.as_mut().unwrap().read_exact(&mut ready).unwrap();
        drop(child.stdin.take());
        child.wait().unwrap().signal()
    }

    #[test]
    fn a_server_ends_with_this_process_in_good_order_or_by_force() {
        let willing = "echo; while true; do sleep 0.01; done";
        assert_eq!(ended_by(willing, END), Some(Signal::TERM.as_raw()));
        let unwilling = "trap '' TERM; echo; while true; do sleep 0.01; done";
        assert_eq!(ended_by(unwilling, Duration::from_secs(1)), Some(Signal::KILL.as_raw()));
    }
}
