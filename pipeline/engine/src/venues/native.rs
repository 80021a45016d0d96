//! Prices in the form in which a book makes them.
//!
//! A feed writes all prices in one format. Where that is not the book's own form, the number is rounded: -108 is written 1.93, which is more than
//! the book pays (1.925925), and -800 is written 1.13 (1.125). [`NativeForm::worst`] is the worst price of the book's own form that is
//! written as a given one: of a back the lowest, of a lay the highest. It is never better than the given one, and it is the given one where the feed's
//! format is the book's form.
//!
//! What is written as a price: a decimal number of n digits stands for all that is within half a unit of its last digit, and it has two digits at
//! least, since a feed leaves out noughts at the end; a whole American number for all that is within half of one. Where no price of the book's
//! own form is written so, it is the next worse one. All of it is exact, in whole numbers of [`ONE`].
//!
//! It never knows a book, and never looks at a fee.

use crate::market::Side;
use crate::odds::{OddsFormat, Price};

use super::evidence::Evidence;

/// Parts of one in which odds are compared.
const ONE: i128 = 1_000_000_000_000;
/// Parts in a millionth.
const MILLIONTH: i128 = ONE / 1_000_000;
/// Digits after the point that a decimal price has at least.
const LEAST_DIGITS: u32 = 2;
/// Digits after the point of a millionth.
const MOST_DIGITS: u32 = 6;

/// The form in which a book makes its prices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NativeForm {
    /// Decimal odds: multiples of a step.
    Decimal {
        /// In millionths.
        step_ppm: u32,
    },
    /// Whole American odds.
    American,
    /// Fractions, of no ladder that is known: any price may be one.
    Fractional,
    /// The price of a contract that pays 1: multiples of a step.
    Probability {
        /// In millionths.
        step_ppm: u32,
    },
}

/// The form in which a book makes its prices, and where that is stated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Native {
    /// The form.
    pub form: NativeForm,
    /// From when it holds, and where that is stated.
    pub evidence: Evidence,
}

/// Odds from the lowest to the highest, both included.
#[derive(Debug, Clone, Copy)]
struct Written {
    low: i128,
    high: i128,
}

impl NativeForm {
    /// Its name in the table.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::Decimal { .. } => "decimal",
            Self::American => "american",
            Self::Fractional => "fractional",
            Self::Probability { .. } => "probability",
        }
    }

    /// The worst price of this form that is written as a price in a format. Of an unknown format it is the price.
    ///
    /// ```
    /// use arb_engine::market::Side;
    /// use arb_engine::odds::{OddsFormat, Price};
    /// use arb_engine::venues::NativeForm;
    ///
    /// let worst = |price| NativeForm::American.worst(price, OddsFormat::Decimal, Side::Back).millionths();
    /// assert_eq!(worst(Price::from_decimal("1.93")?), 1_925_925, "-108");
    /// assert_eq!(worst(Price::from_decimal("9.0")?), 9_000_000, "+800 is written exactly");
    /// # Ok::<(), arb_model::PriceError>(())
    /// ```
    #[must_use]
    pub fn worst(self, price: Price, format: OddsFormat, side: Side) -> Price {
        let given = i128::from(price.millionths()) * MILLIONTH;
        let written = match (self, format) {
            (_, OddsFormat::Unknown)
            | (Self::Decimal { .. }, OddsFormat::Decimal)
            | (Self::American, OddsFormat::American) => return price,
            (_, OddsFormat::Decimal) => Written::decimal(given),
            (_, OddsFormat::American) => Written::american(given),
        };
        let found = match side {
            Side::Back => self.lowest(written, given) / MILLIONTH,
            Side::Lay => -(-self.highest(written, given)).div_euclid(MILLIONTH),
        };
        let found = i64::try_from(found).ok().and_then(|found| Price::from_millionths(found).ok());
        match side {
            Side::Back => found.map_or(Price::LEAST, |found| found.min(price)),
            // A lay above the scale has nothing to win; what is on it stays.
            Side::Lay => found.map_or(price, |found| found.max(price)),
        }
    }

    fn lowest(self, written: Written, given: i128) -> i128 {
        let lowest = self.at_least(written.low);
        if lowest <= written.high { lowest } else { self.at_most(given) }
    }

    fn highest(self, written: Written, given: i128) -> i128 {
        let highest = self.at_most(written.high);
        if highest >= written.low { highest } else { self.at_least(given) }
    }

    /// The lowest price of this form that is not below one, rounded down.
    fn at_least(self, odds: i128) -> i128 {
        match self {
            Self::Fractional => odds,
            Self::Decimal { step_ppm } => {
                let step = step(step_ppm);
                ceil(odds, step) * step
            }
            Self::American if odds >= 2 * ONE => ONE + ceil(odds - ONE, ONE / 100) * (ONE / 100),
            Self::American => ONE + 100 * ONE / (100 * ONE / (odds - ONE)),
            Self::Probability { step_ppm } => {
                let (step, unit) = (step(step_ppm), ONE);
                let steps = unit * unit / odds / step;
                if steps == 0 { i128::MAX } else { unit * unit / (steps * step) }
            }
        }
    }

    /// The highest price of this form that is not above one, rounded down.
    fn at_most(self, odds: i128) -> i128 {
        match self {
            Self::Fractional => odds,
            Self::Decimal { step_ppm } => odds / step(step_ppm) * step(step_ppm),
            Self::American if odds >= 2 * ONE => ONE + (odds - ONE) / (ONE / 100) * (ONE / 100),
            Self::American => ONE + 100 * ONE / ceil(100 * ONE, odds - ONE),
            Self::Probability { step_ppm } => {
                let step = step(step_ppm);
                // A contract is never dearer than what it pays.
                let steps = ceil(ONE * ONE, odds * step);
                ONE * ONE / (steps * step)
            }
        }
    }
}

