//! The home folder: the one place of downloads and data.
//!
//! Nothing is written outside it, except by Maven into Maven's cache.

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
    Ok(())
}

/// So many MiB are free on the disk of a folder.
///
/// # Errors
/// When there is less: one sentence.
pub fn check_disk(folder: &Path, needed_mib: u64) -> anyhow::Result<()> {
    let stat = rustix::fs::statvfs(folder).with_context(|| folder.display().to_string())?;
    let free_mib = stat.f_bavail.saturating_mul(stat.f_frsize) / (1024 * 1024);
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
