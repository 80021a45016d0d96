//! A local Apache Kafka: the real server, fetched by Maven, run by Java, one node.
//!
//! The broker is the child of `arb kafka`, a role like any other, which ends with its parent and takes the broker
//! with it. It is for a look and for tests: one node loses what its disk loses.
//!
//! Source: Apache Kafka 4.3 documentation, section 6.8; the settings are those of one combined node.

mod broker;

use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use arb_kafka::Cluster;
use arb_setup::progress::Report;
use arb_setup::{home, kafka};

use crate::cli::Kafka;
use crate::local::preflight;
use crate::system::signals;

use broker::Broker;

/// Whether the broker at a local port answers requests.
#[must_use]
pub fn answers(port: u16) -> bool {
    let address = SocketAddr::from(([127, 0, 0, 1], port));
    let accepts = TcpStream::connect_timeout(&address, Duration::from_millis(200)).is_ok();
    accepts && arb_kafka::answers(&Cluster::plaintext(&address.to_string()))
}

/// `arb kafka`: runs the broker until the shutdown signal.
pub(crate) fn run(config: &Kafka) -> anyhow::Result<()> {
    let stop = signals::stop(config.child)?;
    let home = &config.home.home;
    home::make(home)?;
    // Whoever started a child chose its ports by other options.
    let option = if config.child.child { "--kafka-port" } else { "--port" };
    if !preflight::wait_until_free(config.child, &stop, || are_free(config.port, option))? {
        return Ok(());
    }
    let libraries = kafka::libraries(home, Report::Live)?;
    let mut broker = Broker::start(&libraries, &config.data, config.port)?;
    while !stop.wait(Duration::from_millis(100)) {
        broker.check()?;
    }
    broker.stop();
    Ok(())
}

/// The broker's port and its controller's are free.
///
/// # Errors
/// The first that is not free, as one sentence.
pub fn are_free(port: u16, option: &str) -> anyhow::Result<()> {
    ports(port).into_iter().try_for_each(|port| preflight::port(port, option))
}

/// The broker's port and its controller's.
#[must_use]
pub fn ports(port: u16) -> [u16; 2] {
    [port, broker::controller_port(port)]
}
