//! The local ClickHouse: its migrations, the rights of its users, and the rows that survive a kill.

mod columns;
mod environments;

use std::process::Stdio;
use std::time::Duration;

use arb_schemas::clickhouse::{Databases, MIGRATIONS, TABLES};
use arb_store::clickhouse::{role_statements, roles};
use serde_json::{Value, json};

use crate::support::clickhouse::ClickHouse;
use crate::support::program::{arb, run};
use crate::support::wait::{pace, wait_for};

fn texts(rows: &[Value], column: &str) -> Vec<String> {
    rows.iter().map(|row| row[column].as_str().unwrap().to_owned()).collect()
}

/// Fails unless the server refuses, in these words.
fn assert_refused(server: &ClickHouse, role: &str, sql: &str, words: &str) {
    let refused = server.try_as(role, sql).expect_err(&format!("{role} may: {sql}"));
    assert!(refused.contains(words), "{role}: {sql}: {refused}");
}

#[test]
fn migrations_are_applied_once_and_written_down() {
    let server = ClickHouse::start();
    let before = server.try_migrate(&["--check"]);
    let newest = MIGRATIONS.last().unwrap().number;
    assert!(
        before
            .err
            .contains(&format!("it is at migration 0 and this program needs {newest}: run arb migrate"))
    );
    let output: Vec<_> = MIGRATIONS.iter().map(|migration| format!("applied {}", migration.name)).collect();
    assert_eq!(server.migrate().lines().collect::<Vec<_>>(), output);
    assert_eq!(server.migrate(), "nothing to apply\n");
    assert!(server.try_migrate(&["--check"]).success);
    let lines = server.query_as("migrator", "SELECT number, name FROM arb_store.migrations ORDER BY number");
    let names: Vec<_> = MIGRATIONS.iter().map(|migration| migration.name).collect();
    assert_eq!(texts(&lines, "name"), names);
    let tables =
        "SELECT name FROM system.tables WHERE database = 'arb_store' AND name != 'migrations' ORDER BY name";
    let mut expected = TABLES;
    expected.sort_unstable();
    assert_eq!(texts(&server.query_as("migrator", tables), "name"), expected);
}

/// Migrator and writer refuse each with a sentence that names the remedy.
#[test]
fn a_schema_that_is_not_known_is_refused() {
    let server = ClickHouse::start();
    server.migrate();
    let newest = MIGRATIONS.last().unwrap().number;
    let refused = |change: &str, words: &str| {
        server.query_as("migrator", change);
        for arguments in [&[][..], &["--check"]] {
            let output = server.try_migrate(arguments);
            assert!(!output.success && output.err.contains(words), "{change}: {}", output.err);
        }
        server.query_as("migrator", "DROP TABLE arb_store.migrations SYNC");
        server.migrate();
    };
    let insert = "INSERT INTO arb_store.migrations (number, name, sha256) VALUES";
    let (next, gap) = (newest + 1, newest + 2);
    refused(
        &format!("{insert} ({next}, 'next', 'ab')"),
        &format!("it is at migration {next} and this program knows {newest}: use a newer arb"),
    );
    refused(&format!("{insert} ({gap}, 'gap', 'ab')"), "use a newer arb");
    refused(
        &format!("{insert} (1, '001_tables', 'abcdefgh12')"),
        "migration 1 was applied as 001_tables (abcdefgh) and its file has been changed since",
    );
    if newest > 1 {
        refused(
            "ALTER TABLE arb_store.migrations DELETE WHERE number = 1 SETTINGS mutations_sync = 1",
            &format!("migration 1 is not applied though {newest} is"),
        );
    }
}

/// As if a migrator had died between two statements: the statements that it had run do not disturb the next
/// one.
#[test]
fn a_migration_that_was_cut_goes_on() {
    let server = ClickHouse::start();
    let first = MIGRATIONS[0].statements(&server.databases);
    server.query_as("migrator", "CREATE DATABASE arb_store");
    for statement in &first[..first.len() / 2] {
        server.query_as("migrator", statement);
    }
    server.query_as("migrator", "INSERT INTO arb_store.ticks (topic, kafka_offset) VALUES ('kept', 7)");
    assert_eq!(server.migrate().lines().count(), MIGRATIONS.len());
    let kept = server.query_as("migrator", "SELECT kafka_offset FROM arb_store.ticks WHERE topic = 'kept'");
    assert_eq!(kept.len(), 1);
}

