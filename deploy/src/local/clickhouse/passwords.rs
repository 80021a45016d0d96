//! The passwords of the local server's roles: made once, one file a role, readable by the owner alone.
//!
//! They are never logged and never on a command line.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use arb_schemas::clickhouse::Databases;
use arb_store::clickhouse::roles::{self, Role};

/// The file of a user's.
#[must_use]
pub fn file(home: &Path, user: &str) -> PathBuf {
    home.join("clickhouse").join(format!("{user}.password"))
}

/// What is in a file.
///
/// # Errors
/// When the file cannot be read.
pub fn read(file: &Path) -> anyhow::Result<String> {
    let text = fs::read_to_string(file).with_context(|| file.display().to_string())?;
    Ok(text.trim().to_owned())
}

/// All roles of these databases with their passwords; those that are missing are made.
pub(super) fn make(home: &Path, databases: &[Databases]) -> anyhow::Result<Vec<(Role, String)>> {
    let folder = home.join("clickhouse");
    fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let of_role = |role: Role| {
        let file = file(home, &role.user);
        if !file.exists() {
            write_new(&file).with_context(|| file.display().to_string())?;
        }
        let password = read(&file)?;
        anyhow::ensure!(
            !password.is_empty(),
            "{} is empty: remove it, and the next start creates a new one",
            file.display()
        );
        Ok((role, password))
    };
    databases.iter().flat_map(roles::all).map(of_role).collect()
}

/// Whole or not at all.
fn write_new(file: &Path) -> anyhow::Result<()> {
    let mut random = [0; 24];
    getrandom::fill(&mut random).map_err(|error| anyhow!("no random numbers: {error}"))?;
    let password = random.map(|byte| format!("{byte:02x}")).concat();
    let new = file.with_extension("new");
    let mut options = OpenOptions::new();
    let mut writer = options.write(true).create(true).truncate(true).mode(0o600).open(&new)?;
    writeln!(writer, "{password}")?;
    writer.sync_all()?;
    Ok(fs::rename(new, file)?)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn passwords_are_created_once_and_readable_by_the_owner_only() {
        let home = tempfile::tempdir().unwrap();
        let databases = [Databases::default(), Databases::named("two").unwrap()];
        let texts =
            || make(home.path(), &databases).unwrap().into_iter().map(|(_, text)| text).collect::<Vec<_>>();
        let first = texts();
        assert!(first.iter().all(|text| text.len() == 48), "{first:?}");
        assert!(first[0] != first[1] && first[1] != first[2]);
        assert_eq!((texts(), first.len()), (first, 8));
        let mode = fs::metadata(file(home.path(), roles::ANALYST)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}
