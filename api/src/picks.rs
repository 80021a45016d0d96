//! The picks of bots, as an instance has them: all of the compacted topic, and the records that follow from them.
//!
//! - [`store`]: the picks; [`follow`]: the thread that reads them; [`bot_record`]: what came of a bot's bets.
//!
//! It never changes a pick, and leaves none out of a record.

pub mod bot_record;
pub mod follow;
pub mod store;
