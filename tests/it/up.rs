//! `arb up` as a user runs it: everything starts, the board can be read, and everything ends with it, however it
//! ends.

use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use arb_schemas::clickhouse::MIGRATIONS;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::support::clickhouse::ClickHouse;
use crate::support::http::{once_it_knows, request};
use crate::support::local_up::{LocalHome, Running, give};
use crate::support::ports::{port, port_pair};
use crate::support::program::{arb, run};
use crate::support::scratch::Scratch;
use crate::support::stack::Broker;
use crate::support::{recordings, wait_for};

#[test]
fn up_replays_a_recording_and_ends_cleanly_on_interrupt() {
    let local = LocalHome::own();
    let mut running = local.replay(51, 60, "2026-01-01T03:00:00Z");
    let board = running.board_at("2026-01-01T03:00:00Z");
    assert!(!board["arbs"].as_array().unwrap().is_empty());
    let elsewhere = ["--listen", "127.0.0.1:0", "--kafka-port", &port_pair().to_string()].map(str::to_owned);
    let second = run(arb().arg("up").args(elsewhere).arg("--home").arg(local.home.path()));
    assert!(!second.success && second.err.contains("another arb up runs in"), "{}", second.err);
    running.signal(Signal::INT);
    assert!(running.child.wait().unwrap().success(), "{}", running.output());
    local.everything_ends();
}

#[test]
fn the_simulated_market_moves_and_ends_with_a_killed_parent() {
    let local = LocalHome::own();
    let mut running = local.up(&[]);
    let first = wait_for("a first poll", || running.board().filter(|board| board["as_of"].is_string()));
    wait_for("another poll", || running.board().filter(|board| board["as_of"] != first["as_of"]));
    assert!(!running.output().contains(" INFO "), "roles log to files: {}", running.output());
    assert!(std::fs::read_to_string(local.home.path().join("logs/serve.log")).unwrap().contains(" INFO "));
    for role in ["kafka", "clickhouse", "process", "accounts", "serve", "sink", "settle", "ingest"] {
        wait_for(&format!("{role} runs once"), || {
            Some(children(running.child.id(), role)).filter(|pids| pids.len() == 1)
        });
    }
    running.signal(Signal::KILL);
    running.child.wait().unwrap();
    local.everything_ends();
}

#[test]
fn an_interrupt_while_it_starts_ends_it_cleanly() {
    let local = LocalHome::own();
    let log = local.home.path().join("up.log");
    let mut child = local.command(&[]).stderr(std::fs::File::create(&log).unwrap()).spawn().unwrap();
    wait_for("Kafka is being started", || {
        std::fs::read_to_string(&log).unwrap().contains("starting Apache Kafka").then_some(())
    });
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    assert!(child.wait().unwrap().success(), "{}", std::fs::read_to_string(&log).unwrap());
    local.everything_ends();
}

#[test]
fn its_topics_outlive_it_unless_they_shall_not() {
    let mut local = LocalHome::own();
    let mut running = local.replay(52, 9, "2026-01-01T00:20:00Z");
    let board = running.board_at("2026-01-01T00:20:00Z");
    nobody_else_reads(local.home.path(), &running.key);
    let end = |running: &mut Running| {
        running.signal(Signal::TERM);
        assert!(running.child.wait().unwrap().success(), "{}", running.output());
    };
    end(&mut running);
    let of_the_first_run = local.home.path().join("clickhouse-data").join("data").join("of-the-first-run");
    std::fs::write(&of_the_first_run, "").unwrap();
    // At another port, too.
    local.kafka_port = port_pair();
    let mut again = local.replay(52, 9, "2026-01-01T00:20:00Z");
    assert_ne!(again.key, running.key);
    let bearer = format!("Bearer {}", running.key);
    let ask = || request("GET", &format!("{}/v1/arbs", again.url), &[("authorization", &bearer)]);
    assert_eq!(once_it_knows(ask).unwrap().status, 401, "the key of an earlier run is revoked");
    assert!(again.output().contains("the topics of the last run are continued"), "{}", again.output());
    assert_eq!(whenever(again.board_at("2026-01-01T00:20:00Z")), whenever(board));
    end(&mut again);
    assert!(of_the_first_run.exists());
    let recording = recordings::simulated(local.home.path(), 52, 9);
    let replay = ["--fresh", "--speed", "max", "--until", "2026-01-01T00:00:00Z", "--replay"];
    let mut fresh = local.up(&[&replay[..], &[recording.to_str().unwrap()]].concat());
    fresh.board_at("2026-01-01T00:00:00Z");
    end(&mut fresh);
    assert!(!of_the_first_run.exists());
    local.everything_ends();
}