impl Written {
    /// What is written as a decimal number.
    fn decimal(given: i128) -> Self {
        let digits = (LEAST_DIGITS..MOST_DIGITS).find(|digits| given % unit(*digits) == 0);
        let half = unit(digits.unwrap_or(MOST_DIGITS)) / 2;
        // A millionth was cut off, not rounded.
        let cut = if digits.is_none() { MILLIONTH } else { 0 };
        Self { low: given - half, high: given + half + cut }
    }

    /// What is written as a whole American number.
    fn american(given: i128) -> Self {
        if given >= 2 * ONE {
            let half = ONE / 200;
            return Self { low: given - half, high: given + half };
        }
        let number = (100 * ONE + (given - ONE) / 2) / (given - ONE);
        // Twice the number, so that a half is whole.
        let odds = |twice: i128| ONE + 200 * ONE / twice;
        Self { low: odds(2 * number + 1), high: odds(2 * number - 1) }
    }
}

fn step(ppm: u32) -> i128 {
    i128::from(ppm.max(1)) * MILLIONTH
}

/// One of the last digit of so many.
fn unit(digits: u32) -> i128 {
    ONE / 10_i128.pow(digits)
}

/// A quotient of two numbers above 0, rounded up.
fn ceil(a: i128, b: i128) -> i128 {
    (a + b - 1) / b
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const CENTS: NativeForm = NativeForm::Probability { step_ppm: 10_000 };
    const HUNDREDTHS: NativeForm = NativeForm::Decimal { step_ppm: 10_000 };

    fn price(decimal: &str) -> Price {
        Price::from_decimal(decimal).expect(decimal)
    }

    fn worst(form: NativeForm, decimal: &str, side: Side) -> u32 {
        form.worst(price(decimal), OddsFormat::Decimal, side).millionths()
    }

    #[test]
    fn golden_american() {
        let back = |decimal| worst(NativeForm::American, decimal, Side::Back);
        assert_eq!(
            [back("1.93"), back("1.13"), back("9"), back("2.08")],
            [1_925_925, 1_125_000, 9_000_000, 2_080_000]
        );
        assert_eq!(back("1.1"), 1_095_057, "-1052 is written 1.10");
        assert_eq!(
            [back("1.909"), back("1.90909"), back("1.90909090909")],
            [1_909_000, 1_909_090, 1_909_090],
            "-110, never better than given"
        );
        assert_eq!(back("1.925925"), 1_925_925, "a millionth is cut off");
        assert_eq!(back("1.955"), 1_952_380, "no American price is written so: the next lower one");
        assert_eq!(back("2.005"), 2_000_000);
        assert_eq!(back("1.01"), 1_005_000, "-20000");
        let lay = |decimal| worst(NativeForm::American, decimal, Side::Lay);
        assert_eq!([lay("1.93"), lay("1.13"), lay("9")], [1_934_580, 1_134_953, 9_000_000]);
        assert_eq!(lay("1.955"), 1_961_539, "-104");
    }

    #[test]
    fn golden_contracts_and_others() {
        assert_eq!(
            [worst(CENTS, "1.54", Side::Back), worst(CENTS, "1.54", Side::Lay)],
            [1_538_461, 1_540_000]
        );
        assert_eq!(worst(CENTS, "100", Side::Back), 100_000_000, "1 cent");
        assert_eq!(worst(CENTS, "2.86", Side::Back), 2_857_142, "35 cents");
        assert_eq!(worst(CENTS, "1.001", Side::Back), 1_000_001, "none is below: nothing is left to win");
        assert_eq!(worst(NativeForm::Fractional, "1.91", Side::Back), 1_905_000, "10/11 is 1.909090");
        let american = |form: NativeForm, odds| {
            let price = Price::from_american(odds).unwrap();
            form.worst(price, OddsFormat::American, Side::Back).millionths()
        };
        assert_eq!(american(HUNDREDTHS, -105), 1_950_000, "an exchange's 1.95 is written -105");
        assert_eq!(american(HUNDREDTHS, 150), 2_500_000);
        assert_eq!(american(CENTS, 186), 2_857_142, "35 cents are +185.7");
        assert_eq!(american(NativeForm::American, -108), 1_925_925);
    }

    fn american_odds() -> impl Strategy<Value = i64> {
        prop_oneof![-20_000_i64..=-100, 100_i64..=20_000]
    }

    fn forms() -> impl Strategy<Value = NativeForm> {
        prop_oneof![
            Just(NativeForm::American),
            Just(NativeForm::Fractional),
            Just(CENTS),
            Just(NativeForm::Probability { step_ppm: 100 }),
            Just(HUNDREDTHS),
        ]
    }

    fn formats() -> impl Strategy<Value = OddsFormat> {
        prop_oneof![Just(OddsFormat::Unknown), Just(OddsFormat::Decimal), Just(OddsFormat::American)]
    }

    /// A price as it is written with so many digits, rounded half up.
    fn rounded(millionths: u32, digits: u32) -> Price {
        let unit = 10_i64.pow(6 - digits);
        Price::from_millionths((i64::from(millionths) + unit / 2) / unit * unit).unwrap_or(Price::LEAST)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_048))]

        /// Whatever an American price is written as, the worst one that is written so is no better than it, and is written so too.
        #[test]
        fn no_american_price_is_overstated(odds in american_odds(), digits in 2_u32..6) {
            let real = Price::from_american(odds).unwrap();
            let written = rounded(real.millionths(), digits);
            prop_assume!(written > Price::LEAST);
            let back = NativeForm::American.worst(written, OddsFormat::Decimal, Side::Back);
            prop_assert!(back <= real, "{odds}: {written:?} {back:?}");
            let lay = NativeForm::American.worst(written, OddsFormat::Decimal, Side::Lay);
            prop_assert!(lay >= real, "{odds}: {written:?} {lay:?}");
            // It is one that is written so, or a number that the given one cannot have been cut from.
            let shown = (2..digits).find(|shown| written.millionths().is_multiple_of(10_u32.pow(6 - shown)));
            let off = 10_u32.pow(6 - shown.unwrap_or(digits)) / 2 + 1;
            prop_assert!(written.millionths() - back.millionths() <= off && lay.millionths() - written.millionths() <= off);
        }

        /// Nothing that is written in another form than its book's is an arb by its digits: two prices of American books that
        /// are at best even stay so.
        #[test]
        fn an_even_pair_is_no_arb_by_its_digits(odds in 100_i64..=5_000) {
            let pair = [Price::from_american(odds).unwrap(), Price::from_american(-odds).unwrap()];
            let worst = pair.map(|price| NativeForm::American.worst(rounded(price.millionths(), 2), OddsFormat::Decimal, Side::Back));
            prop_assert!(worst.iter().map(|price| price.implied_probability()).sum::<f64>() >= 1.0 - 1e-9, "{worst:?}");
        }

        /// Never better than what was given, and in order: of two prices the higher stays at least as good.
        #[test]
        fn a_form_only_takes_and_keeps_the_order(
            form in forms(), format in formats(), prices in prop::array::uniform2(1_000_001_i64..=1_001_000_000),
            digits in 2_u32..=6, is_lay in any::<bool>(),
        ) {
            let side = if is_lay { Side::Lay } else { Side::Back };
            let mut prices = prices.map(|price| rounded(u32::try_from(price).unwrap(), digits).max(Price::LEAST));
            prices.sort_unstable();
            let [low, high] = prices.map(|price| form.worst(price, format, side));
            prop_assert!(is_lay || (low <= prices[0] && high <= prices[1]));
            prop_assert!(!is_lay || (low >= prices[0] && high >= prices[1]));
            let same_digits = prices.iter().all(|price| price.millionths() % 10_000 == 0);
            prop_assert!(!same_digits || low <= high, "{prices:?} {low:?} {high:?}");
        }

        /// A contract's price is never overstated either, in both formats of feeds.
        #[test]
        fn no_contract_is_overstated(cents in 1_i64..100) {
            let real = 100_000_000 / cents;
            let decimal = rounded(u32::try_from(real).unwrap(), 2);
            prop_assert!(i64::from(CENTS.worst(decimal, OddsFormat::Decimal, Side::Back).millionths()) <= real);
            // The nearest whole American number, of odds in millionths: 100 in `against`, or `against` in 100.
            let against = real - 1_000_000;
            let number = if against >= 1_000_000 { (against + 5_000) / 10_000 } else { -((100_000_000 + against / 2) / against) };
            let american = Price::from_american(number).unwrap();
            prop_assert!(i64::from(CENTS.worst(american, OddsFormat::American, Side::Back).millionths()) <= real);
        }
    }
}
