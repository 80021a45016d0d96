//! The code rules that no compiler checks, each with its reason.

use std::path::{Path, PathBuf};

use arb_runtime::telemetry::list;

use crate::support::root;

mod rooms;
mod waits;

/// Longest file without its tests: a longer one holds more than one idea.
const FILE: usize = 400;
/// Longest function: a longer one does more than one thing.
const FUNCTION: usize = 70;

/// All Rust files, with their text.
fn sources() -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut folders: Vec<_> =
        ["schemas", "pipeline", "api", "deploy", "tests"].map(|name| root().join(name)).into();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                found.push((path, text));
            }
        }
    }
    assert!(found.len() > 50);
    found
}

fn is_under(path: &Path, folder: &str) -> bool {
    path.starts_with(root().join(folder))
}

/// A file's lines before its tests.
fn code(text: &str) -> impl Iterator<Item = &str> {
    text.lines().take_while(|line| *line != "#[cfg(test)]")
}

#[test]
fn every_module_opens_with_what_it_is() {
    for (path, text) in sources() {
        assert!(text.starts_with("//! "), "{} does not open with its description", path.display());
    }
}

#[test]
fn files_are_short() {
    for (path, text) in sources() {
        let lines = code(&text).count();
        assert!(lines <= FILE, "{}: {lines} lines", path.display());
    }
}

/// The first line of a function, if this is one: its indent.
fn function(line: &str) -> Option<usize> {
    let words = ["pub ", "pub(crate) ", "pub(super) ", "const ", "async ", "unsafe "];
    let mut rest = line.trim_start();
    while let Some(shorter) = words.iter().find_map(|word| rest.strip_prefix(word)) {
        rest = shorter;
    }
    let is_one_line = line.ends_with('}') || line.ends_with(';');
    (rest.starts_with("fn ") && !is_one_line).then(|| line.len() - line.trim_start().len())
}

#[test]
fn functions_are_short() {
    let mut measured = 0;
    for (path, text) in sources() {
        let lines: Vec<_> = text.lines().collect();
        for (start, indent) in lines.iter().enumerate().filter_map(|(at, line)| Some((at, function(line)?))) {
            let end = format!("{}}}", " ".repeat(indent));
            let length = lines[start..].iter().position(|line| *line == end).map_or(0, |end| end + 1);
            assert!(length <= FUNCTION, "{}:{}: {length} lines", path.display(), start + 1);
            measured += 1;
        }
    }
    assert!(measured > 400, "{measured}");
}

/// One crate of the product uses Kafka's client, so that its settings and workarounds are in one place. The
/// bench is the second: a baseline must not use the client that it measures.
#[test]
fn only_the_kafka_room_uses_rdkafka() {
    for (path, text) in sources() {
        let rooms = ["pipeline/kafka", "deploy/bench/src/pipeline", "deploy/bench/src/actor/bare_push.rs"];
        let allowed = rooms.iter().any(|room| is_under(&path, room));
        let uses =
            text.lines().any(|line| !line.trim_start().starts_with("//") && line.contains("rdkafka::"));
        assert!(!uses || allowed || is_under(&path, "tests"), "{} uses rdkafka", path.display());
    }
}

/// One list has the metrics, so that every metric is documented.
#[test]
fn only_the_telemetry_room_names_metrics() {
    for (path, text) in sources() {
        let allowed = is_under(&path, "pipeline/runtime/src/telemetry")
            || path.ends_with("pipeline/runtime/src/telemetry.rs");
        if allowed || is_under(&path, "tests") {
            continue;
        }
        assert!(!text.contains("metrics::"), "{} uses the recorder", path.display());
        for name in list::ALL.iter().map(|metric| metric.name) {
            assert!(!text.contains(&format!("\"{name}")), "{} contains {name}", path.display());
        }
    }
}

/// The features that Cargo gives to the packages that a package is built of.
fn features(package: &str) -> String {
    let mut cargo = std::process::Command::new(env!("CARGO"));
    cargo.current_dir(root()).args(["tree", "--offline", "--locked", "--edges", "normal,features"]);
    let tree = cargo.args(["--package", package]).output().unwrap();
    assert!(tree.status.success(), "{}", String::from_utf8_lossy(&tree.stderr));
    String::from_utf8(tree.stdout).unwrap()
}

