//! Whether what a pick rests on was refuted after it was published: its price, by what its book and others said later, or its result, by
//! who had reported it.
//!
//! It never changes a pick or its record: a disputed pick stays what it was, and is named.
//!
//! Source: a price was an error of its book where a later probability of the same bet is [`OUTLIER`] or more above the one it implied: the
//! measure by which the price of an arb's leg is not plausible, against a look that nobody had at the time.

use std::fmt::{self, Display, Formatter};

use arb_engine::arbs::OUTLIER;
use arb_model::pick::{NO_RESULT, OPEN};
use arb_model::{Pick, Price};

/// What refutes a pick.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Dispute {
    /// At the first poll after it was published its own book implied this probability.
    TakenBack(f64),
    /// At the close other books implied this probability.
    FarFromClose(f64),
    /// The result that it was graded by was withdrawn, and no other has come.
    ResultWithdrawn,
}

impl Dispute {
    /// What refutes a pick; `None` where nothing does.
    #[must_use]
    pub fn of(pick: &Pick) -> Option<Self> {
        let is_error = |probability: &f64| probability - pick.price.implied_probability() >= OUTLIER;
        let after_poll = pick.offer_after_poll.as_ref().and_then(|offer| offer.price);
        let taken_back = after_poll.map(Price::implied_probability).filter(is_error);
        let close = pick.closing.as_ref().map(|closing| closing.probability).filter(is_error);
        let was_settled =
            pick.grades.iter().any(|grade| grade.settlement != OPEN && grade.settlement != NO_RESULT);
        let is_withdrawn = was_settled && pick.grade().is_some_and(|grade| grade.settlement == OPEN);
        taken_back
            .map(Self::TakenBack)
            .or(close.map(Self::FarFromClose))
            .or(is_withdrawn.then_some(Self::ResultWithdrawn))
    }

    /// Its name in answers.
    #[must_use]
    pub fn key(&self) -> &'static str {
        match self {
            Self::TakenBack(_) | Self::FarFromClose(_) => "book_error",
            Self::ResultWithdrawn => "result_withdrawn",
        }
    }
}

impl Display for Dispute {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::TakenBack(probability) => write!(
                f,
                "at the next poll the price of its book implied a probability of {probability:.2}, {OUTLIER} or more above that of the pick"
            ),
            Self::FarFromClose(probability) => write!(
                f,
                "at the close other books implied a probability of {probability:.2}, {OUTLIER} or more above that of the pick's price"
            ),
            Self::ResultWithdrawn => write!(f, "the result that it was graded by was withdrawn"),
        }
    }
}

#[cfg(test)]
mod tests {
    use arb_model::{ClosingPrice, LaterOffer, PickGrade, fixtures};

    use super::*;

    /// A pick at 2.5, which implies .4.
    fn pick(change: impl Fn(&mut Pick)) -> Option<Dispute> {
        let price = Price::from_decimal("2.5").unwrap();
        let mut pick =
            Pick { price, closing: None, offer_after_poll: None, grades: Vec::new(), ..fixtures::pick() };
        change(&mut pick);
        Dispute::of(&pick)
    }

    fn later(price: &str) -> Option<LaterOffer> {
        Some(LaterOffer { price: Price::from_decimal(price).ok(), ..LaterOffer::default() })
    }

    #[test]
    fn a_price_that_its_book_took_back_was_an_error() {
        // 1 / 1.8 = .556, 1 / 1.85 = .541.
        let disputed = pick(|pick| pick.offer_after_poll = later("1.8"));
        assert_eq!(disputed.map(|disputed| disputed.key()), Some("book_error"));
        assert!(disputed.unwrap().to_string().contains("0.56"), "{disputed:?}");
        assert_eq!(pick(|pick| pick.offer_after_poll = later("1.85")), None, "prices move");
        assert_eq!(pick(|pick| pick.offer_after_poll = later("5")), None, "it became longer");
        assert_eq!(
            pick(|pick| pick.offer_after_poll = Some(LaterOffer::default())),
            None,
            "gone says nothing"
        );
    }

    #[test]
    fn a_price_far_from_the_close_was_an_error() {
        let closing = |probability| {
            Some(ClosingPrice { probability, price: None, ..fixtures::pick().closing.unwrap() })
        };
        assert_eq!(pick(|pick| pick.closing = closing(0.55)), Some(Dispute::FarFromClose(0.55)));
        assert_eq!(pick(|pick| pick.closing = closing(0.54)), None);
    }

    #[test]
    fn a_result_that_was_withdrawn_is_disputed_until_another_comes() {
        let of = |settlements: &[&str]| {
            let grade = |settlement: &&str| PickGrade {
                settlement: (*settlement).to_owned(),
                ..PickGrade::default()
            };
            pick(|pick| pick.grades = settlements.iter().map(grade).collect())
        };
        assert_eq!(of(&["won", OPEN]), Some(Dispute::ResultWithdrawn));
        assert_eq!(of(&["won", OPEN, "lost"]), None, "a correction is another grading");
        assert_eq!((of(&[OPEN]), of(&[NO_RESULT]), of(&[])), (None, None, None));
    }
}
