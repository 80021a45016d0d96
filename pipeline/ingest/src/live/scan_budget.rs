//! What scans may spend of the credits: a share of those that are left above the floor, until the credits are reset. Pure.
//!
//! It never allows what the budget of all polls refuses: it is asked beside it.

/// One part in so many of the credits above the floor is for scans.
const SHARE: u64 = 5;

/// The credits that scans have spent since the credits were last reset.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ScanBudget {
    spent: u64,
    /// The last that was reported.
    remaining: Option<u64>,
}

impl ScanBudget {
    /// The provider has reported so many remaining credits; more than before means that they were reset.
    pub fn reported(&mut self, remaining: u64) {
        if self.remaining.is_some_and(|before| remaining > before) {
            self.spent = 0;
        }
        self.remaining = Some(remaining);
    }

    /// A poll for a scan was asked for.
    pub fn spend(&mut self, cost: u64) {
        self.spent = self.spent.saturating_add(cost);
    }

    /// Whether a poll for a scan may cost so much. Where the provider reports no credits there is no share of them.
    #[must_use]
    pub fn allows(&self, cost: u64, floor: u64) -> bool {
        let Some(remaining) = self.remaining else { return true };
        let above = remaining.saturating_sub(floor).saturating_add(self.spent);
        self.spent.saturating_add(cost) <= above / SHARE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scans_spend_a_fifth_of_what_is_above_the_floor_until_the_reset() {
        let mut budget = ScanBudget::default();
        assert!(budget.allows(3, 10), "nothing is reported");
        budget.reported(110);
        let mut polls = 0;
        while budget.allows(3, 10) {
            budget.spend(3);
            polls += 1;
            budget.reported(110 - 3 * polls);
        }
        assert_eq!(polls, 6, "6 polls are 18 of 100 credits; a seventh would be more than a fifth");
        budget.reported(110);
        assert!(budget.allows(20, 10) && !budget.allows(21, 10), "they were reset");
        budget.reported(10);
        assert!(!budget.allows(1, 10), "at the floor");
    }
}