/// The home and Kafka's log are their owner's alone, and every file that has the key is.
fn nobody_else_reads(home: &Path, key: &str) {
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    for folder in [home.to_owned(), home.join("kafka-data"), home.join("clickhouse-data")] {
        assert_eq!(mode(&folder), 0o700, "{}", folder.display());
    }
    let text = std::fs::read_to_string(home.join("demonstration-key")).unwrap();
    assert_eq!(text, key);
    for entry in std::fs::read_dir(home).unwrap() {
        let path = entry.unwrap().path();
        let holds_key =
            path.is_file() && std::fs::read(&path).unwrap().windows(key.len()).any(|it| it == key.as_bytes());
        assert!(!holds_key || mode(&path) == 0o600, "{}", path.display());
    }
}

#[test]
fn output_that_others_may_read_has_no_secret() {
    let local = LocalHome::own();
    let output = local.home.path().join("output");
    let file = std::fs::File::create(&output).unwrap();
    file.set_permissions(std::fs::Permissions::from_mode(0o644)).unwrap();
    let mut command = local.command(&["--events", "2"]);
    let mut child = command.stdout(file).stderr(std::process::Stdio::null()).spawn().unwrap();
    let read = |name: &str| std::fs::read_to_string(local.home.path().join(name)).unwrap_or_default();
    let printed = wait_for("everything runs", || {
        assert!(child.try_wait().unwrap().is_none(), "{}", read("output"));
        Some(read("output")).filter(|text| text.contains("Ctrl-C"))
    });
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    assert!(child.wait().unwrap().success());
    for secret in ["demonstration-key", "demonstration-password"] {
        assert!(read(secret).len() > 20 && !printed.contains(&read(secret)), "{secret}: {printed}");
        assert!(
            printed.contains(&format!("$(cat {}", local.home.path().join(secret).display())),
            "{printed}"
        );
    }
    local.everything_ends();
}

#[test]
fn every_port_is_checked_before_anything_is_started() {
    let local = LocalHome::own();
    // The controller's.
    let taken = TcpListener::bind(("127.0.0.1", local.kafka_port + 1)).unwrap();
    let refused = |arguments: &[&str]| {
        let output = run(&mut local.command(arguments));
        assert!(!output.success && !local.home.path().join("kafka-data").exists(), "{}", output.out);
        output.err
    };
    let error = refused(&[]);
    assert!(error.contains("is in use") && error.contains("--kafka-port"), "{error}");
    drop(taken);
    let twice = (local.kafka_port + 1).to_string();
    let error = refused(&["--admin-port", &twice]);
    assert!(error.contains("is wanted twice: choose another with --admin-port or --kafka-port"), "{error}");
}

#[test]
fn webhooks_to_this_machine_are_for_this_machine() {
    let output = run(arb().args([
        "serve",
        "--listen",
        "0.0.0.0:0",
        "--webhook-development",
        "--brokers",
        "127.0.0.1:1",
    ]));
    assert!(!output.success && output.err.contains("needs a --listen on loopback"), "{}", output.err);
}

/// What `arb logs` shows of the processor.
fn arb_logs(local: &LocalHome) -> String {
    let show = |role: &[&str]| run(arb().arg("logs").args(role).arg("--home").arg(local.home.path()));
    assert!(show(&[]).out.lines().any(|line| line.starts_with("process\t")));
    assert!(show(&["nobody"]).err.contains("there is no log of nobody: there are those of "));
    show(&["process"]).out
}

