//! Every entry of the board under the policy `board`, against the second opinion: fees, lays, lines and what is learnt.

use std::fs::File;
use std::io::{BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use arb_engine::books::Books;
use arb_pipeline::books;
use serde_json::Value;

use crate::support::transcript::Transcript;
use crate::support::{recordings, root};

/// Polls of a recording that are judged: enough for thousands of entries each.
const POLLS: usize = 150;

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

/// What the second opinion says of a transcript.
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

#[test]
fn dev_dump() {
    let shipped = || books::shipped().unwrap();
    transcript_of(Path::new("/tmp/tr-sc1.jsonl"), shipped(), |t| {
        t.tell_all(BufReader::new(File::open("/tmp/sc1.jsonl").unwrap()));
    });
    for path in recordings::all(Path::new("/tmp")) {
        let name = format!("/tmp/tr-{}", path.file_name().unwrap().to_str().unwrap());
        transcript_of(Path::new(&name), shipped(), |t| t.play(&path, 100..100+POLLS));
    }
    transcript_of(Path::new("/tmp/tr-afl"), shipped(), |t| {
        t.play(&root().join("../shared/data/betfair-exchange/afl-game-odds-back-lay.csv.zst"), 0..100_000)
    });
}
