//! `arb evaluate` against the oracle, window by window, on every recording.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::support::oracle::{assert_same, oracle, parse};
use crate::support::program::{Said, arb, run};
use crate::support::{recordings, root};

/// The windows that the program finds, and what it said.
pub(crate) fn windows(recording: &Path, scratch: &Path) -> (Vec<Value>, Said) {
    let out = scratch.join("windows.jsonl");
    let said = run(arb().arg("evaluate").arg(recording).arg("--windows").arg(&out));
    (parse(&std::fs::read_to_string(&out).unwrap_or_default()), said)
}

#[test]
fn every_window_is_the_oracles() {
    let scratch = tempfile::tempdir().unwrap();
    for recording in recordings::all(scratch.path()) {
        let name = recording.file_name().unwrap().to_string_lossy().into_owned();
        let (ours, said) = windows(&recording, scratch.path());
        assert!(said.success, "{name}: {}", said.err);
        let theirs = oracle(&["windows"], &recording);
        assert_same(&ours, &theirs, &name);
        assert!(!ours.is_empty(), "{name} has no windows: it tests nothing");
        println!("{name}: {} windows agree", ours.len());
    }
}

#[test]
fn several_recordings_are_evaluated_apart_and_listed_together() {
    let scratch = tempfile::tempdir().unwrap();
    let recordings = [3, 4].map(|seed| recordings::simulated(scratch.path(), seed, 200));
    let out = scratch.path().join("both.jsonl");
    let said = run(arb().arg("evaluate").args(&recordings).arg("--windows").arg(&out));
    assert!(said.success, "{}", said.err);
    let both = parse(&std::fs::read_to_string(&out).unwrap());
    let apart: Vec<_> =
        recordings.iter().flat_map(|recording| windows(recording, scratch.path()).0).collect();
    assert_eq!(both.len(), apart.len());
    assert!(apart.iter().all(|window| both.contains(window)));
    let opened: Vec<_> = both.iter().map(|window| window["opened_at"].as_str().unwrap()).collect();
    assert!(opened.is_sorted());
    assert!(said.out.contains("400 polls"), "{}", said.out);
}

#[test]
fn a_truncated_recording_is_evaluated_as_far_as_it_goes() {
    let scratch = tempfile::tempdir().unwrap();
    let whole = recordings::simulated(scratch.path(), 5, 300);
    let packed = zstd::encode_all(std::fs::File::open(&whole).unwrap(), 3).unwrap();
    let cut = scratch.path().join("cut.jsonl.zst");
    std::fs::write(&cut, &packed[..packed.len() * 2 / 3]).unwrap();
    let (ours, said) = windows(&cut, scratch.path());
    assert!(!said.success && said.err.contains("cut.jsonl.zst is cut off after"), "{}", said.err);
    let (all, _) = windows(&whole, scratch.path());
    assert!(!ours.is_empty() && ours.len() < all.len());
    let closed =
        |windows: &[Value]| windows.iter().filter(|w| !w["closed_at"].is_null()).cloned().collect::<Vec<_>>();
    assert!(closed(&ours).iter().all(|window| all.contains(window)));
}

#[test]
fn the_oracle_passes_its_own_tests() {
    let tests = root().join("tests/oracle");
    let mut command = Command::new("python3");
    let said = run(command.args(["-B", "-m", "unittest"]).current_dir(tests));
    assert!(said.success, "{}", said.err);
}
