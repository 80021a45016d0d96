//! Settings of `arb backup` and `arb restore`.
//!
//! They decide nothing, and show no secret: the key is a file.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::Brokers;

#[derive(Debug, Clone, Args)]
pub(crate) struct Backup {
    /// The file to write; it must not be there
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) key: BackupKey,
    #[command(flatten)]
    pub(crate) brokers: Brokers,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct Restore {
    /// What `arb backup` has written
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) key: BackupKey,
    /// Restore this part alone [default: all]
    #[arg(long)]
    pub(crate) only: Option<BackupPart>,
    /// Open the file, say what it holds, and end: Kafka is not asked
    #[arg(long, conflicts_with = "only")]
    pub(crate) check: bool,
    #[command(flatten)]
    pub(crate) brokers: Brokers,
}

/// The key of backups.
#[derive(Debug, Clone, Args)]
pub(crate) struct BackupKey {
    /// File of the key that encrypts backups: 32 random bytes, which are created by `head -c 32 /dev/urandom` and kept apart from backups
    #[arg(long = "key", env = "ARB_BACKUP_KEY", value_name = "FILE")]
    pub(crate) key_file: PathBuf,
}

/// What is restored together: the topics of one machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum BackupPart {
    /// Accounts, keys and endpoints
    Accounts,
    /// Picks, windows that can still be graded, and results
    Picks,
}

impl BackupPart {
    /// As the option spells it.
    pub(crate) fn key(self) -> &'static str {
        match self {
            Self::Accounts => "accounts",
            Self::Picks => "picks",
        }
    }
}
