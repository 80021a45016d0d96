//! Programs of others: cargo, Java, Maven, npm, compilers, servers. The one place where their commands are made.
//!
//! They never receive a secret: a program that downloads, compiles or serves needs no key and no password,
//! and the install script of some package could send one anywhere.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::secrets;

/// A command of a program, with no standard input, in the environment of this process without its secrets.
#[must_use]
pub fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    for name in secrets::ALL {
        command.env_remove(name);
    }
    command.stdin(Stdio::null());
    command
}

/// A program of ours that takes the place of this process: it has the settings, so it sees the secrets.
#[must_use]
pub fn successor(program: &Path) -> Command {
    Command::new(program)
}

/// The path of a program, found in `PATH`.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "where programs are is a fact of the machine, no setting")]
pub fn find(program: &str) -> Option<PathBuf> {
    let paths = std::env::var_os("PATH")?;
    std::env::split_paths(&paths).map(|folder| folder.join(program)).find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_sees_no_secret() {
        let command = command("true");
        let removed: Vec<_> = command.get_envs().filter(|(_, value)| value.is_none()).collect();
        assert_eq!(removed.len(), secrets::ALL.len());
    }

    #[test]
    fn programs_are_found_by_path() {
        assert!(find("sh").is_some_and(|file| file.ends_with("sh")));
        assert_eq!(find("no-such-program-anywhere"), None);
    }
}
