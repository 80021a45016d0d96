//! ClickHouse: its client, the rights of its users, and the migrations of its schema.
//!
//! Only this crate and the sink use the `clickhouse` crate. It never logs or shows a password, and it never changes
//! a row: that is the sink's.
//!
//! Source: the documentation of ClickHouse 26.7 (HTTP interface, access rights, settings constraints).

mod migrate;
mod migration_lock;
pub mod roles;
mod sql;
pub(crate) mod tls;
mod xml;

use std::fmt;
use std::future::Future;
use std::path::PathBuf;
use std::time::Duration;

use arb_schemas::clickhouse::Databases;
use clickhouse::{Client, Compression};
use hyper_util::client::legacy::Client as HyperClient;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use sha2::{Digest, Sha256};

pub use migrate::{Applied, check, migrate};
pub use sql::{create_roles, role_statements};
pub use xml::users_xml;

/// How long a connection may take to be there.
pub const CONNECT: Duration = Duration::from_secs(5);
/// How long a piece of an insert may take to be taken.
pub const SEND: Duration = Duration::from_secs(10);
/// How long the server may take to answer.
pub const ANSWER: Duration = Duration::from_mins(1);
/// How long the server may take to look at all rows of a table.
pub const SEARCH: Duration = Duration::from_mins(5);
/// Less than the server's own three seconds, or a request is sent into a connection that it has just closed.
const IDLE: Duration = Duration::from_secs(2);

/// The address of ClickHouse, and the user.
#[derive(Clone)]
pub struct Settings {
    /// Its HTTP address, such as `http://127.0.0.1:18123` or `https://clickhouse.example.com:8443`.
    pub url: String,
    /// A file of the CA certificates that an https server's must be signed by, instead of those of the system.
    pub ca: Option<PathBuf>,
    /// The user.
    pub user: String,
    /// Its password.
    pub password: String,
    /// The databases.
    pub databases: Databases,
}

/// Without the password.
impl fmt::Debug for Settings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { url, ca, user, databases, .. } = self;
        formatter
            .debug_struct("Settings")
            .field("url", url)
            .field("ca", ca)
            .field("user", user)
            .field("databases", databases)
            .finish_non_exhaustive()
    }
}

/// Something that ClickHouse refused, or that its schema is not.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No address that this client can use.
    #[error("{0}")]
    Address(String),
    /// It could not be asked, or refused.
    #[error("ClickHouse at {url}, as {user}: {}", first_line(source))]
    Server {
        /// The address.
        url: String,
        /// The user of the request.
        user: String,
        /// The error of the client or the server.
        source: Box<clickhouse::error::Error>,
    },
    /// Its schema is not the version of this program.
    #[error("the schema of ClickHouse: {0}")]
    Schema(#[from] SchemaError),
    /// Another migrator holds the lock.
    #[error("another migrator has been at work for {} minutes: nothing was applied", .0.as_secs() / 60)]
    Migrating(Duration),
    /// The lock was lost in between.
    #[error("the query that keeps other migrators out has ended: run arb migrate again")]
    NotAlone,
}

/// How a schema differs from what is known.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum SchemaError {
    /// A migration that was applied is not the file of today.
    #[error(
        "migration {number} was applied as {applied} and its file has been changed since: give the change a number of \
         its own, or begin with an empty database"
    )]
    Changed {
        /// The number.
        number: u32,
        /// The name and digest of what was applied.
        applied: String,
    },
    /// A later one was applied without it.
    #[error("migration {missing} is not applied though {last} is: it has been removed from the list")]
    Gap {
        /// The number that is not there.
        missing: u32,
        /// The last that is.
        last: u32,
    },
    /// It was made by a newer program.
    #[error("it is at migration {applied} and this program knows {known}: use a newer arb")]
    Newer {
        /// Where it is.
        applied: u32,
        /// The last that is known.
        known: u32,
    },
    /// Migrations are missing.
    #[error("it is at migration {applied} and this program needs {known}: run arb migrate")]
    Behind {
        /// Where it is.
        applied: u32,
        /// The last that is known.
        known: u32,
    },
}

/// SHA-256 in hexadecimal digits.
fn sha256(text: &str) -> String {
    format!("{:x}", Sha256::digest(text))
}

/// The first line of a server's error of many lines; of a connection's error the innermost cause.
fn first_line(error: &clickhouse::error::Error) -> String {
    if let Some(problem) = tls::problem(error) {
        return problem;
    }
    if tls::ended_in_handshake(error) {
        return "the connection ended in the TLS handshake: if its port does not use TLS, check the port and https:// \
                in --clickhouse-url"
            .to_owned();
    }
    let innermost =
        std::iter::successors(Some(error as &dyn std::error::Error), |error| error.source()).last();
    let text = match error {
        clickhouse::error::Error::BadResponse(text) => text.clone(),
        _ => innermost.map_or_else(String::new, ToString::to_string),
    };
    text.lines().next().unwrap_or_default().to_owned()
}

