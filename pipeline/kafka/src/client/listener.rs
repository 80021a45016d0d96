//! What librdkafka reports beside its calls: a broker that is not reachable, a certificate that is not accepted, a token
//! that must be renewed.
//!
//! It reports and never decides: whatever must be acted upon comes back from a call too.

use std::error::Error as StdError;

use arb_runtime::telemetry;
use rdkafka::ClientContext;
use rdkafka::client::OAuthToken;
use rdkafka::config::RDKafkaLogLevel;
use rdkafka::consumer::ConsumerContext;
use rdkafka::error::{KafkaError, RDKafkaErrorCode};

use crate::cluster::Cluster;

use super::problem;

/// The part that the contexts of all clients share.
#[derive(Debug, Clone)]
pub(crate) struct Listener {
    cluster: Cluster,
    /// Whether librdkafka's own lines are logged.
    is_logging: bool,
}

impl Listener {
    /// Of the clients of a cluster.
    pub(crate) fn new(cluster: &Cluster) -> Self {
        Self { cluster: cluster.clone(), is_logging: true }
    }

    /// Of a client for one request, whose user reports why there is no response.
    pub(crate) fn of_question(cluster: &Cluster) -> Self {
        Self { cluster: cluster.clone(), is_logging: false }
    }

    /// The cluster that it is connected to.
    pub(crate) fn cluster(&self) -> &Cluster {
        &self.cluster
    }

    /// A token for the client that requests it.
    pub(crate) fn token(&self) -> Result<OAuthToken, Box<dyn StdError>> {
        let token = self.cluster.token().unwrap_or_else(|| Err("no token is used".to_owned()));
        token.map_err(|problem| {
            self.cluster.note(problem.clone(), false);
            problem.into()
        })
    }
}

impl ClientContext for Listener {
    const ENABLE_REFRESH_OAUTH_TOKEN: bool = true;

    fn error(&self, error: KafkaError, reason: &str) {
        // The end of a partition is reported here too, and is none.
        if error.rdkafka_error_code() == Some(RDKafkaErrorCode::PartitionEOF) {
            return;
        }
        let code = error.rdkafka_error_code();
        let name = code.map_or_else(|| "other".to_owned(), |code| format!("{code:?}"));
        telemetry::kafka::error(&name, &error, reason);
        if let Some(problem) = code.and_then(|code| problem::of(code, reason, &self.cluster)) {
            problem.note(&self.cluster);
        }
    }

    /// Failed connections are logged, not all of them reported as errors. What is not at least a warning is for this alone.
    fn log(&self, level: RDKafkaLogLevel, facility: &str, message: &str) {
        use RDKafkaLogLevel as Level;
        if facility == "FAIL"
            && let Some(problem) = problem::of_failure(message, &self.cluster)
        {
            problem.note(&self.cluster);
        }
        match level {
            _ if !self.is_logging => {}
            Level::Emerg | Level::Alert | Level::Critical | Level::Error => {
                tracing::error!(target: "librdkafka", "librdkafka: {facility} {message}");
            }
            Level::Warning => tracing::warn!(target: "librdkafka", "librdkafka: {facility} {message}"),
            Level::Notice | Level::Info | Level::Debug => {}
        }
    }

    fn generate_oauth_token(&self, _: Option<&str>) -> Result<OAuthToken, Box<dyn StdError>> {
        self.token()
    }
}

impl ConsumerContext for Listener {}

/// Lets a client's context report what its listener hears, and, where it has a place for fetches, keep its statistics there.
macro_rules! heard {
    ($context:ty, $listener:tt $(, $fetches:tt)?) => {
        impl rdkafka::ClientContext for $context {
            const ENABLE_REFRESH_OAUTH_TOKEN: bool = true;

            fn error(&self, error: rdkafka::error::KafkaError, reason: &str) {
                self.$listener.error(error, reason);
            }

            fn log(&self, level: rdkafka::config::RDKafkaLogLevel, facility: &str, message: &str) {
                self.$listener.log(level, facility, message);
            }

            fn generate_oauth_token(
                &self,
                _: Option<&str>,
            ) -> Result<rdkafka::client::OAuthToken, Box<dyn std::error::Error>> {
                self.$listener.token()
            }

            $(fn stats(&self, statistics: rdkafka::Statistics) {
                self.$fetches.note(&statistics);
            })?
        }

        $(impl $crate::client::Watched for $context {
            fn fetches(&self) -> &$crate::client::Fetches {
                &self.$fetches
            }
        })?
    };
}

pub(crate) use heard;
