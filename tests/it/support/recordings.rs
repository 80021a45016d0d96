//! Recordings: real ones read in place, or simulated ones.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use super::program::{arb, run};
use super::root;

/// The folder of real recordings, beside the repository.
fn folder() -> PathBuf {
    root().join("../shared/data/the-odds-api")
}

/// All real recordings; none where their folder is absent.
pub(crate) fn real() -> Vec<PathBuf> {
    let mut found: Vec<_> =
        std::fs::read_dir(folder()).into_iter().flatten().map(|entry| entry.unwrap().path()).collect();
    found.sort();
    if found.is_empty() {
        println!("NOTE: {} is absent: only simulated recordings are used", folder().display());
    }
    found
}

/// All real recordings, and a simulated one.
pub(crate) fn all(scratch: &Path) -> Vec<PathBuf> {
    let mut found = real();
    found.push(simulated(scratch, 7, 600));
    found
}

/// A real recording, or a simulated one in its place.
pub(crate) fn named(name: &str, scratch: &Path) -> PathBuf {
    let path = folder().join(name);
    if path.exists() {
        return path;
    }
    println!("NOTE: {} is absent: a simulated recording stands in", path.display());
    simulated(scratch, 11, 600)
}

/// A simulated recording.
pub(crate) fn simulated(scratch: &Path, seed: u64, polls: u64) -> PathBuf {
    let path = scratch.join(format!("simulated-{seed}.jsonl"));
    let size = ["--events", "16", "--books", "8"];
    // Without the exchange: the oracle of the board has no lays, no fees and no limits.
    let asked = ["synth", "--exchange", "false", "--seed", &seed.to_string(), "--polls", &polls.to_string()];
    let output = run(arb().args(asked).args(size));
    assert!(output.success, "{}", output.err);
    std::fs::write(&path, output.out).unwrap();
    path
}

/// The bytes of a recording, unpacked on the way.
pub(crate) fn unpacked(path: &Path) -> Box<dyn Read + Send> {
    let file = File::open(path).unwrap();
    if path.extension().unwrap() != "zst" {
        return Box::new(file);
    }
    let mut decoder = zstd::Decoder::new(file).unwrap();
    decoder.window_log_max(27).unwrap();
    Box::new(decoder)
}

/// Its lines.
pub(crate) fn lines(path: &Path) -> impl Iterator<Item = String> {
    BufReader::new(unpacked(path)).lines().map(Result::unwrap)
}
