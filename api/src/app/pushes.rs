//! Pushed odds in an instance: what writes them, and what reads which of them were dead-lettered. It never answers one.

use arb_kafka::{self as kafka, NewLetters};
use arb_runtime::stop::Stop;

use super::App;
use crate::pushes::PushLog;

impl App {
    /// Writes what clients push until the shutdown signal and the end of the batches under way.
    pub fn write_pushes(&self, log: impl PushLog + 'static, stop: &Stop) {
        self.pushes.run(Box::new(log), stop);
    }

    /// Reads the dead letters of pushed odds until the shutdown signal.
    ///
    /// # Errors
    /// [`kafka::Error`].
    pub fn follow_push_letters(&self, letters: NewLetters, stop: &Stop) -> Result<(), kafka::Error> {
        self.push_letters.follow(letters, stop)
    }
}
