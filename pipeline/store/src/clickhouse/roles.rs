//! The rights of each user of ClickHouse: one list, from which the users of the packaged server (`users_xml`)
//! and the SQL for another one (`create_roles`) are generated.
//!
//! The migrator creates the schema and owns the views. The writer inserts, and reads back only the
//! coordinates of rows. The reader is the API: it reads views and the delivery log of webhooks. The analyst reads views, within limits. None of them may create a user or grant a
//! right.

use arb_schemas::clickhouse::{COORDINATES, Databases, TABLES, WEBHOOK_DELIVERIES};

/// A user of the server.
#[derive(Debug)]
pub struct Role {
    /// What it is: [`MIGRATOR`], [`WRITER`], [`READER`] or [`ANALYST`].
    pub name: &'static str,
    /// The user's name.
    pub user: String,
    /// What it may do, as SQL between GRANT and TO.
    pub grants: Vec<String>,
    /// Its settings.
    pub settings: Vec<Setting>,
    /// What it may spend.
    pub quota: Option<Quota>,
}

/// A setting of a role. All are fixed where the role is `readonly`, but for those with a range.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// As ClickHouse calls it.
    pub name: &'static str,
    /// Its value.
    pub value: &'static str,
    /// Between what it may be changed by the role's queries.
    pub range: Option<(u64, u64)>,
}

/// What may be spent within an hour.
#[derive(Debug, Clone, Copy)]
pub struct Quota {
    /// Queries.
    pub queries: u32,
    /// Seconds of execution, all queries together.
    pub execution_seconds: u32,
}

/// Makes the schema.
pub const MIGRATOR: &str = "migrator";
/// Inserts what the sink reads.
pub const WRITER: &str = "writer";
/// Reads for the API: views, and the delivery log of webhooks with what servers answered.
pub const READER: &str = "reader";
/// Reads views.
pub const ANALYST: &str = "analyst";

/// All of them, of an environment.
#[must_use]
pub fn all(of: &Databases) -> [Role; 4] {
    [migrator(of), writer(of), reader(of), analyst(of)]
}

const fn set(name: &'static str, value: &'static str) -> Setting {
    Setting { name, value, range: None }
}

/// All of both databases: what a view shows is what its definer may read.
fn migrator(of: &Databases) -> Role {
    let databases = [&*of.store(), of.views()].map(|database| format!("ALL ON {database}.*"));
    let grants = [&databases[..], &["TABLE ENGINE ON MergeTree".to_owned()]].concat();
    Role { name: MIGRATOR, user: of.user(MIGRATOR), grants, settings: Vec::new(), quota: None }
}

/// Inserts, and finds out by the coordinates what has arrived; and which schema this is.
fn writer(of: &Databases) -> Role {
    let (coordinates, store) = (COORDINATES.join(", "), of.store());
    let of_table = |table| format!("INSERT, SELECT({coordinates}) ON {store}.{table}");
    let mut grants: Vec<_> = TABLES.into_iter().map(of_table).collect();
    grants.push(format!("SELECT ON {store}.migrations"));
    // An insert is acknowledged when its rows are in the table, and only then.
    Role {
        name: WRITER,
        user: of.user(WRITER),
        grants,
        settings: vec![set("async_insert", "0")],
        quota: None,
    }
}

/// A question of the API is small: one that is not is refused, and never keeps the server from others.
fn reader(of: &Databases) -> Role {
    let settings = vec![
        // Its client sets formats with each query, which 1 forbids.
        set("readonly", "2"),
        set("max_execution_time", "10"),
        set("max_memory_usage", "500000000"),
        set("max_result_rows", "100000"),
        set("result_overflow_mode", "throw"),
        set("max_concurrent_queries_for_user", "20"),
    ];
    let (views, store) = (of.views(), of.store());
    let grants = vec![format!("SELECT ON {views}.*"), format!("SELECT ON {store}.{WEBHOOK_DELIVERIES}")];
    Role { name: READER, user: of.user(READER), grants, settings, quota: None }
}

fn analyst(of: &Databases) -> Role {
    let settings = vec![
        set("readonly", "1"),
        // Grafana sets it with every query: it may, but not to as long as it likes.
        Setting { name: "max_execution_time", value: "30", range: Some((1, 60)) },
        set("max_memory_usage", "1000000000"),
        set("max_result_rows", "1000000"),
        set("max_result_bytes", "268435456"),
        set("result_overflow_mode", "throw"),
        set("max_concurrent_queries_for_user", "20"),
    ];
    let quota = Quota { queries: 20_000, execution_seconds: 7_200 };
    let grants = vec![format!("SELECT ON {}.*", of.views())];
    Role { name: ANALYST, user: of.user(ANALYST), grants, settings, quota: Some(quota) }
}
