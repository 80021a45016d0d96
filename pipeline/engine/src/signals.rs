//! Edge signals of a market: bets that are worth a look though they are no arb, opened, updated and closed.
//!
//! | kind | meaning | opens | closes, beside the ends of all |
//! |---|---|---|---|
//! | `value` | a price pays more than the probability from the other operators, by the most cautious of five
//! methods | expected return 0.02, 4 operators | below 0.01 |
//! | `low_hold` | the best prices of a line give nearly everything back | `S` at most 1.005 | above 1.01 |
//! | `middle` | bets on two lines that can both win, and cost little where only one does | `S` at most 1.02 |
//! above 1.03 |
//! | `steam` | 3 or more operators shorten an outcome by 0.01 or more within 60 s, none lengthens it so much
//! | at a hop of 10 s | 10 min after the last move |
//! | `stale_price` | a book still offers its price from before a steam, at an expected return of 0.01 by
//! those that moved | with the steam | its price moves; 30 min after the last move |
//! | `odds_drop` | the median of 3 or more operators' prices has fallen by 8 % within 30 min | at a hop of 5
//! min | 30 min after the last fall |
//!
//! Signals that follow from the current table (`value`, `low_hold`, `middle`) stay open while it fulfils
//! them; those that are found when time passes (`steam`, `stale_price`, `odds_drop`) stay open for their
//! time. They end with their bets: withdrawn, stale or from before the start; `steam` and `odds_drop`, whose
//! bet is the best price when they were published, end when no book offers the outcome any more. It never
//! opens a window, and publishes nothing under the raw policy.
//!
//! Sources: the kinds are those of the product's definition; value betting against a consensus as in Kaunitz, Zhong and
//! Kreiner 2017, "Beating the bookies with their own numbers"; hopping windows as in `movement`. Thresholds are the
//! product's own; `arb evaluate --signals` reports what became of each kind.

mod consensus;
mod consensus_sample;
mod found;
mod lifecycle;
mod low_hold;
mod publish;
mod rows;
mod signal;
mod signal_id;
mod steam;
mod value;
mod view;

pub(crate) use consensus::sample_due;
pub(crate) use consensus_sample::ConsensusSample;
pub(crate) use lifecycle::{due, end, pass_time, update_signals};
pub(crate) use low_hold::LOW_HOLD_CLOSES;
pub(crate) use signal::{Signal, Subject};
pub(crate) use view::{PassedMarket, TableView};
