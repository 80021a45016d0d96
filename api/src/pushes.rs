//! Odds that clients push: lines as updates, and updates as records of the tick topic.
//!
//! - `line`: one line, validated field by field; `batch`: the lines of a body as updates, within the caps; `text`: a body as text.
//! - `dead_letters`: what of them could not be taken in, for those who pushed it.
//! - `gate`: how many batches are worked on at one time, and whether Kafka has acknowledged one.
//!
//! It never decides whether an update is new: the processor does, by its source and sequence.

mod batch;
mod dead_letters;
mod gate;
mod grant;
mod line;
mod text;

pub(crate) use batch::{Batch, BatchFault};
pub(crate) use dead_letters::PushLetter;
pub use dead_letters::{PushLetters, SHOWN as LETTERS_SHOWN};
pub use gate::PushLog;
pub(crate) use gate::{PushGate, SendFailure};
pub(crate) use grant::PushGrant;
pub(crate) use line::LineFault;
pub(crate) use text::{Encoding, TextFault, as_text};
