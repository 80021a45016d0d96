//! The home folder: the one place of downloads and data.
//!
//! Nothing is written outside it, except by Maven into Maven's cache. Other users of the machine read nothing of it: it has secrets, and Kafka's log
//! the e-mails and hashes of accounts.

use std::fs::{OpenOptions, Permissions};
use std::io::Write;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

use anyhow::{Context, bail};

/// Marks a folder as a home, so that `arb clean` never removes another one.
pub const MARK: &str = "arb-home";

/// Creates and marks the folder where it is missing.
///
/// # Errors
/// When it cannot be created, or holds files that are not ours: one sentence.
pub fn make(home: &Path) -> anyhow::Result<()> {
    let at = || format!("the folder {} cannot be made", home.display());
    std::fs::create_dir_all(home).with_context(at)?;
    let mark = home.join(MARK);
    if !mark.exists() {
        let holds_something = std::fs::read_dir(home).with_context(at)?.next().is_some();
        // Asked again: another thread or process may have created the folder meanwhile.
        if holds_something && !mark.exists() {
            bail!("{} holds something else: choose another folder with --home", home.display());
        }
        std::fs::write(mark, "").with_context(at)?;
    }
    make_private(home)
}

/// Creates a folder where it is missing, which its owner alone may enter from now on.
///
/// # Errors
/// When it cannot be created, or is another user's: one sentence.
pub fn make_private(folder: &Path) -> anyhow::Result<()> {
    let at = || format!("the folder {} cannot be made", folder.display());
    std::fs::create_dir_all(folder).with_context(at)?;
    std::fs::set_permissions(folder, Permissions::from_mode(0o700)).with_context(at)
}

/// Writes a file that its owner alone may read, from its first byte on.
///
/// # Errors
/// When it cannot be written.
pub fn write_private(file: &Path, text: &str) -> std::io::Result<()> {
    let mut options = OpenOptions::new();
    let mut opened = options.write(true).create(true).truncate(true).mode(0o600).open(file)?;
    opened.set_permissions(Permissions::from_mode(0o600))?;
    opened.write_all(text.as_bytes())
}

/// How many MiB are free on the disk of a folder.
///
/// # Errors
/// When the folder is not there.
pub fn free_mib(folder: &Path) -> anyhow::Result<u64> {
    let stat = rustix::fs::statvfs(folder).with_context(|| folder.display().to_string())?;
    Ok(stat.f_bavail.saturating_mul(stat.f_frsize) / (1024 * 1024))
}

/// So many MiB are free on the disk of a folder.
///
/// # Errors
/// When there is less: one sentence.
pub fn check_disk(folder: &Path, needed_mib: u64) -> anyhow::Result<()> {
    let free_mib = free_mib(folder)?;
    if free_mib < needed_mib {
        bail!(
            "the disk of {} has {free_mib} MiB left and {needed_mib} are needed: free some, or choose another \
             folder with --home",
            folder.display()
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_with_other_files_is_refused() {
        let scratch = tempfile::tempdir().unwrap();
        std::fs::write(scratch.path().join("thesis.tex"), "").unwrap();
        let error = make(scratch.path()).unwrap_err().to_string();
        assert!(error.ends_with("holds something else: choose another folder with --home"), "{error}");
        let home = scratch.path().join("new/home");
        make(&home).unwrap();
        make(&home).unwrap();
        assert!(home.join(MARK).exists());
    }

    #[test]
    fn nobody_else_may_enter_it_however_it_was_before() {
        let scratch = tempfile::tempdir().unwrap();
        let home = scratch.path().join("home");
        for mode in [None, Some(0o755)] {
            if let Some(mode) = mode {
                std::fs::set_permissions(&home, Permissions::from_mode(mode)).unwrap();
            }
            make(&home).unwrap();
            assert_eq!(std::fs::metadata(&home).unwrap().permissions().mode() & 0o777, 0o700);
        }
    }

    #[test]
    fn many_may_make_it_at_once() {
        for _ in 0..50 {
            let scratch = tempfile::tempdir().unwrap();
            let home = scratch.path().join("home");
            std::thread::scope(|scope| {
                let makers = [(); 4].map(|()| scope.spawn(|| make(&home)));
                for maker in makers {
                    maker.join().unwrap().unwrap();
                }
            });
        }
    }

    #[test]
    fn a_full_disk_is_named() {
        let scratch = tempfile::tempdir().unwrap();
        check_disk(scratch.path(), 1).unwrap();
        let error = check_disk(scratch.path(), 1 << 50).unwrap_err().to_string();
        assert!(error.contains("MiB left and 1125899906842624 are needed"), "{error}");
    }
}
