//! One migrator at a time: each keeps a query with the same id running, and the server refuses a second one.
//!
//! ClickHouse has no locks for its clients. The query sends a row every tenth of a second and does nothing else.
//! A migrator that is killed closes its connection, with which the server ends the query, so that the next one
//! goes on at once: nothing is left that must be cleared by hand. A statement that it had sent is not waited for:
//! the server takes some milliseconds for it, as the next migrator does before its first. It must never wait
//! without a limit, nor let a migrator go on whose query has ended.
//!
//! Source: the documentation of ClickHouse 26.7 (`query_id`, `readonly` and
//! `cancel_http_readonly_queries_on_client_close` of the HTTP interface).

use std::future::Future;
use std::time::Duration;

use clickhouse::query::BytesCursor;
use clickhouse::{Client, Compression};
use tokio::time::{Instant, sleep, timeout};

use super::{Error, Settings};

/// With what the id of the query begins; the name of the environment follows.
const QUERY_ID: &str = "migrate-";
/// It ends by itself after a day.
const QUERY: &str = "SELECT sleepEachRow(0.1) FROM numbers(864000)";
/// How a server calls the refusal.
const REFUSAL: &str = "QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING";
/// How long another migrator may take.
const PATIENCE: Duration = Duration::from_mins(10);
/// How long until the server is asked again.
const PAUSE: Duration = Duration::from_millis(200);
/// How long its next row may take.
const SILENCE: Duration = Duration::from_secs(10);

/// Does work while no other migrator does any on this server.
///
/// # Errors
/// The work's; that another migrator did not end within [`PATIENCE`]; that the server ended the query.
pub(super) async fn alone<T>(
    settings: &Settings,
    client: &Client,
    work: impl Future<Output = Result<T, Error>>,
) -> Result<T, Error> {
    let mut lock = lock(settings, client).await?;
    tokio::select! {
        result = work => result,
        error = lost(settings, &mut lock) => Err(error),
    }
}

/// Waits until the query runs.
async fn lock(settings: &Settings, client: &Client) -> Result<BytesCursor, Error> {
    let (deadline, id) = (Instant::now() + PATIENCE, format!("{QUERY_ID}{}", settings.databases.views()));
    let mut is_told = false;
    loop {
        match settings.ask(start(client, &id)).await {
            Err(error) if !is_held(&error) => return Err(error),
            Err(_) if Instant::now() > deadline => return Err(Error::Migrating(PATIENCE)),
            Err(_) => {}
            Ok(lock) => return Ok(lock),
        }
        if !std::mem::replace(&mut is_told, true) {
            tracing::info!("another migrator is at work: waiting until it has finished");
        }
        sleep(PAUSE).await;
    }
}

/// Starts the query; its first row says that it runs.
async fn start(client: &Client, id: &str) -> clickhouse::error::Result<BytesCursor> {
    let settings = [
        ("query_id", id),
        ("readonly", "2"),
        ("cancel_http_readonly_queries_on_client_close", "1"),
        // Whatever the server's profile says.
        ("max_execution_time", "0"),
        ("replace_running_query", "0"),
        // Each row must leave the server at once, neither compressed nor collected with others.
        ("max_block_size", "1"),
        ("http_response_buffer_size", "1"),
    ];
    let query = client.clone().with_compression(Compression::None).query_raw(QUERY);
    let query = settings.into_iter().fold(query, |query, (name, value)| query.with_setting(name, value));
    let mut rows = query.fetch_bytes("TabSeparated")?;
    rows.next().await?;
    Ok(rows)
}

fn is_held(error: &Error) -> bool {
    let Error::Server { source, .. } = error else { return false };
    matches!(&**source, clickhouse::error::Error::BadResponse(text) if text.contains(REFUSAL))
}

/// Waits until the query has ended, or is not heard of any more, neither of which it should.
async fn lost(settings: &Settings, lock: &mut BytesCursor) -> Error {
    loop {
        match timeout(SILENCE, lock.next()).await {
            Ok(Ok(Some(_))) => {}
            Ok(Ok(None)) | Err(_) => return Error::NotAlone,
            Ok(Err(error)) => return settings.refused(error),
        }
    }
}
