//! The partition of a key, as Java clients compute it.
//!
//! Ingest must know it before it sends: a poll's frames are counted by partition. It never changes: events would
//! move between partitions.
//!
//! Source: Apache Kafka, `Utils.murmur2` and `BuiltInPartitioner.partitionForKey`; `MurmurHash2` by A. Appleby.

const SEED: u32 = 0x9747_b28c;
const M: u32 = 0x5bd1_e995;
const R: u32 = 24;

/// The partition, of so many, that a key belongs to.
///
/// ```
/// use arb_kafka::partition_of;
///
/// let partition = partition_of("event-1", 12);
/// assert!((0..12).contains(&partition));
/// assert_eq!(partition_of("event-1", 1), 0);
/// ```
#[must_use]
pub fn partition_of(key: &str, partitions: i32) -> i32 {
    let positive = i32::from_be_bytes(murmur2(key.as_bytes()).to_be_bytes()) & i32::MAX;
    positive % partitions.max(1)
}

fn murmur2(data: &[u8]) -> u32 {
    let length = u32::try_from(data.len()).unwrap_or(u32::MAX);
    let mut h = SEED ^ length;
    let (words, rest) = data.as_chunks::<4>();
    for word in words {
        let k = u32::from_le_bytes(*word).wrapping_mul(M);
        h = h.wrapping_mul(M) ^ (k ^ (k >> R)).wrapping_mul(M);
    }
    if !rest.is_empty() {
        let tail = rest.iter().rev().fold(0_u32, |tail, byte| (tail << 8) | u32::from(*byte));
        h = (h ^ tail).wrapping_mul(M);
    }
    h = (h ^ (h >> 13)).wrapping_mul(M);
    h ^ (h >> 15)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_java_client() {
        // The values of Apache Kafka's own test, UtilsTest.testMurmur2.
        for (key, hash) in [
            ("21", -973_932_308),
            ("foobar", -790_332_482),
            ("a-little-bit-long-string", -985_981_536),
            ("a-little-bit-longer-string", -1_486_304_829),
            ("lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58_897_971),
        ] {
            assert_eq!(i32::from_be_bytes(murmur2(key.as_bytes()).to_be_bytes()), hash, "{key}");
        }
    }

    #[test]
    fn a_partition_is_always_one_of_them() {
        for partitions in 1..9 {
            for key in ["", "a", "foobar", "852a3abe6d46820720fec0fedebff9a"] {
                assert!((0..partitions).contains(&partition_of(key, partitions)));
            }
        }
    }
}
