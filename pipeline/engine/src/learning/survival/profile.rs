//! What is known of a window when its life is first asked for: its profile, and the pace of its time.
//!
//! **Profile.** Chosen on four recordings by the features that predicted a fourth from three: the stage of
//! the event (of pre-match windows 29 % survived 15 minutes within twelve hours of the start, 70 % more than
//! four days before it), the kind of market (in play 46 % without a line, 18 % on totals), then margin and
//! age of the oldest leg, which add little (0.0014 of a Brier score at 15 minutes). The caller adds the
//! sport.
//!
//! **Pace.** A window is found at a poll, and may have been open for a whole gap. Faster polls find younger
//! windows, more of which end soon; a longer gap moves the estimated end later. From every second and every
//! third poll of four recordings, the learnt medians were 1.6 and 2.3 times those from every poll: they grow
//! by the 0.7th power of the gap. An age therefore counts `(900 s / gap)^0.6` times (the gap before a window
//! is not always the gap behind it, and 0.6 predicted best): cells are learnt together from feeds of any
//! cadence, and the estimate for a new cadence begins about right. Without it 76 % of 43 windows that were
//! found at most 450 s after the last poll were gone by their median, with it 60 %.
//!
//! It never looks at a price.

use crate::Micros;
use crate::market::{Family, Market};
use crate::odds::{exp, ln};

/// One second.
const SECOND: Micros = 1_000_000;
const HOUR: Micros = 3_600 * SECOND;
/// The gap at which time passes as it does.
const REFERENCE: Micros = 900 * SECOND;
/// The fastest pace: no recording has faster polls, and a stream has enough samples within minutes.
const SHORTEST: Micros = 60 * SECOND;
/// No slower one: such a gap is a hole.
const LONGEST: Micros = HOUR;
/// The power of the gap by which lifetimes grow.
const POWER: f64 = 0.6;
/// Bounds of the bands of margins.
const MARGINS: [f64; 2] = [0.01, 0.05];
/// Bounds of the bands of ages of the oldest leg.
const AGES: [Micros; 2] = [60 * SECOND, 180 * SECOND];

/// The stage of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EventStage {
    /// It has begun.
    InPlay,
    /// It begins within twelve hours.
    Hours,
    /// It begins within four days.
    Days,
    /// It begins later.
    Later,
}

/// The kind of market.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MarketKind {
    /// The winner of the event.
    Winner,
    /// By how much.
    Handicap,
    /// How much in all.
    Total,
}

impl EventStage {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::InPlay, Self::Hours, Self::Days, Self::Later];

    /// Its name in messages.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::InPlay => "in_play",
            Self::Hours => "hours",
            Self::Days => "days",
            Self::Later => "later",
        }
    }

    /// That of its name.
    #[must_use]
    pub fn parse(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|stage| stage.key() == key)
    }

    fn before(start: Micros) -> Self {
        if start <= 12 * HOUR {
            Self::Hours
        } else if start <= 96 * HOUR {
            Self::Days
        } else {
            Self::Later
        }
    }
}

impl MarketKind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Winner, Self::Handicap, Self::Total];

    /// Its name in messages.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::Winner => "winner",
            Self::Handicap => "handicap",
            Self::Total => "total",
        }
    }

    /// That of its name.
    #[must_use]
    pub fn parse(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.key() == key)
    }

    fn of(family: Family) -> Self {
        match family {
            Family::Spreads => Self::Handicap,
            Family::Totals => Self::Total,
            Family::H2h | Family::H2h3Way | Family::DrawNoBet => Self::Winner,
        }
    }
}

/// By what a window is counted, beside its sport.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Profile {
    /// Stage of its event.
    pub stage: EventStage,
    /// Kind of its market.
    pub kind: MarketKind,
    /// Band of its margin: below 1 %, below 5 %, above.
    pub margin: u8,
    /// Band of its oldest leg's age: below 60 s, below 180 s, above.
    pub age: u8,
}

/// What a profile is made of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ProfileInput {
    pub(crate) market: Market,
    pub(crate) in_play: bool,
    /// Until the event begins.
    pub(crate) start: Micros,
    pub(crate) margin: f64,
    /// Age of the oldest leg.
    pub(crate) oldest: Micros,
}

fn band<T: PartialOrd>(value: &T, bounds: &[T; 2]) -> u8 {
    u8::from(*value >= bounds[0]) + u8::from(*value >= bounds[1])
}

