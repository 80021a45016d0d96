//! Environments of ClickHouse: who may create their users, and two on one server.

use super::assert_refused;
use crate::support::clickhouse::ClickHouse;
use crate::support::program::{Role, arb, run};
use crate::support::recordings;
use crate::support::stack::Broker;
use crate::support::wait_for;

/// Each has its databases and its users, who reach nothing of the other.
#[test]
fn two_environments_share_a_server() {
    let server = ClickHouse::own_of(&["arb", "two"]);
    server.migrate();
    let of_two = ["--clickhouse-url", &server.url, "--clickhouse-database", "two"];
    let password = server.password_file("two_migrator");
    let migrated = run(arb().arg("migrate").args(of_two).arg("--password-file").arg(password));
    assert!(migrated.success, "{}", migrated.err);
    let broker = Broker::start();
    let recording = recordings::simulated(&broker.path(""), 3, 4);
    let password = server.password_file("two_writer").display().to_string();
    let to = [&of_two[..], &["--writer-password-file", &password, broker.kafka.at(), broker.kafka.named()]];
    let _sink = Role::start("sink", &to.concat(), &broker.path("sink.log"));
    broker.ingest(&recording, &[]);
    let count = |user: &str, table: &str| {
        let rows = server.query_as(user, &format!("SELECT toUInt32(count()) AS rows FROM {table}"));
        rows[0]["rows"].as_u64().unwrap()
    };
    wait_for("rows of the second environment", || (count("two_analyst", "two.ticks") > 0).then_some(()));
    assert_eq!(count("analyst", "arb.ticks"), 0);
    assert_refused(&server, "two_analyst", "SELECT * FROM arb.ticks", "ACCESS_DENIED");
    assert_refused(&server, "analyst", "SELECT * FROM two.ticks", "ACCESS_DENIED");
    assert_refused(
        &server,
        "writer",
        "INSERT INTO two_store.rejected (topic) VALUES ('mine')",
        "ACCESS_DENIED",
    );
    assert_refused(&server, "two_migrator", "DROP DATABASE arb_store", "ACCESS_DENIED");
}

/// A user who may not create them gets an error, and no user is created without a password.
#[test]
fn roles_are_created_by_who_may_and_with_passwords() {
    let server = ClickHouse::start();
    let create = |passwords: &[&str]| {
        let mut command = arb();
        command.args(["migrate", "--create-roles", "--clickhouse-user", &server.user("migrator")]);
        command
            .args(["--clickhouse-url", &server.url, "--clickhouse-database", server.databases.views()])
            .env("CLICKHOUSE_ADMIN_PASSWORD", server.password("migrator"));
        for role in passwords {
            command.env(format!("CLICKHOUSE_{role}_PASSWORD"), "swordfish");
        }
        run(&mut command)
    };
    let missing = create(&["MIGRATOR", "WRITER", "READER"]);
    assert!(missing.err.contains("set CLICKHOUSE_ANALYST_PASSWORD"), "{}", missing.err);
    let refused = create(&["MIGRATOR", "WRITER", "READER", "ANALYST"]);
    assert!(
        refused.err.contains("CREATE SETTINGS PROFILE") && refused.err.contains("ACCESS_DENIED"),
        "{}",
        refused.err
    );
    assert!(!refused.err.contains("swordfish"));
}
