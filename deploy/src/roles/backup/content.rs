//! What a backup holds: the last value of each key of some topics, as bytes before they are encrypted, and back.
//!
//! A manifest says how many records follow of each partition of each topic. It never interprets a record, but to count by type.

use std::collections::BTreeMap;

use anyhow::{Context, bail};
use arb_kafka::Kept;
use arb_schemas::time::Micros;
use arb_schemas::wire::RecordType;
use serde::{Deserialize, Serialize};

/// What is counted, and what one is called.
const COUNTED: [(RecordType, &str); 4] = [
    (RecordType::Account, "accounts"),
    (RecordType::AccountKey, "keys"),
    (RecordType::AccountEndpoint, "endpoints"),
    (RecordType::Pick, "picks"),
];

/// All of a backup.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct BackupContent {
    /// When it was made, by the clock of the machine that did.
    pub(super) made_at: Micros,
    /// The version of the program that did.
    pub(super) version: String,
    pub(super) topics: Vec<StoredTopic>,
}

/// A topic of a backup.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct StoredTopic {
    /// As the catalogue has it.
    pub(super) name: String,
    pub(super) partitions: Vec<Kept>,
}

#[derive(Serialize, Deserialize)]
struct Manifest {
    made_at: Micros,
    version: String,
    topics: Vec<ListedTopic>,
}

#[derive(Serialize, Deserialize)]
struct ListedTopic {
    name: String,
    /// Records of each partition.
    records: Vec<usize>,
}

impl BackupContent {
    /// As bytes.
    ///
    /// # Errors
    /// For a record of 4 GiB or more.
    pub(super) fn encode(&self) -> anyhow::Result<Vec<u8>> {
        let listed = |topic: &StoredTopic| ListedTopic {
            name: topic.name.clone(),
            records: topic.partitions.iter().map(BTreeMap::len).collect(),
        };
        let topics = self.topics.iter().map(listed).collect();
        let manifest = Manifest { made_at: self.made_at, version: self.version.clone(), topics };
        let mut bytes = Vec::new();
        put(&mut bytes, &serde_json::to_vec(&manifest)?)?;
        for (key, value) in self.topics.iter().flat_map(|topic| &topic.partitions).flatten() {
            put(&mut bytes, key)?;
            put(&mut bytes, value)?;
        }
        Ok(bytes)
    }

    /// Of bytes.
    ///
    /// # Errors
    /// When they are not what a manifest says.
    pub(super) fn decode(mut bytes: &[u8]) -> anyhow::Result<Self> {
        let manifest: Manifest = serde_json::from_slice(take(&mut bytes)?).context("its manifest")?;
        let mut topics = Vec::new();
        for listed in manifest.topics {
            let mut partitions = Vec::new();
            for count in listed.records {
                let mut kept = Kept::new();
                for _ in 0..count {
                    let key = take(&mut bytes)?.to_owned();
                    kept.insert(key, take(&mut bytes)?.to_owned());
                }
                if kept.len() != count {
                    bail!("a key of {} is in it twice", listed.name);
                }
                partitions.push(kept);
            }
            topics.push(StoredTopic { name: listed.name, partitions });
        }
        if !bytes.is_empty() {
            bail!("it has more than its manifest says");
        }
        Ok(Self { made_at: manifest.made_at, version: manifest.version, topics })
    }

    /// A topic of it.
    pub(super) fn topic(&self, name: &str) -> Option<&StoredTopic> {
        self.topics.iter().find(|topic| topic.name == name)
    }

    /// How many it has of what people know of.
    ///
    /// # Errors
    /// For a record that is none of this version of the program or of an earlier one.
    pub(super) fn counts(&self) -> anyhow::Result<String> {
        let mut counts = [0_usize; COUNTED.len()];
        for topic in &self.topics {
            for value in topic.partitions.iter().flat_map(BTreeMap::values) {
                let found = RecordType::of(value).with_context(|| format!("a record of {}", topic.name))?;
                let counted = counts.iter_mut().zip(COUNTED).find(|(_, (record, _))| *record == found);
                if let Some((count, _)) = counted {
                    *count += 1;
                }
            }
        }
        let texts = counts.iter().zip(COUNTED).map(|(count, (_, name))| format!("{count} {name}"));
        Ok(texts.collect::<Vec<_>>().join(", "))
    }
}

/// Writes bytes after their length.
fn put(to: &mut Vec<u8>, bytes: &[u8]) -> anyhow::Result<()> {
    to.extend(u32::try_from(bytes.len())?.to_be_bytes());
    to.extend_from_slice(bytes);
    Ok(())
}

/// Reads what was written so.
fn take<'a>(from: &mut &'a [u8]) -> anyhow::Result<&'a [u8]> {
    let (length, rest) = from.split_first_chunk().context("it ends too early")?;
    let length = usize::try_from(u32::from_be_bytes(*length))?;
    let (bytes, rest) = rest.split_at_checked(length).context("it ends too early")?;
    *from = rest;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content() -> BackupContent {
        let kept = |records: &[(&str, &str)]| -> Kept {
            records.iter().map(|(key, value)| (key.as_bytes().to_vec(), value.as_bytes().to_vec())).collect()
        };
        let topics = vec![
            StoredTopic { name: "a".to_owned(), partitions: vec![kept(&[("k", "v"), ("l", "")]), kept(&[])] },
            StoredTopic { name: "b".to_owned(), partitions: vec![kept(&[("k", "w")])] },
        ];
        BackupContent { made_at: 5, version: "0.1.0".to_owned(), topics }
    }

    #[test]
    fn it_is_read_as_it_was_written() {
        let bytes = content().encode().unwrap();
        assert_eq!(BackupContent::decode(&bytes).unwrap(), content());
    }

    #[test]
    fn what_the_manifest_does_not_say_is_refused() {
        let bytes = content().encode().unwrap();
        for length in 0..bytes.len() {
            assert!(BackupContent::decode(&bytes[..length]).is_err(), "{length}");
        }
        assert!(BackupContent::decode(&[&bytes[..], &[0]].concat()).is_err());
    }

    #[test]
    fn what_is_no_record_is_not_counted_but_named() {
        assert!(content().counts().unwrap_err().to_string().contains("a record of a"));
    }
}
