//! The cells of survival: counted in a draft, and read from the widest to the finest.
//!
//! It never looks at a price.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::Micros;

use super::cell::{Cell, Hazard};
use super::life::Life;
use super::prior;
use super::profile::{EventStage, MarketKind, Profile};
use super::ttl::Ttl;

/// The weight of what is above a cell, in deaths: above (stage, kind), above its sport, above its bands. Of 3 to 50, these
/// predicted the fourth recording best from prior and sport of three.
const WEIGHTS: [f64; 3] = [10.0, 10.0, 20.0];
/// Deaths in the finest cell before all of it is halved, so that old habits fade.
const MOST: i64 = 2_000;

/// Which cell: each part that is absent is all of them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct CellKey {
    stage: EventStage,
    kind: MarketKind,
    sport: Option<Arc<str>>,
    bands: Option<(u8, u8)>,
}

impl CellKey {
    /// The cells in which a window is counted, from the widest to the narrowest.
    fn chain(sport: &Arc<str>, profile: Profile) -> [Self; 3] {
        let Profile { stage, kind, margin, age } = profile;
        let key = |sport, bands| Self { stage, kind, sport, bands };
        [key(None, None), key(Some(sport.clone()), None), key(Some(sport.clone()), Some((margin, age)))]
    }

    /// What the finest cells are known by; `None` for those that are sums.
    pub(crate) fn finest(&self) -> Option<(&Arc<str>, Profile)> {
        let (sport, (margin, age)) = (self.sport.as_ref()?, self.bands?);
        Some((sport, Profile { stage: self.stage, kind: self.kind, margin, age }))
    }
}

/// Cells by key; the wider ones are the sums of the finest.
pub(crate) type Cells = BTreeMap<CellKey, Cell>;

/// What was lived of a window, as it is recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LifetimeSample {
    pub(crate) sport: Arc<str>,
    pub(crate) profile: Profile,
    pub(crate) cell: Cell,
}

/// What is known, and what a draft changes of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Survival<'a> {
    pub(crate) drafted: &'a Cells,
    pub(crate) known: &'a Cells,
}

impl Survival<'_> {
    fn cell(&self, key: &CellKey) -> Option<&Cell> {
        self.drafted.get(key).or_else(|| self.known.get(key))
    }

    /// The hazard of windows of a sport.
    fn hazard(&self, sport: &Arc<str>, profile: Profile) -> Hazard {
        let mut hazard = *prior::hazard(profile.stage, profile.kind);
        for (key, weight) in CellKey::chain(sport, profile).iter().zip(WEIGHTS) {
            if let Some(cell) = self.cell(key) {
                hazard = cell.shrunk(&hazard, weight);
            }
        }
        hazard
    }

    /// How long a window has still to live.
    pub(crate) fn ttl(&self, sport: &Arc<str>, life: &Life, now: Micros) -> Ttl {
        Ttl::new(self.hazard(sport, life.profile), life.pace, now - life.since)
    }

    /// All windows of a stage and a kind.
    pub(crate) fn sum(&self, stage: EventStage, kind: MarketKind) -> Cell {
        self.cell(&CellKey { stage, kind, sport: None, bands: None }).copied().unwrap_or_default()
    }
}

/// Counts a sample in the cells of a draft.
pub(crate) fn record(drafted: &mut Cells, known: &Cells, sample: &LifetimeSample) {
    let [widest, middle, finest] = CellKey::chain(&sample.sport, sample.profile);
    let was = Survival { drafted, known }.cell(&finest).copied().unwrap_or_default();
    let mut now = was.plus(&sample.cell);
    if now.deaths() > MOST {
        now = now.halved();
    }
    for key in [widest, middle] {
        let sum = Survival { drafted, known }.cell(&key).copied().unwrap_or_default();
        drafted.insert(key, sum.minus(&was).plus(&now));
    }
    drafted.insert(finest, now);
}

