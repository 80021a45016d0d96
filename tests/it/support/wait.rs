//! How tests wait: for a condition, with a generous limit and with what was seen last; or for time itself, by name.
//!
//! No other file of the tests may sleep (`tests/it/tidy/waits.rs`): a time that stands for an event is too short on some machine.

use std::fmt::{self, Debug, Formatter};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::durations;

/// How long a fact may take to come true on a slow machine before its absence is a failure.
pub(crate) const PATIENCE: Duration = Duration::from_mins(3);

/// Between two looks for a fact.
const PAUSE: (Duration, Duration) = (Duration::from_millis(20), Duration::from_secs(1));
/// Such a pause lasts as long as so many looks: what is looked for needs the processors more than whoever looks.
const LOOKS: u32 = 4;

/// What a look for a fact finds: the fact, or what there is instead.
pub(crate) trait Look {
    type Fact;
    type Seen: Debug;

    fn found(self) -> Result<Self::Fact, Self::Seen>;
}

/// What a look sees that does not say it.
pub(crate) struct Nothing;

impl Debug for Nothing {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("no such fact")
    }
}

/// A text of many lines that a look sees.
pub(crate) struct Shown(pub(crate) String);

impl Debug for Shown {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<T> Look for Option<T> {
    type Fact = T;
    type Seen = Nothing;

    fn found(self) -> Result<T, Nothing> {
        self.ok_or(Nothing)
    }
}

impl<T, S: Debug> Look for Result<T, S> {
    type Fact = T;
    type Seen = S;

    fn found(self) -> Self {
        self
    }
}

/// Waits for a fact; where it does not come true, the failure shows what the last look saw.
pub(crate) fn wait_for<L: Look>(what: &str, mut look: impl FnMut() -> L) -> L::Fact {
    durations::note();
    let deadline = Instant::now() + PATIENCE;
    loop {
        let begun = Instant::now();
        let seen = match look().found() {
            Ok(fact) => return fact,
            Err(seen) => seen,
        };
        let is_over = Instant::now() >= deadline;
        assert!(!is_over, "{what}: not within {} s; last seen: {seen:?}", PATIENCE.as_secs());
        rest(begun);
    }
}

/// Waits for a fact that is come to step by step: each step may take as long as a fact.
pub(crate) fn wait_for_steps<T, S: PartialEq + Debug>(
    what: &str,
    mut look: impl FnMut() -> Result<T, S>,
) -> T {
    let mut last: Option<S> = None;
    loop {
        let next = wait_for(what, || match look() {
            Err(step) if last.as_ref() == Some(&step) => Err(step),
            found => Ok(found),
        });
        match next {
            Ok(found) => return found,
            Err(step) => last = Some(step),
        }
    }
}

/// Whether a fact comes true within a time.
pub(crate) fn comes_true(within: Duration, mut fact: impl FnMut() -> bool) -> bool {
    let deadline = Instant::now() + within;
    loop {
        let begun = Instant::now();
        if fact() {
            return true;
        }
        if Instant::now() >= deadline {
            return false;
        }
        rest(begun);
    }
}

fn rest(begun: Instant) {
    std::thread::sleep((LOOKS * begun.elapsed()).clamp(PAUSE.0, PAUSE.1));
}

/// Lets time pass that stands for no event: a pace, or a time that is itself what is tested. `_why` says which.
pub(crate) fn pace(_why: &str, time: Duration) {
    std::thread::sleep(time);
}

/// Sets a flag when it is dropped, so that threads which go on until then end with a test that fails, too.
pub(crate) struct EndsWith<'a>(pub(crate) &'a AtomicBool);

impl Drop for EndsWith<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}