/// One of them applies all. Without a lock one replaces views by their former definitions, which the other reads.
#[test]
fn of_six_migrators_at_a_time_one_applies_all() {
    let server = ClickHouse::start();
    let outputs = std::thread::scope(|scope| {
        let migrators = [(); 6].map(|()| scope.spawn(|| server.migrate()));
        migrators.map(|migrator| migrator.join().unwrap())
    });
    let (idle, busy): (Vec<_>, Vec<_>) = outputs.iter().partition(|output| *output == "nothing to apply\n");
    assert_eq!((idle.len(), busy.len()), (5, 1), "{outputs:?}");
    assert_eq!(busy[0].lines().count(), MIGRATIONS.len());
    assert!(server.try_migrate(&["--check"]).success);
}

#[test]
fn a_migrator_that_is_killed_keeps_no_other_out() {
    let server = ClickHouse::start();
    for life in [20, 100, 200, 400, 800].map(Duration::from_millis) {
        server.query_as("migrator", "DROP DATABASE IF EXISTS arb SYNC");
        server.query_as("migrator", "DROP DATABASE IF EXISTS arb_store SYNC");
        let mut migrator = server.migrator().stdout(Stdio::null()).spawn().unwrap();
        pace("how far the migrator comes before it is killed", life);
        migrator.kill().unwrap();
        migrator.wait().unwrap();
        server.migrate();
        assert!(server.try_migrate(&["--check"]).success);
    }
}

#[test]
fn an_analyst_reads_views_and_nothing_else() {
    let server = ClickHouse::start();
    server.migrate();
    // One more, so that there is one to read, over every table.
    let all: Vec<_> = TABLES.iter().map(|table| format!("SELECT topic FROM arb_store.{table}")).collect();
    let migrator = server.user("migrator");
    let definer = format!("CREATE VIEW arb.of_the_test DEFINER = {migrator} SQL SECURITY DEFINER AS");
    server.query_as("migrator", &format!("{definer} {}", all.join(" UNION ALL ")));
    let views = texts(&server.query_as("analyst", "SHOW TABLES FROM arb"), "name");
    assert!(views.contains(&"of_the_test".to_owned()));
    for view in views {
        let of_time =
            if view.ends_with("_between") { "(since = '2026-01-01', until = '2026-01-02')" } else { "" };
        server.query_as("analyst", &format!("SELECT * FROM arb.{view}{of_time} LIMIT 1"));
    }
    for table in TABLES.iter().chain(&["migrations"]) {
        assert_refused(&server, "analyst", &format!("SELECT * FROM arb_store.{table}"), "ACCESS_DENIED");
    }
    let grant = format!("GRANT SELECT ON arb.* TO {}", server.user("writer"));
    for refused in [
        &*grant,
        "SELECT * FROM system.users",
        "SHOW USERS",
        "SHOW CREATE USER migrator",
        "SELECT * FROM system.grants",
        "SELECT * FROM system.processes",
        "SELECT * FROM url('http://127.0.0.1:1/', 'LineAsString')",
        "SELECT * FROM file('/etc/passwd', 'LineAsString')",
        "CREATE TABLE arb.mine (number UInt8) ENGINE = MergeTree ORDER BY number",
        "CREATE VIEW arb.mine AS SELECT 1",
        "CREATE TEMPORARY TABLE mine (number UInt8)",
        "CREATE USER mine",
        "INSERT INTO arb_store.rejected (topic) VALUES ('mine')",
        "DROP VIEW arb.of_the_test",
        "KILL QUERY WHERE user = 'migrator'",
        "SYSTEM STOP MERGES arb_store.ticks",
    ] {
        let refused_as = server.try_as("analyst", refused).expect_err(refused);
        assert!(
            refused_as.contains("ACCESS_DENIED") || refused_as.contains("READONLY"),
            "{refused}: {refused_as}"
        );
    }
    let databases = texts(&server.query_as("analyst", "SELECT name FROM system.databases"), "name");
    assert!(!databases.contains(&server.databases.store()), "{databases:?}");
}

