//! Settings of the connection to Kafka: addresses, TLS, SASL, further properties.
//!
//! They decide nothing, and show no secret.

use std::path::PathBuf;

use arb_kafka::{SaslMechanism, SecurityProtocol};
use clap::{Args, ValueEnum};

use super::secrets;

/// Where Kafka is, and how clients connect.
#[derive(Debug, Clone, Args)]
pub(crate) struct Brokers {
    /// Kafka's addresses
    #[arg(long = "brokers", env = "KAFKA_BOOTSTRAP_SERVERS", default_value = "127.0.0.1:19092")]
    pub(crate) brokers: String,
    #[command(flatten)]
    pub(crate) kafka: Box<KafkaOptions>,
}

/// The names that this environment has in Kafka, and how clients connect.
#[derive(Debug, Clone, Args)]
pub(crate) struct KafkaOptions {
    /// Prefix of the names of topics, groups and transactional ids, for several environments on one Kafka
    #[arg(long = "topic-prefix", env = "KAFKA_TOPIC_PREFIX", value_name = "PREFIX")]
    pub(crate) topic_prefix: Option<String>,
    /// Protocol of Kafka's listener
    #[arg(
        long = "kafka-security-protocol",
        env = "KAFKA_SECURITY_PROTOCOL",
        value_name = "PROTOCOL",
        default_value = "plaintext",
        ignore_case = true
    )]
    pub(crate) protocol: Protocol,
    /// SASL mechanism
    #[arg(
        long = "kafka-sasl-mechanism",
        env = "KAFKA_SASL_MECHANISM",
        value_name = "MECHANISM",
        ignore_case = true
    )]
    pub(crate) mechanism: Option<Mechanism>,
    /// User name of SASL PLAIN and SCRAM
    #[arg(long = "kafka-username", env = "KAFKA_USERNAME", value_name = "USER")]
    pub(crate) username: Option<String>,
    /// File of its password, instead of `KAFKA_PASSWORD` in the environment
    #[arg(long = "kafka-password-file", env = "KAFKA_PASSWORD_FILE", value_name = "FILE")]
    pub(crate) kafka_password_file: Option<PathBuf>,
    /// CA certificates that the brokers' certificates must be signed by (PEM); without it those of the system
    #[arg(long = "kafka-ca", env = "KAFKA_CA", value_name = "FILE")]
    pub(crate) kafka_ca: Option<PathBuf>,
    /// Certificate of the client, and those between it and its CA (PEM)
    #[arg(long = "kafka-certificate", env = "KAFKA_CERTIFICATE", value_name = "FILE")]
    pub(crate) certificate: Option<PathBuf>,
    /// Private key of that certificate (PEM)
    #[arg(long = "kafka-key", env = "KAFKA_KEY", value_name = "FILE")]
    pub(crate) key: Option<PathBuf>,
    /// URL at which SASL OAUTHBEARER tokens are issued by the client credentials grant
    #[arg(long = "kafka-oauth-token-url", env = "KAFKA_OAUTH_TOKEN_URL", value_name = "URL")]
    pub(crate) oauth_token_url: Option<String>,
    /// Client id of that grant
    #[arg(long = "kafka-oauth-client-id", env = "KAFKA_OAUTH_CLIENT_ID", value_name = "ID")]
    pub(crate) oauth_client_id: Option<String>,
    /// File of the client's secret, instead of `KAFKA_OAUTH_CLIENT_SECRET` in the environment
    #[arg(
        long = "kafka-oauth-client-secret-file",
        env = "KAFKA_OAUTH_CLIENT_SECRET_FILE",
        value_name = "FILE"
    )]
    pub(crate) oauth_client_secret_file: Option<PathBuf>,
    /// Scope of the tokens
    #[arg(long = "kafka-oauth-scope", env = "KAFKA_OAUTH_SCOPE", value_name = "SCOPE")]
    pub(crate) oauth_scope: Option<String>,
    /// CA certificates for the token URL (PEM); without it those of the system
    #[arg(long = "kafka-oauth-ca", env = "KAFKA_OAUTH_CA", value_name = "FILE")]
    pub(crate) oauth_ca: Option<PathBuf>,
    /// Further properties of librdkafka, a name=value a line; those that an option sets or that the pipeline depends on are
    /// refused
    #[arg(long = "kafka-config", env = "KAFKA_CONFIG", value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    // For tests, which wait for takeovers; by less than the default a role that is starved of processor time would be expelled.
    #[arg(long = "kafka-session-ms", hide = true, env = "KAFKA_SESSION_MS")]
    pub(crate) session_ms: Option<u64>,
    // Settings of the environment; options only because there is no other way to read them.
    #[arg(long = "kafka-password", hide = true, env = secrets::KAFKA, hide_env_values = true)]
    pub(crate) kafka_password: Option<String>,
    #[arg(long = "kafka-oauth-client-secret", hide = true, env = secrets::KAFKA_OAUTH, hide_env_values = true)]
    pub(crate) oauth_client_secret: Option<String>,
}

