//! Counts as Avro has them, which knows no numbers without a sign. It never cuts one.

use arb_schemas::wire::WireError;

pub(super) fn long(number: u64) -> Result<i64, WireError> {
    i64::try_from(number).map_err(|_| WireError::Avro(format!("{number} is too large")))
}

pub(super) fn count(number: i64) -> Result<u64, WireError> {
    u64::try_from(number).map_err(|_| WireError::Avro(format!("{number} is negative")))
}
