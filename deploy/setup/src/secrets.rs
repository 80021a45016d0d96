//! The environment variables that hold secrets.
//!
//! A child process inherits the environment of its parent: the code that starts one removes the secrets that
//! it does not need. No secret is read here.

/// Key of The Odds API.
pub const ODDS_API_KEY: &str = "ODDS_API_KEY";
/// ClickHouse password of the sink.
pub const WRITER: &str = "CLICKHOUSE_WRITER_PASSWORD";
/// ClickHouse password of the user that migrates the schema.
pub const MIGRATOR: &str = "CLICKHOUSE_MIGRATOR_PASSWORD";
/// ClickHouse password of the API.
pub const READER: &str = "CLICKHOUSE_READER_PASSWORD";
/// ClickHouse password of the analysts; needed only to create their user.
pub const ANALYST: &str = "CLICKHOUSE_ANALYST_PASSWORD";
/// ClickHouse password of the user that creates users.
pub const ADMIN: &str = "CLICKHOUSE_ADMIN_PASSWORD";
/// Kafka password of SASL PLAIN and SCRAM.
pub const KAFKA: &str = "KAFKA_PASSWORD";
/// Secret of SASL OAUTHBEARER that tokens are issued for.
pub const KAFKA_OAUTH: &str = "KAFKA_OAUTH_CLIENT_SECRET";
/// Key of an account of the board, for commands that use its API.
pub const API_KEY: &str = "ARB_KEY";

/// All of them.
pub const ALL: [&str; 9] =
    [ODDS_API_KEY, WRITER, MIGRATOR, READER, ANALYST, ADMIN, KAFKA, KAFKA_OAUTH, API_KEY];
