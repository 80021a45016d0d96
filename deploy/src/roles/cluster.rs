//! The Kafka cluster of a role, by the options and the secrets that belong to them.
//!
//! It reads secrets from their files and never shows one.

use std::path::PathBuf;
use std::time::Duration;

use arb_kafka::{Cluster, ClusterOptions, OAuthOptions, Secret, SettingsError};

use crate::cli::{Brokers, KafkaOptions};

/// The cluster of a command.
pub(crate) fn open(config: &Brokers) -> Result<Cluster, SettingsError> {
    with(&config.brokers, &config.kafka)
}

/// A cluster at these addresses.
pub(crate) fn with(brokers: &str, options: &KafkaOptions) -> Result<Cluster, SettingsError> {
    let secret = |option, file: &Option<PathBuf>, given: &Option<String>| match file {
        Some(file) => Secret::read(option, file).map(Some),
        None => Ok(given.as_deref().filter(|given| !given.is_empty()).map(Secret::new)),
    };
    let client_secret = secret(
        "--kafka-oauth-client-secret-file",
        &options.oauth_client_secret_file,
        &options.oauth_client_secret,
    )?;
    let oauth = OAuthOptions {
        token_url: options.oauth_token_url.clone(),
        client_id: options.oauth_client_id.clone(),
        client_secret,
        scope: options.oauth_scope.clone(),
        ca: options.oauth_ca.clone(),
    };
    Cluster::new(ClusterOptions {
        brokers: brokers.to_owned(),
        session: options.session_ms.map(Duration::from_millis),
        prefix: options.topic_prefix.clone().unwrap_or_default(),
        protocol: options.protocol.into(),
        mechanism: options.mechanism.map(Into::into),
        username: options.username.clone(),
        password: secret("--kafka-password-file", &options.kafka_password_file, &options.kafka_password)?,
        ca: options.kafka_ca.clone(),
        certificate: options.certificate.clone(),
        key: options.key.clone(),
        oauth,
        properties: options.config.clone(),
    })
}
