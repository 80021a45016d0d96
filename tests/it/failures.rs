//! What is missing or in the way is named in one sentence, with exit status 1.

use std::net::TcpListener;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use crate::support::ports::{port, port_pair};
use crate::support::program::{RunOutput, arb, run};
use crate::support::scratch::Scratch;

/// Runs a command that must fail; its output is one line of ours.
fn sentence(command: &mut Command) -> String {
    let RunOutput { success, err, .. } = run(command);
    assert!(!success, "{err}");
    let ours: Vec<_> = err.lines().filter(|line| line.starts_with("arb: ")).collect();
    assert_eq!(ours.len(), 1, "{err}");
    ours[0].to_owned()
}

/// `arb up` with a separate home folder, free ports and only these programs on the PATH.
fn up(scratch: &Path, programs: &[&str]) -> Command {
    with_clickhouse(up_at("127.0.0.1:0", port_pair(), scratch, programs))
}

/// With free ports of ClickHouse: another system on the machine may have the usual ones.
fn with_clickhouse(mut command: Command) -> Command {
    let (port, native) = (port_pair(), port_pair());
    command.args(["--clickhouse-port", &port.to_string(), "--clickhouse-native-port", &native.to_string()]);
    command
}

/// `arb up` at these ports, and at the usual ones of ClickHouse.
fn up_at(listen: &str, kafka_port: u16, scratch: &Path, programs: &[&str]) -> Command {
    let bin = scratch.join("bin");
    std::fs::create_dir_all(&bin).unwrap();
    for program in programs {
        let paths = std::env::var_os("PATH").unwrap();
        let mut found = std::env::split_paths(&paths).map(|path| path.join(program));
        let found = found.find(|path| path.exists()).unwrap();
        symlink(found, bin.join(program)).unwrap();
    }
    let mut command = arb();
    command.env("PATH", bin).args(["up", "--listen", listen, "--kafka-port", &kafka_port.to_string()]);
    command.arg("--home").arg(scratch.join("home"));
    command
}

/// What a first start needs.
const PROGRAMS: [&str; 4] = ["java", "mvn", "npm", "cc"];

#[test]
fn all_missing_programs_are_named_with_the_command_that_installs_them() {
    let scratch = Scratch::new();
    let output = sentence(&mut up(scratch.path(), &["cc"]));
    assert_eq!(
        output,
        "arb: not installed: java (runs Kafka, 17 or later), mvn (downloads Kafka), npm (downloads ClickHouse) (on \
         Debian: apt-get install openjdk-17-jre-headless maven npm)"
    );
}