/// The protocol of a listener.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Protocol {
    /// Neither encrypted nor authenticated
    #[value(name = "plaintext")]
    Plaintext,
    /// TLS
    #[value(name = "ssl")]
    Ssl,
    /// SASL without encryption
    #[value(name = "sasl_plaintext")]
    SaslPlaintext,
    /// SASL over TLS
    #[value(name = "sasl_ssl")]
    SaslSsl,
}

impl From<Protocol> for SecurityProtocol {
    fn from(protocol: Protocol) -> Self {
        match protocol {
            Protocol::Plaintext => Self::Plaintext,
            Protocol::Ssl => Self::Ssl,
            Protocol::SaslPlaintext => Self::SaslPlaintext,
            Protocol::SaslSsl => Self::SaslSsl,
        }
    }
}

/// A SASL mechanism.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Mechanism {
    #[value(name = "PLAIN")]
    Plain,
    #[value(name = "SCRAM-SHA-256")]
    ScramSha256,
    #[value(name = "SCRAM-SHA-512")]
    ScramSha512,
    #[value(name = "OAUTHBEARER")]
    OAuthBearer,
}

impl From<Mechanism> for SaslMechanism {
    fn from(mechanism: Mechanism) -> Self {
        match mechanism {
            Mechanism::Plain => Self::Plain,
            Mechanism::ScramSha256 => Self::ScramSha256,
            Mechanism::ScramSha512 => Self::ScramSha512,
            Mechanism::OAuthBearer => Self::OAuthBearer,
        }
    }
}

impl KafkaOptions {
    /// The arguments that give the same to a role; secrets are in files or in the environment, never here.
    pub(crate) fn arguments(&self) -> Vec<String> {
        let file = |path: &Option<PathBuf>| path.as_ref().map(|path| path.display().to_string());
        let mechanism = self.mechanism.map(|mechanism| SaslMechanism::from(mechanism).key().to_owned());
        let given = [
            ("security-protocol", Some(SecurityProtocol::from(self.protocol).key().to_owned())),
            ("sasl-mechanism", mechanism),
            ("username", self.username.clone()),
            ("password-file", file(&self.kafka_password_file)),
            ("ca", file(&self.kafka_ca)),
            ("certificate", file(&self.certificate)),
            ("key", file(&self.key)),
            ("oauth-token-url", self.oauth_token_url.clone()),
            ("oauth-client-id", self.oauth_client_id.clone()),
            ("oauth-client-secret-file", file(&self.oauth_client_secret_file)),
            ("oauth-scope", self.oauth_scope.clone()),
            ("oauth-ca", file(&self.oauth_ca)),
            ("config", file(&self.config)),
        ];
        let argument = |(name, value): (&str, Option<String>)| Some(format!("--kafka-{name}={}", value?));
        let prefix = self.topic_prefix.as_ref().map(|prefix| format!("--topic-prefix={prefix}"));
        prefix.into_iter().chain(given.into_iter().filter_map(argument)).collect()
    }

    /// Whether it is another connection than a plaintext one without properties.
    pub(crate) fn is_given(&self) -> bool {
        let is_of_connection = |argument: &String| argument.starts_with("--kafka-");
        self.arguments().into_iter().filter(is_of_connection).count() > 1
            || self.protocol != Protocol::Plaintext
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::super::{Cli, Command};

    #[test]
    fn a_role_is_given_every_option_that_up_was_given() {
        let options = [
            "--topic-prefix=staging.",
            "--kafka-security-protocol=sasl_ssl",
            "--kafka-sasl-mechanism=SCRAM-SHA-256",
            "--kafka-username=u",
            "--kafka-password-file=p",
            "--kafka-ca=ca",
            "--kafka-certificate=c",
            "--kafka-key=k",
            "--kafka-oauth-token-url=t",
            "--kafka-oauth-client-id=i",
            "--kafka-oauth-client-secret-file=s",
            "--kafka-oauth-scope=o",
            "--kafka-oauth-ca=a",
            "--kafka-config=f",
        ];
        let cli = Cli::try_parse_from(["arb", "up"].iter().chain(&options)).unwrap();
        let Command::Up(up) = cli.command else { panic!("not up") };
        assert!(up.kafka.is_given());
        assert_eq!(up.kafka.arguments(), options);
        let hidden = ["session_ms", "kafka_password", "oauth_client_secret"];
        let mut arguments = clap::Command::new("security");
        arguments = <super::KafkaOptions as clap::Args>::augment_args(arguments);
        let shown =
            arguments.get_arguments().filter(|argument| !hidden.contains(&argument.get_id().as_str()));
        assert_eq!(shown.count(), options.len());
    }

    #[test]
    fn names_are_taken_in_any_case_and_the_default_is_no_security() {
        let given =
            ["arb", "process", "--kafka-security-protocol", "SASL_SSL", "--kafka-sasl-mechanism", "plain"];
        assert!(Cli::try_parse_from(given).is_ok());
        let cli = Cli::try_parse_from(["arb", "process"]).unwrap();
        let Command::Process(process) = cli.command else { panic!("not process") };
        assert!(!process.options.brokers.kafka.is_given());
    }
}
