//! Servers of ClickHouse, by `arb clickhouse`: that of all tests, with databases of which each test takes one, and those of tests that
//! kill or freeze theirs.

use std::fs::File;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use arb_schemas::clickhouse::Databases;
use rustix::process::{Pid, Signal, kill_process};

use super::ports::port_pair;
use super::program::{Role, arb, run};
use super::scratch::{self, Scratch};
use super::shared::Shared;
use super::wait_for;

/// Databases of the server of all tests: more than tests run at a time.
const DATABASES: u32 = 24;

/// A server of a test's own; it ends with the test.
pub(super) struct Server {
    // Ends before its files are removed.
    role: Option<Role>,
    home: Scratch,
    port: u16,
    /// The databases whose users there are.
    databases: &'static [&'static str],
}

impl Server {
    /// An empty server with the users of these databases.
    pub(super) fn start(databases: &'static [&'static str]) -> Self {
        let home = Scratch::new();
        share_download(home.path());
        let mut server = Self { role: None, home, port: port_pair(), databases };
        server.restart();
        server
    }

    pub(super) fn url(&self) -> String {
        url(self.port)
    }

    pub(super) fn home(&self) -> &Path {
        self.home.path()
    }

    pub(super) fn kill(&mut self) {
        self.signal(Signal::KILL);
        let mut role = self.role.take().unwrap();
        wait_for("arb clickhouse ends with its server", || role.died().then_some(()));
    }

    pub(super) fn kill_role(&self) {
        let role = self.role.as_ref().unwrap().id();
        kill_process(Pid::from_raw(role.cast_signed()).unwrap(), Signal::KILL).unwrap();
    }

    pub(super) fn stop(&mut self) {
        self.role.take().unwrap().stop();
    }

    pub(super) fn restart(&mut self) {
        assert!(self.role.is_none(), "it runs");
        let mut command = command(self.home(), self.port, self.databases.iter().copied());
        let mut role = Role::spawn(&mut command, &self.home().join("clickhouse.log"));
        wait_for("ClickHouse answers", || {
            role.assert_runs();
            answers(self.port).then_some(())
        });
        self.role = Some(role);
    }

    pub(super) fn process(&self) -> Pid {
        self.role.as_ref().unwrap().server()
    }

    pub(super) fn signal(&self, signal: Signal) {
        kill_process(self.process(), signal).unwrap();
    }
}

/// A frozen server could not end.
impl Drop for Server {
    fn drop(&mut self) {
        if self.role.as_mut().is_some_and(|role| !role.died()) {
            self.signal(Signal::CONT);
        }
    }
}

/// Databases of the server of all tests, for one test at a time, of whatever process.
pub(super) struct Lease {
    pub(super) databases: Databases,
    pub(super) url: String,
    /// Of the server.
    pub(super) home: PathBuf,
    _lock: File,
}

impl Lease {
    /// Takes databases that no test has.
    pub(super) fn take() -> Self {
        let Shared { folder, port, .. } = shared();
        let free = |name: String| {
            let lock = File::create(folder.join(&name)).unwrap();
            lock.try_lock().ok()?;
            let databases = Databases::named(&name).unwrap();
            Some(Self { databases, url: url(*port), home: folder.join("data"), _lock: lock })
        };
        wait_for("databases that no test has", || names().find_map(free))
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if std::thread::panicking() {
            scratch::show(&self.home);
        }
    }
}

fn names() -> impl Iterator<Item = String> {
    (0..DATABASES).map(|number| format!("test_{number}"))
}

/// The server that all tests share.
fn shared() -> &'static Shared {
    static SHARED: OnceLock<Shared> = OnceLock::new();
    let start = |home: &Path, port| {
        std::fs::create_dir_all(home).unwrap();
        share_download(home);
        command(home, port, names())
    };
    SHARED.get_or_init(|| Shared::find("clickhouse", port_pair, start, answers))
}

fn url(port: u16) -> String {
    format!("http://127.0.0.1:{port}")
}

fn answers(port: u16) -> bool {
    ureq::get(format!("{}/ping", url(port))).call().is_ok()
}

/// `arb clickhouse` in a home, which ends when its standard input does.
fn command(home: &Path, port: u16, databases: impl Iterator<Item = impl AsRef<str>>) -> Command {
    let mut command = arb();
    command.args(["clickhouse", "--child", "--port", &port.to_string()]);
    command.args(["--native-port", &(port + 1).to_string(), "--home"]).arg(home);
    command.arg("--data").arg(home.join("data"));
    for database in databases {
        command.args(["--database", database.as_ref()]);
    }
    command
}

/// Lets a home of the test's own use the repository's download, so that ClickHouse is fetched once for all.
pub(crate) fn share_download(home: &Path) {
    static FETCHED: OnceLock<PathBuf> = OnceLock::new();
    let fetched = FETCHED.get_or_init(|| {
        let output = run(arb().args(["clickhouse", "--fetch-only", "--home"]).arg(super::home()));
        assert!(output.success, "{}", output.err);
        PathBuf::from(output.out.trim())
    });
    std::fs::write(home.join("arb-home"), "").unwrap();
    // A `clickhouse` of the machine needs no folder.
    if fetched.is_absolute() {
        std::fs::create_dir_all(home.join("clickhouse")).unwrap();
        symlink(fetched, home.join("clickhouse").join(fetched.file_name().unwrap())).unwrap();
    }
}