/// A board but for whether nothing has come for some time: that is so when it is read late.
pub(crate) fn whenever(mut board: Value) -> Value {
    board.as_object_mut().unwrap().remove("stale").unwrap();
    board
}

/// The process ids of a role's processes under a parent.
pub(crate) fn children(parent: u32, role: &str) -> Vec<i32> {
    let pids = std::fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| entry.unwrap().file_name().to_str()?.parse().ok());
    let is_child = |pid: &i32| {
        let read = |file: &str| std::fs::read_to_string(format!("/proc/{pid}/{file}")).unwrap_or_default();
        let stat = read("stat");
        let ppid = stat.rsplit_once(") ").and_then(|(_, rest)| rest.split(' ').nth(1)?.parse().ok());
        ppid == Some(parent) && read("cmdline").split('\0').nth(1) == Some(role)
    };
    pids.filter(is_child).collect()
}

#[test]
fn a_role_that_is_killed_is_started_again() {
    let local = LocalHome::own();
    let mut running = local.up(&[]);
    for role in ["process", "serve", "clickhouse"] {
        let before = wait_for("a poll", || running.board().filter(|board| board["as_of"].is_string()));
        let pids = children(running.child.id(), role);
        kill_process(Pid::from_raw(pids[0]).unwrap(), Signal::KILL).unwrap();
        wait_for("it is started again", || (children(running.child.id(), role) != pids).then_some(()));
        wait_for("the board moves on", || {
            running.board().filter(|board| board["as_of"].as_str() > before["as_of"].as_str())
        });
    }
    // A ClickHouse that is started while the killed one still ends is started once more.
    for role in ["process", "serve", "clickhouse"] {
        let line = format!("{role} ended with signal: 9 (SIGKILL) and is started again");
        assert_eq!(running.output().matches(&line).count(), 1, "{}", running.output());
    }
    running.signal(Signal::INT);
    assert!(running.child.wait().unwrap().success());
    local.everything_ends();
}

#[test]
fn with_kafka_and_clickhouse_given_it_starts_neither_and_keeps_the_topics() {
    let broker = Broker::bare();
    let recording = recordings::simulated(broker.scratch.path(), 53, 5);
    let clickhouse = ClickHouse::start();
    let given = |listen: &str| {
        let mut command = arb();
        give(&mut command, &broker, &clickhouse);
        command.args(["up", "--speed", "max", "--listen", listen]);
        command.arg("--home").arg(broker.path("home")).arg("--replay").arg(&recording);
        command
    };
    let listen = format!("127.0.0.1:{}", port());
    let mut first = Running::start(given(&listen), broker.path("first.log"), &listen);
    first.board_at("2026-01-01T00:20:00Z");
    assert!(!first.output().contains("starting"), "{}", first.output());
    let applied = clickhouse.query_as("migrator", "SELECT number FROM arb_store.migrations");
    assert_eq!(applied.len(), MIGRATIONS.len());
    first.signal(Signal::INT);
    assert!(first.child.wait().unwrap().success(), "{}", first.output());
    let listen = format!("127.0.0.1:{}", port());
    let mut again = Running::start(given(&listen), broker.path("again.log"), &listen);
    again.board_at("2026-01-01T00:20:00Z");
    again.signal(Signal::INT);
    assert!(again.child.wait().unwrap().success(), "{}", again.output());
    // Without the migrator's password the schema is checked, as the writer; a refused user starts nothing.
    let refused = run(given("127.0.0.1:0")
        .env_remove("CLICKHOUSE_MIGRATOR_PASSWORD")
        .env("CLICKHOUSE_WRITER_PASSWORD", "wrong"));
    let sentence = format!("as {}: Code: 516", clickhouse.user("writer"));
    assert!(refused.err.contains(&sentence), "{}", refused.err);
    assert!(!refused.err.contains("serving"), "{}", refused.err);
}

