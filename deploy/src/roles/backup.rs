//! `arb backup` and `arb restore`: what exists in compacted topics alone, as an encrypted file, and back into empty topics.
//!
//! Sessions are left out: whoever was logged in logs in again. It never writes to a topic that holds anything, never stores the pepper
//! or the key of webhook secrets, and never says that something is restored before it has read it back.

mod content;
mod placed;
mod sealed;

use std::fs;
use std::path::Path;

use anyhow::{Context, anyhow, bail};
use arb_accounts::machine::AccountsMachine;
use arb_kafka::{Cluster, Kept, TaskProducer, machine_partitions, snapshot, spans};
use arb_runtime::machine::{Machine, MachineTopics};
use arb_schemas::time::to_rfc3339;
use arb_schemas::topics::{ACCOUNTS, PICK_STATE, PICKS, Topic};
use arb_schemas::wire::RecordType;
use arb_settle::machine::SettleMachine;

use self::content::{BackupContent, StoredTopic};
use self::placed::{Target, placed};
use crate::cli::{Backup, BackupKey, BackupPart, Restore};
use crate::roles::cluster;
use crate::system::{clock, random};

/// What is said beside each backup.
const NOT_IN_IT: &str = "Not in it, and needed with it: the file of the pepper (--pepper of arb serve; without it no key and no password is valid) and the file of the \
                         key of webhook secrets (--webhook-key; without it receivers verify no signature). Keep both, and the key of this backup, apart from it.";

/// The topics of a machine that are backed up together.
struct Part {
    name: BackupPart,
    machine: MachineTopics,
    topics: &'static [&'static Topic],
}

impl Part {
    /// What its topics are called in Kafka.
    fn names(&self, cluster: &Cluster) -> String {
        self.topics.iter().map(|topic| cluster.topic(topic.name)).collect::<Vec<_>>().join(" and ")
    }
}

/// All parts. What a processor knows is computed again from prices.
const PARTS: [Part; 2] = [
    Part { name: BackupPart::Accounts, machine: AccountsMachine::TOPICS, topics: &[&ACCOUNTS] },
    Part { name: BackupPart::Picks, machine: SettleMachine::TOPICS, topics: &[&PICK_STATE, &PICKS] },
];

pub(crate) fn run(config: &Backup) -> anyhow::Result<()> {
    let named = || config.file.display().to_string();
    if config.file.exists() {
        bail!("{} is there already: a backup is never written over", named());
    }
    let (key, cluster) = (read_key(&config.key)?, cluster::open(&config.brokers)?);
    let topics = PARTS.iter().map(|part| stored(&cluster, part)).collect::<anyhow::Result<Vec<_>>>()?;
    let topics = topics.into_iter().flatten().collect();
    let content =
        BackupContent { made_at: clock::now(), version: env!("CARGO_PKG_VERSION").to_owned(), topics };
    let counts = content.counts()?;
    let file = sealed::seal(&key, &random::bytes()?, &content.encode()?)?;
    write(&config.file, &file).with_context(named)?;
    println!("{}: {counts}\n{NOT_IN_IT}", named());
    Ok(())
}

pub(crate) fn restore(config: &Restore) -> anyhow::Result<()> {
    let named = || config.file.display().to_string();
    let (key, file) = (read_key(&config.key)?, fs::read(&config.file).with_context(named)?);
    let content =
        sealed::open(&key, &file).and_then(|plain| BackupContent::decode(&plain)).with_context(named)?;
    let unknown = || {
        format!("{}: arb {} has written it, this is {}", named(), content.version, env!("CARGO_PKG_VERSION"))
    };
    let counts = content.counts().with_context(unknown)?;
    let made_at = to_rfc3339(content.made_at);
    if config.check {
        println!("{}: made at {made_at} by arb {}: {counts}", named(), content.version);
        return Ok(());
    }
    let cluster = cluster::open(&config.brokers)?;
    let is_wanted = |part: &&Part| config.only.is_none_or(|only| only == part.name);
    let parts: Vec<_> = PARTS.iter().filter(is_wanted).collect();
    let mut targets = Vec::new();
    for part in &parts {
        targets.push(target(&cluster, part)?);
    }
    for (part, target) in parts.iter().zip(&targets) {
        let records = fill(&cluster, part, target, &content)?;
        println!("{}: {records} records are written and read back", part.name.key());
    }
    println!(
        "As of {made_at}. What was changed since is not restored: revoke again the keys that were revoked since, and disable again the accounts that were disabled.\n{NOT_IN_IT}"
    );
    Ok(())
}