/// Puts back one of the finest cells.
pub(crate) fn put(known: &mut Cells, sport: &Arc<str>, profile: Profile, cell: Cell) {
    let [widest, middle, finest] = CellKey::chain(sport, profile);
    let was = known.insert(finest, cell).unwrap_or_default();
    for key in [widest, middle] {
        let sum = known.entry(key).or_default();
        *sum = sum.minus(&was).plus(&cell);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::life::End;
    use super::*;

    const SECOND: Micros = 1_000_000;
    const PLAIN: Profile = Profile { stage: EventStage::InPlay, kind: MarketKind::Winner, margin: 0, age: 0 };

    fn sample(sport: &str, profile: Profile, cell: Cell) -> LifetimeSample {
        LifetimeSample { sport: sport.into(), profile, cell }
    }

    fn taught(lifetimes: &[LifetimeSample]) -> Cells {
        let (mut drafted, known) = (Cells::new(), Cells::new());
        for sample in lifetimes {
            record(&mut drafted, &known, sample);
        }
        drafted
    }

    fn ttl(known: &Cells, sport: &str, profile: Profile) -> Ttl {
        let drafted = &Cells::new();
        let life = Life::begin(profile, Some(900 * SECOND), 0);
        Survival { drafted, known }.ttl(&sport.into(), &life, 0)
    }

    /// One window that was open for a minute and gone at the end of the next.
    fn minute() -> Cell {
        Cell::lived(0, 60 * SECOND).plus(&Cell::died(60 * SECOND, 120 * SECOND))
    }

    #[test]
    fn a_small_cell_by_hand() {
        let cells = taught(&[sample("s", PLAIN, minute())]);
        let survival = Survival { drafted: &cells, known: &Cells::new() };
        let (hazard, prior) =
            (survival.hazard(&"s".into(), PLAIN), prior::hazard(EventStage::InPlay, MarketKind::Winner));
        // No end before 60 s; the one end is spread over 60 to 120 s, half of which counts as observed.
        let mut by_hand = [prior[0], prior[2]];
        for weight in WEIGHTS {
            by_hand[0] = weight / (15.0 + weight / by_hand[0]);
            by_hand[1] = (1.0 + weight) / (30.0 + weight / by_hand[1]);
        }
        assert!((hazard[0] - by_hand[0]).abs() < 1e-15 && (hazard[2] - by_hand[1]).abs() < 1e-15);
        assert_eq!(hazard[4..], prior[4..], "ages without samples keep the prior");
    }

    #[test]
    fn another_sport_is_told_what_is_common_and_no_more() {
        let other = Profile { margin: 1, ..PLAIN };
        let known = taught(&vec![sample("s", PLAIN, minute()); 50]);
        let untaught = ttl(&Cells::new(), "s", PLAIN).median;
        let medians = [ttl(&known, "s", PLAIN), ttl(&known, "s", other), ttl(&known, "t", PLAIN)];
        let [own, sport, common] = medians.map(|ttl| ttl.median);
        assert!(own < sport && sport < common && common < untaught, "{own} {sport} {common} {untaught}");
        let total = Profile { kind: MarketKind::Total, ..PLAIN };
        assert_eq!(ttl(&known, "s", total).median, ttl(&Cells::new(), "s", total).median);
    }

    #[test]
    fn old_habits_fade() {
        let quick = Cell::lived(0, SECOND).plus(&Cell::died(SECOND, 2 * SECOND));
        let slow = Cell::lived(0, 600 * SECOND).plus(&Cell::died(600 * SECOND, 601 * SECOND));
        let mut lifetimes = vec![sample("s", PLAIN, quick); 5_000];
        let was = ttl(&taught(&lifetimes), "s", PLAIN).median;
        lifetimes.extend(vec![sample("s", PLAIN, slow); 12_000]);
        let cells = taught(&lifetimes);
        assert!(was < 3 * SECOND && ttl(&cells, "s", PLAIN).median > 500 * SECOND);
        assert!(cells.values().all(|cell| cell.deaths() <= MOST));
    }

    #[test]
    fn exponential_lives_that_are_polled_are_recovered() {
        // Lifetimes with a mean of 20 minutes by their quantiles, polled each 5 minutes, each first seen at a
        // poll.
        let survival = (0..2_000).map(|i| -1_200.0 * (1.0 - (f64::from(i) + 0.5) / 2_000.0).ln());
        let mut lifetimes = Vec::new();
        for seconds in survival {
            #[allow(clippy::cast_possible_truncation)] // At most three hours.
            let polls = (seconds / 300.0) as i64;
            let mut life = Life::begin(PLAIN, Some(300 * SECOND), 0);
            for poll in 1..=polls {
                lifetimes.extend(life.confirm(poll * 300 * SECOND, true));
            }
            lifetimes.push(life.end((polls + 1) * 300 * SECOND, End::Gone { is_push: false }));
        }
        let lifetimes: Vec<_> = lifetimes.into_iter().map(|cell| sample("s", PLAIN, cell)).collect();
        let life = Life::begin(PLAIN, Some(300 * SECOND), 0);
        let known = taught(&lifetimes);
        let ttl = Survival { drafted: &Cells::new(), known: &known }.ttl(&"s".into(), &life, 0);
        let seconds = |micros: Micros| micros as f64 / 1e6;
        let near = |reported: f64, truth: f64| (reported / truth - 1.0).abs() < 0.04;
        assert!(near(seconds(ttl.median), 831.8), "{ttl:?}");
        // Within the first gap, in which 22.1 % die, deaths are spread evenly: the true 10th percentile is at 126 s.
        assert!(near(seconds(ttl.p10), 300.0 * 0.1 / 0.2212) && near(seconds(ttl.p90), 2_763.1), "{ttl:?}");
        assert!(near(ttl.survives(1_200 * SECOND), (-1.0_f64).exp()), "{ttl:?}");
    }

    fn cells() -> impl Strategy<Value = LifetimeSample> {
        let times = (0_i64..4_000, 1_i64..3_600, 0_u8..3, 0_u8..3, 0_usize..2, any::<bool>());
        times.prop_map(|(after, gap, margin, age, sport, died)| {
            let profile = Profile { margin, age, ..PLAIN };
            let lived = Cell::lived(0, after * SECOND);
            let death = Cell::died(after * SECOND, (after + gap) * SECOND);
            sample(["s", "t"][sport], profile, if died { lived.plus(&death) } else { lived })
        })
    }

    proptest! {
        #[test]
        fn quantiles_are_in_order_and_the_median_is_one(lifetimes in prop::collection::vec(cells(), 0..60)) {
            let known = taught(&lifetimes);
            for age in 0..3 {
                let ttl = ttl(&known, "s", Profile { age, ..PLAIN });
                prop_assert!(0 < ttl.p10 && ttl.p10 <= ttl.median && ttl.median <= ttl.p90);
                for (time, alive) in [(ttl.p10, 0.9), (ttl.median, 0.5), (ttl.p90, 0.1)] {
                    prop_assert!((ttl.survives(time) - alive).abs() < 1e-4, "{ttl:?}");
                }
            }
        }

        #[test]
        fn a_death_shortens_and_life_lengthens(lifetimes in prop::collection::vec(cells(), 0..40)) {
            let median = |more: Option<Cell>| {
                let more = more.map(|cell| sample("s", PLAIN, cell));
                let lifetimes: Vec<_> = lifetimes.iter().cloned().chain(more).collect();
                ttl(&taught(&lifetimes), "s", PLAIN).median
            };
            prop_assert!(median(Some(Cell::died(0, 1))) < median(None));
            prop_assert!(median(Some(Cell::lived(0, 60 * SECOND))) > median(None));
        }

        #[test]
        fn the_order_of_what_is_put_back_changes_nothing(lifetimes in prop::collection::vec(cells(), 0..60)) {
            let cells = taught(&lifetimes);
            let finest: Vec<_> =
                cells.iter().filter_map(|(key, cell)| Some((key.finest()?, *cell))).collect();
            let (mut forward, mut backward) = (Cells::new(), Cells::new());
            for ((sport, profile), cell) in &finest {
                put(&mut forward, sport, *profile, *cell);
            }
            for ((sport, profile), cell) in finest.iter().rev() {
                // Twice, as a changelog that is not compacted yet holds it.
                put(&mut backward, sport, *profile, minute());
                put(&mut backward, sport, *profile, *cell);
            }
            prop_assert_eq!(&forward, &cells);
            prop_assert_eq!(&backward, &cells);
        }
    }
}