#[test]
fn a_role_that_is_killed_repeatedly_is_restarted_each_time() {
    let local = LocalHome::own();
    let mut running = local.up(&[]);
    // More runs, each shorter than any that counts, than permanent errors would allow.
    for role in ["sink", "process", "ingest"] {
        for _ in 0..6 {
            let pid = wait_for("it runs", || children(running.child.id(), role).first().copied());
            kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL).unwrap();
            wait_for("it is gone", || (!children(running.child.id(), role).contains(&pid)).then_some(()));
        }
    }
    let pid = children(running.child.id(), "kafka")[0];
    kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL).unwrap();
    wait_for("Kafka is started again", || {
        children(running.child.id(), "kafka").first().is_some_and(|now| *now != pid).then_some(())
    });
    wait_for("Kafka answers", || TcpStream::connect(("127.0.0.1", local.kafka_port)).ok());
    // Pauses have grown to half a minute.
    for role in ["sink", "process", "ingest"] {
        wait_for(role, || children(running.child.id(), role).first().copied());
    }
    let before = wait_for("a board", || running.board().filter(|board| board["as_of"].is_string()));
    wait_for("the board moves on", || {
        running.board().filter(|board| board["as_of"].as_str() > before["as_of"].as_str())
    });
    running.signal(Signal::INT);
    assert!(running.child.wait().unwrap().success(), "{}", running.output());
    local.everything_ends();
}

#[test]
fn a_full_disk_is_named_and_all_goes_on_once_there_is_room() {
    let Some(local) = LocalHome::on_small_disk(400) else { return };
    let elsewhere = Scratch::new();
    let log = elsewhere.path().join("up.log");
    let mut running = Running::start(local.command(&["--min-free-mib", "1"]), log, &local.listen);
    let board = |running: &Running| running.board().filter(|board| board["as_of"].is_string());
    let before = wait_for("a poll", || board(&running));
    let status = || request("GET", &format!("{}/readyz", running.url), &[]).map(|answer| answer.status);
    wait_for("the API is ready", || (status() == Some(200)).then_some(()));
    let filler = local.home.path().join("filler");
    let mut file = std::fs::File::create(&filler).unwrap();
    // Until nothing more fits.
    let full = std::io::copy(&mut std::io::repeat(0), &mut file).unwrap_err();
    assert_eq!(full.kind(), std::io::ErrorKind::StorageFull);
    drop(file);
    let sentence =
        format!("kafka ended: the disk of {} is full", local.home.path().join("kafka-data").display());
    wait_for("the cause is named", || running.output().contains(&sentence).then_some(()));
    wait_for("the API is not ready", || (status() == Some(503)).then_some(()));
    std::fs::remove_file(filler).unwrap();
    wait_for("Kafka is started", || running.output().contains("there is room again: kafka").then_some(()));
    wait_for("the board moves on", || {
        board(&running).filter(|board| board["as_of"].as_str() > before["as_of"].as_str())
    });
    wait_for("the API is ready", || (status() == Some(200)).then_some(()));
    assert_eq!(running.output().matches(&sentence).count(), 1, "{}", running.output());
    running.signal(Signal::INT);
    assert!(running.child.wait().unwrap().success(), "{}", running.output());
    local.everything_ends();
}

#[test]
fn an_error_that_lasts_ends_everything_with_the_role_the_error_and_how_to_go_on() {
    let local = LocalHome::own();
    let books = local.home.path().join("books.toml");
    std::fs::write(&books, "no table of books").unwrap();
    let output = run(&mut local.command(&["--books-file", books.to_str().unwrap()]));
    assert!(!output.success, "{}", output.err);
    // The error of a TOML file has several lines.
    let (_, last) =
        output.err.rsplit_once("arb: process ended 5 times in a row soon after its start").unwrap();
    assert!(last.contains("each time with: ") && last.contains("books.toml"), "{last}");
    assert!(last.contains("start this again: topics, tables and keys are kept"), "{last}");
    let (place, log) =
        (format!("(log: {}", local.home.path().join("logs/process.log").display()), arb_logs(&local));
    let said: Vec<_> = output.err.lines().filter(|line| line.starts_with("process ended: ")).collect();
    assert_eq!(said.len(), 4, "{}", output.err);
    assert!(said.iter().all(|line| line.contains("books.toml") && line.contains(&place)), "{said:?}");
    assert!(log.contains("arb: ") && log.contains("books.toml"), "{log}");

    local.everything_ends();
}
