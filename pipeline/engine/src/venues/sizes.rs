//! In what sizes a venue takes bets: in which steps, and how little at least.
//!
//! It never computes a stake.

use super::evidence::Evidence;

/// Of what an order is a multiple.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SizeStep {
    /// So many minor units of the currency.
    Money(i64),
    /// So many hundredths of a contract, which pays one unit of the currency, or nothing.
    Contracts(i64),
}

impl SizeStep {
    /// In what it is counted.
    #[must_use]
    pub fn unit(self) -> &'static str {
        match self {
            Self::Money(_) => "currency",
            Self::Contracts(_) => "contract",
        }
    }
}

/// The least that a venue takes; 0 is no bound of its kind, and all three hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Least {
    /// In minor units: of the stake of a back, of the backer's stake of a lay.
    pub stake: i64,
    /// In minor units: of what a lay risks.
    pub liability: i64,
    /// In hundredths of a contract.
    pub contracts: i64,
}

impl Least {
    /// What is taken where nothing is known: one unit of the currency, and as much at risk of a lay.
    pub const UNKNOWN: Self = Self { stake: 100, liability: 100, contracts: 0 };
}

/// In what sizes a venue takes bets, and where that is stated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sizes {
    /// Of what an order is a multiple.
    pub step: SizeStep,
    /// The least that it takes; `None` is unknown.
    pub least: Option<Least>,
    /// From when it holds, and where that is stated.
    pub evidence: Evidence,
}

impl Sizes {
    /// The least that it takes, or is taken to take.
    #[must_use]
    pub fn least(&self) -> Least {
        self.least.unwrap_or(Least::UNKNOWN)
    }
}

impl Default for Sizes {
    /// Of a venue that nothing is known of: any whole number of minor units.
    fn default() -> Self {
        Self { step: SizeStep::Money(1), least: None, evidence: Evidence::default() }
    }
}
