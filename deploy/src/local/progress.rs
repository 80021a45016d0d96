//! Progress of a step that may take longer than a second, on standard error.
//!
//! On a terminal one line that is written again; elsewhere a line at the start, one every ten seconds, one at the
//! end. It never prints more than that.

use std::io::{IsTerminal, Write};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use arb_runtime::stop::Stop;

/// A step that is under way; dropped, it has ended.
pub struct Progress {
    ended: Stop,
    writer: Option<JoinHandle<()>>,
}

impl Progress {
    /// Begins a step.
    pub fn start(what: impl Into<String>) -> Self {
        let (what, ended) = (what.into(), Stop::default());
        let until = ended.clone();
        let writer = std::thread::spawn(move || write(&what, &until));
        Self { ended, writer: Some(writer) }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.ended.stop();
        if let Some(writer) = self.writer.take() {
            let _ = writer.join();
        }
    }
}

fn write(what: &str, until: &Stop) {
    let (started, terminal) = (Instant::now(), std::io::stderr().is_terminal());
    let (again, every) = if terminal { ("\r", 1) } else { ("", 10) };
    let mut err = std::io::stderr();
    let mut say = |end: &str| {
        let seconds = started.elapsed().as_secs_f32();
        let _ = write!(err, "{again}{what} ... {seconds:.1} s{end}");
        let _ = err.flush();
    };
    let between = if terminal { "" } else { "\n" };
    say(between);
    while !until.wait(Duration::from_secs(every)) {
        say(between);
    }
    say("\n");
}
