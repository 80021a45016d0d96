//! The Kafka cluster: its addresses, how every client connects to it and authenticates, and what is wrong with that.
//!
//! All clients are created here, so that none connects in another way. A secret must never be shown or logged, and no
//! property may change what the correctness of the pipeline depends on (`properties`).

mod names;
mod options;
mod properties;
mod secret;
mod settings_error;
mod token;

use std::any::Any;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use rdkafka::ClientContext;
use rdkafka::admin::AdminClient;
use rdkafka::client::{Client, OAuthToken};
use rdkafka::config::{ClientConfig, FromClientConfigAndContext};
use rdkafka::consumer::{BaseConsumer, Consumer, ConsumerContext};
use rdkafka::error::KafkaError;
use rdkafka::producer::{BaseProducer, Producer, ProducerContext};

pub use options::{ClusterOptions, SaslMechanism, SecurityProtocol};
pub use secret::Secret;
pub use settings_error::SettingsError;
pub use token::OAuthOptions;

use names::Names;
use options::{SESSION, Security};

use crate::error::Error;

/// How often the same problem is logged.
const REPORT: Duration = Duration::from_mins(1);

/// A cluster; clones share what is known of it.
#[derive(Debug, Clone)]
pub struct Cluster(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    brokers: String,
    names: Names,
    session: Duration,
    security: Security,
    properties: Vec<(String, String)>,
    problem: Mutex<Option<Problem>>,
    /// What the users of a process share, by what it is for, while one of them has it.
    shared: Mutex<BTreeMap<&'static str, Weak<dyn Any + Send + Sync>>>,
    /// It has answered a request of this process by these settings.
    has_answered: AtomicBool,
}

/// Why clients cannot connect or authenticate, as the last of them reported it.
#[derive(Debug, Clone)]
pub(super) struct Problem {
    pub(super) sentence: String,
    /// The broker's certificate was not accepted.
    pub(super) is_certificate: bool,
    pub(super) at: Instant,
    logged_at: Instant,
}

impl Cluster {
    /// Brokers that need neither TLS nor authentication, such as those of `arb up`.
    #[must_use]
    pub fn plaintext(brokers: &str) -> Self {
        Self(Arc::new(Inner {
            brokers: brokers.to_owned(),
            names: Names::default(),
            session: SESSION,
            security: Security::default(),
            properties: Vec::new(),
            problem: Mutex::default(),
            shared: Mutex::default(),
            has_answered: AtomicBool::new(false),
        }))
    }

    /// Brokers with the security that the options describe.
    ///
    /// ```
    /// use arb_kafka::{Cluster, ClusterOptions, SecurityProtocol};
    ///
    /// let options = ClusterOptions {
    ///     brokers: "kafka.example:9093".to_owned(),
    ///     protocol: SecurityProtocol::SaslSsl,
    ///     ..ClusterOptions::default()
    /// };
    /// let error = Cluster::new(options).unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "--kafka-security-protocol sasl_ssl needs --kafka-sasl-mechanism"
    /// );
    /// ```
    ///
    /// # Errors
    /// [`SettingsError`] for options that do not fit together, and files that cannot be read.
    pub fn new(options: ClusterOptions) -> Result<Self, SettingsError> {
        let properties = match &options.properties {
            Some(file) => properties::read(file)?,
            None => Vec::new(),
        };
        Ok(Self(Arc::new(Inner {
            brokers: options.brokers.clone(),
            names: Names::new(&options.prefix)?,
            session: options.session.unwrap_or(SESSION),
            security: Security::new(options)?,
            properties,
            problem: Mutex::default(),
            shared: Mutex::default(),
            has_answered: AtomicBool::new(false),
        })))
    }

    /// Its addresses.
    #[must_use]
    pub fn brokers(&self) -> &str {
        &self.0.brokers
    }

    /// After how long a silent member of a group is expelled.
    pub(super) fn session(&self) -> Duration {
        self.0.session
    }

