//! The server of the measurement: a dedicated ClickHouse with the sink's tables, in a temporary folder.
//!
//! It is removed afterwards. The passwords are fixed: they are used on no other server.

use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use anyhow::bail;
use arb::local;
use arb::local::children::Children;
use arb::local::clickhouse::passwords;
use arb_runtime::fail_point::FailPoints;
use arb_runtime::stop::Stop;
use arb_schemas::clickhouse::Databases;
use arb_setup::progress::{Progress, Report};
use arb_sink::store::{Store, TimeOuts};
use arb_store::clickhouse::{self, Settings, roles};
use tokio::runtime::Runtime;

use super::crate_insert::CrateInsert;
use super::post::{Post, ask, escaped};
use crate::pipeline::free_port;

/// In the order in which the sink sends them.
const ORDER: &str = "ORDER BY kafka_offset, row_index";

/// The columns of the table, without the one that the server adds.
const COLUMNS: &str = "topic, topic_id, kafka_partition, kafka_offset, row_index, source, received_at, polled, event_id, \
                       sport, league, home, away, commence_time, book, market, period, line, outcome, side, price, \
                       status, bet_limit, last_seen_at, price_moved_at";

/// A server with tables.
pub(super) struct ClickHouseGround {
    pub(super) address: SocketAddr,
    pub(super) runtime: Runtime,
    pub(super) crate_insert: CrateInsert,
    pub(super) store: Store,
    migrator: Settings,
    writer: Settings,
}

impl ClickHouseGround {
    pub(super) fn prepare(home: &Path, children: &mut Children, stop: &Stop) -> anyhow::Result<Self> {
        arb_setup::clickhouse::program(home, Report::Live)?;
        let port = free_port(|port| local::clickhouse::ports(port, "", port + 1, ""))?;
        let _progress = Progress::start("starting ClickHouse", Report::Live);
        let (data, home_text) =
            (children.folder().join("clickhouse").display().to_string(), home.display().to_string());
        let (http, native) = (port.to_string(), (port + 1).to_string());
        let ports = ["--child", "--port", &http, "--native-port", &native];
        children.start("clickhouse", &[&ports[..], &["--data", &data, "--home", &home_text]].concat())?;
        children.wait(stop, "ClickHouse", || local::clickhouse::answers(port))?;
        let address = SocketAddr::from(([127, 0, 0, 1], port));
        let as_role = |role: &str| -> anyhow::Result<Settings> {
            let password = passwords::read(&passwords::file(home, role))?;
            let (url, user) = (format!("http://{address}"), role.to_owned());
            Ok(Settings { url, ca: None, user, password, databases: Databases::default() })
        };
        let (migrator, writer) = (as_role(roles::MIGRATOR)?, as_role(roles::WRITER)?);
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        runtime.block_on(clickhouse::migrate(&migrator))?;
        let time_outs = TimeOuts {
            send: Duration::from_mins(1),
            search: Duration::from_mins(1),
            insert: Duration::from_mins(1),
        };
        let store = Store::new(writer.client_of_tables()?, time_outs, FailPoints::default());
        let crate_insert = CrateInsert::new(&writer)?;
        Ok(Self { address, runtime, crate_insert, store, migrator, writer })
    }

    fn ask(&self, sql: &str, settings: &str) -> anyhow::Result<Vec<u8>> {
        let path = format!("/?query={}{settings}", escaped(sql));
        ask(self.address, &path, &self.migrator.user, &self.migrator.password)
    }

    /// Empties the table.
    pub(super) fn empty(&self) -> anyhow::Result<()> {
        self.ask("TRUNCATE TABLE arb_store.ticks", "").map(drop)
    }

    /// The rows that are there as the server writes them.
    pub(super) fn body(&self, is_packed: bool) -> anyhow::Result<Vec<u8>> {
        let sql = format!("SELECT {COLUMNS} FROM arb_store.ticks {ORDER} FORMAT RowBinary");
        self.ask(&sql, if is_packed { "&compress=1" } else { "" })
    }

    /// Fails unless so many rows are there.
    pub(super) fn check(&self, rows: u64) -> anyhow::Result<()> {
        let count = self.ask("SELECT count() FROM arb_store.ticks", "")?;
        let found = String::from_utf8_lossy(&count).trim().to_owned();
        if found != rows.to_string() {
            bail!("{found} rows arrived of {rows}");
        }
        Ok(())
    }

    /// Posts rows that are there already.
    pub(super) fn insert(
        &self,
        post: &mut Post,
        body: &[u8],
        is_packed: bool,
        token: &str,
    ) -> anyhow::Result<()> {
        let sql = format!("INSERT INTO arb_store.ticks ({COLUMNS}) FORMAT RowBinary");
        let packed = if is_packed { "&decompress=1" } else { "" };
        let path =
            format!("/?query={}&async_insert=0&insert_deduplication_token={token}{packed}", escaped(&sql));
        post.send(&path, &self.writer.user, &self.writer.password, body)
    }
}
