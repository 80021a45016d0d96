//! The fields of a record of a change beside its entry, as Avro writes them.
//!
//! It knows their order and nothing of what they mean; a test compares it with what the schema gives.

use arb_model::FilterValues;

/// The branches of a union of null and another type.
const NULL: i64 = 0;
const OTHER: i64 = 1;

/// A text: its length and its bytes.
pub(super) fn put_text(message: &mut Vec<u8>, text: &str) {
    put_number(message, i64::try_from(text.len()).unwrap_or(i64::MAX));
    message.extend(text.as_bytes());
}

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

/// A zigzag number, seven bits a byte.
fn put_number(message: &mut Vec<u8>, number: i64) {
    let mut rest = ((number << 1) ^ (number >> 63)).cast_unsigned();
    while rest > 0x7f {
        message.push(rest.to_le_bytes()[0] | 0x80);
        rest >>= 7;
    }
    message.push(rest.to_le_bytes()[0]);
}
