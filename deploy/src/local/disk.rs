//! Whether the disk of a server's data is full: such a server ends without a sentence, because it cannot write one.
//!
//! It never frees anything.

use std::path::Path;

use arb_setup::home;

/// A disk with less than this is full: a server that prepares a file of its size finds no room.
const FULL_MIB: u64 = 32;
/// A server is started again once so much is free.
pub(crate) const ROOM_MIB: u64 = 64;

/// That a disk is full, as a sentence.
pub(crate) fn problem(folder: &Path) -> Option<String> {
    judged(folder, home::free_mib(folder).ok()?)
}

fn judged(folder: &Path, free_mib: u64) -> Option<String> {
    let text = || format!("the disk of {} is full: {free_mib} MiB are left", folder.display());
    (free_mib < FULL_MIB).then(text)
}

/// Whether a server may be started again.
pub(crate) fn has_room(folder: &Path) -> bool {
    home::free_mib(folder).is_ok_and(|free_mib| free_mib >= ROOM_MIB)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_is_full_before_its_last_byte_is_taken() {
        let folder = Path::new("/data");
        let full = judged(folder, FULL_MIB - 1).unwrap();
        assert_eq!(full, "the disk of /data is full: 31 MiB are left");
        assert_eq!(judged(folder, FULL_MIB), None);
        // What is started again is not full at once.
        assert_eq!(judged(folder, ROOM_MIB), None);
    }
}
