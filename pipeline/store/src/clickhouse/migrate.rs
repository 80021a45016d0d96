//! The migrations of the schema: each applied once, in order, and written down with the digest of its file.
//!
//! A migration that was interrupted is run again from its beginning: its statements are idempotent, and it is
//! recorded only after the last. One migrator works at a time: an earlier migration that is run again would
//! replace a view by its former definition, which a later one then cannot read. It never changes a row and never
//! migrates a schema of an unknown version.

use arb_schemas::clickhouse::{Databases, MIGRATIONS, Migration};
use clickhouse::{Client, Row};
use serde::{Deserialize, Serialize};

use super::{Error, SchemaError, Settings, migration_lock, sha256};

/// The table in which they are written down.
const COLUMNS: &str = "(
    number     UInt32,
    name       String,
    sha256     String,
    applied_at DateTime64(6, 'UTC') DEFAULT now64(6)
)
ENGINE = MergeTree
ORDER BY number";

/// What the migrator makes itself, before the first: the databases, and where migrations are written down.
fn make(databases: &Databases) -> [String; 3] {
    let (store, views) = (databases.store(), databases.views());
    [
        format!("CREATE DATABASE IF NOT EXISTS {store}"),
        format!("CREATE DATABASE IF NOT EXISTS {views}"),
        format!("CREATE TABLE IF NOT EXISTS {store}.migrations {COLUMNS}"),
    ]
}

/// A migration that is recorded as applied.
#[derive(Debug, Clone, PartialEq, Eq, Row, Serialize, Deserialize)]
pub struct Applied {
    number: u32,
    name: String,
    sha256: String,
}

impl Applied {
    fn of(migration: &Migration) -> Self {
        Self { number: migration.number, name: migration.name.to_owned(), sha256: sha256(migration.sql) }
    }
}

/// Applies what is missing, as the migrator; what that was. It waits while another migrator is at work.
///
/// # Errors
/// When a statement is refused, when the schema has an unknown version, or when another migrator does not end.
pub async fn migrate(settings: &Settings) -> Result<Vec<&'static Migration>, Error> {
    let client = settings.client()?;
    migration_lock::alone(settings, &client, apply(settings, &client)).await
}

async fn apply(settings: &Settings, client: &Client) -> Result<Vec<&'static Migration>, Error> {
    let store = settings.databases.store();
    for statement in make(&settings.databases) {
        settings.ask(client.query_raw(&statement).execute()).await?;
    }
    let pending = pending(MIGRATIONS, &applied(settings, client).await?)?;
    for migration in pending {
        for statement in migration.statements(&settings.databases) {
            settings.ask(client.query_raw(&statement).execute()).await?;
        }
        let Applied { number, name, sha256 } = Applied::of(migration);
        let line = format!("INSERT INTO {store}.migrations (number, name, sha256) VALUES (?, ?, ?)");
        let line = client.query(&line);
        settings.ask(line.bind(number).bind(name).bind(sha256).execute()).await?;
    }
    Ok(pending.iter().collect())
}

/// Whether the schema is complete and was created from the same files as this program's. Needs the right to
/// read the list of migrations; the sink checks it when it starts.
///
/// # Errors
/// When it is not, or when the server cannot be asked.
pub async fn check(settings: &Settings) -> Result<(), Error> {
    let client = settings.client()?;
    let visible = "SELECT count() FROM system.tables WHERE database = ? AND name = 'migrations'";
    let visible = client.query(visible).bind(settings.databases.store());
    let applied = match settings.ask(visible.fetch_one::<u64>()).await? {
        0 => Vec::new(),
        _ => applied(settings, &client).await?,
    };
    match pending(MIGRATIONS, &applied)? {
        [] => Ok(()),
        [first, ..] => {
            let known = MIGRATIONS.last().map_or(0, |migration| migration.number);
            Err(SchemaError::Behind { applied: first.number - 1, known }.into())
        }
    }
}

async fn applied(settings: &Settings, client: &Client) -> Result<Vec<Applied>, Error> {
    let store = settings.databases.store();
    let query = format!("SELECT DISTINCT number, name, sha256 FROM {store}.migrations ORDER BY number");
    let query = client.query_raw(&query);
    settings.ask(query.fetch_all::<Applied>()).await
}

/// What is known and not yet applied.
fn pending<'known>(
    known: &'known [Migration],
    applied: &[Applied],
) -> Result<&'known [Migration], SchemaError> {
    let last = applied.last().map_or(0, |applied| applied.number);
    let newest = known.last().map_or(0, |migration| migration.number);
    if last > newest {
        return Err(SchemaError::Newer { applied: last, known: newest });
    }
    if let Some(missing) = (1..last).find(|number| applied.iter().all(|line| line.number != *number)) {
        return Err(SchemaError::Gap { missing, last });
    }
    for line in applied {
        let is_known = known.iter().any(|migration| Applied::of(migration) == *line);
        if !is_known {
            let applied = format!("{} ({})", line.name, line.sha256.get(..8).unwrap_or_default());
            return Err(SchemaError::Changed { number: line.number, applied });
        }
    }
    let from = known.iter().position(|migration| migration.number > last).unwrap_or(known.len());
    Ok(&known[from..])
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [Migration; 3] = [
        Migration { number: 1, name: "001_a", sql: "a" },
        Migration { number: 2, name: "002_b", sql: "b" },
        Migration { number: 3, name: "003_c", sql: "c" },
    ];

    fn applied(numbers: &[usize]) -> Vec<Applied> {
        numbers.iter().map(|number| Applied::of(&KNOWN[number - 1])).collect()
    }

    #[test]
    fn the_missing_migrations_are_those_after_the_last() {
        assert_eq!(pending(&KNOWN, &[]).unwrap(), &KNOWN);
        assert_eq!(pending(&KNOWN, &applied(&[1, 2])).unwrap(), &KNOWN[2..]);
        assert_eq!(pending(&KNOWN, &applied(&[1, 2, 3])).unwrap(), &[]);
    }

    #[test]
    fn a_schema_that_is_not_known_is_refused() {
        assert_eq!(pending(&KNOWN, &applied(&[1, 3])), Err(SchemaError::Gap { missing: 2, last: 3 }));
        assert_eq!(pending(&KNOWN[..1], &applied(&[1, 2])), Err(SchemaError::Newer { applied: 2, known: 1 }));
        let mut changed = applied(&[1, 2]);
        changed[1].sha256 = sha256("another");
        let refused = pending(&KNOWN, &changed).unwrap_err();
        assert_eq!(refused, SchemaError::Changed { number: 2, applied: "002_b (ae448ac8)".to_owned() });
        // Two programs that know different files of a number, at the same time.
        let both = [applied(&[1, 2]), changed[1..].to_vec()].concat();
        assert!(matches!(pending(&KNOWN, &both), Err(SchemaError::Changed { number: 2, .. })));
    }
}