/// Grafana sets a time limit with each query, and may; no user may read more, longer or with more memory than
/// allowed.
#[test]
fn an_analysts_limits_hold() {
    let server = ClickHouse::own();
    server.migrate();
    let with = |settings: &str, sql: &str| server.ask("analyst", &server.password("analyst"), settings, sql);
    assert!(with("&max_execution_time=60", "SELECT 1").is_ok());
    for (setting, words) in [
        ("&max_execution_time=61", "SETTING_CONSTRAINT_VIOLATION"),
        ("&max_execution_time=0", "SETTING_CONSTRAINT_VIOLATION"),
        ("&max_memory_usage=0", "READONLY"),
        ("&max_result_rows=0", "READONLY"),
        ("&readonly=0", "READONLY"),
        ("&max_concurrent_queries_for_user=0", "READONLY"),
    ] {
        let refused = with(setting, "SELECT 1").expect_err(setting);
        assert!(refused.contains(words), "{setting}: {refused}");
    }
    let slow = "SELECT count() FROM numbers(1000000000000) WHERE NOT ignore(sipHash64(number))";
    for (sql, words) in [
        (slow, "TIMEOUT_EXCEEDED"),
        ("SELECT number FROM numbers(1000001)", "TOO_MANY_ROWS_OR_BYTES"),
        ("SELECT repeat('x', 1000 + number % 2) FROM numbers(300000)", "TOO_MANY_ROWS_OR_BYTES"),
        ("SELECT length(groupArray(number)) FROM numbers(1000000000)", "MEMORY_LIMIT_EXCEEDED"),
    ] {
        // As long as an analyst may have, so that a busy machine comes to the limit that is meant.
        let settings = if sql == slow { "&max_execution_time=1" } else { "&max_execution_time=60" };
        let refused = with(settings, sql).expect_err(sql);
        assert!(refused.contains(words), "{sql}: {refused}");
    }
}

#[test]
fn a_writer_inserts_and_reads_where_rows_came_from() {
    let server = ClickHouse::start();
    server.migrate();
    let coordinates = "SELECT topic, kafka_partition, kafka_offset, row_index FROM arb_store";
    for table in TABLES {
        server.query_as(
            "writer",
            &format!("INSERT INTO arb_store.{table} (topic, kafka_offset) VALUES ('t', 5)"),
        );
        let rows = server.query_as("writer", &format!("{coordinates}.{table} WHERE kafka_offset = 5"));
        let place = json!({"topic": "t", "kafka_partition": 0, "kafka_offset": 5, "row_index": 0});
        // 64-bit numbers may be strings in JSON.
        assert_eq!(rows.len(), 1);
        assert_eq!(rows[0]["topic"], place["topic"]);
        let columns =
            format!("SELECT name FROM system.columns WHERE database = 'arb_store' AND table = '{table}'");
        assert!(server.query_as("writer", &columns).len() > 6, "what it writes is not visible: {table}");
        for refused in [
            format!("SELECT inserted_at FROM arb_store.{table}"),
            format!("SELECT * FROM arb_store.{table}"),
            format!("DELETE FROM arb_store.{table} WHERE true"),
            format!("ALTER TABLE arb_store.{table} DELETE WHERE true"),
            format!("ALTER TABLE arb_store.{table} UPDATE topic = 'u' WHERE true"),
            format!("ALTER TABLE arb_store.{table} ADD COLUMN mine UInt8"),
            format!("ALTER TABLE arb_store.{table} DROP PARTITION tuple()"),
            format!("OPTIMIZE TABLE arb_store.{table}"),
            format!("TRUNCATE TABLE arb_store.{table}"),
            format!("DROP TABLE arb_store.{table}"),
        ] {
            assert_refused(&server, "writer", &refused, "ACCESS_DENIED");
        }
    }
    for refused in [
        "INSERT INTO arb_store.migrations (number) VALUES (99)",
        "CREATE TABLE arb_store.mine (number UInt8) ENGINE = MergeTree ORDER BY number",
        "SHOW CREATE USER analyst",
    ] {
        assert_refused(&server, "writer", refused, "ACCESS_DENIED");
    }
    let waits = "SELECT value FROM system.settings WHERE name = 'async_insert'";
    assert_eq!(texts(&server.query_as("writer", waits), "value"), ["0"]);
    // As the sink checks when it starts.
    let (user, databases) = (server.user("writer"), server.databases.views());
    let mut check = arb();
    check.args(["migrate", "--check", "--clickhouse-url", &server.url, "--clickhouse-database", databases]);
    check.args(["--clickhouse-user", &user, "--password-file"]).arg(server.password_file("writer"));
    let output = run(&mut check);
    assert!(output.success, "{}", output.err);
}

