//! `arb evaluate` against the oracle, window by window, on every recording.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::support::oracle::{assert_same, oracle, parse};
use crate::support::program::{RunOutput, arb, run};
use crate::support::scratch::Scratch;
use crate::support::{recordings, root};

/// The windows that the program finds, and its output.
pub(crate) fn windows(recording: &Path, scratch: &Path) -> (Vec<Value>, RunOutput) {
    let out = scratch.join("windows.jsonl");
    let output = run(arb().arg("evaluate").arg(recording).arg("--windows").arg(&out));
    (parse(&std::fs::read_to_string(&out).unwrap_or_default()), output)
}

/// Windows in the oracle's terms: all of them, but not their expected lifetimes.
pub(crate) fn in_oracles_words(mut windows: Vec<Value>) -> Vec<Value> {
    for window in &mut windows {
        let ttl = window["ttl_seconds_at_open"].take();
        assert!(ttl.as_f64().is_some_and(|seconds| 0.0 < seconds && seconds < 7.0 * 86_400.0), "{ttl}");
    }
    windows
}

/// All that is said of a window, by two implementations that share no code: whether its legs were on offer at one moment (`simultaneous`), and
/// whether they stood when they were next confirmed.
#[test]
fn simultaneous_and_all_else_of_every_window_is_what_the_oracle_says() {
    let scratch = Scratch::new();
    for recording in recordings::all(scratch.path()) {
        let name = recording.file_name().unwrap().to_string_lossy().into_owned();
        let (ours, output) = windows(&recording, scratch.path());
        assert!(output.success, "{name}: {}", output.err);
        let (ours, theirs) = (in_oracles_words(ours), oracle(&["windows"], &recording));
        assert_same(&ours, &theirs, &name);
        assert!(!ours.is_empty(), "{name} has no windows: it tests nothing");
        let verified = theirs.iter().filter(|window| window["verified_ever"] == true).count();
        let of = |field: &str| theirs.iter().filter(|window| window[field] == true).count();
        println!(
            "{name}: {} windows agree, {} of them simultaneous, {verified} verified; {} and of the verified {} stood",
            ours.len(),
            of("simultaneous_ever"),
            of("stood"),
            of("verified_stood")
        );
    }
}

/// The hashes of recordings and of simulated markets, a line for each way in which their records come.
const HASHES: &str = "tests/hashes.txt";

/// Whatever moves a line here changes what is published or restored, and says why in its commit. `ARB_WRITE_HASHES=1` writes the file again.
#[test]
fn what_is_published_of_recordings_is_what_was_kept() {
    let output = run(arb().args(["evaluate", "--hash"]).args(recordings::real()));
    assert!(output.success, "{}", output.err);
    let path = root().join(HASHES);
    if std::env::var_os("ARB_WRITE_HASHES").is_some() {
        std::fs::write(&path, &output.out).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap();
    let kept: BTreeSet<_> = kept.lines().collect();
    let moved: Vec<_> = output.out.lines().filter(|line| !kept.contains(line)).collect();
    assert!(moved.is_empty(), "not as in {HASHES}:\n{}", moved.join("\n"));
    assert!(output.out.lines().count() >= 24, "{}", output.out);
}

/// Rows of the TTL table by their first word: windows, and the share that is gone by the median, in per cent.
fn calibration(report: &str) -> Vec<(String, usize, f64)> {
    let table = report.split("TTL at opening").nth(1).unwrap_or_default();
    let row = |line: &str| {
        let (left, gone) = line.split_once(" %")?;
        let mut words = left.split_whitespace().rev();
        let (gone_by, windows) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
        (!gone.is_empty() || !left.is_empty())
            .then(|| (words.next_back().unwrap_or("-").to_owned(), windows, gone_by))
    };
    table.lines().filter_map(row).collect()
}

#[test]
fn predictions_are_reported_for_windows_after_the_split() {
    let scratch = Scratch::new();
    let recording = recordings::simulated(scratch.path(), 9, 600);
    let (windows, _) = windows(&recording, scratch.path());
    let opened: Vec<_> =
        windows.iter().map(|window| window["opened_at"].as_str().unwrap().to_owned()).collect();
    let split = &opened[opened.len() / 3];
    let after = opened.iter().filter(|opened| *opened >= split).count();
    let output = run(arb().arg("evaluate").arg(&recording).args(["--split", split]));
    let rows = calibration(&output.out);
    let of = |name: &str| rows.iter().find(|(row, ..)| row == name).map(|(_, windows, _)| *windows);
    assert!(0 < after && after < opened.len() && of("all") == Some(after), "{after}: {}", output.out);
    let deciles: Vec<_> = rows.iter().skip_while(|(row, ..)| row != "all").skip(1).collect();
    assert_eq!(
        (deciles.len(), deciles.iter().map(|(_, windows, _)| windows).sum()),
        (10, after),
        "{}",
        output.out
    );
    let output = run(arb().arg("evaluate").arg(&recording).args(["--split", "soon"]));
    assert!(!output.success && output.err.contains("give a date"), "{}", output.err);
}

#[test]
fn the_prior_that_ships_is_what_fit_says_of_the_recordings() {
    let shipped =
        std::fs::read_to_string(root().join("pipeline/engine/src/learning/survival/prior.rs")).unwrap();
    let named = shipped.lines().filter_map(|line| line.strip_prefix("//! * `")?.split('`').next());
    let scratch = Scratch::new();
    let recordings: Vec<_> = named.map(|name| recordings::named(name, scratch.path())).collect();
    assert!(!recordings.is_empty());
    if recordings.iter().all(|recording| !recording.starts_with(scratch.path())) {
        let output = run(arb().arg("fit").args(&recordings));
        assert!(output.success && output.out == shipped, "{}\n{}", output.err, output.out);
    }
}

#[test]
fn several_recordings_are_evaluated_apart_and_listed_together() {
    let scratch = Scratch::new();
    let recordings = [3, 4].map(|seed| recordings::simulated(scratch.path(), seed, 200));
    let out = scratch.path().join("both.jsonl");
    let output = run(arb().arg("evaluate").args(&recordings).arg("--windows").arg(&out));
    assert!(output.success, "{}", output.err);
    let both = parse(&std::fs::read_to_string(&out).unwrap());
    let apart: Vec<_> =
        recordings.iter().flat_map(|recording| windows(recording, scratch.path()).0).collect();
    assert_eq!(both.len(), apart.len());
    assert!(apart.iter().all(|window| both.contains(window)));
    let opened: Vec<_> = both.iter().map(|window| window["opened_at"].as_str().unwrap()).collect();
    assert!(opened.is_sorted());
    assert!(output.out.contains("400 polls"), "{}", output.out);
}

#[test]
fn a_truncated_recording_is_evaluated_as_far_as_it_goes() {
    let scratch = Scratch::new();
    let whole = recordings::simulated(scratch.path(), 5, 300);
    let packed = zstd::encode_all(std::fs::File::open(&whole).unwrap(), 3).unwrap();
    let cut = scratch.path().join("cut.jsonl.zst");
    std::fs::write(&cut, &packed[..packed.len() * 2 / 3]).unwrap();
    let (ours, output) = windows(&cut, scratch.path());
    assert!(!output.success && output.err.contains("cut.jsonl.zst is cut off after"), "{}", output.err);
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
    let output = run(command.args(["-B", "-m", "unittest"]).current_dir(tests));
    assert!(output.success, "{}", output.err);
}
