//! A ClickHouse of the test's own: started by `arb clickhouse`, asked over plain HTTP, killed and frozen as tests
//! like.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use super::ports::port_pair;
use super::program::{Role, RunOutput, arb, run};
use super::scratch::Scratch;
use super::{PATIENCE, root, wait_for};

/// A server; it ends with the test.
pub(crate) struct ClickHouse {
    // Ends before its files are removed.
    role: Option<Role>,
    home: Scratch,
    port: u16,
    /// The databases whose users there are.
    databases: &'static [&'static str],
    pub(crate) url: String,
}

/// What the server answers to a statement.
pub(crate) type Answer = Result<Vec<Value>, String>;

impl ClickHouse {
    /// An empty server, with its roles.
    pub(crate) fn start() -> Self {
        Self::of(&["arb"])
    }

    /// The same with the roles of these databases.
    pub(crate) fn of(databases: &'static [&'static str]) -> Self {
        let home = Scratch::new();
        share_download(home.path());
        let port = port_pair();
        let mut server = Self { role: None, home, port, databases, url: format!("http://127.0.0.1:{port}") };
        server.restart();
        server
    }

    /// `arb migrate`; fails when that fails.
    pub(crate) fn migrate(&self) -> String {
        let output = self.try_migrate(&[]);
        assert!(output.success, "{}", output.err);
        output.out
    }

    /// `arb migrate` with arguments.
    pub(crate) fn try_migrate(&self, arguments: &[&str]) -> RunOutput {
        run(self.migrator().args(arguments))
    }

    /// The command `arb migrate`, not started.
    pub(crate) fn migrator(&self) -> Command {
        let file = self.password_file("migrator");
        let mut command = arb();
        command.args(["migrate", "--clickhouse-url", &self.url, "--password-file"]).arg(file);
        command
    }

    /// A user's password, in a file.
    pub(crate) fn password_file(&self, user: &str) -> PathBuf {
        self.home.path().join("clickhouse").join(format!("{user}.password"))
    }

    /// A role's password.
    pub(crate) fn password(&self, role: &str) -> String {
        std::fs::read_to_string(self.password_file(role)).unwrap().trim().to_owned()
    }

    /// A file of the server's own.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    /// Rows that a role is shown, one object each; fails when it is refused.
    pub(crate) fn query_as(&self, role: &str, sql: &str) -> Vec<Value> {
        self.try_as(role, sql).unwrap_or_else(|error| panic!("{role}: {sql}: {error}"))
    }

    /// The rows, or the server's error.
    pub(crate) fn try_as(&self, role: &str, sql: &str) -> Answer {
        self.ask(role, &self.password(role), "", sql)
    }

    /// The same with any user, password and settings (`&name=value`).
    pub(crate) fn ask(&self, user: &str, password: &str, settings: &str, sql: &str) -> Answer {
        let url = format!("{}/?default_format=JSONEachRow&wait_end_of_query=1{settings}", self.url);
        let agent = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(PATIENCE))
            .build()
            .new_agent();
        let request = agent.post(url).header("X-ClickHouse-User", user).header("X-ClickHouse-Key", password);
        let mut response = request.send(sql).map_err(|error| error.to_string())?;
        let text = response.body_mut().with_config().limit(1 << 30).read_to_string();
        let text = text.map_err(|error| error.to_string())?;
        if response.status() == 200 {
            Ok(text.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
        } else {
            Err(text)
        }
    }

    /// Kills the server with -9; `arb clickhouse` ends with it.
    pub(crate) fn kill(&mut self) {
        self.signal(Signal::KILL);
        let mut role = self.role.take().unwrap();
        wait_for("arb clickhouse ends with its server", || role.died().then_some(()));
    }

    /// Kills `arb clickhouse` with -9, not its server.
    pub(crate) fn kill_role(&self) {
        let role = self.role.as_ref().unwrap().id();
        kill_process(Pid::from_raw(role.cast_signed()).unwrap(), Signal::KILL).unwrap();
    }

    /// Ends the server in good order.
    pub(crate) fn stop(&mut self) {
        self.role.take().unwrap().stop();
    }

    /// Starts it again, on the same port and over the same tables.
    pub(crate) fn restart(&mut self) {
        assert!(self.role.is_none(), "it runs");
        let (port, native) = (self.port.to_string(), (self.port + 1).to_string());
        let (home, data) = (self.home.path().display().to_string(), self.path("data").display().to_string());
        let arguments = ["--port", &port, "--native-port", &native, "--home", &home, "--data", &data];
        let databases = self.databases.iter().flat_map(|name| ["--database", name]);
        let arguments: Vec<_> = arguments.into_iter().chain(databases).collect();
        let mut role = Role::start("clickhouse", &arguments, &self.path("clickhouse.log"));
        wait_for("ClickHouse answers", || {
            role.assert_runs();
            ureq::get(format!("{}/ping", self.url)).call().ok()
        });
        self.role = Some(role);
    }

    /// Stops the server's process where it is, as a machine does that hangs.
    pub(crate) fn freeze(&self) {
        self.signal(Signal::STOP);
    }

    /// Lets it go on.
    pub(crate) fn thaw(&self) {
        self.signal(Signal::CONT);
    }

    /// The server's process.
    pub(crate) fn server(&self) -> Pid {
        self.role.as_ref().unwrap().server()
    }

    fn signal(&self, signal: Signal) {
        kill_process(self.server(), signal).unwrap();
    }
}

/// A frozen server could not end.
impl Drop for ClickHouse {
    fn drop(&mut self) {
        if self.role.as_mut().is_some_and(|role| !role.died()) {
            self.thaw();
        }
    }
}

/// Lets a home of the test's own use the repository's download, so that ClickHouse is fetched once for all.
pub(crate) fn share_download(home: &Path) {
    static FETCHED: OnceLock<PathBuf> = OnceLock::new();
    let fetched = FETCHED.get_or_init(|| {
        let output = run(arb().args(["clickhouse", "--fetch-only", "--home"]).arg(root().join(".arb")));
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
