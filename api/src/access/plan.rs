//! Plans: what an account may spend in a month.
//!
//! The quotas are settings; which plans there are is not. It never counts anything.

use std::path::Path;

pub use arb_accounts::plan::Plan;
use serde::Deserialize;

use crate::files::reload::FromFile;
use crate::files::{self, FileError};

/// Requests a month, by plan.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Plans {
    free: u64,
    pro: u64,
    enterprise: u64,
}

impl Default for Plans {
    fn default() -> Self {
        Self { free: 1_000, pro: 100_000, enterprise: 10_000_000 }
    }
}

impl FromFile for Plans {
    type Error = FileError;

    /// Reads a file such as `{"free": 500}`; what it does not name, or where there is no file, is as we have it.
    ///
    /// # Errors
    /// [`FileError`] when there is a file and it is none of plans.
    fn read(path: &Path) -> Result<Self, FileError> {
        match files::read_json(path) {
            Err(error) if error.is_missing() => Ok(Self::default()),
            read => read,
        }
    }
}

impl Plans {
    /// What a plan may spend.
    pub(crate) fn quota(&self, plan: Plan) -> u64 {
        match plan {
            Plan::Free => self.free,
            Plan::Pro => self.pro,
            Plan::Enterprise => self.enterprise,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_changes_what_it_names_and_refuses_what_is_unknown() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("plans.json");
        assert_eq!(Plans::read(&path).unwrap(), Plans::default());
        std::fs::write(&path, r#"{"free": 3}"#).unwrap();
        let plans = Plans::read(&path).unwrap();
        assert_eq!((plans.quota(Plan::Free), plans.quota(Plan::Pro)), (3, 100_000));
        std::fs::write(&path, r#"{"fre": 3}"#).unwrap();
        assert!(Plans::read(&path).unwrap_err().to_string().contains("plans.json: unknown field"));
    }
}