#[test]
fn no_user_may_connect_without_a_password() {
    let server = ClickHouse::own();
    server.migrate();
    for user in ["migrator", "writer", "reader", "analyst", "nobody"] {
        for password in ["", "wrong"] {
            let refused = server.ask(user, password, "", "SELECT 1").expect_err(user);
            assert!(refused.contains("AUTHENTICATION_FAILED"), "{user}: {refused}");
        }
    }
    // The user that keeps the packaged server running has spent its allowance.
    for sql in [
        "SELECT * FROM file('/etc/hostname', 'LineAsString', 'line String')",
        "SYSTEM STOP LISTEN HTTP",
        "KILL QUERY WHERE user = 'default'",
    ] {
        let refused = server.ask("default", "", "", sql).expect_err(sql);
        assert!(
            refused.contains("QUOTA_EXCEEDED") || refused.contains("AUTHENTICATION_FAILED"),
            "{sql}: {refused}"
        );
    }
    let wrong = server.path("wrong");
    std::fs::write(&wrong, "wrong").unwrap();
    let output = server.try_migrate(&[]);
    assert!(output.success);
    let mut command = arb();
    let output =
        run(command.args(["migrate", "--clickhouse-url", &server.url, "--password-file"]).arg(&wrong));
    assert_eq!(output.err.lines().count(), 1, "{}", output.err);
    assert!(
        output.err.contains("as migrator: Code: 516") && !output.err.contains(&server.password("migrator"))
    );
    let nowhere =
        run(arb().args(["migrate", "--clickhouse-url", "http://127.0.0.1:9", "--password-file"]).arg(wrong));
    assert!(
        nowhere.err.contains("ClickHouse at http://127.0.0.1:9") && nowhere.err.contains("refused"),
        "{}",
        nowhere.err
    );
}

/// What was acknowledged is there after -9; the process's, not the machine's.
#[test]
fn a_killed_server_has_what_it_acknowledged() {
    let mut server = ClickHouse::own();
    server.migrate();
    let insert = |server: &ClickHouse, offset: usize| {
        let row = format!("INSERT INTO arb_store.rejected (topic, kafka_offset) VALUES ('kill', {offset})");
        server.try_as("writer", &row).is_ok()
    };
    let count = "SELECT kafka_offset FROM arb_store.rejected WHERE topic = 'kill'";
    let mut acknowledged = 0;
    for _ in 0..3 {
        for _ in 0..40 {
            assert!(insert(&server, acknowledged));
            acknowledged += 1;
        }
        server.kill();
        assert!(!insert(&server, acknowledged));
        server.restart();
        assert_eq!(server.query_as("writer", count).len(), acknowledged);
    }
    server.stop();
    server.restart();
    assert_eq!(server.query_as("writer", count).len(), acknowledged);
}

#[test]
fn a_server_ends_with_who_started_it_and_says_what_is_wrong() {
    let server = ClickHouse::own();
    let port = server.url.rsplit_once(':').unwrap().1;
    let taken = run(arb().args(["clickhouse", "--port", port, "--home"]).arg(server.path("")));
    assert!(taken.err.contains(&format!("127.0.0.1:{port} is in use")), "{}", taken.err);
    let process = format!("/proc/{}", server.server());
    server.kill_role();
    wait_for("the server ends", || (!std::path::Path::new(&process).exists()).then_some(()));
}

/// TERM does not reach a process that hangs; after its budget it is killed.
#[test]
fn a_hanging_server_is_ended_too() {
    let mut server = ClickHouse::own();
    let process = format!("/proc/{}", server.server());
    server.freeze();
    server.stop();
    assert!(!std::path::Path::new(&process).exists());
}

/// The packaged server has no storage for users of SQL, so it checks of the statements what it can: their
/// syntax, and that the settings exist.
#[test]
fn the_roles_in_sql_are_what_the_server_understands() {
    let server = ClickHouse::start();
    let explain = |statement: &str| server.try_as("migrator", &format!("EXPLAIN AST {statement}"));
    for role in roles::all(&Databases::default()) {
        for statement in role_statements(&role, "it's") {
            explain(&statement).unwrap_or_else(|error| panic!("{statement}: {error}"));
        }
        for setting in &role.settings {
            let known = format!("SELECT 1 FROM system.settings WHERE name = '{}'", setting.name);
            assert_eq!(server.query_as("migrator", &known).len(), 1, "{}", setting.name);
        }
    }
    let refused = explain("GRANT SELECT ON TO analyst").expect_err("no statement");
    assert!(refused.contains("SYNTAX_ERROR"), "{refused}");
}

#[test]
fn a_server_that_is_ended_and_started_again_notes_no_unclean_restart() {
    let mut server = ClickHouse::own();
    server.stop();
    server.restart();
    let log = std::fs::read_to_string(server.path("data/clickhouse.log")).unwrap();
    assert!(log.matches("Writing pid").count() == 2 && !log.contains("unclean restart"), "{log}");
}
