//! How clients connect: the options of the command line, and what they mean together.
//!
//! Options that do not fit together must be refused with a sentence that names them; none is ignored in silence.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rdkafka::config::ClientConfig;

use super::secret::Secret;
use super::settings_error::{SettingsError, check_pem, refuse};
use super::token::{OAuthOptions, TokenSource};

/// The protocol of the brokers' listener.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SecurityProtocol {
    /// Neither encrypted nor authenticated.
    #[default]
    Plaintext,
    /// TLS.
    Ssl,
    /// SASL without encryption.
    SaslPlaintext,
    /// SASL over TLS.
    SaslSsl,
}

impl SecurityProtocol {
    /// As librdkafka and the option spell it.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::Plaintext => "plaintext",
            Self::Ssl => "ssl",
            Self::SaslPlaintext => "sasl_plaintext",
            Self::SaslSsl => "sasl_ssl",
        }
    }

    fn is_tls(self) -> bool {
        matches!(self, Self::Ssl | Self::SaslSsl)
    }

    fn is_sasl(self) -> bool {
        matches!(self, Self::SaslPlaintext | Self::SaslSsl)
    }
}

/// A mechanism of SASL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SaslMechanism {
    /// User name and password as they are.
    Plain,
    /// Salted challenge and response, SHA-256.
    ScramSha256,
    /// The same with SHA-512.
    ScramSha512,
    /// A token that an authorization server issues.
    OAuthBearer,
}

impl SaslMechanism {
    /// As librdkafka and the option spell it.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::Plain => "PLAIN",
            Self::ScramSha256 => "SCRAM-SHA-256",
            Self::ScramSha512 => "SCRAM-SHA-512",
            Self::OAuthBearer => "OAUTHBEARER",
        }
    }
}

/// After how long a silent member of a group is expelled, unless a test says otherwise: so long its partitions stand still.
pub(super) const SESSION: Duration = Duration::from_secs(6);

/// All options of a connection.
#[derive(Debug, Clone, Default)]
#[allow(missing_docs)]
pub struct ClusterOptions {
    pub brokers: String,
    /// Before the names of topics, groups and transactional ids.
    pub prefix: String,
    pub protocol: SecurityProtocol,
    pub mechanism: Option<SaslMechanism>,
    pub username: Option<String>,
    pub password: Option<Secret>,
    pub ca: Option<PathBuf>,
    pub certificate: Option<PathBuf>,
    pub key: Option<PathBuf>,
    pub oauth: OAuthOptions,
    /// After how long a silent member of a group is expelled; `None` for six seconds.
    pub session: Option<Duration>,
    /// A file of further properties of librdkafka.
    pub properties: Option<PathBuf>,
}

/// How clients connect, once the options are known to fit.
#[derive(Debug, Default)]
pub(super) struct Security {
    protocol: SecurityProtocol,
    ca: Option<PathBuf>,
    /// Of the client: the files of its certificate and of its key.
    certificate: Option<(PathBuf, PathBuf)>,
    sasl: Option<Sasl>,
}

#[derive(Debug)]
enum Sasl {
    Password { mechanism: SaslMechanism, username: String, password: Secret },
    Token(Arc<TokenSource>),
}

impl Security {
    /// Checks the options.
    pub(super) fn new(options: ClusterOptions) -> Result<Self, SettingsError> {
        let protocol = options.protocol;
        let tls = [
            ("--kafka-ca", &options.ca),
            ("--kafka-certificate", &options.certificate),
            ("--kafka-key", &options.key),
        ];
        for (option, file) in tls.iter().filter_map(|(option, file)| Some((*option, file.as_ref()?))) {
            if !protocol.is_tls() {
                return refuse(format!("{option} needs --kafka-security-protocol ssl or sasl_ssl"));
            }
            check_pem(option, file)?;
        }
        let certificate = match (options.certificate.clone(), options.key.clone()) {
            (Some(certificate), Some(key)) => Some((certificate, key)),
            (None, None) => None,
            _ => return refuse("--kafka-certificate and --kafka-key need each other".to_owned()),
        };
        let ca = options.ca.clone();
        Ok(Self { protocol, ca, certificate, sasl: Sasl::new(options)? })
    }

    /// Puts it into the settings of a client.
    pub(super) fn apply(&self, config: &mut ClientConfig) {
        if self.protocol == SecurityProtocol::Plaintext {
            return;
        }
        config.set("security.protocol", self.protocol.key());
        let path = |file: &Path| file.display().to_string();
        if let Some(ca) = &self.ca {
            config.set("ssl.ca.location", path(ca));
        }
        if let Some((certificate, key)) = &self.certificate {
            config.set("ssl.certificate.location", path(certificate)).set("ssl.key.location", path(key));
        }
        if let Some(sasl) = &self.sasl {
            config.set("sasl.mechanism", sasl.mechanism().key());
        }
        if let Some(Sasl::Password { username, password, .. }) = &self.sasl {
            config.set("sasl.username", username).set("sasl.password", password.expose());
        }
    }

    pub(super) fn ca(&self) -> Option<&Path> {
        self.ca.as_deref()
    }

    pub(super) fn is_tls(&self) -> bool {
        self.protocol.is_tls()
    }

    pub(super) fn mechanism(&self) -> Option<SaslMechanism> {
        self.sasl.as_ref().map(Sasl::mechanism)
    }

    pub(super) fn tokens(&self) -> Option<&TokenSource> {
        match &self.sasl {
            Some(Sasl::Token(tokens)) => Some(tokens),
            _ => None,
        }
    }
}

