//! How long each test took, for the list of the slowest that `.ci/run` prints. The test library shows no times.
//!
//! Measured from the first program or wait of a test to the end of its thread. Nothing is asserted about it.

use std::cell::RefCell;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

/// Lines `SECONDS NAME`, appended by each run; `.ci/run` removes the file before it begins.
const FILE: &str = "it-durations.txt";

struct Running {
    since: Instant,
}

thread_local! {
    static RUNNING: RefCell<Option<Running>> = const { RefCell::new(None) };
}

/// Notes that the test of this thread runs. Threads that a test itself starts have no name and are not noted.
pub(crate) fn note() {
    if std::thread::current().name().is_some_and(|name| name.contains("::")) {
        RUNNING.with_borrow_mut(|running| {
            running.get_or_insert_with(|| Running { since: Instant::now() });
        });
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let line = format!(
            "{:6.1} {}\n",
            self.since.elapsed().as_secs_f64(),
            std::thread::current().name().unwrap_or_default()
        );
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(FILE);
        if let Ok(mut file) = File::options().create(true).append(true).open(path) {
            // A list for people: a test must not fail because of it.
            let _ = file.write_all(line.as_bytes());
        }
    }
}
