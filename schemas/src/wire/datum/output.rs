//! Numbers and texts as Avro writes them.
//!
//! It does not know what they mean.

/// A text: its length and its bytes.
pub(in crate::wire) fn put_text(message: &mut Vec<u8>, text: &str) {
    put_bytes(message, text.as_bytes());
}

/// Bytes: how many, and they themselves.
pub(super) fn put_bytes(message: &mut Vec<u8>, bytes: &[u8]) {
    put_length(message, bytes.len());
    message.extend_from_slice(bytes);
}

/// How many there are of something.
pub(super) fn put_length(message: &mut Vec<u8>, length: usize) {
    put_number(message, i64::try_from(length).unwrap_or(i64::MAX));
}

/// A zigzag number, seven bits a byte.
pub(in crate::wire) fn put_number(message: &mut Vec<u8>, number: i64) {
    let mut rest = ((number << 1) ^ (number >> 63)).cast_unsigned();
    while rest > 0x7f {
        message.push(rest.to_le_bytes()[0] | 0x80);
        rest >>= 7;
    }
    message.push(rest.to_le_bytes()[0]);
}
