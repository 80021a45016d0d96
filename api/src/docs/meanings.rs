//! What fields mean, as the tables of the guides say it: for each object the table that names most of its fields.
//!
//! It never guesses: a field that the table does not name has no meaning here.

use std::collections::{BTreeMap, BTreeSet};

use super::guides::{GUIDES, Guide};

/// A table of fields, by name.
struct FieldTable {
    meanings: BTreeMap<&'static str, String>,
}

/// All tables of all guides.
pub(super) struct Meanings(Vec<FieldTable>);

impl Meanings {
    /// Reads the guides.
    pub(super) fn of_guides() -> Self {
        Self(GUIDES.iter().flat_map(tables).collect())
    }

    /// What the fields of an object mean, where one table names at least half of them, and two.
    pub(super) fn of(&self, fields: &BTreeSet<&str>) -> Option<&BTreeMap<&'static str, String>> {
        let shared = |table: &FieldTable| {
            let shared = table.meanings.keys().filter(|name| fields.contains(*name)).count();
            // Of two that name as many, the one with fewer others.
            (shared, usize::MAX - table.meanings.len())
        };
        let table = self.0.iter().max_by_key(|table| shared(table))?;
        let named = shared(table).0;
        (named >= 2 && named * 2 >= fields.len()).then_some(&table.meanings)
    }
}

/// The tables of a guide that are of fields by their heads: each row begins with names and ends with what they mean.
fn tables(guide: &'static Guide) -> Vec<FieldTable> {
    let mut tables = Vec::new();
    let mut meanings = BTreeMap::new();
    let mut is_of_fields = None;
    let rows = guide.text.lines().filter(|line| !line.starts_with("|-"));
    for line in rows.chain([""]) {
        let Some(cells) = line.strip_prefix("| ").and_then(|row| row.strip_suffix(" |")) else {
            if !meanings.is_empty() {
                tables.push(FieldTable { meanings: std::mem::take(&mut meanings) });
            }
            is_of_fields = None;
            continue;
        };
        if *is_of_fields.get_or_insert(cells.starts_with("field") || cells == "flag | holds when")
            && cells.starts_with('`')
        {
            meanings.extend(row(guide, cells));
        }
    }
    tables
}

/// The names of a row with their meanings: one each, divided by semicolons. A meaning that several names share is of none of them alone.
fn row(guide: &Guide, cells: &'static str) -> Vec<(&'static str, String)> {
    let names = cells.split(" | ").next().unwrap_or_default().split(", ").map(|name| name.trim_matches('`'));
    let names: Vec<_> = names.collect();
    let meaning = cells.rsplit(" | ").next().unwrap_or_default();
    let meaning = meaning.replace("](#", &format!("](/docs/{}#", guide.name));
    if names.len() == 1 {
        return vec![(names[0], meaning)];
    }
    let parts: Vec<_> = meaning.split("; ").collect();
    if parts.len() != names.len() {
        return vec![];
    }
    names.into_iter().zip(parts.into_iter().map(str::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meaning(fields: &[&str], field: &str) -> Option<String> {
        let fields = fields.iter().copied().collect();
        Meanings::of_guides().of(&fields)?.get(field).cloned()
    }

    #[test]
    fn a_field_has_the_meaning_of_the_table_that_fits_its_object() {
        let leg = ["outcome", "side", "book", "operator", "price", "effective_price", "stake", "liability"];
        assert_eq!(meaning(&leg, "operator").unwrap(), "the company that runs the book");
        let placed = ["book", "outcome", "price", "stake"];
        assert!(meaning(&placed, "stake").unwrap().starts_with("what was staked"));
        assert!(meaning(&placed, "price").unwrap().starts_with("at which decimal odds"));
    }

    #[test]
    fn what_no_table_names_has_no_meaning() {
        assert_eq!(meaning(&["one", "two"], "one"), None);
        assert_eq!(meaning(&["book", "outcome", "price", "stake", "other"], "other"), None);
    }
}
