//! What to stake on the legs of an arb that are not placed yet. It never computes a stake.

use arb_model::{Money, Name, Open, Price, Side, view};

view! {
    /// What to stake on the other legs, and what each way of ending returns.
    pub(crate) struct HedgeView<'a> => "Hedge" {
        id: &'a str,
        sequence: i64,
        currency: Option<&'a Name>,
        legs: Vec<HedgedLeg<'a>>,
        total_stake: Money,
        worst_profit: Money,
        /// The worst first.
        results: Vec<HedgeResult>,
    }
}

view! {
    /// A leg, placed or to be placed.
    pub(crate) struct HedgedLeg<'a> {
        outcome: &'a str,
        side: &'a Open<Side>,
        book: &'a Name,
        price: Price,
        placed: bool,
        /// Of a lay the backer's stake.
        stake: Money,
        /// What a lay risks; null of a back.
        liability: Option<Money>,
    }
}

view! {
    /// One way of ending: how each leg is settled, and the profit.
    pub(crate) struct HedgeResult {
        legs: Vec<&'static str>,
        profit: Money,
    }
}