impl Profile {
    pub(crate) fn of(seen: &ProfileInput) -> Self {
        Self {
            stage: if seen.in_play { EventStage::InPlay } else { EventStage::before(seen.start) },
            kind: MarketKind::of(seen.market.family),
            margin: band(&seen.margin, &MARGINS),
            age: band(&seen.oldest, &AGES),
        }
    }
}

/// Thousandths of a second of age that a second brings to a window that was found so long after its market had last been
/// updated; `None` when it never was.
pub(super) fn pace(gap: Option<Micros>) -> i64 {
    let gap = gap.map_or(REFERENCE, |gap| gap.clamp(SHORTEST, LONGEST));
    let pace = exp(POWER * ln(REFERENCE as f64 / gap as f64));
    // Between 435 and 5078.
    #[allow(clippy::cast_possible_truncation)]
    let thousandths = (pace * 1e3).round() as i64;
    thousandths
}

/// An age as it counts.
pub(super) fn paced(age: Micros, pace: i64) -> Micros {
    let paced = i128::from(age.max(0)) * i128::from(pace) / 1_000;
    i64::try_from(paced).unwrap_or(Micros::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_profile_is_made_of_bands() {
        let market = |key| Market::parse(key).unwrap();
        let seen =
            ProfileInput { market: market("h2h"), in_play: false, start: HOUR, margin: 0.01, oldest: 0 };
        let profile = |seen| {
            let Profile { stage, kind, margin, age } = Profile::of(&seen);
            (stage.key(), kind.key(), margin, age)
        };
        assert_eq!(profile(seen), ("hours", "winner", 1, 0));
        assert_eq!(
            profile(ProfileInput { in_play: true, oldest: 60 * SECOND, ..seen }),
            ("in_play", "winner", 1, 1)
        );
        let days = ProfileInput { start: 96 * HOUR, market: market("totals_h1"), margin: 0.05, ..seen };
        assert_eq!(profile(days), ("days", "total", 2, 0));
        let later = ProfileInput { start: 96 * HOUR + 1, market: market("spreads"), margin: 0.0099, ..seen };
        assert_eq!(profile(ProfileInput { oldest: 180 * SECOND, ..later }), ("later", "handicap", 0, 2));
    }

    #[test]
    fn names_are_read_back() {
        assert!(EventStage::ALL.into_iter().all(|stage| EventStage::parse(stage.key()) == Some(stage)));
        assert!(MarketKind::ALL.into_iter().all(|kind| MarketKind::parse(kind.key()) == Some(kind)));
        assert_eq!((EventStage::parse("x"), MarketKind::parse("x")), (None, None));
    }

    #[test]
    fn time_passes_faster_for_who_polls_more_often() {
        let pace = |seconds: i64| pace(Some(seconds * SECOND));
        assert_eq!(
            [pace(900), pace(300), pace(1_800), pace(60), pace(3_600)],
            [1_000, 1_933, 660, 5_078, 435]
        );
        assert_eq!((pace(-1), pace(0), pace(86_400), super::pace(None)), (5_078, 5_078, 435, 1_000));
        assert_eq!((paced(10, 1_933), paced(-5, 1_000), paced(Micros::MAX, 5_078)), (19, 0, Micros::MAX));
    }

    proptest! {
        /// Faster polls give a faster pace, within bounds; and a longer age counts for more.
        #[test]
        fn a_longer_gap_is_a_slower_pace(a in -HOUR..2 * HOUR, b in -HOUR..2 * HOUR, age in 0..HOUR) {
            let (short, long) = (pace(Some(a.min(b))), pace(Some(a.max(b))));
            prop_assert!(long <= short && (435..=5_078).contains(&short) && (435..=5_078).contains(&long));
            prop_assert!(paced(age, long) <= paced(age, short));
            prop_assert_eq!(paced(age, 1_000), age);
        }

        /// Bands follow the values, and a window in play is of that stage whatever its start is.
        #[test]
        fn bands_are_ordered(a in 0.0..0.2_f64, b in 0.0..0.2_f64, old in 0..600_i64, older in 0..600_i64) {
            let of = |margin, age, in_play| Profile::of(&ProfileInput {
                market: Market::parse("totals").unwrap(),
                in_play,
                start: HOUR,
                margin,
                oldest: age * SECOND,
            });
            prop_assert!(of(a.min(b), 0, false).margin <= of(a.max(b), 0, false).margin);
            prop_assert!(of(a, old.min(older), false).age <= of(a, old.max(older), false).age);
            prop_assert_eq!(of(a, old, true).stage, EventStage::InPlay);
            prop_assert_eq!((of(a, old, true).margin, of(a, old, true).age), (of(a, old, false).margin, of(a, old, false).age));
        }
    }
}
