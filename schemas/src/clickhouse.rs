//! What lies in ClickHouse: the databases, the tables that the sink writes, and the numbered migrations that make
//! both, as the files of `clickhouse/NNN_*.sql`.
//!
//! It never talks to a server, and a migration of a release is never changed: another one follows it.

/// The databases of one environment, and the names of their users: that of the views, which analysts read, has the environment's name; that of the
/// tables, which only the sink and the migrator touch, is beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Databases(String);

impl Default for Databases {
    fn default() -> Self {
        Self(Self::USUAL.to_owned())
    }
}

impl Databases {
    /// The name where none is chosen.
    pub const USUAL: &str = "arb";
    /// Longest name, in bytes.
    const LONGEST: usize = 40;

    /// Of a name: at most 40 small letters, digits and underscores, the first a letter, that does not end as a database of tables does.
    ///
    /// ```
    /// use arb_schemas::clickhouse::Databases;
    ///
    /// let databases = Databases::named("staging").unwrap();
    /// assert_eq!((databases.views(), &*databases.store()), ("staging", "staging_store"));
    /// assert_eq!(databases.user("writer"), "staging_writer");
    /// assert_eq!(Databases::default().user("writer"), "writer");
    /// assert_eq!(Databases::named("a; DROP"), None);
    /// ```
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let is_name = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        let begins = name.starts_with(|first: char| first.is_ascii_lowercase());
        let is_taken =
            ["default", "system", "information_schema"].contains(&name) || name.ends_with("_store");
        let is_one = begins && name.len() <= Self::LONGEST && name.bytes().all(is_name) && !is_taken;
        is_one.then(|| Self(name.to_owned()))
    }

    /// The database of the views.
    #[must_use]
    pub fn views(&self) -> &str {
        &self.0
    }

    /// The database of the tables.
    #[must_use]
    pub fn store(&self) -> String {
        format!("{}_store", self.0)
    }

    /// The user of a role: two environments of one server share none.
    #[must_use]
    pub fn user(&self, role: &str) -> String {
        if self.0 == Self::USUAL { role.to_owned() } else { format!("{}_{role}", self.0) }
    }
}

/// The tables that the sink writes. Each has the columns of [`COORDINATES`].
pub const TABLES: [&str; 10] = [
    "ticks",
    PRIVATE_TICKS,
    "window_transitions",
    "line_movements",
    "stale_alerts",
    "rejected",
    "signal_transitions",
    WEBHOOK_DELIVERIES,
    "pick_transitions",
    "window_gradings",
];
/// The table of the ticks of private sources, which no view reads.
pub const PRIVATE_TICKS: &str = "private_ticks";
/// The table of the delivery log, which the API reads too.
pub const WEBHOOK_DELIVERIES: &str = "webhook_deliveries";
/// Which Kafka record a row was made from, and which of its rows it is: together they name a row once.
pub const COORDINATES: [&str; 5] = ["topic", "topic_id", "kafka_partition", "kafka_offset", "row_index"];

/// One file: statements that can be run again, wherever a run of them was cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Migration {
    /// From 1, without a gap.
    pub number: u32,
    /// The file's name without its ending.
    pub name: &'static str,
    /// The file.
    pub sql: &'static str,
}

/// Embeds files by their names; the number is the place in the list.
macro_rules! migrations {
    ($($name:literal),+ $(,)?) => {
        &number([$(Migration { number: 0, name: $name, sql: include_str!(concat!("../clickhouse/", $name, ".sql")) }),+])
    };
}

/// All of them, in order. A test compares the list with the folder.
pub const MIGRATIONS: &[Migration] = migrations!["001_tables", "002_views"];

const fn number<const N: usize>(mut migrations: [Migration; N]) -> [Migration; N] {
    let (mut at, mut number) = (0, 1);
    while at < N {
        migrations[at].number = number;
        at += 1;
        number += 1;
    }
    migrations
}

impl Migration {
    /// Its statements for these databases, one after the other, without comments at their beginning.
    #[must_use]
    pub fn statements(&self, databases: &Databases) -> Vec<String> {
        let fill =
            |sql: &str| sql.replace("{store}", &databases.store()).replace("{views}", databases.views());
        self.templates().into_iter().map(fill).collect()
    }

    /// The same, with `{store}` and `{views}` for the databases.
    fn templates(&self) -> Vec<&'static str> {
        let (mut statements, mut start) = (Vec::new(), 0);
        for end in ends(self.sql) {
            statements.push(without_comments(&self.sql[start..end]));
            start = end + 1;
        }
        statements.push(without_comments(self.sql.get(start..).unwrap_or_default()));
        statements.retain(|statement| !statement.is_empty());
        statements
    }
}

