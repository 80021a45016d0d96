//! Whether two books pay a bet alike, by their clauses.
//!
//! Pure and symmetric. What is unknown and matters never passes. It never chooses whose clause is the better one.

use super::terms::{Term, Terms};
use super::topic::Topic;

/// Whether two books pay a bet alike, with the first topic by which they do not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// They do.
    Same,
    /// They do where the match is played as planned; else they may not, by this topic.
    SameIfPlayed(Topic),
    /// They do not, in an outcome that the sport can have.
    Differs(Topic),
    /// One of them does not say what it pays in an outcome that the sport can have.
    Unknown(Topic),
}

impl Verdict {
    /// Whether a match that is played pays the same at both.
    #[must_use]
    pub fn is_same(self) -> bool {
        matches!(self, Self::Same | Self::SameIfPlayed(_))
    }

    /// By which topic they do not pay alike.
    #[must_use]
    pub fn topic(self) -> Option<Topic> {
        match self {
            Self::Same => None,
            Self::SameIfPlayed(topic) | Self::Differs(topic) | Self::Unknown(topic) => Some(topic),
        }
    }
}

/// Whether two books pay a bet alike: a clause of the first kind that differs before one that is unknown, and both before the second kind.
pub(crate) fn verdict(a: &Terms<'_>, b: &Terms<'_>) -> Verdict {
    let differ = |topic: &Topic| match (a.of(*topic), b.of(*topic)) {
        (Term::Says(one), Term::Says(other)) => one != other,
        _ => false,
    };
    let is_unknown = |topic: &Topic| [a, b].iter().any(|terms| terms.of(*topic) == Term::Unknown);
    let first = |of: &dyn Fn(&Topic) -> bool, is_of_played: bool| {
        Topic::ALL.into_iter().find(|topic| topic.is_of_played() == is_of_played && of(topic))
    };
    if let Some(topic) = first(&differ, true) {
        return Verdict::Differs(topic);
    }
    if let Some(topic) = first(&is_unknown, true) {
        return Verdict::Unknown(topic);
    }
    let apart = first(&|topic| differ(topic) || is_unknown(topic), false);
    apart.map_or(Verdict::Same, Verdict::SameIfPlayed)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::market::{Family, Line, Market, Period};
    use crate::venues::clauses::{Asked, Clause, Clauses};
    use crate::venues::evidence::Evidence;
    use crate::venues::level::Level;
    use crate::venues::topic::words_of;

    const LEAGUES: [&str; 6] =
        ["americanfootball_nfl", "baseball_mlb", "basketball_nba", "soccer_epl", "tennis_atp_x", "golf_x"];
    const MARKETS: [&str; 5] = ["h2h", "spreads", "totals", "h2h_3_way", "h2h_h1"];

    fn asked(league: &'static str, market: &str, line: Option<Line>) -> Asked<'static> {
        Asked { league, market: Market::parse(market).unwrap(), line, has_draw: false, lists_draw: false }
    }

    fn clauses(of: &[(Topic, &str)]) -> Clauses {
        let clause = |(topic, value): &(Topic, &str)| Clause {
            topic: *topic,
            value: (*value).into(),
            league: None,
            families: Vec::new(),
            says: "".into(),
            evidence: Evidence::default(),
        };
        Clauses(of.iter().map(clause).collect())
    }

    const PLAYED: [(Topic, &str); 2] = [(Topic::Periods, "extra_time"), (Topic::Push, "refunded")];
    const REFUNDS: (Topic, &str) = (Topic::Level, "refunded");
    const HALF: (Topic, &str) = (Topic::Level, "dead_heat");

    fn of(a: &[(Topic, &str)], b: &[(Topic, &str)], asked: Asked<'_>) -> Verdict {
        verdict(&clauses(a).terms(asked), &clauses(b).terms(asked))
    }

    #[test]
    fn a_tie_pays_half_a_dollar_at_one_and_is_refunded_at_the_other() {
        let (contracts, book) = ([&PLAYED[..], &[HALF]].concat(), [&PLAYED[..], &[REFUNDS]].concat());
        assert_eq!(
            of(&contracts, &book, asked("americanfootball_nfl", "h2h", None)),
            Verdict::Differs(Topic::Level)
        );
        let college = of(&contracts, &book, asked("americanfootball_ncaaf", "h2h", None));
        assert_eq!(college, Verdict::SameIfPlayed(Topic::Postponed), "college football has no ties");
        let spreads = of(&contracts, &book, asked("americanfootball_nfl", "spreads", Some(3_500)));
        assert!(spreads.is_same(), "a tie is a result like another");
        let draw = Asked { has_draw: true, ..asked("americanfootball_nfl", "h2h", None) };
        assert!(of(&contracts, &book, draw).is_same(), "the draw is bet on");
    }

    #[test]
    fn what_is_not_known_passes_only_where_it_cannot_matter() {
        let overtime = [(Topic::Periods, "extra_time")];
        let of_line = |line| of(&overtime, &overtime, asked("basketball_nba", "totals", Some(line)));
        assert_eq!(of_line(220_000), Verdict::Unknown(Topic::Push));
        assert_eq!(of_line(220_250), Verdict::Unknown(Topic::Push), "half of it is on a whole line");
        assert_eq!(of_line(220_500), Verdict::SameIfPlayed(Topic::Postponed), "no sum is on it");
        let winner = |league| of(&overtime, &overtime, asked(league, "h2h", None));
        assert!(winner("basketball_nba").is_same());
        assert_eq!(winner("basketball_fiba"), Verdict::Unknown(Topic::Level));
        assert_eq!(winner("baseball_mlb"), Verdict::Unknown(Topic::Shortened), "it may be ended in the rain");
        assert_eq!(winner("chess"), Verdict::Unknown(Topic::Level), "nobody knows what can happen");
        assert_eq!(of(&[], &[], asked("soccer_epl", "h2h", None)), Verdict::Unknown(Topic::Periods));
        let (long, short) = ([(Topic::Periods, "extra_time")], [(Topic::Periods, "regular_time")]);
        assert_eq!(of(&long, &short, asked("icehockey_nhl", "h2h", None)), Verdict::Differs(Topic::Periods));
        assert_eq!(of(&short, &short, asked("icehockey_nhl", "h2h", None)), Verdict::Unknown(Topic::Level));
        assert_eq!(winner("icehockey_nhl"), Verdict::SameIfPlayed(Topic::Postponed));
        assert_eq!(
            of(&long, &long, asked("basketball_nba", "h2h_h2", None)),
            Verdict::Unknown(Topic::Periods),
            "books do not agree on the last part"
        );
    }

    #[test]
    fn a_narrower_clause_holds() {
        let clause = |league: Option<&str>, families: &[Family], value: &str| Clause {
            topic: Topic::Shortened,
            value: value.into(),
            league: league.map(Into::into),
            families: families.into(),
            says: "".into(),
            evidence: Evidence::default(),
        };
        let all = Clauses(vec![
            clause(Some("baseball"), &[Family::Spreads], "9_innings"),
            clause(None, &[], "x"),
            clause(Some("baseball"), &[], "5_innings"),
            clause(Some("baseball_kbo"), &[], "y"),
        ]);
        let value = |league, family| all.value(Topic::Shortened, league, family);
        assert_eq!(value("baseball_mlb", Family::H2h), Some("5_innings"));
        assert_eq!(value("baseball_mlb", Family::Spreads), Some("9_innings"));
        assert_eq!(value("baseball_kbo", Family::Spreads), Some("y"));
        assert_eq!(value("cricket", Family::Totals), Some("x"));
        assert_eq!(all.value(Topic::Push, "cricket", Family::Totals), None);
    }

    #[test]
    fn a_level_result_does_what_the_book_states_where_it_can_happen() {
        let refunds = clauses(&[(Topic::Periods, "extra_time"), REFUNDS]);
        let level = |of: &Clauses, league, period| of.level(league, period);
        assert_eq!(level(&refunds, "americanfootball_nfl", Period::FullTime), Some(Level::Refunded));
        assert_eq!(level(&refunds, "baseball_mlb", Period::FullTime), Some(Level::Impossible));
        assert_eq!(level(&refunds, "baseball_mlb", Period::H1), Some(Level::Refunded), "a half ends level");
        assert_eq!(level(&clauses(&[]), "americanfootball_nfl", Period::FullTime), None);
        assert_eq!(level(&clauses(&[]), "baseball_mlb", Period::FullTime), Some(Level::Impossible));
        let regular = clauses(&[(Topic::Periods, "regular_time"), REFUNDS]);
        assert_eq!(level(&regular, "icehockey_nhl", Period::FullTime), Some(Level::Refunded));
        let never = clauses(&[(Topic::Level, "impossible")]);
        assert_eq!(level(&never, "golf", Period::FullTime), Some(Level::Impossible));
        assert_eq!(level(&never, "golf", Period::H1), None, "nobody plays on after a half");
    }

    fn terms() -> impl Strategy<Value = Vec<(Topic, &'static str)>> {
        let of_topic = |topic: Topic| {
            let words = words_of(topic).unwrap_or_else(|| vec!["one", "two"]);
            prop::option::of(prop::sample::select(words)).prop_map(move |word| word.map(|word| (topic, word)))
        };
        Topic::ALL.map(of_topic).to_vec().prop_map(|of| of.into_iter().flatten().collect())
    }

    fn questions() -> impl Strategy<Value = Asked<'static>> {
        let (league, market) =
            (prop::sample::select(LEAGUES.to_vec()), prop::sample::select(MARKETS.to_vec()));
        (league, market, prop::option::of((-20..20_i32).prop_map(|line| line * 250)), any::<bool>())
            .prop_map(|(league, market, line, has_draw)| Asked { has_draw, ..asked(league, market, line) })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        #[test]
        fn a_verdict_is_the_same_from_both_sides(a in terms(), b in terms(), asked in questions()) {
            prop_assert_eq!(of(&a, &b, asked), of(&b, &a, asked));
        }

        /// A book and itself: the same where all that matters is known, and then it has a class, which is that of every book that pays alike.
        #[test]
        fn books_pay_alike_exactly_where_they_are_of_one_class(a in terms(), b in terms(), asked in questions()) {
            let (one, other) = (clauses(&a), clauses(&b));
            let (one, other) = (one.terms(asked), other.terms(asked));
            let are_of_one = one.played().is_some() && one.played() == other.played();
            prop_assert_eq!(verdict(&one, &other).is_same(), are_of_one);
            prop_assert_eq!(verdict(&one, &one).is_same(), one.played().is_some());
        }

        /// To forget a clause of the first kind never makes a pair pass that did not; to forget one of the second changes no pass.
        #[test]
        fn what_is_unknown_never_passes(a in terms(), b in terms(), asked in questions(), gone in 0..Topic::ALL.len()) {
            let topic = Topic::ALL[gone];
            let less: Vec<_> = a.iter().filter(|(of, _)| *of != topic).copied().collect();
            let (full, without) = (of(&a, &b, asked), of(&less, &b, asked));
            prop_assert!(!without.is_same() || full.is_same(), "{full:?} {without:?}");
            if !topic.is_of_played() {
                prop_assert_eq!(full.is_same(), without.is_same());
            }
            let matters = clauses(&a).terms(asked).of(topic) != Term::Immaterial;
            if topic.is_of_played() && matters {
                prop_assert!(!without.is_same());
            }
        }

        /// A verdict of the second kind names a topic of the second kind, and the others one of the first.
        #[test]
        fn a_verdict_names_a_topic_of_its_kind(a in terms(), b in terms(), asked in questions()) {
            let found = of(&a, &b, asked);
            let is_of_played = found.topic().map(Topic::is_of_played);
            prop_assert_eq!(is_of_played, match found {
                Verdict::Same => None,
                Verdict::SameIfPlayed(_) => Some(false),
                Verdict::Differs(_) | Verdict::Unknown(_) => Some(true),
            });
        }
    }
}