impl Sasl {
    fn new(options: ClusterOptions) -> Result<Option<Self>, SettingsError> {
        let protocol = options.protocol.key();
        let mechanism = match (options.mechanism, options.protocol.is_sasl()) {
            (None, false) => {
                let is_used = options.username.is_some() || options.oauth.token_url.is_some();
                let needs = "--kafka-username and --kafka-oauth-token-url need --kafka-sasl-mechanism";
                return if is_used { refuse(needs.to_owned()) } else { Ok(None) };
            }
            (Some(mechanism), true) => mechanism,
            (None, true) => {
                return refuse(format!("--kafka-security-protocol {protocol} needs --kafka-sasl-mechanism"));
            }
            (Some(_), false) => {
                let needs =
                    "--kafka-sasl-mechanism needs --kafka-security-protocol sasl_ssl or sasl_plaintext";
                return refuse(needs.to_owned());
            }
        };
        if mechanism == SaslMechanism::OAuthBearer {
            return Ok(Some(Self::Token(Arc::new(TokenSource::new(options.oauth)?))));
        }
        let (Some(username), Some(password)) = (options.username, options.password) else {
            return refuse(format!(
                "SASL {} needs --kafka-username and a password: --kafka-password-file, or KAFKA_PASSWORD in the \
                 environment",
                mechanism.key()
            ));
        };
        Ok(Some(Self::Password { mechanism, username, password }))
    }

    fn mechanism(&self) -> SaslMechanism {
        match self {
            Self::Password { mechanism, .. } => *mechanism,
            Self::Token(_) => SaslMechanism::OAuthBearer,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sasl() -> ClusterOptions {
        ClusterOptions {
            brokers: "b:9093".to_owned(),
            protocol: SecurityProtocol::SaslSsl,
            mechanism: Some(SaslMechanism::ScramSha512),
            username: Some("arb".to_owned()),
            password: Some(Secret::new("swordfish")),
            ..ClusterOptions::default()
        }
    }

    fn refused(options: ClusterOptions) -> String {
        Security::new(options).unwrap_err().to_string()
    }

    #[test]
    fn options_become_the_properties_of_librdkafka() {
        let folder = tempfile::tempdir().unwrap();
        let pem = folder.path().join("pem");
        std::fs::write(&pem, "-----BEGIN CERTIFICATE-----\n").unwrap();
        let files = Some(pem.clone());
        let options = ClusterOptions { ca: files.clone(), certificate: files.clone(), key: files, ..sasl() };
        let mut config = ClientConfig::new();
        let security = Security::new(options).unwrap();
        security.apply(&mut config);
        let pem = pem.to_str().unwrap();
        for (name, value) in [
            ("security.protocol", "sasl_ssl"),
            ("sasl.mechanism", "SCRAM-SHA-512"),
            ("sasl.username", "arb"),
            ("sasl.password", "swordfish"),
            ("ssl.ca.location", pem),
            ("ssl.certificate.location", pem),
            ("ssl.key.location", pem),
        ] {
            assert_eq!(config.get(name), Some(value), "{name}");
        }
        let shown = format!("{security:?} {config:?}");
        assert!(shown.contains("arb") && !shown.contains("swordfish"), "{shown}");
    }

    #[test]
    fn plaintext_sets_nothing() {
        let mut config = ClientConfig::new();
        Security::new(ClusterOptions::default()).unwrap().apply(&mut config);
        assert!(config.config_map().is_empty());
    }

    #[test]
    fn options_that_do_not_fit_together_are_named() {
        let plain = SecurityProtocol::Plaintext;
        let reported = refused(ClusterOptions { protocol: plain, ..sasl() });
        assert!(reported.starts_with("--kafka-sasl-mechanism needs"), "{reported}");
        let reported = refused(ClusterOptions { protocol: plain, mechanism: None, ..sasl() });
        assert!(reported.ends_with("need --kafka-sasl-mechanism"), "{reported}");
        let reported = refused(ClusterOptions { mechanism: None, ..sasl() });
        assert_eq!(reported, "--kafka-security-protocol sasl_ssl needs --kafka-sasl-mechanism");
        let reported = refused(ClusterOptions { password: None, ..sasl() });
        assert!(
            reported.starts_with("SASL SCRAM-SHA-512 needs --kafka-username and a password"),
            "{reported}"
        );
        let ca = Some(PathBuf::from("nowhere.pem"));
        let reported = refused(ClusterOptions { ca: ca.clone(), ..ClusterOptions::default() });
        assert_eq!(reported, "--kafka-ca needs --kafka-security-protocol ssl or sasl_ssl");
        let reported = refused(ClusterOptions { ca, ..sasl() });
        assert_eq!(reported, "--kafka-ca nowhere.pem: No such file or directory (os error 2)");
        let oauth = Some(SaslMechanism::OAuthBearer);
        let reported = refused(ClusterOptions { mechanism: oauth, ..sasl() });
        assert!(reported.starts_with("SASL OAUTHBEARER needs --kafka-oauth-token-url"), "{reported}");
    }

    #[test]
    fn a_file_of_another_format_and_half_a_pair_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("key.der");
        std::fs::write(&file, [0x30, 0x82]).unwrap();
        let reported = refused(ClusterOptions { key: Some(file.clone()), ..sasl() });
        assert!(reported.ends_with("key.der: it is not a PEM file"), "{reported}");
        std::fs::write(&file, "-----BEGIN PRIVATE KEY-----").unwrap();
        let reported = refused(ClusterOptions { key: Some(file), ..sasl() });
        assert_eq!(reported, "--kafka-certificate and --kafka-key need each other");
    }
}
