//! The fields of a record of a change beside its entry, as Avro writes them.
//!
//! It knows their order and nothing of what they mean; a test compares it with what the schema gives.

use arb_model::FilterValues;

use super::datum::{NULL, OTHER, put_number, put_text};

/// What a window replaces, where that is known.
pub(super) fn put_replaced(message: &mut Vec<u8>, replaced: Option<&FilterValues>) {
    let Some(values) = replaced else { return put_number(message, NULL) };
    put_number(message, OTHER);
    message.extend(values.margin.to_le_bytes());
    message.extend([u8::from(values.verified), u8::from(values.in_play)]);
    match values.total_stake_max {
        Some(most) => {
            put_number(message, OTHER);
            put_number(message, most.0);
        }
        None => put_number(message, NULL),
    }
    if !values.books.is_empty() {
        put_number(message, i64::try_from(values.books.len()).unwrap_or(i64::MAX));
        values.books.iter().for_each(|book| put_text(message, book));
    }
    // The end of an array.
    put_number(message, 0);
}
