//! Progress of a step that may take longer than a second, on standard error, with its time in seconds.
//!
//! On a terminal it is the status line while it runs, and a line at its end; elsewhere a line at the start, one every ten
//! seconds and one at the end.

use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::terminal;

/// When a step is reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Report {
    /// While it runs and at its end.
    Live,
    /// At its end alone: another program writes to the terminal meanwhile.
    AtEnd,
}

/// A step that is under way; dropped, it has ended.
pub struct Progress {
    /// Closed at the end.
    running: Option<Sender<()>>,
    writer: Option<JoinHandle<()>>,
}

impl Progress {
    /// Begins a step.
    pub fn start(what: impl Into<String>, report: Report) -> Self {
        let (what, (running, ended)) = (what.into(), mpsc::channel());
        let is_ended = move |wait| ended.recv_timeout(wait) == Err(RecvTimeoutError::Disconnected);
        let writer = std::thread::spawn(move || write(&what, report, is_ended));
        Self { running: Some(running), writer: Some(writer) }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        drop(self.running.take());
        if let Some(writer) = self.writer.take() {
            let _ = writer.join();
        }
    }
}

fn write(what: &str, report: Report, is_ended: impl Fn(Duration) -> bool) {
    let (started, is_terminal) = (Instant::now(), terminal::is_terminal());
    let text = || format!("{what} ... {:.1} s", started.elapsed().as_secs_f32());
    let running = || match report {
        Report::AtEnd => {}
        Report::Live if is_terminal => terminal::status(&text()),
        Report::Live => terminal::print(&text()),
    };
    let every = Duration::from_secs(if is_terminal { 1 } else { 10 });
    running();
    while !is_ended(every) {
        running();
    }
    if report == Report::Live {
        terminal::status("");
    }
    terminal::print(&text());
}
