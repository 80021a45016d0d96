//! What was wrong with the input, counted by field.
//!
//! It never keeps the input itself, and never grows with it: fields and problems are words of the program.

use std::collections::BTreeMap;
use std::fmt;

/// Counts by (field, problem).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Faults(BTreeMap<(&'static str, &'static str), u64>);

impl Faults {
    /// Counts one.
    pub fn count(&mut self, field: &'static str, problem: &'static str) {
        self.count_many(field, problem, 1);
    }

    /// Counts several.
    pub fn count_many(&mut self, field: &'static str, problem: &'static str, count: u64) {
        *self.0.entry((field, problem)).or_default() += count;
    }

    /// Adds those of another.
    pub fn add(&mut self, other: &Self) {
        for (fault, count) in &other.0 {
            *self.0.entry(*fault).or_default() += count;
        }
    }

    /// Each field and problem, and how often.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &'static str, u64)> {
        self.0.iter().map(|((field, problem), count)| (*field, *problem, *count))
    }

    /// How often a field had a problem.
    #[must_use]
    pub fn of(&self, field: &'static str, problem: &'static str) -> u64 {
        self.0.get(&(field, problem)).copied().unwrap_or(0)
    }

    /// Whether there were none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, ((field, problem), count)) in self.0.iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            write!(f, "{comma}{field} {problem}: {count}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_add_up() {
        let mut faults = Faults::default();
        faults.count("price", "out of range");
        let mut more = faults.clone();
        more.count("name", "missing");
        faults.add(&more);
        assert_eq!(faults.of("price", "out of range"), 2);
        assert_eq!(faults.to_string(), "name missing: 1, price out of range: 2");
    }
}
