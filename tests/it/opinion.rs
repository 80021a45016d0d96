//! Every entry of the board under the policy `board`, against the second opinion: fees, lays, lines and what is learnt.

use std::fs::File;
use std::io::{BufReader, BufWriter, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use arb_engine::venues::Books;
use arb_process::books;
use serde_json::Value;

use crate::support::scratch::Scratch;
use crate::support::transcript::Transcript;
use crate::support::{recordings, root};

/// Polls of a recording that are judged: later ones, among which matches are played.
const POLLS: Range<usize> = 100..250;

fn python(script: &str) -> Command {
    let mut command = Command::new("python3");
    command.arg("-B").arg(root().join("tests/oracle").join(script));
    command
}

/// Random polls by a seed, as records.
fn scenario(seed: u64, polls: usize, scratch: &Path) -> PathBuf {
    let path = scratch.join(format!("scenario-{seed}.jsonl"));
    let asked = ["--seed", &seed.to_string(), "--polls", &polls.to_string()];
    let status = python("scenario.py").args(asked).stdout(File::create(&path).unwrap()).status();
    assert!(status.expect("python3 makes scenarios; on Debian: apt-get install python3").success());
    path
}

/// The result of the second implementation for a transcript.
fn opinion(transcript: &Path) -> Value {
    let output =
        python("opinion.py").stdin(File::open(transcript).unwrap()).stderr(Stdio::inherit()).output();
    let output = output.unwrap();
    assert!(output.status.success());
    serde_json::from_slice(&output.stdout).unwrap()
}

fn transcript_of(path: &Path, books: Books, fill: impl FnOnce(&mut Transcript<&mut BufWriter<File>>)) {
    let mut out = BufWriter::new(File::create(path).unwrap());
    fill(&mut Transcript::new(books, &mut out));
    out.flush().unwrap();
}

/// Compares the entries of an engine with these books with the second implementation; returns their number,
/// and the differences.
fn judged(
    scratch: &Path,
    books: Books,
    fill: impl FnOnce(&mut Transcript<&mut BufWriter<File>>),
) -> (Value, Vec<Value>) {
    let path = scratch.join("transcript.jsonl");
    transcript_of(&path, books, fill);
    let output = opinion(&path);
    (output["compared"].clone(), output["differences"].as_array().unwrap().clone())
}

fn count(compared: &Value, what: &str) -> u64 {
    compared[what].as_u64().unwrap_or(0)
}

#[test]
fn every_entry_of_a_made_up_market_is_the_second_opinions() {
    let scratch = Scratch::new();
    let mut entries = 0;
    for seed in [1, 2] {
        let records = scenario(seed, 25, scratch.path());
        let transcript = || BufReader::new(File::open(&records).unwrap());
        let shipped = books::shipped().unwrap();
        let (compared, differences) = judged(scratch.path(), shipped, |to| to.step_all(transcript()));
        assert!(differences.is_empty(), "seed {seed}: {} {:#}", compared["differences"], differences[0]);
        for hard in [
            "with a lay",
            "with a fee",
            "with a rounded price",
            "with a push",
            "three legs",
            "verified",
            "passed over",
        ] {
            assert!(count(&compared, hard) >= 50, "too few {hard} for a comparison: {compared}");
        }
        for flag in ["simultaneous", "fresh", "same_rules", "independent_operators", "plausible_price"] {
            let doubted = count(&compared, &format!("{flag}: false"));
            assert!(doubted >= 50, "{flag} was hardly ever false: {compared}");
        }
        entries += count(&compared, "entries");
        println!("seed {seed}: {compared}");
    }
    assert!(entries >= 5_000, "{entries}");
}

#[test]
fn every_entry_of_recordings_is_the_second_opinions() {
    let scratch = Scratch::new();
    let mut all: Vec<_> = recordings::all(scratch.path()).into_iter().map(|path| (path, POLLS)).collect();
    let exchange = root().join("../shared/data/betfair-exchange/afl-game-odds-back-lay.csv.zst");
    if exchange.exists() {
        all.push((exchange, 0..usize::MAX));
    } else {
        println!("NOTE: {} is absent: lays are those of the made-up market only", exchange.display());
    }
    for (path, polls) in all {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let shipped = books::shipped().unwrap();
        let (compared, differences) = judged(scratch.path(), shipped, |to| to.play(&path, polls));
        assert!(differences.is_empty(), "{name}: {} {:#}", compared["differences"], differences[0]);
        assert!(count(&compared, "entries") > 0, "{name} tests nothing: {compared}");
        println!("{name}: {compared}");
    }
}

/// The second implementation must be able to find faults: with an engine without fees, and one without clauses.
#[test]
fn an_engine_that_does_not_know_its_books_is_found_out() {
    let scratch = Scratch::new();
    let records = scenario(3, 4, scratch.path());
    let file = std::fs::read_to_string(root().join("pipeline/books.toml")).unwrap();
    let without = |word: &str| {
        let kept = file.lines().filter(|line| !line.starts_with(word));
        books::parse(&kept.collect::<Vec<_>>().join("\n")).unwrap()
    };
    let rows: Vec<_> = file.split("\n\n").filter(|row| !row.contains("[[clause]]")).collect();
    let unstated = books::parse(&rows.join("\n\n")).unwrap();
    let free = books::parse(&file.replace("commission_ppm = 50000", "commission_ppm = 0")).unwrap();
    for (what, books) in
        [("implied_probability", free), ("same_rules", unstated), ("operator", without("operator ="))]
    {
        let transcript = BufReader::new(File::open(&records).unwrap());
        let (compared, differences) = judged(scratch.path(), books, |to| to.step_all(transcript));
        let found = differences.iter().any(|found| found["problem"].as_str().unwrap().contains(what));
        assert!(count(&compared, "differences") > 20 && found, "{what}: {compared}");
    }
}
