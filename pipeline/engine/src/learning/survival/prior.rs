//! The hazards from which a partition that has seen nothing begins. Written by `arb fit`, never by hand.
//!
//! Fitted to these recordings, each up to its split and no further:
//!
//! * `americanfootball_nfl-2025-09.jsonl.zst`, 2025-09-10T05:36:59Z to 2025-10-16T11:15:32.6Z: 84 windows that closed
//! * `baseball_mlb-2026-07.jsonl.zst`, 2026-07-05T06:15:27Z to 2026-07-26T01:49:28.4Z: 2342 windows that closed
//! * `basketball_wnba-2026-07.jsonl.zst`, 2026-07-14T16:45:27Z to 2026-07-28T21:46:28.4Z: 127 windows that closed
//! * `soccer_fifa_world_cup-2026-06.jsonl.zst`, 2026-06-06T04:52:30Z to 2026-06-23T13:17:33.2Z: 111 windows that closed

use super::cell::Hazard;
use super::profile::{EventStage, MarketKind};

/// Deaths a second of age, by stage, kind and piece of age.
#[rustfmt::skip]
static HAZARD: [[Hazard; 3]; 4] = [
    [ // in_play
        [7.17e-4, 6.63e-4, 6.65e-4, 7.06e-4, 8.17e-4, 1.04e-3, 7.50e-4, 8.24e-4, 7.05e-4, 1.06e-3, 1.11e-3], // winner
        [8.42e-4, 8.63e-4, 9.21e-4, 1.04e-3, 1.35e-3, 2.14e-3, 1.18e-3, 1.05e-3, 9.31e-4, 1.08e-3, 1.11e-3], // handicap
        [8.79e-4, 9.22e-4, 9.98e-4, 1.14e-3, 1.55e-3, 2.76e-3, 1.50e-3, 1.59e-3, 7.78e-4, 1.08e-3, 1.11e-3], // total
    ],
    [ // hours
        [5.90e-4, 6.47e-4, 7.24e-4, 8.20e-4, 1.07e-3, 1.45e-3, 6.24e-4, 5.10e-4, 3.79e-4, 6.77e-4, 5.56e-4], // winner
        [5.84e-4, 6.28e-4, 6.84e-4, 7.47e-4, 8.91e-4, 1.12e-3, 6.09e-4, 4.32e-4, 3.72e-4, 7.07e-4, 5.56e-4], // handicap
        [5.93e-4, 6.57e-4, 7.48e-4, 8.53e-4, 1.11e-3, 1.50e-3, 5.78e-4, 4.30e-4, 3.33e-4, 7.20e-4, 5.56e-4], // total
    ],
    [ // days
        [5.91e-4, 6.47e-4, 7.17e-4, 8.20e-4, 1.05e-3, 1.34e-3, 5.32e-4, 4.36e-4, 3.02e-4, 2.46e-4, 2.28e-4], // winner
        [5.92e-4, 6.48e-4, 7.20e-4, 8.25e-4, 1.06e-3, 1.29e-3, 7.45e-4, 3.28e-4, 2.82e-4, 2.19e-4, 1.90e-4], // handicap
        [5.79e-4, 6.12e-4, 6.47e-4, 6.95e-4, 7.65e-4, 8.83e-4, 4.96e-4, 2.75e-4, 2.64e-4, 2.51e-4, 2.14e-4], // total
    ],
    [ // later
        [5.42e-4, 5.22e-4, 5.07e-4, 5.05e-4, 5.28e-4, 5.70e-4, 4.66e-4, 2.22e-4, 2.40e-4, 1.46e-4, 1.06e-4], // winner
        [5.44e-4, 5.25e-4, 5.08e-4, 4.98e-4, 4.95e-4, 5.22e-4, 4.19e-4, 2.37e-4, 2.45e-4, 1.52e-4, 1.26e-4], // handicap
        [5.45e-4, 5.28e-4, 5.12e-4, 5.05e-4, 5.10e-4, 5.39e-4, 5.08e-4, 2.54e-4, 2.66e-4, 1.71e-4, 1.31e-4], // total
    ],
];

/// Those of a stage and a kind.
pub(super) fn hazard(stage: EventStage, kind: MarketKind) -> &'static Hazard {
    &HAZARD[stage as usize][kind as usize]
}
