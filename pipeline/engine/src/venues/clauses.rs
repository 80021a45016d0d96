//! What a book states about how it settles bets: a clause a sentence, each about one topic.
//!
//! Topics are of two kinds: what a played match pays, and what happens when it is not played as planned. What no clause states is
//! unknown, whoever else states it. Nothing here compares books: `verdict` does.

use std::sync::Arc;

use crate::market::{Family, Line, Market, Period, WHOLE};

use super::evidence::Evidence;
use super::level::Level;
use super::sport::{Draws, Possible, is_within, possible};
use super::terms::{Term, Terms};
use super::topic::{EXTRA_TIME_COUNTS, Topic};

/// One thing that a book states about its bets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clause {
    /// What it is about.
    pub topic: Topic,
    /// What it says of it: equal for books of which it is the same.
    pub value: Arc<str>,
    /// Only for leagues whose key is this or begins with it and `_`; `None` is all.
    pub league: Option<Arc<str>>,
    /// Only for these markets; none is all.
    pub families: Vec<Family>,
    /// The sentence that it rests on.
    pub says: Arc<str>,
    /// Where that stands.
    pub evidence: Evidence,
}

impl Clause {
    fn is_of(&self, league: &str, family: Family) -> bool {
        self.league.as_deref().is_none_or(|wanted| is_within(league, wanted))
            && (self.families.is_empty() || self.families.contains(&family))
    }

    /// Of two that fit, the one of the narrower league holds, then the one that names its markets.
    fn narrowness(&self) -> (usize, bool) {
        (self.league.as_deref().map_or(0, str::len), !self.families.is_empty())
    }
}

/// All that a book states.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Clauses(pub Vec<Clause>);

/// The bet of which the terms are asked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked<'a> {
    pub(crate) league: &'a str,
    pub(crate) market: Market,
    pub(crate) line: Option<Line>,
    /// The draw is bet on as well, or is what is bet on.
    pub(crate) has_draw: bool,
    /// Its book has listed a draw of the match as an outcome of `h2h`: what it sells is `h2h_3_way`, under another name.
    pub(crate) lists_draw: bool,
}

impl Clauses {
    /// Clauses that say the same of every topic, in every sport, but for a level result: of books that are made up.
    #[must_use]
    pub fn uniform(value: &str, level: Level) -> Self {
        let clause = |topic| {
            let value = if topic == Topic::Level { level.key() } else { value };
            let (value, says, evidence) = (value.into(), Arc::from(""), Evidence::default());
            Clause { topic, value, league: None, families: Vec::new(), says, evidence }
        };
        Self(Topic::ALL.map(clause).into())
    }

    /// What is stated of a topic; `None` is unknown.
    #[must_use]
    pub fn value(&self, topic: Topic, league: &str, family: Family) -> Option<&str> {
        self.stated(league, family)[topic as usize].map(|clause| &*clause.value)
    }

    /// Whether extra time counts, as a clause says it. That it does in general says nothing of a winner with a draw, which may be sold of the regular
    /// time.
    fn periods(clause: Option<&Clause>, family: Family) -> Option<&str> {
        let clause = clause?;
        let is_of_it = family != Family::H2h3Way
            || &*clause.value != EXTRA_TIME_COUNTS
            || clause.families.contains(&family);
        is_of_it.then_some(&*clause.value)
    }

    /// The clause that holds of each topic, in the order of [`Topic::ALL`].
    fn stated(&self, league: &str, family: Family) -> [Option<&Clause>; Topic::ALL.len()] {
        let mut stated: [Option<&Clause>; Topic::ALL.len()] = [None; _];
        for clause in self.0.iter().filter(|clause| clause.is_of(league, family)) {
            let of_topic = &mut stated[clause.topic as usize];
            if of_topic.is_none_or(|other| clause.narrowness() >= other.narrowness()) {
                *of_topic = Some(clause);
            }
        }
        stated
    }

    /// What is stated of a bet.
    pub(crate) fn terms(&self, asked: Asked<'_>) -> Terms<'_> {
        let (possible, family) = (possible(asked.league), asked.sold_as());
        let stated = self.stated(asked.league, family);
        let value = |topic: Topic| stated[topic as usize].map(|clause| &*clause.value);
        let periods = Self::periods(stated[Topic::Periods as usize], family);
        let goes_on = !possible.extra_time || periods == Some(EXTRA_TIME_COUNTS);
        let term = |topic| match topic {
            _ if !asked.matters(topic, possible, goes_on) => Term::Immaterial,
            Topic::Level if asked.lists_draw => Term::Says(Level::Outcome.key()),
            Topic::Periods if asked.market.period != Period::FullTime => Term::Unknown,
            Topic::Periods => periods.map_or(Term::Unknown, Term::Says),
            topic => value(topic).map_or(Term::Unknown, Term::Says),
        };
        Terms(Topic::ALL.map(term))
    }

    /// What a level result does to a bet on the winner; `None` is unknown. Where play goes on until there is a winner, it cannot happen,
    /// but a part of a match is not played on.
    pub(super) fn level(&self, league: &str, period: Period) -> Option<Level> {
        let possible = possible(league);
        let is_whole = period == Period::FullTime;
        let periods = self.value(Topic::Periods, league, Family::H2h);
        let ends_level = possible.draws != Draws::Never;
        if is_whole && !ends_level && periods.is_none_or(|periods| periods == EXTRA_TIME_COUNTS) {
            return Some(Level::Impossible);
        }
        let stated = self.value(Topic::Level, league, Family::H2h).and_then(Level::parse);
        stated.filter(|level| is_whole || *level != Level::Impossible)
    }
}

impl Asked<'_> {
    /// The family whose clauses hold.
    fn sold_as(&self) -> Family {
        if self.lists_draw { Family::H2h3Way } else { self.market.family }
    }

    /// Whether a topic can make a difference to the bet: an outcome that the sport cannot have does not matter.
    fn matters(&self, topic: Topic, possible: Possible, goes_on: bool) -> bool {
        let is_whole = self.market.period == Period::FullTime;
        match topic {
            // Overtime is part of the last part for some books, and of none for others. Where play goes on until there is a winner, a
            // draw is of regulation.
            Topic::Periods => {
                let is_last = matches!(self.market.period, Period::H2 | Period::Q4 | Period::P3);
                let is_of_regulation = self.sold_as() == Family::H2h3Way && possible.draws == Draws::Never;
                possible.extra_time && ((is_whole && !is_of_regulation) || is_last)
            }
            Topic::Level => {
                let has_draw = self.has_draw || (is_whole && possible.draws == Draws::Sold);
                let is_level = !is_whole || possible.draws != Draws::Never || !goes_on;
                self.market.family == Family::H2h && !has_draw && is_level
            }
            Topic::Push => self.market.family.has_line() && self.line.is_none_or(can_be_hit),
            Topic::Shortened | Topic::Starters => possible.shortened,
            Topic::Retirement => possible.retirement,
            Topic::Postponed | Topic::Moved | Topic::Abandoned | Topic::Void => true,
        }
    }
}

/// Whether a whole result can be on the line, or on one of the two of a quarter line.
fn can_be_hit(line: Line) -> bool {
    line.rem_euclid(WHOLE) != WHOLE / 2
}
