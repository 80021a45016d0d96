//! The figures of the market: what is drawn, how often and how far.
//!
//! Fitted to four recordings of The Odds API (American football, baseball, basketball, soccer; 11 books, 7,846 polls)
//! and to the figures of ten; `pipeline/ingest/tests/simulator` holds the outcome to those, and sets one figure wrong at a
//! time to see that it is found out. It holds no state.

/// Figures of the market. Times are in seconds, deviations in those of a match's final difference.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)] // Each constant is explained beside its value.
pub struct Model {
    pub listed_before: f64,
    pub length: f64,
    pub drift: f64,
    pub news_every: f64,
    pub news: f64,
    pub opinion: f64,
    pub hunch: f64,
    pub looks: f64,
    pub confirms: f64,
    pub withdrawals: f64,
    pub freezes: f64,
    pub suspensions: f64,
    pub errors: f64,
    pub missing_draws: f64,
    pub shared_desks: bool,
}

impl Default for Model {
    fn default() -> Self {
        Self {
            // Before a match begins it is on offer for so long.
            listed_before: 64_800.0,
            // A match lasts so many times as long as its sport's; at 0 none is ever in play.
            length: 1.0,
            // What is expected of a match before it begins wanders by this in an hour.
            drift: 0.012,
            // Something is learnt about a match so seldom, and moves it by so much.
            news_every: 30_000.0,
            news: 0.055,
            // An operator thinks so differently about a match.
            opinion: 0.0152,
            // In play, so differently from one look to the next.
            hunch: 0.02,
            // Factors of the operators' times between looks and of the books' times between confirmations.
            looks: 1.0,
            confirms: 1.0,
            // Factors of how often each fault comes.
            withdrawals: 1.0,
            freezes: 1.0,
            suspensions: 1.0,
            errors: 1.0,
            missing_draws: 1.0,
            // Books of one operator have one desk.
            shared_desks: true,
        }
    }
}
