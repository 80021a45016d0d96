//! A record that librdkafka holds, copied into one that rdkafka's users know.
//!
//! rdkafka makes such a record only of what its own calls return. It must never keep a pointer into librdkafka.

use std::ffi::{CStr, c_void};
use std::ptr::{null, null_mut};

use rdkafka::Timestamp;
use rdkafka::bindings as c;
use rdkafka::message::{Header, OwnedHeaders, OwnedMessage};
use rdkafka::types::RDKafkaRespErr;

/// A copy of a record.
///
/// # Safety
/// The message is alive during the call, and has no error.
pub(crate) unsafe fn owned(message: *mut c::rd_kafka_message_t) -> OwnedMessage {
    // SAFETY: the caller's promise.
    let fields = unsafe { &*message };
    // SAFETY: the bytes belong to the message, whose lengths are theirs.
    let (key, value) = unsafe { (bytes(fields.key, fields.key_len), bytes(fields.payload, fields.len)) };
    // SAFETY: a record has a topic, whose name lives as long as it does.
    let topic = unsafe { CStr::from_ptr(c::rd_kafka_topic_name(fields.rkt)) };
    // SAFETY: the caller's promise.
    let (at, headers) = unsafe { (timestamp(message), headers(message)) };
    OwnedMessage::new(
        value.map(<[u8]>::to_vec),
        key.map(<[u8]>::to_vec),
        topic.to_string_lossy().into_owned(),
        at,
        fields.partition,
        fields.offset,
        headers,
    )
}

/// Bytes of a message; `None` for null.
///
/// # Safety
/// The pointer is null, or `length` bytes are there as long as the caller says.
pub(crate) unsafe fn bytes<'a>(pointer: *const c_void, length: usize) -> Option<&'a [u8]> {
    // SAFETY: the caller's promise.
    (!pointer.is_null()).then(|| unsafe { std::slice::from_raw_parts(pointer.cast(), length) })
}

/// # Safety
/// The message is alive during the call.
pub(crate) unsafe fn timestamp(message: *const c::rd_kafka_message_t) -> Timestamp {
    use c::rd_kafka_timestamp_type_t as Kind;
    let mut kind = Kind::RD_KAFKA_TIMESTAMP_NOT_AVAILABLE;
    // SAFETY: the caller's promise; there is a place for the kind of the time.
    let at = unsafe { c::rd_kafka_message_timestamp(message, &raw mut kind) };
    match kind {
        Kind::RD_KAFKA_TIMESTAMP_NOT_AVAILABLE => Timestamp::NotAvailable,
        Kind::RD_KAFKA_TIMESTAMP_CREATE_TIME => Timestamp::CreateTime(at),
        Kind::RD_KAFKA_TIMESTAMP_LOG_APPEND_TIME => Timestamp::LogAppendTime(at),
    }
}

/// # Safety
/// The message is alive during the call.
unsafe fn headers(message: *const c::rd_kafka_message_t) -> Option<OwnedHeaders> {
    let mut of_message = null_mut();
    // SAFETY: the caller's promise; what the call lends belongs to the message.
    let error = unsafe { c::rd_kafka_message_headers(message, &raw mut of_message) };
    if error != RDKafkaRespErr::RD_KAFKA_RESP_ERR_NO_ERROR {
        return None;
    }
    let mut owned = OwnedHeaders::new();
    for index in 0.. {
        let (mut name, mut value, mut length) = (null(), null(), 0);
        // SAFETY: the headers are alive as long as the message; there is a place for each answer.
        let error = unsafe {
            c::rd_kafka_header_get_all(of_message, index, &raw mut name, &raw mut value, &raw mut length)
        };
        if error != RDKafkaRespErr::RD_KAFKA_RESP_ERR_NO_ERROR {
            break;
        }
        // SAFETY: a header that is there has a name, and `length` bytes or none.
        let (name, value) = unsafe { (CStr::from_ptr(name), bytes(value, length)) };
        owned = owned.insert(Header { key: &name.to_string_lossy(), value });
    }
    Some(owned)
}
