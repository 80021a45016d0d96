//! The ports that must be free before anything is started: one error for each that is not.
//!
//! It never frees one.

use std::io::ErrorKind;
use std::net::{SocketAddr, TcpListener};
use std::time::{Duration, Instant};

use anyhow::bail;
use arb_runtime::stop::Stop;

use crate::cli::Child;
use crate::local::tool;

/// How long a port may be kept by a server that ends: the one of a former self that was killed. Longer than the time after
/// which that is ended by force.
const FREE: Duration = Duration::from_secs(tool::END.as_secs() + 10);

/// The port is free on the loopback interface.
///
/// # Errors
/// When it is not: one sentence.
pub fn port(port: u16, option: &str) -> anyhow::Result<()> {
    address(SocketAddr::from(([127, 0, 0, 1], port)), option)
}

/// The address can be listened on.
pub(crate) fn address(address: SocketAddr, option: &str) -> anyhow::Result<()> {
    match TcpListener::bind(address) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == ErrorKind::AddrInUse => {
            bail!("{address} is in use: stop what listens there, or choose another with {option}")
        }
        Err(error) => bail!("{address} cannot be listened on ({error}): choose another with {option}"),
    }
}

/// Each address can be listened on, and no two are one.
pub(crate) fn addresses(all: &[(SocketAddr, &str)]) -> Vec<anyhow::Result<()>> {
    let check = |(index, (wanted, option)): (usize, &(SocketAddr, &str))| {
        let is_it = |(other, _): &&(SocketAddr, &str)| wanted.port() != 0 && meets(*wanted, *other);
        match all.iter().take(index).find(is_it) {
            Some((_, other)) => bail!("{wanted} is wanted twice: choose another with {other} or {option}"),
            None => address(*wanted, option),
        }
    };
    all.iter().enumerate().map(check).collect()
}

/// Whether two listeners cannot be at one time.
fn meets(one: SocketAddr, other: SocketAddr) -> bool {
    let (a, b) = (one.ip().to_canonical(), other.ip().to_canonical());
    one.port() == other.port() && (a == b || a.is_unspecified() || b.is_unspecified())
}

/// Waits until ports are free, for a child, whose former self may have been killed and its server may still be ending;
/// false after the shutdown signal.
///
/// # Errors
/// When they are not free in time: one sentence.
pub(crate) fn wait_until_free(
    child: Child,
    stop: &Stop,
    are_free: impl Fn() -> anyhow::Result<()>,
) -> anyhow::Result<bool> {
    let deadline = Instant::now() + if child.child { FREE } else { Duration::ZERO };
    while let Err(taken) = are_free() {
        if Instant::now() > deadline {
            return Err(taken);
        }
        if stop.wait(Duration::from_millis(100)) {
            return Ok(false);
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_that_want_one_port_are_named() {
        let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let any = SocketAddr::from(([0, 0, 0, 0], free.port()));
        for other in [free, any] {
            let [first, second] = &addresses(&[(other, "--listen"), (free, "--kafka-port")])[..] else {
                panic!()
            };
            assert!(first.is_ok());
            let error = second.as_ref().unwrap_err().to_string();
            assert!(
                error.ends_with("is wanted twice: choose another with --listen or --kafka-port"),
                "{error}"
            );
        }
        let unchosen = SocketAddr::from(([127, 0, 0, 1], 0));
        assert!(addresses(&[(unchosen, "a"), (unchosen, "b")]).iter().all(Result::is_ok));
    }

    #[test]
    fn a_port_in_use_is_named() {
        let taken = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = taken.local_addr().unwrap();
        let error = port(address.port(), "--kafka-port").unwrap_err().to_string();
        assert!(
            error.starts_with(&format!("{address} is in use")) && error.ends_with("--kafka-port"),
            "{error}"
        );
    }
}
