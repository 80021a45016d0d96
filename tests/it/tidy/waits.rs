//! How tests wait: for conditions, by the helpers that have a limit and show what they saw, and never for a time that stands for an event.

use std::path::Path;

use super::sources;
use crate::support::root;

/// Files whose tests let time pass by themselves, each with its reason. Others name the time and its reason by `pace`.
const MAY_SLEEP: [(&str, &str); 6] = [
    ("tests/it/support/wait.rs", "the helpers of all others"),
    ("tests/src/bin/keeper.rs", "between two looks whether a test process is left"),
    ("tests/it/prompt.rs", "a loop in Python, with a limit"),
    ("tests/it/tickets.rs", "a client in Python, before it connects again"),
    ("api/src/app/tests.rs", "the pace of a flood"),
    ("api/src/stream/idle_timer.rs", "a timer never fires early, whatever time passes"),
];

/// The part of a file that is tests.
fn tests<'a>(path: &Path, text: &'a str) -> &'a str {
    let is_test = |part: &std::ffi::OsStr| part == "tests" || part == "tests.rs";
    if path.strip_prefix(root()).unwrap().iter().any(is_test) {
        return text;
    }
    text.split_once("\n#[cfg(test)]\n").map_or("", |(_, tests)| tests)
}

#[test]
fn tests_sleep_for_no_event() {
    let mut found = 0;
    for (path, text) in sources() {
        let code = tests(&path, &text).lines().filter(|line| !line.trim_start().starts_with("//"));
        // This file names what it looks for.
        let sleeps =
            code.filter(|line| ["sleep(", "sleep_until("].iter().any(|call| line.contains(*call))).count();
        let may =
            MAY_SLEEP.iter().any(|(file, _)| path == root().join(file)) || path.ends_with("tidy/waits.rs");
        assert!(may || sleeps == 0, "{}: wait for a condition, or name the time by `pace`", path.display());
        found += sleeps;
    }
    assert!(found > 3, "{found}");
}