    /// What a topic of the catalogue is called there.
    #[must_use]
    pub fn topic(&self, name: &'static str) -> &'static str {
        self.0.names.topic(name)
    }

    /// What a group or a transactional id is called there.
    pub(super) fn id(&self, id: &str) -> String {
        self.0.names.id(id)
    }

    /// The file of the CA that brokers' certificates must be signed by, where it is not the system's.
    pub(super) fn ca(&self) -> Option<&Path> {
        self.0.security.ca()
    }

    /// The SASL mechanism by which clients authenticate.
    pub(super) fn mechanism(&self) -> Option<SaslMechanism> {
        self.0.security.mechanism()
    }

    /// Whether connections are encrypted.
    pub(super) fn is_tls(&self) -> bool {
        self.0.security.is_tls()
    }

    /// Settings of every client: what may be changed by a property first, then what may not.
    pub(super) fn settings(&self) -> ClientConfig {
        let mut config = ClientConfig::new();
        config.set("client.id", "arb").set("socket.keepalive.enable", "true");
        for (name, value) in &self.0.properties {
            config.set(name, value);
        }
        config.set("bootstrap.servers", &self.0.brokers);
        self.0.security.apply(&mut config);
        config
    }

    /// A consumer.
    pub(super) fn consumer<C: ConsumerContext>(
        &self,
        config: &ClientConfig,
        context: C,
    ) -> Result<BaseConsumer<C>, Error> {
        let consumer: BaseConsumer<C> = self.create(config, context)?;
        self.authenticate(consumer.client())?;
        Ok(consumer)
    }

    /// A producer.
    pub(super) fn producer<C: ProducerContext>(
        &self,
        config: &ClientConfig,
        context: C,
    ) -> Result<BaseProducer<C>, Error> {
        let producer: BaseProducer<C> = self.create(config, context)?;
        self.authenticate(producer.client())?;
        Ok(producer)
    }

    /// A client that administers.
    pub(super) fn admin<C: ClientContext>(
        &self,
        config: &ClientConfig,
        context: C,
    ) -> Result<AdminClient<C>, Error> {
        let admin: AdminClient<C> = self.create(config, context)?;
        self.authenticate(admin.inner())?;
        Ok(admin)
    }

    /// What everybody who names this purpose shares; made where nobody has it now.
    pub(super) fn shared<T: Send + Sync + 'static>(
        &self,
        purpose: &'static str,
        make: impl FnOnce() -> Result<T, Error>,
    ) -> Result<Arc<T>, Error> {
        let mut shared = self.0.shared.lock().unwrap_or_else(PoisonError::into_inner);
        let had = shared.get(purpose).and_then(Weak::upgrade).and_then(|had| had.downcast().ok());
        if let Some(had) = had {
            return Ok(had);
        }
        let new = Arc::new(make()?);
        let known: Arc<dyn Any + Send + Sync> = Arc::clone(&new) as _;
        shared.insert(purpose, Arc::downgrade(&known));
        Ok(new)
    }

    fn create<C: ClientContext, T: FromClientConfigAndContext<C>>(
        &self,
        config: &ClientConfig,
        context: C,
    ) -> Result<T, Error> {
        config.create_with_context(context).map_err(|source| self.broker(source))
    }

    /// Gives a new client its token at once: the callback, which renews it, runs only while the client is polled.
    fn authenticate<C: ClientContext>(&self, client: &Client<C>) -> Result<(), Error> {
        let Some(token) = self.token() else { return Ok(()) };
        token
            .and_then(|token| arb_kafka_native::set_token(client, &token))
            .map_err(|problem| self.connect(problem))
    }

    /// A token for the callback of a client; `None` where none is used.
    pub(super) fn token(&self) -> Option<Result<OAuthToken, String>> {
        Some(self.0.security.tokens()?.token())
    }

    /// An error of a client of this cluster.
    pub(super) fn broker(&self, source: KafkaError) -> Error {
        Error::Broker { brokers: self.0.brokers.clone(), source }
    }

    /// The error of a connection that cannot be made.
    pub(super) fn connect(&self, problem: String) -> Error {
        Error::Connect { brokers: self.0.brokers.clone(), problem }
    }

    /// A request by these settings was answered.
    pub(super) fn note_answer(&self) {
        self.0.has_answered.store(true, Ordering::Relaxed);
    }

    /// Whether one was.
    pub(super) fn has_answered(&self) -> bool {
        self.0.has_answered.load(Ordering::Relaxed)
    }

    /// Stores why a connection failed, and logs it unless it was logged within the last minute.
    pub(super) fn note(&self, sentence: String, is_certificate: bool) {
        let now = Instant::now();
        let mut problem = self.0.problem.lock().unwrap_or_else(PoisonError::into_inner);
        let logged = problem.as_ref().filter(|last| last.sentence == sentence).map(|last| last.logged_at);
        let logged_at = logged.filter(|at| now.duration_since(*at) < REPORT).unwrap_or_else(|| {
            tracing::warn!("Kafka at {}: {sentence}", self.0.brokers);
            now
        });
        *problem = Some(Problem { sentence, is_certificate, at: now, logged_at });
    }

    /// The last problem, if one was reported since then.
    pub(super) fn problem_since(&self, then: Instant) -> Option<Problem> {
        let problem = self.0.problem.lock().unwrap_or_else(PoisonError::into_inner);
        problem.clone().filter(|problem| problem.at >= then)
    }
}