/// Where statements end: the semicolons outside of comments, strings and quoted names.
fn ends(sql: &str) -> Vec<usize> {
    let (bytes, mut ends, mut at) = (sql.as_bytes(), Vec::new(), 0);
    while at < bytes.len() {
        let rest = &bytes[at..];
        at += match rest[0] {
            b';' => {
                ends.push(at);
                1
            }
            b'-' if rest.starts_with(b"--") => until(rest, 2, b"\n"),
            b'/' if rest.starts_with(b"/*") => until(rest, 2, b"*/"),
            quote @ (b'\'' | b'"' | b'`') => quoted(rest, quote),
            _ => 1,
        };
    }
    ends
}

/// How long what begins here is, up to and with an ending.
fn until(bytes: &[u8], from: usize, ending: &[u8]) -> usize {
    let found = bytes[from..].windows(ending.len()).position(|window| window == ending);
    found.map_or(bytes.len(), |found| from + found + ending.len())
}

/// How long what is quoted is. A quote within is escaped by a backslash, or doubled, which looks like another one.
fn quoted(bytes: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while at < bytes.len() && bytes[at] != quote {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(bytes.len())
}

fn without_comments(statement: &str) -> &str {
    let mut rest = statement.trim();
    while let Some(comment) = rest.strip_prefix("--") {
        rest = comment.split_once('\n').map_or("", |(_, after)| after.trim_start());
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statements(sql: &'static str) -> Vec<&'static str> {
        Migration { number: 1, name: "test", sql }.templates()
    }

    #[test]
    fn the_list_is_the_folder() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/clickhouse");
        let names = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name());
        let mut names: Vec<_> = names.map(|name| name.into_string().unwrap()).collect();
        names.sort();
        let listed: Vec<_> = MIGRATIONS.iter().map(|migration| format!("{}.sql", migration.name)).collect();
        assert_eq!(names, listed);
    }

    #[test]
    fn names_begin_with_their_numbers() {
        for (at, migration) in MIGRATIONS.iter().enumerate() {
            assert_eq!(migration.number as usize, at + 1);
            assert!(migration.name.starts_with(&format!("{:03}_", migration.number)), "{}", migration.name);
            assert!(!migration.templates().is_empty(), "{}", migration.name);
        }
    }

    /// What was cut in the middle is run again from its beginning.
    #[test]
    fn every_statement_can_be_run_again() {
        let again = ["CREATE DATABASE IF NOT EXISTS ", "CREATE TABLE IF NOT EXISTS ", "CREATE OR REPLACE "];
        let altered =
            ["ADD COLUMN IF NOT EXISTS", "DROP COLUMN IF EXISTS", "MODIFY ", "DROP INDEX IF EXISTS"];
        for statement in MIGRATIONS.iter().flat_map(Migration::templates) {
            let is_alter =
                statement.starts_with("ALTER TABLE ") && altered.iter().any(|part| statement.contains(part));
            let is_drop = statement.starts_with("DROP ") && statement.contains(" IF EXISTS ");
            let is_again = again.iter().any(|start| statement.starts_with(start));
            assert!(is_again || is_alter || is_drop, "not without harm a second time: {statement}");
        }
    }

    #[test]
    fn the_tables_of_the_sink_are_those_of_the_files() {
        let created: Vec<_> = MIGRATIONS
            .iter()
            .flat_map(Migration::templates)
            .filter_map(|statement| statement.strip_prefix("CREATE TABLE IF NOT EXISTS {store}."))
            .map(|rest| rest.split_whitespace().next().unwrap())
            .collect();
        assert_eq!(created, TABLES);
    }

    #[test]
    fn an_environment_has_databases_of_its_own() {
        let databases = Databases::named("two").unwrap();
        let statements = MIGRATIONS.iter().flat_map(|migration| migration.statements(&databases));
        for statement in statements {
            let names = ["two_store.", "two.", "two_store.private_ticks\nAS two_store.ticks"];
            assert!(names.iter().any(|name| statement.contains(name)), "{statement}");
            assert!(!statement.contains("{store}") && !statement.contains("{views}"), "{statement}");
            assert!(!statement.contains("arb_store") && !statement.contains(" arb."), "{statement}");
        }
        for wrong in ["", "Arb", "1st", "a-b", "arb_store", "default", &"a".repeat(41)] {
            assert_eq!(Databases::named(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_file_is_cut_at_the_ends_of_statements_only() {
        assert_eq!(
            statements(
                "-- one; two\nCREATE a;\n\n-- three\n-- four\nCREATE b COMMENT 'x; it''s -- \\'y;' -- five;\n, c;"
            ),
            ["CREATE a", "CREATE b COMMENT 'x; it''s -- \\'y;' -- five;\n, c"]
        );
        assert_eq!(
            statements("SELECT `a;b`, \"c;d\" /* e; f */; SELECT 2"),
            ["SELECT `a;b`, \"c;d\" /* e; f */", "SELECT 2"]
        );
        assert_eq!(statements("-- nothing;\n"), Vec::<&str>::new());
        assert_eq!(statements("SELECT 'open; "), ["SELECT 'open;"]);
    }
}
