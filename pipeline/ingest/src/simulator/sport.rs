//! Sports: how long a match lasts, how it is scored, how its lines are drawn, what its sides are called.
//!
//! The figures are of the size of the real ones and no more exact than that. Leagues and sides do not exist.

/// One sport, as the market plays it.
#[derive(Debug)]
pub(super) struct Sport {
    /// Its league's key; the sport is the part before the first `_`.
    pub(super) league: &'static str,
    /// A match, with its breaks, in seconds.
    pub(super) duration: f64,
    /// Expected points of both sides together.
    pub(super) points: f64,
    /// How far that expectation differs between matches, and the sides' difference from 0.
    pub(super) between: f64,
    /// Deviation of the final difference, and of the final sum.
    pub(super) deviation: f64,
    /// Points of one score, each as likely.
    pub(super) scores: &'static [f64],
    /// A match may end in a draw, and the draw is an outcome of `h2h`.
    pub(super) has_draw: bool,
    /// Lines of spreads lie on this grid, in thousandths.
    pub(super) spread_grid: i32,
    /// Lines of totals lie on this grid, in thousandths.
    pub(super) total_grid: i32,
    /// The letter of its periods, and how many there are.
    pub(super) periods: (char, i64),
}

pub(super) const SPORTS: [Sport; 4] = [
    Sport {
        league: "soccer_simulated_league",
        duration: 6_900.0,
        points: 2.7,
        between: 0.6,
        deviation: 1.65,
        scores: &[1.0],
        has_draw: true,
        spread_grid: 250,
        total_grid: 250,
        periods: ('h', 2),
    },
    Sport {
        league: "baseball_simulated_league",
        duration: 9_900.0,
        points: 8.6,
        between: 0.9,
        deviation: 4.1,
        scores: &[1.0, 1.0, 2.0],
        has_draw: false,
        spread_grid: 500,
        total_grid: 500,
        periods: ('i', 9),
    },
    Sport {
        league: "basketball_simulated_league",
        duration: 8_100.0,
        points: 164.0,
        between: 5.0,
        deviation: 19.0,
        scores: &[1.0, 2.0, 2.0, 3.0],
        has_draw: false,
        spread_grid: 500,
        total_grid: 500,
        periods: ('q', 4),
    },
    Sport {
        league: "americanfootball_simulated_league",
        duration: 11_400.0,
        points: 45.0,
        between: 4.0,
        deviation: 17.0,
        scores: &[3.0, 7.0, 7.0],
        has_draw: false,
        spread_grid: 500,
        total_grid: 500,
        periods: ('q', 4),
    },
];

/// That of short matches: over in four minutes, so that a demonstration shows results.
pub(super) const SHORT: Sport = Sport {
    league: "soccer_simulated_short",
    duration: 240.0,
    points: 2.7,
    between: 0.6,
    deviation: 1.65,
    scores: &[1.0],
    has_draw: true,
    spread_grid: 250,
    total_grid: 250,
    periods: ('h', 2),
};

const PLACES: [&str; 24] = [
    "Aldmoor",
    "Brackwater",
    "Calder Bay",
    "Dunhollow",
    "Eastmere",
    "Fallowfield",
    "Greywick",
    "Harrowgate",
    "Inverlee",
    "Jasper Falls",
    "Kestrel Point",
    "Lowmarsh",
    "Mistley",
    "Northolm",
    "Oxbow",
    "Pinecrest",
    "Quarry Hill",
    "Redcliff",
    "Saltmere",
    "Thornbury Vale",
    "Upper Wend",
    "Vinehaven",
    "Westerley",
    "Yarrow",
];

const NAMES: [&str; 12] = [
    "Anchors",
    "Badgers",
    "Comets",
    "Drovers",
    "Egrets",
    "Foxes",
    "Gales",
    "Herons",
    "Ironworks",
    "Jackdaws",
    "Kites",
    "Lanterns",
];

/// The two sides of a match, from a lot: never the same.
pub(super) fn sides(lot: u64) -> [String; 2] {
    let pick = |lot: u64, of: usize| usize::try_from(lot % of as u64).unwrap_or(0);
    let home = pick(lot, PLACES.len());
    let away = (home + 1 + pick(lot >> 8, PLACES.len() - 1)) % PLACES.len();
    let side = |place: usize, lot: u64| format!("{} {}", PLACES[place], NAMES[pick(lot, NAMES.len())]);
    [side(home, lot >> 16), side(away, lot >> 24)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_differ() {
        assert!(
            (0..10_000).map(|at| sides(super::super::maths::mix(1, at))).all(|[home, away]| home != away)
        );
    }
}
