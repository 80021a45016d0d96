//! The tables that the sink writes, and counts by table.
//!
//! Their columns are those of the row types in `rows`; it never talks to a server.

use std::fmt;

use arb_schemas::clickhouse::{PRIVATE_TICKS, WEBHOOK_DELIVERIES};

/// A table of `schemas/clickhouse/`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)] // The variants are named after their tables.
pub enum Table {
    Ticks,
    WindowTransitions,
    LineMovements,
    StaleAlerts,
    Rejected,
    SignalTransitions,
    WebhookDeliveries,
    PickTransitions,
    WindowGradings,
    PrivateTicks,
}

impl Table {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::Ticks,
        Self::WindowTransitions,
        Self::LineMovements,
        Self::StaleAlerts,
        Self::Rejected,
        Self::SignalTransitions,
        Self::WebhookDeliveries,
        Self::PickTransitions,
        Self::WindowGradings,
        Self::PrivateTicks,
    ];

    /// Its name, without its database.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Ticks => "ticks",
            Self::WindowTransitions => "window_transitions",
            Self::LineMovements => "line_movements",
            Self::StaleAlerts => "stale_alerts",
            Self::Rejected => "rejected",
            Self::SignalTransitions => "signal_transitions",
            Self::WebhookDeliveries => WEBHOOK_DELIVERIES,
            Self::PickTransitions => "pick_transitions",
            Self::WindowGradings => "window_gradings",
            Self::PrivateTicks => PRIVATE_TICKS,
        }
    }

    /// From its name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|table| table.name() == name)
    }
}

/// As messages name it.
impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "table {}", self.name())
    }
}

/// Rows by table.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally([u64; Table::ALL.len()]);

impl Tally {
    /// Of one table.
    #[must_use]
    pub fn of(&self, table: Table) -> u64 {
        self.0[table as usize]
    }

    /// Counts rows of a table.
    pub fn count(&mut self, table: Table, rows: u64) {
        self.0[table as usize] += rows;
    }

    /// Counts those of another.
    pub fn add(&mut self, other: &Self) {
        for table in Table::ALL {
            self.count(table, other.of(table));
        }
    }

    /// Of all tables.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    /// The tables that have any.
    pub fn tables(&self) -> impl Iterator<Item = Table> + '_ {
        Table::ALL.into_iter().filter(|table| self.of(*table) > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_have_their_names_and_counts() {
        let mut tally = Tally::default();
        for (rows, table) in (1..).zip(Table::ALL) {
            assert_eq!(Table::named(table.name()), Some(table));
            tally.count(table, rows);
        }
        assert_eq!((tally.total(), tally.of(Table::Rejected)), (55, 5));
        assert_eq!(Table::named("tick"), None);
        let mut one = Tally::default();
        one.count(Table::StaleAlerts, 2);
        assert_eq!(one.tables().collect::<Vec<_>>(), [Table::StaleAlerts]);
    }
}
