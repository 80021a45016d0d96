//! The documentation of a value, from the comment of its declaration and from its type.
//!
//! It never says what neither of them does.

use arb_model::described::KeyList;

/// A comment as readers of other languages have it, who know no `None` and see no marks, and what is said of all values of the type.
pub(crate) fn of(comment: &[&str], note: Option<String>) -> String {
    let lines = comment.iter().map(|line| line.trim()).filter(|line| !line.is_empty());
    let comment = lines.collect::<Vec<_>>().join(" ").replace("`None`", "null").replace('`', "");
    [comment].into_iter().chain(note).filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" ")
}

/// The keys of a list.
pub(crate) fn of_keys(list: &KeyList) -> String {
    let more = if list.is_closed { "" } else { "; there may be more" };
    format!("One of: {}{more}.", list.keys.join(", "))
}
