//! Plans: which there are. What each may spend is a setting of the API.

use serde::{Deserialize, Serialize};

/// A plan.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Plan {
    /// To look at it.
    #[default]
    Free,
    /// To work with it.
    Pro,
    /// To build on it.
    Enterprise,
}

impl Plan {
    /// As headers and files spell it.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::Free => "free",
            Self::Pro => "pro",
            Self::Enterprise => "enterprise",
        }
    }

    /// The plan that a text names.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Free, Self::Pro, Self::Enterprise].into_iter().find(|plan| plan.key() == text)
    }

    /// Live keys that an account of this plan may have at one time, and as many that were replaced and are in their grace period.
    #[must_use]
    pub fn max_keys(self) -> usize {
        match self {
            Self::Free => 5,
            Self::Pro => 50,
            Self::Enterprise => 500,
        }
    }
}