/// The topics of a part as they are at one point of each partition.
fn stored(cluster: &Cluster, part: &Part) -> anyhow::Result<Vec<StoredTopic>> {
    let partitions = machine_partitions(cluster, &part.machine)?;
    let named = |topic: &&Topic| StoredTopic { name: topic.name.to_owned(), partitions: Vec::new() };
    let mut topics: Vec<_> = part.topics.iter().map(named).collect();
    for partition in 0..partitions {
        for (topic, mut kept) in topics.iter_mut().zip(snapshot(cluster, part.topics, partition)?) {
            // What is not readable is kept as it is; it is named when records are counted.
            kept.retain(|_, value| !matches!(RecordType::of(value), Ok(RecordType::AccountSession)));
            topic.partitions.push(kept);
        }
    }
    Ok(topics)
}

/// Where a part goes, which must be empty.
fn target(cluster: &Cluster, part: &Part) -> anyhow::Result<Target> {
    let partitions = machine_partitions(cluster, &part.machine)?;
    for topic in part.topics {
        if spans(cluster, topic, partitions)?.iter().any(|span| span.next > span.first) {
            bail!(
                "{} is not empty, and nothing was written: stop all roles, delete {}, run `arb topics create`, and restore before any role starts",
                cluster.topic(topic.name),
                part.names(cluster)
            );
        }
    }
    let input = spans(cluster, part.machine.input, partitions)?;
    Ok(Target { input_ends: input.iter().map(|span| span.next).collect(), epoch: clock::epoch() })
}

/// Writes a part and reads it back; how many records it has.
fn fill(cluster: &Cluster, part: &Part, target: &Target, content: &BackupContent) -> anyhow::Result<usize> {
    let mut records = 0;
    let mut wanted = Vec::new();
    for topic in part.topics {
        let stored =
            content.topic(topic.name).with_context(|| format!("it has nothing of {}", topic.name))?;
        let all = placed(stored, target)?;
        records += all.iter().map(Kept::len).sum::<usize>();
        send(cluster, topic, &all)?;
        wanted.push(all);
    }
    for partition in 0..target.input_ends.len() {
        let found = snapshot(cluster, part.topics, i32::try_from(partition)?)?;
        let is_it = found.iter().zip(&wanted).all(|(found, wanted)| Some(found) == wanted.get(partition));
        if !is_it {
            bail!(
                "what is in partition {partition} of {} is not what was written: a role has written there too. Stop all roles, delete these topics, run \
                 `arb topics create`, and restore again",
                part.names(cluster)
            );
        }
    }
    Ok(records)
}

/// Sends the records of a topic.
fn send(cluster: &Cluster, topic: &'static Topic, all: &[Kept]) -> anyhow::Result<()> {
    let producer = TaskProducer::new(cluster, topic)?;
    for (partition, kept) in all.iter().enumerate() {
        for (key, value) in kept {
            let key = std::str::from_utf8(key).map_err(|_| anyhow!("a key of {} is no text", topic.name))?;
            producer.send(i32::try_from(partition)?, key, value)?;
        }
    }
    Ok(producer.flush()?)
}

fn read_key(key: &BackupKey) -> anyhow::Result<[u8; sealed::KEY]> {
    let named = || key.key_file.display().to_string();
    let bytes = fs::read(&key.key_file).with_context(|| {
        format!(
            "the key {}; a new one: `(umask 077; head -c {} /dev/urandom > {})`",
            named(),
            sealed::KEY,
            named()
        )
    })?;
    let length = bytes.len();
    bytes.try_into().map_err(|_| anyhow!("the key {} has {length} bytes, not {}", named(), sealed::KEY))
}

/// Writes a file that only its owner reads, whole or not at all.
fn write(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    std::io::Write::write_all(&mut file, bytes)?;
    file.as_file().sync_all()?;
    file.persist_noclobber(path)?;
    Ok(())
}
