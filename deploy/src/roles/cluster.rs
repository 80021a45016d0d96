//! The Kafka cluster of a role, by the options and the secrets that belong to them.
//!
//! It reads secrets from their files and never shows one.

use std::path::PathBuf;

use arb_kafka::{Cluster, ClusterOptions, OAuthOptions, Secret, SettingsError};

use crate::cli::{Brokers, KafkaSecurity};

/// The cluster of a command.
pub(crate) fn open(config: &Brokers) -> Result<Cluster, SettingsError> {
    with(&config.brokers, &config.security)
}

/// A cluster at these addresses.
pub(crate) fn with(brokers: &str, security: &KafkaSecurity) -> Result<Cluster, SettingsError> {
    let secret = |option, file: &Option<PathBuf>, given: &Option<String>| match file {
        Some(file) => Secret::read(option, file).map(Some),
        None => Ok(given.as_deref().filter(|given| !given.is_empty()).map(Secret::new)),
    };
    let client_secret = secret(
        "--kafka-oauth-client-secret-file",
        &security.oauth_client_secret_file,
        &security.oauth_client_secret,
    )?;
    let oauth = OAuthOptions {
        token_url: security.oauth_token_url.clone(),
        client_id: security.oauth_client_id.clone(),
        client_secret,
        scope: security.oauth_scope.clone(),
        ca: security.oauth_ca.clone(),
    };
    Cluster::new(ClusterOptions {
        brokers: brokers.to_owned(),
        protocol: security.protocol.into(),
        mechanism: security.mechanism.map(Into::into),
        username: security.username.clone(),
        password: secret("--kafka-password-file", &security.kafka_password_file, &security.kafka_password)?,
        ca: security.kafka_ca.clone(),
        certificate: security.certificate.clone(),
        key: security.key.clone(),
        oauth,
        properties: security.config.clone(),
    })
}
