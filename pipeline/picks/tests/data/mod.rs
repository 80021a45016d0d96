//! The table of football-data, which is read in place and is not part of the repository.

use std::fs::File;
use std::path::Path;

use arb_picks::history::{History, read};

/// The matches; `None`, with a printed sentence, where the data are absent.
pub(crate) fn history() -> Option<History> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/data/football-data/soccer-2006-2018.csv.zst");
    let Ok(file) = File::open(&path) else {
        println!("NOTE: {} is absent: no number of it is reproduced", path.display());
        return None;
    };
    let mut decoder = zstd::Decoder::new(file).unwrap();
    decoder.window_log_max(27).unwrap();
    Some(read(decoder).unwrap())
}