impl Settings {
    /// A client. Nothing is asked yet.
    ///
    /// The time limits on the socket are set here; those on responses are [`Settings::ask`]'s, and an insert
    /// must be given its limits, because the crate has no default: [`SEND`] and [`ANSWER`].
    ///
    /// # Errors
    /// When the address is none, or the file of the CA cannot be used.
    pub fn client(&self) -> Result<Client, Error> {
        let is_tls = self.check_address()?;
        let mut connector = HttpConnector::new();
        // Without it an insert of a thousand rows takes 44 ms instead of 2: Nagle waits for a delayed acknowledgement.
        connector.set_nodelay(true);
        connector.set_connect_timeout(Some(CONNECT));
        connector.set_keepalive(Some(Duration::from_mins(1)));
        let mut pool = HyperClient::builder(TokioExecutor::new());
        pool.pool_idle_timeout(IDLE);
        let client = if is_tls {
            let connector = tls::connector(connector, self.ca.as_deref()).map_err(Error::Address)?;
            Client::with_http_client(pool.build(connector))
        } else {
            Client::with_http_client(pool.build(connector))
        };
        let client = client.with_url(&self.url).with_compression(Compression::Lz4);
        Ok(client.with_user(&self.user).with_password(&self.password))
    }

    /// A client whose names are those of views.
    ///
    /// # Errors
    /// As [`Self::client`].
    pub fn client_of_views(&self) -> Result<Client, Error> {
        Ok(self.client()?.with_database(self.databases.views()))
    }

    /// A client whose names are those of tables.
    ///
    /// # Errors
    /// As [`Self::client`].
    pub fn client_of_tables(&self) -> Result<Client, Error> {
        Ok(self.client()?.with_database(self.databases.store()))
    }

    /// Whether the address is one of https.
    fn check_address(&self) -> Result<bool, Error> {
        let refuse = |problem: &str| Err(Error::Address(problem.to_owned()));
        let (rest, is_tls) = match (self.url.strip_prefix("http://"), self.url.strip_prefix("https://")) {
            (Some(rest), _) => (rest, false),
            (_, Some(rest)) => (rest, true),
            _ => return refuse("ClickHouse's address begins with http:// or https://"),
        };
        if rest.contains(['@', '?']) || rest.is_empty() {
            return refuse(
                "ClickHouse's address is http://HOST:PORT or https://HOST:PORT: name the user and the password beside it",
            );
        }
        if self.ca.is_some() && !is_tls {
            return refuse("--clickhouse-ca needs an address that begins with https://");
        }
        Ok(is_tls)
    }

    /// Waits for an answer, but not for ever.
    ///
    /// # Errors
    /// The error of the server, or that it does not respond within [`ANSWER`].
    pub async fn ask<T>(
        &self,
        question: impl Future<Output = clickhouse::error::Result<T>>,
    ) -> Result<T, Error> {
        let answer = tokio::time::timeout(ANSWER, question).await;
        answer.unwrap_or(Err(clickhouse::error::Error::TimedOut)).map_err(|source| self.refused(source))
    }

    /// An error of this server's.
    #[must_use]
    pub fn refused(&self, source: clickhouse::error::Error) -> Error {
        let Self { url, user, .. } = self.clone();
        Error::Server { url, user, source: Box::new(source) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(url: &str) -> Settings {
        Settings {
            url: url.to_owned(),
            ca: None,
            user: "writer".to_owned(),
            password: "swordfish".to_owned(),
            databases: Databases::default(),
        }
    }

    #[test]
    fn a_password_is_not_shown() {
        let settings = settings("http://127.0.0.1:1");
        let shown = format!("{settings:?} {:?}", settings.client().unwrap());
        assert!(shown.contains("writer") && !shown.contains("swordfish"), "{shown}");
    }

    #[test]
    fn addresses_that_cannot_work_are_said_at_once() {
        for url in ["127.0.0.1:8123", "http://", "https://", "https://writer:secret@host:8123"] {
            let error = settings(url).client().unwrap_err().to_string();
            assert!(error.contains("http://") && !error.contains("secret"), "{url}: {error}");
        }
        let plain = Settings { ca: Some("ca.pem".into()), ..settings("http://host:8123") };
        let error = plain.client().unwrap_err().to_string();
        assert_eq!(error, "--clickhouse-ca needs an address that begins with https://");
    }

    #[test]
    fn a_ca_file_that_cannot_be_used_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ca.pem");
        let error = || {
            let settings = Settings { ca: Some(file.clone()), ..settings("https://host:8443") };
            settings.client().unwrap_err().to_string()
        };
        assert!(error().ends_with("ca.pem: No such file or directory (os error 2)"), "{}", error());
        std::fs::write(&file, "no certificate").unwrap();
        assert!(error().ends_with("ca.pem: it contains no certificate in PEM"), "{}", error());
        assert!(settings("https://host:8443").client().is_ok());
    }
}
