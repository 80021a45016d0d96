//! Plans: what an account may spend in a month, and how fast a key may ask.
//!
//! The limits are settings; which plans there are is not. It never counts anything.

use std::path::Path;

pub use arb_accounts::plan::Plan;
use serde::Deserialize;
use serde::de::{Deserializer, Error};
use serde_json::Value;

use crate::files::reload::FromFile;
use crate::files::{self, FileError};

/// What a plan allows. Of all but the requests, 0 is no limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct PlanLimits {
    /// Requests of an account in a month.
    pub(crate) requests: u64,
    /// Requests of a key in a second, at one instance.
    pub(crate) per_second: u32,
    /// Requests of a key at once, at one instance.
    pub(crate) burst: u32,
    /// Open streams of an account, at one instance.
    pub(crate) streams: u32,
    /// Open connections of a key, at one instance.
    pub(crate) connections: u32,
    /// Scans of an account in an hour that cause a poll.
    pub(crate) scans: u32,
    /// Boards of own books of an account within a minute, at one instance.
    pub(crate) boards: u32,
}

/// Scans of an account in an hour, unless a file has another number.
const SCANS: u32 = 120;

/// What a file changes of a plan.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Changes {
    requests: Option<u64>,
    per_second: Option<u32>,
    burst: Option<u32>,
    streams: Option<u32>,
    connections: Option<u32>,
    scans: Option<u32>,
    boards: Option<u32>,
}

impl Changes {
    /// The changes of a plan: its requests alone, or an object.
    fn of<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        match value.as_u64() {
            Some(requests) => Ok(Self { requests: Some(requests), ..Self::default() }),
            None => Self::deserialize(value).map_err(D::Error::custom),
        }
    }

    fn apply(&self, limits: PlanLimits) -> PlanLimits {
        PlanLimits {
            requests: self.requests.unwrap_or(limits.requests),
            per_second: self.per_second.unwrap_or(limits.per_second),
            burst: self.burst.unwrap_or(limits.burst),
            streams: self.streams.unwrap_or(limits.streams),
            connections: self.connections.unwrap_or(limits.connections),
            scans: self.scans.unwrap_or(limits.scans),
            boards: self.boards.unwrap_or(limits.boards),
        }
    }
}

/// The limits of all plans.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plans {
    free: PlanLimits,
    pro: PlanLimits,
    enterprise: PlanLimits,
}

/// As the file has them.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct PlansFile {
    #[serde(deserialize_with = "Changes::of")]
    free: Changes,
    #[serde(deserialize_with = "Changes::of")]
    pro: Changes,
    #[serde(deserialize_with = "Changes::of")]
    enterprise: Changes,
}

impl Default for Plans {
    fn default() -> Self {
        let free = PlanLimits {
            requests: 1_000,
            per_second: 10,
            burst: 50,
            streams: 5,
            connections: 50,
            scans: SCANS,
            boards: 2,
        };
        let pro = PlanLimits {
            requests: 100_000,
            per_second: 100,
            burst: 500,
            streams: 50,
            connections: 500,
            scans: SCANS,
            boards: 20,
        };
        let enterprise = PlanLimits { requests: 10_000_000, scans: SCANS, ..PlanLimits::default() };
        Self { free, pro, enterprise }
    }
}

impl FromFile for Plans {
    type Error = FileError;

    /// Reads a file such as `{"free": 500, "pro": {"per_second": 20}}`; what it does not name, or where there is no file, is as we
    /// have it.
    ///
    /// # Errors
    /// [`FileError`] when there is a file and it is none of plans.
    fn read(path: &Path) -> Result<Self, FileError> {
        let file: PlansFile = match files::read_json(path) {
            Err(error) if error.is_missing() => PlansFile::default(),
            read => read?,
        };
        let ours = Self::default();
        Ok(Self {
            free: file.free.apply(ours.free),
            pro: file.pro.apply(ours.pro),
            enterprise: file.enterprise.apply(ours.enterprise),
        })
    }
}

impl Plans {
    /// What a plan allows.
    pub(crate) fn limits(&self, plan: Plan) -> PlanLimits {
        match plan {
            Plan::Free => self.free,
            Plan::Pro => self.pro,
            Plan::Enterprise => self.enterprise,
        }
    }

    /// What a plan may spend.
    pub(crate) fn quota(&self, plan: Plan) -> u64 {
        self.limits(plan).requests
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
        std::fs::write(&path, r#"{"free": 3, "pro": {"per_second": 7, "streams": 0}}"#).unwrap();
        let plans = Plans::read(&path).unwrap();
        assert_eq!((plans.quota(Plan::Free), plans.quota(Plan::Pro)), (3, 100_000));
        let (ours, pro) = (Plans::default(), plans.limits(Plan::Pro));
        assert_eq!(PlanLimits { requests: 3, ..ours.limits(Plan::Free) }, plans.limits(Plan::Free));
        assert_eq!(PlanLimits { per_second: 7, streams: 0, ..ours.limits(Plan::Pro) }, pro);
        std::fs::write(&path, r#"{"fre": 3}"#).unwrap();
        assert!(Plans::read(&path).unwrap_err().to_string().contains("plans.json: unknown field"));
        std::fs::write(&path, r#"{"free": {"request": 3}}"#).unwrap();
        assert!(Plans::read(&path).unwrap_err().to_string().contains("unknown field `request`"));
    }
}
