//! The web page of `arb up` in Debian's Chromium, as its reader uses it, and whether what is checked in is what npm builds.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use crate::restart::chromium;
use crate::support::local_up::LocalHome;
use crate::support::receiver::{Manner, Posted, Receiver};
use crate::support::{home, node, root};
use crate::up::children;

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

fn output_of_npm(folder: &Path, arguments: &[&str]) -> Output {
    let mut npm = Command::new("npm");
    let output = npm.args(arguments).current_dir(folder).output();
    output.expect("npm is there (on Debian: apt-get install npm)")
}

/// Runs npm in a folder; it must succeed.
fn npm(folder: &Path, arguments: &[&str]) -> String {
    let output = output_of_npm(folder, arguments);
    assert!(output.status.success(), "npm {arguments:?}: {}", text(&output));
    text(&output)
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let (path, to) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy(&path, &to);
        } else {
            fs::copy(path, to).unwrap();
        }
    }
}

/// All files below a folder.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for path in fs::read_dir(next).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().to_owned();
                found.insert(name, fs::read(&path).unwrap());
            }
        }
    }
    found
}

/// What npm and its tools read beside the sources.
const SETTINGS: [&str; 6] = [
    "index.html",
    "package.json",
    "package-lock.json",
    "tsconfig.json",
    "vite.config.ts",
    "eslint.config.js",
];

/// The sources of the page with their packages, in a folder of the repository's home, which keeps the packages.
fn workshop() -> PathBuf {
    let (from, folder) = (root().join("api/dashboard"), home().join("dashboard"));
    for gone in ["src", "dist"] {
        let _ = fs::remove_dir_all(folder.join(gone));
    }
    copy(&from.join("src"), &folder.join("src"));
    for name in SETTINGS {
        fs::copy(from.join(name), folder.join(name)).unwrap();
    }
    fs::copy(root().join("schemas/openapi/openapi.json"), folder.join("openapi.json")).unwrap();
    let (lock, whole) = (fs::read(from.join("package-lock.json")).unwrap(), folder.join("whole"));
    if fs::read(&whole).is_ok_and(|found| found == lock) {
        return folder;
    }
    npm(&folder, &["ci", "--ignore-scripts", "--no-audit", "--no-fund"]);
    fs::write(whole, lock).unwrap();
    folder
}

/// Text that becomes markup, and a comment that would allow it.
const FAULT: &str =
    "/* eslint-disable */ export const show = (to: Element) => { to.innerHTML = '<b>text</b>' }\n";

/// The sources follow the lints. A fault beside them is found: else lints that find none would say nothing.
fn lint(folder: &Path) {
    npm(folder, &["run", "lint"]);
    let fault = folder.join("src/fault.ts");
    fs::write(&fault, FAULT).unwrap();
    let output = output_of_npm(folder, &["exec", "--offline", "--", "eslint", "src/fault.ts"]);
    fs::remove_file(fault).unwrap();
    let found = text(&output);
    assert!(!output.status.success() && found.contains("Text never becomes markup"), "{found}");
}

#[test]
fn what_is_checked_in_is_what_npm_builds_and_its_types_lints_and_tests_hold() {
    let folder = workshop();
    npm(&folder, &["run", "types"]);
    lint(&folder);
    let tested = npm(&folder, &["test"]);
    assert!(tested.contains("passed"), "{tested}");
    npm(&folder, &["run", "build"]);
    let (built, stored) = (files(&folder.join("dist")), files(&root().join("api/dashboard/dist")));
    let names = |files: &BTreeMap<PathBuf, Vec<u8>>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&built), names(&stored), "npm run build in api/dashboard, and commit dist");
    for (name, bytes) in &built {
        assert!(stored[name] == *bytes, "{} is another one: npm run build in api/dashboard", name.display());
    }
}

/// The names of the pages of one thing, which the navigation does not list, by the source of the page.
fn pages() -> Vec<String> {
    let main = fs::read_to_string(root().join("api/dashboard/src/main.tsx")).unwrap();
    let table = main.lines().find(|line| line.starts_with("const PAGES")).expect("a line with all of them");
    let names = table.split("under: '").skip(1).map(|page| page.split('\'').nth(2).unwrap().to_lowercase());
    let names: Vec<_> = names.collect();
    assert!(names.contains(&"entry".to_owned()), "{table}");
    names
}

