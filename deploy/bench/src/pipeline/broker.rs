//! The CPU time of the broker, user and system, from `/proc`, where it runs on this machine.
//!
//! It measures only; where the broker is another machine's there is nothing to measure.
//!
//! Source: proc(5), `/proc/net/tcp` and `/proc/PID/fd`; `/proc/PID/task/TID/schedstat`, whose first number is nanoseconds on a core.

use std::collections::BTreeMap;
use std::fs::{read_dir, read_link, read_to_string};
use std::path::Path;
use std::time::Duration;

/// A socket that listens, as the system numbers states.
const LISTENS: &str = "0A";
/// Columns of a line of `/proc/net/tcp`.
const LOCAL: usize = 1;
const STATE: usize = 3;
const INODE: usize = 9;

/// The process that a bootstrap address leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Broker {
    process: Option<u32>,
}

/// Nanoseconds by thread.
#[derive(Debug, Clone, Default)]
pub(super) struct ThreadTimes(BTreeMap<u32, u64>);

impl Broker {
    /// The process that listens at the first of these addresses, if it is this machine's.
    pub(super) fn at(brokers: &str) -> Self {
        let first = brokers.split(',').next().and_then(|address| address.rsplit_once(':'));
        let local = first.filter(|(host, _)| host.starts_with("127.") || *host == "localhost");
        let port = local.and_then(|(_, port)| port.parse().ok());
        Self { process: port.and_then(listener) }
    }

    /// Its process, where it is known.
    pub(super) fn process(self) -> Option<u32> {
        self.process
    }

    /// What its threads have spent.
    pub(super) fn spent(self) -> ThreadTimes {
        let Some(process) = self.process else { return ThreadTimes::default() };
        ThreadTimes(
            numbers(Path::new(&format!("/proc/{process}/task")))
                .filter_map(|thread| {
                    let text = read_to_string(format!("/proc/{process}/task/{thread}/schedstat")).ok()?;
                    Some((thread, text.split_whitespace().next()?.parse().ok()?))
                })
                .collect(),
        )
    }
}

impl ThreadTimes {
    /// What was spent from then until now; `None` where nothing is known.
    pub(super) fn since(&self, then: &Self) -> Option<Duration> {
        let passed = self.0.iter().map(|(thread, now)| now - then.0.get(thread).unwrap_or(&0).min(now));
        (!self.0.is_empty()).then(|| Duration::from_nanos(passed.sum()))
    }
}

/// The process that listens on a port.
fn listener(port: u16) -> Option<u32> {
    let tables = ["/proc/net/tcp", "/proc/net/tcp6"].map(|path| read_to_string(path).unwrap_or_default());
    let inodes = tables.iter().flat_map(|table| table.lines()).filter_map(|line| inode(line, port));
    let sockets: Vec<_> = inodes.map(|inode| format!("socket:[{inode}]")).collect();
    numbers(Path::new("/proc")).find(|process| {
        let files = read_dir(format!("/proc/{process}/fd")).into_iter().flatten().flatten();
        let mut links = files.filter_map(|file| read_link(file.path()).ok());
        links.any(|link| sockets.iter().any(|socket| link.as_os_str() == socket.as_str()))
    })
}

/// The inode of a line's socket, if it listens on this port.
fn inode(line: &str, port: u16) -> Option<&str> {
    let columns: Vec<_> = line.split_whitespace().collect();
    let (local, state) = (columns.get(LOCAL)?, columns.get(STATE)?);
    let at = u16::from_str_radix(local.rsplit_once(':')?.1, 16).ok()?;
    (at == port && *state == LISTENS).then(|| columns.get(INODE).copied())?
}

/// The entries of a folder that are numbers.
fn numbers(folder: &Path) -> impl Iterator<Item = u32> {
    let entries = read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn a_broker_is_found_by_its_port_and_its_time_passes() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let broker = Broker::at(&listener.local_addr().unwrap().to_string());
        assert_eq!(broker.process(), Some(std::process::id()));
        let before = broker.spent();
        while broker.spent().since(&before).unwrap() < Duration::from_millis(1) {
            std::hint::black_box(0);
        }
    }

    #[test]
    fn another_machines_broker_has_no_time() {
        let broker = Broker::at("kafka.example:9092");
        assert_eq!(broker.process(), None);
        assert_eq!(broker.spent().since(&ThreadTimes::default()), None);
    }
}
