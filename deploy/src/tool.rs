//! Programs that are not ours: the one place where they are run, and how one that goes on running is ended.
//!
//! They get none of our secrets: what fetches, compiles or serves here has no need of a key or a password, and a script
//! of somebody's package could send it anywhere.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::cli::secrets;

/// How long a server may take to end by itself.
const END: Duration = Duration::from_secs(20);

/// A program by its name, with nothing to read, in our environment without its secrets.
pub(crate) fn run(program: &str) -> Command {
    let mut command = Command::new(program);
    secrets::hide(&mut command, None);
    command.stdin(Stdio::null());
    command
}

/// Ends one in good order, or by force when that takes longer than 20 s.
pub(crate) fn end(mut child: Child) {
    let _ = kill_process(Pid::from_child(&child), Signal::TERM);
    let deadline = Instant::now() + END;
    while child.try_wait().is_ok_and(|status| status.is_none()) {
        if Instant::now() > deadline {
            let _ = child.kill();
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}