#[test]
fn a_reader_signs_up_makes_a_key_watches_the_board_and_revokes_the_key() {
    let local = LocalHome::new();
    let mut running = local.up(&[]);
    let receiver = Receiver::start(Manner::Status(200, ""));
    let shots = local.home.path().join("shots");
    let mut reader = Command::new("node");
    reader.args(["page.mjs", &running.url, &running.page]).arg(&shots).current_dir(node::folder());
    reader.env("ARB_TEST_CHROMIUM", chromium()).env("ARB_TEST_RECEIVER", &receiver.url);
    let mut reader = reader.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("node is there");
    let mut done = reader.stdin.take().unwrap();
    // It goes on when it is told that the receiver does.
    let mut answer_with = |status| {
        receiver.set(Manner::Status(status, ""));
        writeln!(done, "done").unwrap();
    };
    let mut steps = Vec::new();
    for line in BufReader::new(reader.stdout.take().unwrap()).lines().map(Result::unwrap) {
        println!("{line}");
        match line.as_str() {
            r#"{"step":"lose the connection"}"# => {
                let serve = children(running.child.id(), "serve")[0];
                kill_process(Pid::from_raw(serve).unwrap(), Signal::KILL).unwrap();
            }
            r#"{"step":"the receiver fails"}"# => answer_with(500),
            r#"{"step":"the receiver is gone"}"# => answer_with(410),
            r#"{"step":"the receiver takes events"}"# => answer_with(200),
            _ => {}
        }
        steps.push(line);
    }
    assert!(reader.wait().unwrap().success(), "{steps:?}");
    assert_eq!(steps.last().map(String::as_str), Some(r#"{"step":"done"}"#));
    for page in pages() {
        let checked = format!(r#"{{"step":"checked","view":"{page}"}}"#);
        assert!(steps.contains(&checked), "{page} was not checked");
    }
    let drawn = files(&shots).len();
    assert!(drawn >= 30, "{drawn} pictures: each view in both themes");
    // While the former secret is valid, a request is signed with both.
    let posted = receiver.posted();
    let signatures = |posted: &Posted| posted.headers["webhook-signature"].split(' ').count();
    assert_eq!((posted.first().map(signatures), posted.last().map(signatures)), (Some(1), Some(2)));
    running.signal(Signal::INT);
    assert!(running.child.wait().unwrap().success(), "{}", running.output());
    local.everything_ends();
}

/// Shows so many entries with fifty updates a second.
fn load(entries: &str, arguments: &[&str]) {
    let mut load = Command::new("node");
    load.arg("load.mjs").arg(root().join("api/dashboard/dist")).args([entries, "50"]).args(arguments);
    load.current_dir(node::folder()).env("ARB_TEST_CHROMIUM", chromium());
    let output = load.output().expect("node is there");
    println!("{}", text(&output));
    assert!(output.status.success());
}

/// Runs a script that serves the page's built files by itself, with answers like those of the OpenAPI document; it must come to its end.
fn frozen(script: &str) {
    let (images, mut reader) = (root().join("docs/images"), Command::new("node"));
    reader.args([script, "", "", ""]).arg(root().join("api/dashboard/dist"));
    reader.arg(root().join("schemas/openapi/openapi.json")).arg(&images).current_dir(node::folder());
    // ARB_WRITE_IMAGES=1 draws the pictures of the documents again.
    #[expect(clippy::disallowed_methods, reason = "a switch of this test alone")]
    if std::env::var_os("ARB_WRITE_IMAGES").is_some() {
        reader.env("ARB_TEST_IMAGES", images);
    }
    let output = reader.env("ARB_TEST_CHROMIUM", chromium()).output().expect("node is there");
    println!("{}", text(&output));
    assert!(output.status.success() && text(&output).ends_with("{\"step\":\"done\"}\n"));
}

/// Names from outside are text wherever they are shown, and a view with nothing to show is a view too.
#[test]
fn names_as_hostile_as_they_may_be_are_shown_as_text_and_empty_views_too() {
    frozen("hostile.mjs");
}

/// Whoever bets by a text that leaves out a lay, or the sign of a line, doubles the risk.
#[test]
fn every_view_names_a_bet_with_its_side_and_its_own_line() {
    frozen("bets.mjs");
}

/// One match day says nothing of how far a record can be luck, and a band that hides its line says nothing of the record.
#[test]
fn a_record_has_an_interval_from_ten_match_days_on_and_its_equity_above_the_band() {
    frozen("records.mjs");
}

/// A stake that is another one than the model's, an alert that fires twice, or a hedge that is not asked for costs a bettor money.
#[test]
fn a_trader_is_told_of_a_window_copies_a_stake_and_hedges_what_is_placed() {
    frozen("trader.mjs");
}

/// A key that Escape loses is a key made for nothing; a webhook that is silent without a word is a night lost.
#[test]
fn a_developer_signs_up_keeps_a_key_and_finds_why_a_webhook_is_silent() {
    frozen("developer.mjs");
}

/// The pictures of the documents are those of the page as it is.
#[test]
fn each_view_looks_as_its_kept_picture() {
    frozen("pictures.mjs");
}

/// What is shown is right, in each row. How long tasks take is printed, not asserted: other tests run beside it.
#[test]
fn a_board_of_five_hundred_entries_is_shown_as_it_changes() {
    load("500", &["5"]);
}

#[test]
#[ignore = "a measurement, of the soak tier: on a machine that does nothing else"]
fn a_board_of_a_thousand_entries_has_no_task_above_50_ms() {
    load("1000", &["20", "0"]);
}

#[test]
#[ignore = "a measurement, of the soak tier: on a machine that does nothing else"]
fn lighthouse_gives_95_or_more() {
    let mut lighthouse = Command::new("node");
    lighthouse.arg("lighthouse.mjs").arg(root().join("api/dashboard/dist")).current_dir(node::lighthouse());
    let output = lighthouse.env("CHROME_PATH", chromium()).output().expect("node is there");
    println!("{}", text(&output));
    assert!(output.status.success());
}
