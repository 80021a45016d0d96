//! What scans may spend of the credits: a share of those that are left above the floor, until the credits are reset. Pure.
//!
//! It never allows what the budget of all polls refuses: it is asked beside it.

/// What an operator lets scans spend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScanCaps {
    /// Of the credits above the floor, until they are reset.
    pub percent: u8,
    /// Sports that one scan may have polled by a worker.
    pub sports: usize,
}

impl Default for ScanCaps {
    fn default() -> Self {
        Self { percent: 20, sports: 10 }
    }
}

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

    /// Whether a poll for a scan may cost so much, when scans may spend so many percent of the credits above the floor, and the
    /// worker holds so many of all sports. Where the provider reports no
    /// credits there is no share of them, unless it is nothing.
    #[must_use]
    pub fn allows(&self, cost: u64, floor: u64, percent: u8, (held, of): (u64, u64)) -> bool {
        let Some(remaining) = self.remaining else { return percent > 0 };
        let above = remaining.saturating_sub(floor).saturating_add(self.spent);
        let share = above.saturating_mul(percent.into()) / 100;
        self.spent.saturating_add(cost) <= share.saturating_mul(held) / of.max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of all sports all are held.
    const ALL: (u64, u64) = (7, 7);

    #[test]
    fn scans_spend_a_fifth_of_what_is_above_the_floor_until_the_reset() {
        let mut budget = ScanBudget::default();
        assert!(budget.allows(3, 10, 20, ALL), "nothing is reported");
        budget.reported(110);
        let mut polls = 0;
        while budget.allows(3, 10, 20, ALL) {
            budget.spend(3);
            polls += 1;
            budget.reported(110 - 3 * polls);
        }
        assert_eq!(polls, 6, "6 polls are 18 of 100 credits; a seventh would be more than a fifth");
        budget.reported(110);
        assert!(budget.allows(20, 10, 20, ALL) && !budget.allows(21, 10, 20, ALL), "they were reset");
        budget.reported(10);
        assert!(!budget.allows(1, 10, 20, ALL), "at the floor");
        let mut other = ScanBudget::default();
        assert!(!other.allows(1, 10, 0, ALL), "scans may spend nothing");
        other.reported(110);
        assert!(
            other.allows(100, 10, 100, ALL)
                && !other.allows(101, 10, 100, ALL)
                && !other.allows(1, 10, 0, ALL)
        );
        assert!(other.allows(10, 10, 20, (1, 2)) && !other.allows(11, 10, 20, (1, 2)), "half of the sports");
    }
}