#[test]
fn an_old_java_is_named() {
    let scratch = Scratch::new();
    let mut command = up(scratch.path(), &["mvn", "npm", "cc"]);
    let java = scratch.path().join("bin/java");
    std::fs::write(&java, "#!/bin/sh\necho 'openjdk version \"11.0.2\" 2019-01-15' >&2\n").unwrap();
    std::fs::set_permissions(&java, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let output = sentence(&mut command);
    let java = "arb: not installed: java (runs Kafka, 17 or later; this is Java 11) (on Debian: ";
    assert!(output.starts_with(java), "{output}");
}

#[test]
fn a_full_disk_is_named() {
    let scratch = Scratch::new();
    let output = sentence(up(scratch.path(), &[]).args(["--min-free-mib", "999999999999"]));
    assert!(output.contains("MiB left and 999999999999 are needed"), "{output}");
}

#[test]
fn a_home_that_cannot_be_made_is_named() {
    let scratch = Scratch::new();
    std::fs::write(scratch.path().join("home"), "a file").unwrap();
    let output = sentence(&mut up(scratch.path(), &[]));
    assert!(output.contains("home cannot be made: "), "{output}");
}

#[test]
fn ports_in_use_are_named() {
    let [scratch, other, third] = [(); 3].map(|()| Scratch::new());
    let taken = TcpListener::bind(("127.0.0.1", port_pair() + 1)).unwrap();
    let address = taken.local_addr().unwrap();
    let up = |listen: &str, kafka_port, scratch: &Scratch| {
        sentence(&mut with_clickhouse(up_at(listen, kafka_port, scratch.path(), &PROGRAMS)))
    };
    let output = up(&address.to_string(), port_pair(), &scratch);
    let advice = "is in use: stop what listens there, or choose another with";
    assert_eq!(output, format!("arb: {address} {advice} --listen"));
    let output = up("127.0.0.1:0", address.port(), &other);
    assert_eq!(output, format!("arb: {address} {advice} --kafka-port"));
    let below = address.port() - 1;
    let output = up("127.0.0.1:0", below, &third);
    assert_eq!(output, format!("arb: {address} {advice} --kafka-port"), "the controller's port");
}

#[test]
fn a_missing_recording_is_named() {
    let scratch = Scratch::new();
    let output = sentence(up(scratch.path(), &PROGRAMS).args(["--replay", "nowhere.jsonl.zst"]));
    assert_eq!(output, "arb: nowhere.jsonl.zst: No such file or directory (os error 2)");
    let output = sentence(arb().args(["evaluate", "nowhere.jsonl"]));
    assert_eq!(output, "arb: nowhere.jsonl: No such file or directory (os error 2)");
}

#[test]
fn a_kafka_that_does_not_answer_is_named() {
    let none = format!("127.0.0.1:{}", port());
    for role in ["ingest", "process"] {
        let output = sentence(arb().args([role, "--brokers", &none]));
        assert!(output.starts_with(&format!("arb: Kafka at {none}: ")), "{role}: {output}");
    }
}

#[test]
fn all_that_is_wrong_before_the_start_is_named_at_once_and_nothing_is_fetched_before() {
    let scratch = Scratch::new();
    let taken = TcpListener::bind(("127.0.0.1", port())).unwrap();
    let address = taken.local_addr().unwrap();
    // Neither a Java nor a Maven, which would fetch Kafka.
    let mut command = up_at("127.0.0.1:0", port_pair(), scratch.path(), &[]);
    command.args(["--clickhouse-port", &address.port().to_string(), "--replay", "nowhere.jsonl"]);
    let output = sentence(&mut command);
    for part in [
        "; nowhere.jsonl: No such file",
        "not installed: java (runs Kafka, 17 or later), ",
        &format!("; {address} is in use"),
    ] {
        assert!(output.contains(part), "{part}: {output}");
    }
}

#[test]
fn a_role_that_waits_for_kafka_logs_it_at_once_and_the_error_once() {
    let scratch = Scratch::new();
    let none = format!("127.0.0.1:{}", port());
    let pepper = scratch.path().join("pepper");
    let output =
        run(arb().args(["serve", "--listen", "127.0.0.1:0", "--brokers", &none, "--pepper"]).arg(&pepper));
    assert!(!output.success);
    let lines: Vec<_> = output.err.lines().filter(|line| line.contains(&none)).collect();
    let [waits, ends] = lines[..] else { panic!("{}", output.err) };
    assert!(waits.ends_with(&format!("waiting for Kafka at {none}")), "{waits}");
    assert!(ends.starts_with(&format!("arb: Kafka at {none}: ")), "{ends}");
    assert_eq!(
        ends.matches("Broker transport failure").count() + ends.matches("Timed out").count(),
        1,
        "{ends}"
    );
}

#[test]
fn a_wrong_pepper_is_named() {
    let scratch = Scratch::new();
    let pepper = scratch.path().join("pepper");
    std::fs::write(&pepper, "short").unwrap();
    let output = sentence(arb().args(["serve", "--listen", "127.0.0.1:0", "--pepper"]).arg(&pepper));
    assert!(
        output.starts_with(&format!("arb: the pepper {} has 5 bytes, not 32", pepper.display())),
        "{output}"
    );
}

#[test]
fn only_a_folder_of_ours_is_used_and_cleaned() {
    let scratch = Scratch::new();
    let home = scratch.path().join("home");
    std::fs::create_dir(&home).unwrap();
    std::fs::write(home.join("letter"), "dear").unwrap();
    let output = sentence(&mut up(scratch.path(), &[]));
    assert!(output.contains("holds something else"), "{output}");
    let clean = || arb().arg("clean").arg("--home").arg(&home).output().unwrap();
    assert!(!clean().status.success());
    assert!(String::from_utf8(clean().stderr).unwrap().contains("was not made by arb"));
    assert!(home.join("letter").exists());
    std::fs::remove_file(home.join("letter")).unwrap();
    let output = sentence(up(&scratch.path().join("again"), &[]).arg("--min-free-mib=999999999999"));
    assert!(output.contains("MiB left"), "{output}");
    let made = scratch.path().join("again/home");
    assert!(made.join("arb-home").exists());
    assert!(run(arb().arg("clean").arg("--home").arg(&made)).success);
    assert!(!made.exists());
    assert!(run(arb().arg("clean").arg("--home").arg(&made)).success);
}
