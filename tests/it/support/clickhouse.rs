//! Databases of ClickHouse that a test has for itself, asked over plain HTTP: on the server of all tests, or on one of its own, which it
//! kills and freezes as it likes.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::process::Command;

use arb_schemas::clickhouse::Databases;
use rustix::process::{Pid, Signal};
use serde_json::Value;

use super::PATIENCE;
use super::clickhouse_server::{Lease, Server};
use super::program::{RunOutput, arb, run};

/// A database of views and one of tables, with their users. Statements name them as if they had the usual names.
pub(crate) struct ClickHouse {
    on: On,
    pub(crate) databases: Databases,
    pub(crate) url: String,
}

/// Where they are.
enum On {
    Own(Server),
    /// The server of all tests: no other test has these databases meanwhile.
    Shared(Lease),
}

/// What the server answers to a statement.
pub(crate) type Answer = Result<Vec<Value>, String>;

impl ClickHouse {
    /// Databases on the server of all tests, which do not exist yet.
    pub(crate) fn start() -> Self {
        let lease = Lease::take();
        let (databases, url) = (lease.databases.clone(), lease.url.clone());
        let clickhouse = Self { on: On::Shared(lease), databases, url };
        // What a test has left that was killed.
        clickhouse.clear().unwrap();
        clickhouse
    }

    /// A server of the test's own: to be killed, frozen or filled, or because its limits are what is tested.
    pub(crate) fn own() -> Self {
        Self::own_of(&[Databases::USUAL])
    }

    /// The same with the users of these databases; statements are about the first.
    pub(crate) fn own_of(databases: &'static [&'static str]) -> Self {
        let server = Server::start(databases);
        let (databases, url) = (Databases::named(databases[0]).unwrap(), server.url());
        Self { on: On::Own(server), databases, url }
    }

    /// Removes both databases.
    fn clear(&self) -> Result<(), String> {
        for database in ["arb", "arb_store"] {
            self.try_as("migrator", &format!("DROP DATABASE IF EXISTS {database} SYNC"))?;
        }
        Ok(())
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
        command.args(["migrate", "--clickhouse-url", &self.url]);
        command.args(["--clickhouse-database", self.databases.views(), "--password-file"]).arg(file);
        command
    }

    /// The arguments of a sink that writes here, by an address of the server.
    pub(crate) fn writer(&self, url: &str) -> [String; 6] {
        self.arguments(url, ["clickhouse", "writer"], "writer")
    }

    /// The arguments of an API that reads here.
    pub(crate) fn history(&self) -> [String; 6] {
        self.arguments(&self.url, ["history", "history"], "reader")
    }

    fn arguments(&self, url: &str, [server, password]: [&str; 2], role: &str) -> [String; 6] {
        let file = self.password_file(role).display().to_string();
        let names = [
            format!("--{server}-url"),
            format!("--{server}-database"),
            format!("--{password}-password-file"),
        ];
        let [of_url, of_database, of_password] = names;
        [of_url, url.to_owned(), of_database, self.databases.views().to_owned(), of_password, file]
    }

    /// The user of a role.
    pub(crate) fn user(&self, role: &str) -> String {
        self.databases.user(role)
    }

    /// A role's password, in a file.
    pub(crate) fn password_file(&self, role: &str) -> PathBuf {
        self.home().join("clickhouse").join(format!("{}.password", self.user(role)))
    }

    /// A role's password.
    pub(crate) fn password(&self, role: &str) -> String {
        std::fs::read_to_string(self.password_file(role)).unwrap().trim().to_owned()
    }

    /// Rows that a role is shown, one object each; fails when it is refused.
    pub(crate) fn query_as(&self, role: &str, sql: &str) -> Vec<Value> {
        self.try_as(role, sql).unwrap_or_else(|error| panic!("{role}: {sql}: {error}"))
    }

    /// The rows, or the server's error.
    pub(crate) fn try_as(&self, role: &str, sql: &str) -> Answer {
        self.ask(role, &self.password(role), "", sql)
    }

    /// The same with any password and settings (`&name=value`).
    pub(crate) fn ask(&self, role: &str, password: &str, settings: &str, sql: &str) -> Answer {
        let settings = self.of_these(settings);
        let url = format!("{}/?default_format=JSONEachRow&wait_end_of_query=1{settings}", self.url);
        let agent = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(PATIENCE))
            .build()
            .new_agent();
        let request = agent.post(url).header("X-ClickHouse-User", self.user(role));
        let request = request.header("X-ClickHouse-Key", password);
        let mut response = request.send(&*self.of_these(sql)).map_err(|error| error.to_string())?;
        let text = response.body_mut().with_config().limit(1 << 30).read_to_string();
        let text = text.map_err(|error| error.to_string())?;
        if response.status() == 200 {
            Ok(text.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
        } else {
            Err(text)
        }
    }

    /// A text that names databases of the usual names, with these in their places.
    pub(crate) fn of_these<'a>(&self, text: &'a str) -> Cow<'a, str> {
        if self.databases == Databases::default() {
            return text.into();
        }
        let (views, store) = (self.databases.views(), self.databases.store());
        let is_of_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let replaced = text.split_inclusive(|c| !is_of_word(c)).map(|part| {
            let word = part.trim_end_matches(|c| !is_of_word(c));
            let name = match word {
                Databases::USUAL => views,
                "arb_store" => &store,
                word => word,
            };
            format!("{name}{}", &part[word.len()..])
        });
        replaced.collect::<String>().into()
    }

    /// The folder that has the passwords.
    fn home(&self) -> &Path {
        match &self.on {
            On::Own(server) => server.home(),
            On::Shared(lease) => &lease.home,
        }
    }

    /// A file of the server's own.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.home().join(name)
    }

    fn of_test(&self) -> &Server {
        match &self.on {
            On::Own(server) => server,
            On::Shared(_) => {
                panic!("a ClickHouse that others use is neither killed nor frozen: `ClickHouse::own`")
            }
        }
    }

    fn of_test_mut(&mut self) -> &mut Server {
        self.of_test();
        let On::Own(server) = &mut self.on else { unreachable!() };
        server
    }

    /// Kills the server with -9; `arb clickhouse` ends with it.
    pub(crate) fn kill(&mut self) {
        self.of_test_mut().kill();
    }

    /// Kills `arb clickhouse` with -9, not its server.
    pub(crate) fn kill_role(&self) {
        self.of_test().kill_role();
    }

    /// Ends the server in good order.
    pub(crate) fn stop(&mut self) {
        self.of_test_mut().stop();
    }

    /// Starts it again, on the same port and over the same tables.
    pub(crate) fn restart(&mut self) {
        self.of_test_mut().restart();
    }

    /// Stops the server's process where it is, as a machine does that hangs.
    pub(crate) fn freeze(&self) {
        self.of_test().signal(Signal::STOP);
    }

    /// Lets it go on.
    pub(crate) fn thaw(&self) {
        self.of_test().signal(Signal::CONT);
    }

    /// The server's process.
    pub(crate) fn server(&self) -> Pid {
        self.of_test().process()
    }
}

impl Drop for ClickHouse {
    fn drop(&mut self) {
        if let On::Shared(_) = self.on {
            // What is left the next test that has these databases removes.
            let _ = self.clear();
        }
    }
}