/// What the tests kill and freeze processes by is not in the binary that is shipped, `cargo build --package arb`.
#[test]
fn only_the_binary_under_test_has_fail_points() {
    assert!(features("arb-tests").contains("arb-runtime feature \"fail-points\""));
    for shipped in ["arb", "arb-bench"] {
        let tree = features(shipped);
        assert!(tree.contains("arb-runtime") && !tree.contains("fail-points"), "{tree}");
    }
}

/// Records that tests and benchmarks make up are not in the binary that is shipped.
#[test]
fn only_tests_and_benchmarks_have_fixtures() {
    assert!(features("arb-bench").contains("arb-model feature \"fixtures\""));
    let tree = features("arb");
    assert!(tree.contains("arb-model") && !tree.contains("fixtures"), "{tree}");
}

/// Two crates of the product use the client of ClickHouse: the store, and the sink that writes; the bench compares the sink with it.
#[test]
fn only_the_store_and_the_sink_use_the_client_of_clickhouse() {
    for (path, text) in sources() {
        let rooms = ["pipeline/store/src", "pipeline/sink/src", "deploy/bench/src/sink"];
        let allowed = rooms.iter().any(|room| is_under(&path, room));
        let is_use =
            |line: &str| ["use clickhouse::", "use ::clickhouse::"].iter().any(|it| line.starts_with(it));
        let uses = text.lines().any(|line| is_use(line.trim_start()));
        assert!(!uses || allowed || is_under(&path, "tests"), "{} uses clickhouse", path.display());
    }
}

/// One place runs programs that are not ours, so that none of them inherits a secret; two start roles of ours.
#[test]
fn only_one_place_runs_programs() {
    let allowed = ["setup/src/program.rs", "src/local/children.rs", "bench/src/actor.rs"];
    for (path, text) in sources().into_iter().filter(|(path, _)| !is_under(path, "tests")) {
        let may = allowed.iter().any(|name| path == root().join("deploy").join(name));
        let runs = code(&text).any(|line| line.contains("Command::new("));
        assert!(may || !runs, "{} runs a program", path.display());
        let hides = ["secrets::hide(", "secrets::ALL"].iter().any(|list| text.contains(list));
        assert!(!runs || hides, "{} hides no secret", path.display());
    }
}

/// The API shares the feed and the store with the roles that write; it does not reach into these.
#[test]
fn the_api_depends_on_no_role_that_writes() {
    let manifest = std::fs::read_to_string(root().join("api/Cargo.toml")).unwrap();
    let has = |name: &str| manifest.lines().any(|line| line.starts_with(&format!("{name}.")));
    assert!(has("arb-feed") && has("arb-store"), "the test reads the manifest");
    for role in ["arb-sink", "arb-deliver", "arb-settle"] {
        assert!(!manifest.contains(role), "{role}");
    }
}

/// The engine's Cargo.toml is the wall that keeps it pure.
#[test]
fn the_engine_depends_on_nothing_that_acts() {
    let manifest = std::fs::read_to_string(root().join("pipeline/engine/Cargo.toml")).unwrap();
    let dependencies = manifest.split("[dependencies]").nth(1).unwrap().split("\n[").next().unwrap();
    let names: Vec<_> =
        dependencies.lines().filter_map(|line| line.split_once('.')).map(|(name, _)| name).collect();
    assert_eq!(names, ["arb-model", "foldhash", "sha2"]);
    for (path, text) in sources().into_iter().filter(|(path, _)| is_under(path, "pipeline/engine/src")) {
        for word in ["Instant", "SystemTime", "std::fs", "std::net", "std::thread", "std::env", "std::io"] {
            assert!(!text.contains(word), "{} contains {word}", path.display());
        }
    }
}

/// Recordings are not ours to publish.
#[test]
fn no_recording_is_in_the_repository() {
    let listed = std::process::Command::new("git").arg("ls-files").current_dir(root()).output().unwrap();
    for name in String::from_utf8(listed.stdout).unwrap().lines() {
        let is_data = [".zst", ".jsonl", ".csv"].iter().any(|ending| name.ends_with(ending));
        assert!(!is_data, "{name}");
    }
}
