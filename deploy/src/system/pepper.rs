//! The file of the pepper: 32 random bytes, readable by its owner alone, the same for all instances.
//!
//! It never replaces a pepper: every key and session that was hashed under it would be lost.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use anyhow::{Context, bail};
use arb_accounts::secrets::{PEPPER, Pepper};

use crate::system::random;

/// The pepper of a file.
///
/// # Errors
/// When there is no such file, or it is no pepper.
pub(crate) fn read(path: &Path) -> anyhow::Result<Pepper> {
    bytes(path).map(|bytes| Pepper::new(&bytes))
}

/// The pepper of a file, which is created where there is none and no account is, and says so: keys that were made with another one are not
/// valid with it.
///
/// # Errors
/// When it can be neither read nor created, and where there is none though there are accounts.
pub(crate) fn read_or_create(
    path: &Path,
    are_accounts: impl FnOnce() -> anyhow::Result<bool>,
) -> anyhow::Result<Pepper> {
    if !path.exists() && are_accounts()? {
        bail!(
            "there is no pepper {}, and there are accounts: copy the file from another instance or from where it is kept. Where it is lost for good, 32 random bytes in this file \
             begin anew: all keys, sessions and invitations end",
            path.display()
        );
    }
    if create(path, &random::bytes::<PEPPER>()?)? {
        tracing::warn!(pepper = %path.display(), "a new pepper was created: keys and sessions that were made with another one are not valid with it");
    }
    read(path)
}

/// The bytes of a pepper.
///
/// # Errors
/// As above.
pub(crate) fn bytes(path: &Path) -> anyhow::Result<Vec<u8>> {
    let bytes = fs::read(path).with_context(|| format!("the pepper {}", path.display()))?;
    if bytes.len() != PEPPER {
        bail!("the pepper {} has {} bytes, not {PEPPER}", path.display(), bytes.len());
    }
    Ok(bytes)
}

/// Creates the file where there is none, whole or not at all; whether it did.
///
/// # Errors
/// When it cannot be written.
pub(crate) fn create(path: &Path, bytes: &[u8]) -> anyhow::Result<bool> {
    if path.exists() {
        return Ok(false);
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let named = || path.display().to_string();
    fs::create_dir_all(folder).with_context(named)?;
    let new = folder.join(format!(".pepper-{:016x}", u64::from_be_bytes(random::bytes()?)));
    let mut file =
        OpenOptions::new().write(true).create_new(true).mode(0o600).open(&new).with_context(named)?;
    file.write_all(bytes).and_then(|()| file.sync_all()).with_context(named)?;
    // Of two that create it at one time, the first one's stays.
    let linked = fs::hard_link(&new, path);
    fs::remove_file(&new).with_context(named)?;
    match linked {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(error).with_context(named),
        linked => Ok(linked.is_ok()),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn it_is_created_once_and_for_its_owner_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep").join("pepper");
        assert!(read(&path).unwrap_err().to_string().contains("deep/pepper"));
        let refused = read_or_create(&path, || Ok(true)).err().unwrap().to_string();
        assert!(
            refused.contains("deep/pepper, and there are accounts: copy the file") && !path.exists(),
            "{refused}"
        );
        let first = read_or_create(&path, || Ok(false)).unwrap().hmac("x");
        let again = read_or_create(&path, || unreachable!("it is there"));
        assert_eq!(again.unwrap().hmac("x"), first);
        assert_eq!(read(&path).unwrap().hmac("x"), first);
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }

    #[test]
    fn those_that_create_it_at_one_time_have_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pepper");
        let one = || read_or_create(&path, || Ok(false)).unwrap().hmac("x");
        let all: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(one)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(all.iter().all(|hmac| *hmac == all[0]));
    }

    #[test]
    fn what_is_no_pepper_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pepper");
        fs::write(&path, "short").unwrap();
        assert!(
            read_or_create(&path, || Ok(true)).err().unwrap().to_string().contains("has 5 bytes, not 32")
        );
    }
}
